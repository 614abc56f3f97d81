use std::collections::BTreeMap;

use bytes::Bytes;
use prevet_domain::change::parse;
use prevet_domain::finding::{ReportType, Severity};
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
    run_with(patch, &[], policy)
}

/// With the files after the change.
fn run_with(patch: &str, files: &[(&str, &str)], policy: &Policy) -> Report {
    let change = parse(&Bytes::copy_from_slice(patch.as_bytes())).unwrap();
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let left_out = BTreeMap::new();
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

/// A patch that makes `old` of `new`, all of it one hunk.
fn edited(path: &str, old: &str, new: &str) -> String {
    let common = old.lines().zip(new.lines()).take_while(|(a, b)| a == b).count();
    let rest = (old.lines().count() - common, new.lines().count() - common);
    let tail = old.lines().rev().zip(new.lines().rev()).take_while(|(a, b)| a == b).count();
    let tail = tail.min(rest.0).min(rest.1);
    let part = |text: &str, mark: char, from: usize, to: usize| {
        text.lines().skip(from).take(to - from).map(|line| format!("{mark}{line}\n")).collect::<String>()
    };
    let (old_count, new_count) = (old.lines().count(), new.lines().count());
    let body = part(new, ' ', 0, common)
        + &part(old, '-', common, old_count - tail)
        + &part(new, '+', common, new_count - tail)
        + &part(new, ' ', new_count - tail, new_count);
    format!("--- a/{path}\n+++ b/{path}\n@@ -1,{old_count} +1,{new_count} @@\n{body}")
}

fn rules_of(report: &Report) -> Vec<String> {
    report.findings.iter().map(|finding| finding.rule.clone()).collect()
}

/// The rules of what is found in the edit, with the whole file as the hook sends it.
fn found_in_edit(path: &str, old: &str, new: &str) -> Vec<String> {
    let masked = String::from_utf8(crate::secrets::mask(new.as_bytes()).into_owned()).unwrap();
    let report = run_with(&edited(path, old, new), &[(path, &masked)], &Policy::default());
    assert_eq!(report.fragments, 0);
    rules_of(&report)
}

#[test]
fn masks_break_nothing() {
    let check = |path: &str, line: &str| {
        let mut lines = found_in_edit(path, "a = 1\n", &format!("a = 1\n{line}\n"));
        lines.retain(|rule| !rule.starts_with("secrets."));
        assert_eq!(lines, Vec::<String>::new(), "{line}");
    };
    check("a.py", "print(\"Enter password:\", end=\"\")");
    check("a.py", "login(\"a\", password=\"kT8qPz1xWm\", token='a' 'b')");
    check("a.rb", "has_secure_token :token");
    check("a.js", "a = '&user_token=' + f('user_token')");
    assert_eq!(
        found_in_edit("a.json", "{\"a\": 1}\n", "{\"Your password:\": \"b\"}\n"),
        Vec::<String>::new()
    );
    let yaml = "\"Your password:\": \"b\"\nc: d\n";
    assert_eq!(found_in_edit("a.yml", "c: d\n", yaml), Vec::<String>::new());
}

#[test]
fn old_code_is_not_new() {
    let check = |path: &str, old: &str, new: &str, expected: &[&str]| {
        assert_eq!(found_in_edit(path, old, new), expected, "{new}");
    };
    let promise = |line: &str| {
        format!(
            "const p = new Promise(async (a) => {{\n  b()\n  c()\n  d()\n  e()\n  {line}\n  f()\n  a(1)\n}})\n"
        )
    };
    check("a.js", &promise("x()"), &promise("y()"), &[]);
    check("a.js", "g()\n", &promise("y()"), &["javascript.async-promise-executor"]);
    let twice = promise("x()") + &promise("x()");
    check("a.js", &promise("x()"), &twice, &["javascript.async-promise-executor"]);
    let shell = |guard: &str| format!("import os\n\n\ndef f(name):\n{guard}    os.system(name)\n");
    check("a.py", &shell("    a = 1\n"), &shell("    a = 2\n"), &[]);
    check("a.py", &shell("    check(name)\n"), &shell(""), &["python.shell-command-from-variable"]);
}

/// The flawed line is older than the change, which took out what kept it harmless.
#[test]
fn a_lost_guard_makes_old_code_count() {
    let check = |path: &str, code: &str, guard: &str, expected: &str| {
        let old = code.replace("GUARD", guard);
        let new = code.lines().filter(|line| !line.contains("GUARD")).map(|line| format!("{line}\n"));
        let new: String = new.collect();
        assert!(found_in_edit(path, &old, &new).iter().any(|rule| rule == expected), "{path}: {guard}");
        let beside = old.replace(guard, "count = 1");
        let moved = old.replace(guard, "count = 2");
        assert_eq!(found_in_edit(path, &beside, &moved), Vec::<String>::new(), "{path}");
    };
    let shell = "import os\n\ndef f(name):\n    GUARD\n    os.system(name)\n";
    check("a.py", shell, "if name not in KNOWN: raise Unknown(name)", "python.shell-command-from-variable");
    check("a.py", shell, "name = shlex.quote(name)", "python.shell-command-from-variable");
    let html = "function f(name) {\n  GUARD\n  el.innerHTML = `<b>${name}</b>`\n}\n";
    check("a.js", html, "if (!known(name)) return", "javascript.html-built-from-values");
    check("a.js", html, "name = strip(name)", "javascript.html-built-from-values");
    let sql = "<?php\nfunction f($db, $name) {\n  GUARD;\n  return $db->query(\"SELECT * FROM t WHERE a = '$name'\");\n}\n";
    check("a.php", sql, "$name = $db->escape($name)", "php.sql-built-from-text");
}

#[test]
fn hunks_are_no_neighbours() {
    let repeated = "javascript.duplicate-key";
    let apart = "--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,3 @@\n const a = {\n   b: 1,\n+  d: 1,\n@@ -3,2 +4,3 @@\n   x: 1,\n+  b: 2,\n };\n";
    assert_eq!(rules_of(&run(apart, &Policy::default())), Vec::<String>::new());
    let together = apart.replace("@@ -1,2 +1,3", "@@ -1,4 +1,6").replace("@@ -3,2 +4,3 @@\n", "");
    assert_eq!(rules_of(&run(&together, &Policy::default())), [repeated]);
    let whole = run_with(
        apart,
        &[("a.js", "const a = {\n  b: 1,\n  d: 1,\n  x: 1,\n  b: 2,\n};\n")],
        &Policy::default(),
    );
    assert_eq!(rules_of(&whole), [repeated]);
}

#[test]
fn other_tools_comments_lower() {
    let check = |comment: &str, new_ignores: NewIgnores, expected: Severity| {
        let policy = Policy { new_ignores, ..Policy::default() };
        let code = format!("import subprocess\nsubprocess.run(f\"ls {{x}}\", shell=True){comment}\n");
        let report = run(&added("src/a.py", &code), &policy);
        let severities: Vec<Severity> = report.findings.iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [expected], "{comment}");
        let is_told = report.findings[0].message.ends_with(super::file::EXCUSED);
        assert_eq!(is_told, expected != Severity::High);
    };
    check("", NewIgnores::Allow, Severity::High);
    check("  # nosec B602", NewIgnores::Allow, Severity::High);
    check("  # nosec B602: x is from a fixed list", NewIgnores::Allow, Severity::Medium);
    check("  # nosec B602: x is from a fixed list", NewIgnores::Block, Severity::High);
}

#[test]
fn hidden_lock_files_are_left_out() {
    let check = |path: &str, expected: Verdict| {
        let patch = format!(
            "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\nBinary files a/{path} and b/{path} differ\n"
        );
        let report = run(&(added("a.md", "x\n") + &patch), &Policy::default());
        assert_eq!(verdict(&report, &Policy::default()), expected, "{path}");
    };
    check("package-lock.json", Verdict::Approve);
    check("vendor/a.go", Verdict::Approve);
    check("src/a.go", Verdict::Incomplete);
}

#[test]
fn a_secret_that_only_moves_stops_nothing() {
    let (key, other) = (["AKIA", "Z7VRS2WQ4NBT6KXM"].concat(), ["AKIA", "Q3LKD8PWN5RT2VXB"].concat());
    let check = |before: &str, severity: Severity| {
        let patch = format!(
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,1 @@\n-check(\n-    \"{before}\")\n+check(\"{key}\")\n"
        );
        let report = run(&patch, &Policy::default());
        let found: Vec<_> = report.findings.iter().map(|it| it.severity).collect();
        assert_eq!(found, [severity], "{before}");
    };
    check(&key, Severity::Low);
    check(&other, Severity::High);
}
