//! A caller's files come masked, the patch does not.

use std::borrow::Cow;
use std::collections::BTreeMap;

use prevet_domain::change::{FileChange, LineKind};

use crate::secrets::is_masked;

/// The file with the patch's own lines where secrets were masked, so that no mask breaks the code of a changed place.
/// Lines that no hunk shows stay masked; they were so before the change too.
pub fn unmasked<'a>(change: &FileChange, whole: &'a [u8]) -> Cow<'a, [u8]> {
    if !is_masked(whole) {
        return Cow::Borrowed(whole);
    }
    let shown = change.hunks().iter().flat_map(|hunk| &hunk.lines);
    let after = shown.filter(|line| line.kind != LineKind::Removed);
    let own: BTreeMap<u32, &[u8]> = after.map(|line| (line.new_number, line.text.as_ref())).collect();
    let mut text = Vec::with_capacity(whole.len());
    for (number, line) in (1_u32..).zip(whole.split_inclusive(|byte| *byte == b'\n')) {
        match own.get(&number).filter(|_| is_masked(line)) {
            Some(own) => {
                text.extend_from_slice(own);
                text.extend(line.last().filter(|byte| **byte == b'\n'));
            }
            None => text.extend_from_slice(line),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prevet_domain::change::parse;

    use super::*;

    #[test]
    fn only_masked_lines_of_hunks_change() {
        let patch = "--- a/a.py\n+++ b/a.py\n@@ -2,2 +2,3 @@\n a = 1\n-gone = 2\n+key = 'x'\n+b = 3\n";
        let change = parse(&Bytes::from_static(patch.as_bytes())).unwrap();
        let check = |whole: &str, expected: &str| {
            let text = unmasked(&change.files[0], whole.as_bytes());
            assert_eq!(String::from_utf8_lossy(&text), expected);
        };
        check(
            "k = '[masked]'\na = 1\nkey = '[masked]'\nb = 3\n",
            "k = '[masked]'\na = 1\nkey = 'x'\nb = 3\n",
        );
        check("k = 1\na = 1\nkey = 1\nb = 4", "k = 1\na = 1\nkey = 1\nb = 4");
        check("k = 1\na = 1\nkey = 1\n[masked]", "k = 1\na = 1\nkey = 1\nb = 3");
    }
}
