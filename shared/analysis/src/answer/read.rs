//! Whole answers.

use serde_json::{Map, Value};

use super::claim::Claim;
use super::lenient;
use super::place::lines;
use crate::prompt::fence::bounded;
use crate::prompt::masked::{MaskedChange, masked_text};

const REASON_BYTES_MAX: usize = 300;

/// What a review came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// What it claims.
    pub claims: Vec<Claim>,
    /// Ids of earlier findings that it says were mended.
    pub mended: Vec<String>,
    /// Whether the answer is there to its end.
    pub complete: bool,
}

/// A finding that was disproved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refutation {
    /// The claim's place in the list that was asked about.
    pub at: usize,
    /// Why.
    pub reason: String,
}

/// Reads a review's answer; none where it is none.
pub fn review(text: &str) -> Option<Review> {
    let found = lenient::objects(text, "findings")?;
    let claims: Vec<Claim> = found.entries.iter().filter_map(Claim::read).collect();
    // Objects that say nothing of use are no proof that there was nothing to say.
    if claims.is_empty() && !found.entries.is_empty() {
        return None;
    }
    let earlier = found.whole.get("earlier").and_then(Value::as_array);
    let mended = earlier.into_iter().flatten().filter_map(mended).collect();
    Some(Review { claims, mended, complete: found.complete })
}

fn mended(value: &Value) -> Option<String> {
    let is_mended = value.get("state")?.as_str()?.trim().eq_ignore_ascii_case("mended");
    is_mended.then(|| value.get("id")?.as_str().map(str::to_owned)).flatten()
}

/// Reads which of `count` claims were disproved. Only one that shows the code which disproves it counts: a
/// sentence proves nothing.
pub fn refutations(text: &str, count: usize, change: &MaskedChange) -> Vec<Refutation> {
    let tested = lenient::objects(text, "tested").map(|it| it.entries).unwrap_or_default();
    tested.iter().filter_map(|object| refutation(object, count, change)).collect()
}

fn refutation(object: &Map<String, Value>, count: usize, change: &MaskedChange) -> Option<Refutation> {
    let text =
        |name: &str| object.get(name).and_then(Value::as_str).map(str::trim).filter(|it| !it.is_empty());
    let number = usize::try_from(object.get("number")?.as_u64()?).ok()?;
    if object.get("refuted")?.as_bool() != Some(true) || !(1..=count).contains(&number) {
        return None;
    }
    let (quote, reason) = (text("quote")?, text("reason")?);
    change.files.iter().find_map(|file| lines(file, quote, None))?;
    Some(Refutation { at: number - 1, reason: bounded(&masked_text(reason), REASON_BYTES_MAX) })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prevet_domain::change::parse;

    use super::*;
    use crate::prompt::masked::masked;

    #[test]
    fn mended_ids() {
        let text = r#"{"findings": [], "earlier": [{"id": "a", "state": "Mended"}, {"id": "b", "state": "open"}, 7]}"#;
        let review = review(text).unwrap();
        assert_eq!((review.mended, review.complete), (vec!["a".to_owned()], true));
    }

    #[test]
    fn only_code_disproves() {
        let patch =
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n x = 1\n+assert check(x)\n";
        let change = masked(&parse(&Bytes::from(patch)).unwrap(), |_| true);
        let check = |object: &str, expected: usize| {
            let text = format!("{{\"tested\": [{object}]}}");
            assert_eq!(refutations(&text, 2, &change).len(), expected, "{object}");
        };
        check(r#"{"number": 1, "refuted": true, "quote": "assert check(x)", "reason": "it is checked"}"#, 1);
        check(r#"{"number": 1, "refuted": true, "quote": "all is well here", "reason": "it is checked"}"#, 0);
        check(r#"{"number": 1, "refuted": true, "quote": "", "reason": "it is checked"}"#, 0);
        check(r#"{"number": 1, "refuted": true, "quote": "assert check(x)", "reason": ""}"#, 0);
        check(r#"{"number": 3, "refuted": true, "quote": "assert check(x)", "reason": "r"}"#, 0);
        check(r#"{"number": 1, "refuted": false, "quote": "assert check(x)", "reason": "r"}"#, 0);
        check(r#"{"number": 1, "refuted": "yes", "quote": "assert check(x)", "reason": "r"}"#, 0);
    }
}
