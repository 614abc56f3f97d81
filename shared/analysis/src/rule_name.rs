//! The names of all rules, as a policy weighs them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::answer::settle::MODEL_RULE;
use crate::{parse_check, secrets, syntax, taint, text_rules};

/// Names that are less alike than this are none that was meant.
const ALIKE: f64 = 0.8;

static NAMES: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let rules = secrets::rules().chain(syntax::rules()).chain(taint::rules());
    let rules = rules.chain(text_rules::rules()).chain([parse_check::rule()]);
    rules.map(|rule| rule.id.as_str()).chain([MODEL_RULE]).collect()
});

/// The first of these names that is no rule's, with the one that was most likely meant.
pub fn unknown<'n>(names: impl IntoIterator<Item = &'n String>) -> Option<String> {
    let name = names.into_iter().find(|name| !is_known(name))?;
    let meant = nearest(name).map(|meant| format!("; was `{meant}` meant?")).unwrap_or_default();
    Some(format!("[rules] names `{name}`, and there is no such rule{meant}"))
}

/// Whether there is a rule of that name.
fn is_known(name: &str) -> bool {
    NAMES.contains(name)
}

/// The rule's name that `name` was most likely meant to be.
fn nearest(name: &str) -> Option<&'static str> {
    let scored = NAMES.iter().map(|known| (strsim::jaro_winkler(name, known), *known));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(likeness, _)| *likeness >= ALIKE).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, known: bool, meant: Option<&str>| {
            assert_eq!((is_known(name), nearest(name)), (known, meant), "{name}");
        };
        check("secrets.jwt", true, Some("secrets.jwt"));
        check("model", true, Some("model"));
        check("any.does-not-parse", true, Some("any.does-not-parse"));
        check("python.asert-used", false, Some("python.assert-used"));
        check("zzz", false, None);
    }
}
