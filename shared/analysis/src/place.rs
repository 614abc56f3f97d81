//! Which hits belong to the change.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use prevet_domain::change::FileChange;
use prevet_domain::finding::ReportType;

use crate::hit::Hit;
use crate::source::Source;

/// The places that a change touches in one file, by the line numbers after it.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    added: BTreeSet<u32>,
    /// The numbers of the lines before which something was removed.
    removed: BTreeSet<u32>,
    /// Those of them before which a check may have been removed.
    unguarded: BTreeSet<u32>,
}

/// How a hit relates to the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It stands on an added line.
    Touched,
    /// Its function lost lines that may have been a guard.
    Exposed,
    /// The change is elsewhere: it counts only if it was not there before.
    Apart,
}

impl Touched {
    /// What `file` touches.
    pub fn of(file: &FileChange) -> Self {
        let kept: BTreeSet<String> = file.added_lines().map(|line| essence(&line.text)).collect();
        let guards = file.removed_lines().filter(|line| {
            let essence = essence(&line.text);
            may_guard(&essence) && !kept.contains(&essence)
        });
        Self {
            added: file.added_lines().map(|line| line.new_number).collect(),
            removed: file.removed_lines().map(|line| line.new_number).collect(),
            unguarded: guards.map(|line| line.new_number).collect(),
        }
    }

    /// Whether `line` was added.
    pub fn is_added(&self, line: u32) -> bool {
        self.added.contains(&line)
    }

    /// Whether any line of the range was added.
    pub fn any_added(&self, lines: RangeInclusive<u32>) -> bool {
        self.added.range(lines).next().is_some()
    }

    /// Whether something was added or removed within `distance` lines of `line`.
    pub fn near(&self, line: u32, distance: u32) -> bool {
        let range = line.saturating_sub(distance)..=line.saturating_add(distance);
        self.added.range(range.clone()).next().is_some() || self.removed.range(range).next().is_some()
    }

    /// How `hit` relates to the change.
    pub fn relation(&self, source: &Source<'_>, hit: &Hit) -> Relation {
        let (first, last) = source.lines_of(&hit.span);
        if self.any_added(first..=last) {
            return Relation::Touched;
        }
        let Some(scope) = &hit.scope else { return Relation::Apart };
        let (scope_first, scope_last) = source.lines_of(scope);
        // What was removed before a scope's first line was never in it.
        let removed_inside = self.unguarded.range(scope_first + 1..=scope_last.max(scope_first + 1)).next();
        if removed_inside.is_some() && hit.rule.report_type != ReportType::Bug {
            Relation::Exposed
        } else {
            Relation::Apart
        }
    }
}

/// A line without space and without what only ends it: what an edit of its punctuation leaves the same.
fn essence(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let essence: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    essence.trim_end_matches([',', ';']).to_owned()
}

/// Whether a line may refuse a value, clean it or bind it. The rest of what goes is mostly one side of an edit.
fn may_guard(essence: &str) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "if", "elif", "elseif", "}elseif", "unless", "return", "raise", "throw", "assert", "abort", "panic",
        "die", "guard", "@", "case", "while",
    ];
    const WORDS: [&str; 56] = [
        "check",
        "valid",
        "verif",
        "sanit",
        "escape",
        "allow",
        "auth",
        "quot",
        "clean",
        "safe",
        "filter",
        "normali",
        "resolve",
        "realpath",
        "basename",
        "encode",
        "strip",
        "permit",
        "limit",
        "restrict",
        "csrf",
        "purif",
        "prepare",
        "bind",
        "param",
        "assert",
        "ensure",
        "require",
        "forbid",
        "deny",
        "reject",
        "parse",
        "secure",
        "replace",
        "match",
        "test(",
        "startswith",
        "endswith",
        "contains",
        "includes",
        "origin",
        "specialchars",
        "entities",
        "intval",
        "int(",
        "regex",
        "trusted",
        "signature",
        "cors",
        "admin",
        "owner",
        "role",
        "access",
        "policy",
        "tenant",
        "commonpath",
    ];
    let lower = essence.to_lowercase();
    let is_comment = ["//", "#", "*", "/*"].iter().any(|mark| lower.starts_with(mark));
    let begins = || BEGINNINGS.iter().any(|word| lower.starts_with(word));
    !is_comment && (begins() || WORDS.iter().any(|word| lower.contains(word)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use prevet_domain::change::parse;
    use prevet_domain::finding::{Confidence, Severity};

    use super::*;
    use crate::rule::Rule;

    fn hit(
        report_type: ReportType,
        span: std::ops::Range<usize>,
        scope: Option<std::ops::Range<usize>>,
    ) -> Hit {
        let rule = Rule {
            id: "r".into(),
            report_type,
            severity: Severity::High,
            confidence: Confidence::High,
            title: String::new(),
            message: String::new(),
            cwe: None,
            owasp: None,
        };
        Hit { rule: Arc::new(rule), span, scope, fix: None, confidence: None }
    }

    #[test]
    fn relations() {
        let text = b"def f(x):\n    run(x)\n\ndef g(y):\n    run(y)\n    new()\n";
        let source = Source::new("a.py", None, text, true);
        let patch = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,2 @@\n def f(x):\n-    check(x)\n     run(x)\n@@ -6 +5,2 @@\n     run(y)\n+    new()\n";
        let change = parse(&Bytes::from_static(patch.as_bytes())).unwrap();
        let touched = Touched::of(&change.files[0]);
        let check = |hit: &Hit, expected| assert_eq!(touched.relation(&source, hit), expected);
        check(&hit(ReportType::Security, 14..20, Some(0..20)), Relation::Exposed);
        check(&hit(ReportType::Bug, 14..20, Some(0..20)), Relation::Apart);
        check(&hit(ReportType::Security, 36..42, Some(22..52)), Relation::Apart);
        check(&hit(ReportType::Security, 47..52, Some(22..52)), Relation::Touched);
        check(&hit(ReportType::Security, 14..20, None), Relation::Apart);
        assert!(touched.near(4, 2) && !touched.near(30, 2));
    }

    #[test]
    fn what_may_guard() {
        let check =
            |line: &str, expected| assert_eq!(may_guard(&essence(line.as_bytes())), expected, "{line}");
        check("    if host not in HOSTS:", true);
        check("  const clean = sanitize(text);", true);
        check("        stmt.setString(1, escape(name));", true);
        check("    @login_required", true);
        check("        'gateway': gateway,", false);
        check("    wasm: false", false);
        check("    // if this is so", false);
    }
}
