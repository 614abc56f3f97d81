use std::collections::BTreeMap;

use bytes::Bytes;
use prevet_domain::change::parse;
use prevet_domain::finding::ReportType;
use prevet_domain::policy::{Gate, NewIgnores, Policy, RuleSetting};
use prevet_domain::verdict::{Verdict, decide};

use super::{Report, Request, inspect};

/// A new file of that text, as a patch.
fn added(path: &str, text: &str) -> String {
    let count = text.lines().count();
    let body = text.lines().map(|line| format!("+{line}")).collect::<Vec<_>>().join("\n") + "\n";
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{count} @@\n{body}"
    )
}

fn run(patch: &str, policy: &Policy) -> Report {
    let change = parse(&Bytes::copy_from_slice(patch.as_bytes())).unwrap();
    let (files, left_out) = (BTreeMap::new(), BTreeMap::new());
    inspect(&Request {
        change: &change,
        files: &files,
        left_out: &left_out,
        policy,
        report_types: &ReportType::ALL,
    })
}

fn verdict(report: &Report, policy: &Policy) -> Verdict {
    decide(policy.gate, policy.new_ignores, &report.findings, &report.suppressed, &report.coverage)
}

const MARKER: &str = "<<<<<<< HEAD";

#[test]
fn coverage_names_what_was_not_read() {
    let check = |path: &str, expected: Verdict, reason: &str| {
        let report = run(&added(path, "x\n"), &Policy::default());
        assert_eq!(verdict(&report, &Policy::default()), expected, "{path}");
        let reasons: String = report.coverage.not_reviewed.iter().map(|part| part.reason.as_str()).collect();
        assert!(reasons.contains(reason), "{path}: {reasons:?}");
    };
    check("README.md", Verdict::Approve, "");
    check("Cargo.lock", Verdict::Approve, "lock file");
    check("lib/x.c", Verdict::Error, "no rules for this language");
    let both = added("a.md", "x\n") + &added("x.c", "int x;\n");
    assert_eq!(verdict(&run(&both, &Policy::default()), &Policy::default()), Verdict::Incomplete);
    let conflict = run("* Unmerged path a.txt\n", &Policy::default());
    assert_eq!(verdict(&conflict, &Policy::default()), Verdict::Error);
}

#[test]
fn policy_settings() {
    let patch = added("a.txt", &format!("one\n{MARKER}\n"));
    let check = |policy: &Policy, findings: usize, expected: Verdict| {
        let report = run(&patch, policy);
        assert_eq!(report.findings.len(), findings);
        assert_eq!(verdict(&report, policy), expected);
    };
    let rule = |setting| BTreeMap::from([("text.conflict-marker".to_owned(), setting)]);
    check(&Policy::default(), 1, Verdict::RequestChanges);
    check(&Policy { gate: Gate::Never, ..Policy::default() }, 1, Verdict::Approve);
    check(&Policy { exclude: vec!["*.txt".into()], ..Policy::default() }, 0, Verdict::Approve);
    check(&Policy { rules: rule(RuleSetting::Off), ..Policy::default() }, 0, Verdict::Approve);
    let low = RuleSetting::Severity(prevet_domain::finding::Severity::Low);
    check(&Policy { rules: rule(low), ..Policy::default() }, 1, Verdict::Approve);
}

#[test]
fn ignored_findings_stay_listed() {
    let text = format!("# prevet: ignore text.conflict-marker it is the documentation of git\n{MARKER}\n");
    let report = run(&added("a.txt", &text), &Policy::default());
    assert!(report.findings.is_empty());
    let (finding, entry) = &report.suppressed[0];
    assert_eq!((finding.line, entry.new), (Some(2), true));
    assert_eq!(entry.reason, "it is the documentation of git");
    assert_eq!(verdict(&report, &Policy::default()), Verdict::Approve);
    let strict = Policy { new_ignores: NewIgnores::Block, ..Policy::default() };
    assert_eq!(verdict(&report, &strict), Verdict::RequestChanges);
}
