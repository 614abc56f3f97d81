use std::sync::Arc;

use bytes::Bytes;
use prevet_domain::change::parse;
use prevet_domain::finding::{Confidence, Severity};

use super::*;
use crate::rule::Rule;

fn hit(report_type: ReportType, span: std::ops::Range<usize>, scope: Option<std::ops::Range<usize>>) -> Hit {
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

fn touched(patch: &str) -> Touched {
    let change = parse(&Bytes::copy_from_slice(patch.as_bytes())).unwrap();
    Touched::of(&change.files[0])
}

#[test]
fn relations() {
    let text = b"def f(x):\n    run(x)\n\ndef g(y):\n    run(y)\n    new()\n";
    let source = Source::new("a.py", None, text, true);
    let touched = touched(
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,2 @@\n def f(x):\n-    check(x)\n     run(x)\n@@ -6 +5,2 @@\n     run(y)\n+    new()\n",
    );
    let check = |hit: &Hit, expected| assert_eq!(touched.relation(&source, hit), expected);
    check(&hit(ReportType::Security, 14..20, Some(0..20)), Relation::Exposed);
    check(&hit(ReportType::Bug, 14..20, Some(0..20)), Relation::Apart);
    check(&hit(ReportType::Security, 36..42, Some(22..52)), Relation::Apart);
    check(&hit(ReportType::Security, 47..52, Some(22..52)), Relation::Touched);
    check(&hit(ReportType::Security, 14..20, None), Relation::Apart);
    assert!(touched.near(4, 2) && !touched.near(30, 2));
}

/// A function of two lines, of which the first was edited or lost a line above it.
#[test]
fn what_is_lost_matters() {
    let text = b"def f(x):\n    a = 1\n    run(x)\n";
    let source = Source::new("a.py", None, text, true);
    let check = |removed: &str, added: &str, expected| {
        let patch = format!(
            "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n def f(x):\n-    {removed}\n+    {added}\n     run(x)\n"
        );
        let hit = hit(ReportType::Security, 24..30, Some(0..30));
        assert_eq!(touched(&patch).relation(&source, &hit), expected, "{removed}");
    };
    check("if x not in KNOWN: raise Unknown", "a = 1", Relation::Exposed);
    check("x = basename(x)", "a = 1", Relation::Exposed);
    check("x = 'fixed'", "a = 1", Relation::Exposed);
    check("b = 2", "a = 1", Relation::Apart);
    check("if a: stop(1)", "if a: stop(1);", Relation::Apart);
    check("# if x is bad", "a = 1", Relation::Apart);
}

#[test]
fn what_stands_above_the_head_counts_as_lost_only_where_it_guards() {
    let text = b"def f(x):\n    run(x)\n";
    let source = Source::new("a.py", None, text, true);
    let check = |removed: &str, expected| {
        let patch = format!("--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,2 @@\n-{removed}\n def f(x):\n     run(x)\n");
        let hit = hit(ReportType::Security, 14..20, Some(0..20));
        assert_eq!(touched(&patch).relation(&source, &hit), expected, "{removed}");
    };
    check("@cached", Relation::Apart);
    check("@login_required", Relation::Exposed);
    check("@require_permission", Relation::Exposed);
    check("if x:", Relation::Apart);
}

#[test]
fn long_hits_are_about_their_first_line() {
    let text = "p(\n  1,\n  2,\n  3,\n  4,\n  5,\n  6)\n";
    let source = Source::new("a.js", None, text.as_bytes(), true);
    let check = |report_type, line: usize, expected| {
        let before = text.lines().take(line - 1).map(|line| format!(" {line}\n")).collect::<String>();
        let after = text.lines().skip(line).map(|line| format!(" {line}\n")).collect::<String>();
        let own = text.lines().nth(line - 1).unwrap();
        let patch = format!("--- a/a.js\n+++ b/a.js\n@@ -1,6 +1,7 @@\n{before}+{own}\n{after}");
        let hit = hit(report_type, 0..text.len() - 1, None);
        assert_eq!(touched(&patch).relation(&source, &hit), expected, "{report_type} {line}");
    };
    check(ReportType::Bug, 1, Relation::Touched);
    check(ReportType::Bug, 4, Relation::Apart);
    check(ReportType::Security, 4, Relation::Touched);
    check(ReportType::Secret, 4, Relation::Touched);
}
