//! What is understood of a reviewer's text, and what is not.

use proptest::prelude::*;

use super::*;
use crate::limits::REVIEW_ANSWER_BYTES_MAX;

fn one(text: &str) -> Answer {
    parse([text])
}

#[test]
fn verdicts() {
    let check = |text: &str, expected: Option<&str>| {
        let answer = one(text);
        assert_eq!(answer.verdict.map(|it| it.status).as_deref(), expected, "{text:?}");
    };
    check("### VERDICT\n- Status: APPROVE\n- Reason: fine", Some("APPROVE"));
    check("# Verdict\nStatus: approved", Some("APPROVE"));
    check("**VERDICT**\n* **Status:** `APPROVE`", Some("APPROVE"));
    check("**Verdict: REVISE**", Some("REVISE"));
    check("###### final verdict\n\n- __Status__: Revise — two tests fail", Some("REVISE"));
    check("## Verdict\n\nREQUEST CHANGES", Some("REQUEST_CHANGES"));
    check("## Verdict\n### Status: REVISE", Some("REVISE"));
    check("### VERDICT\n- Status: ✅ APPROVE (nothing open)", Some("APPROVE"));
    check("### VERDICT\n- Status: APPROVE, once ISSUE-1 is fixed", Some("APPROVE_ONCE"));
    check("### VERDICT\n- Status: APPROVE with nits", Some("APPROVE_WITH"));
    check("### VERDICT\n- Status: NOT APPROVED", Some("NOT_APPROVED"));
    for (said, expected) in [
        ("APPROVE, however two tests fail", "APPROVE_HOWEVER"),
        ("Approved contingent on fixing the leak", "APPROVE_CONTINGENT"),
        ("APPROVE as soon as ISSUE-1 is fixed", "APPROVE_AS"),
        ("Approve? No.", "APPROVE_NO"),
        ("APPROVE withheld", "APPROVE_WITHHELD"),
        ("approved by nobody", "APPROVE_BY"),
        ("APPROVE (if the tests pass)", "APPROVE_IF"),
    ] {
        check(&format!("### VERDICT\n- Status: {said}"), Some(expected));
    }
    check("### VERDICT\n- Status: LGTM", Some("LGTM"));
    check("### VERDICT\n- Status: APPROVE\n\nAsk if anything is unclear.", Some("APPROVE"));
    check("### VERDICT\n- Status: continue", Some("CONTINUE"));
    // Said nowhere, copied from the template, quoted, fenced, or in a sentence.
    check("", None);
    check("### VERDICT\n- Status: APPROVE | REVISE", None);
    check("### VERDICT\n- Status: APPROVE or REVISE", None);
    check("### VERDICT\n- Reason: none", None);
    check("```\n### VERDICT\n- Status: APPROVE\n```", None);
    check("~~~~\n```\n### VERDICT\n- Status: APPROVE\n", None);
    check("> ### VERDICT\n> - Status: APPROVE", None);
    check("    ### VERDICT\n    - Status: APPROVE", None);
    check("My verdict is APPROVE. Status: APPROVE", None);
    check("### VERDICTS\n- Status: APPROVE", None);
    check("### VERDICT\n\n### Notes\n- Status: APPROVE", None);
    // Contradicting itself.
    check("### VERDICT\n- Status: REVISE\n### VERDICT\n- Status: APPROVE", Some("REVISE"));
    check("### VERDICT\n- Status: APPROVE\n### VERDICT\n- Status: REVISE", Some("REVISE"));
}

#[test]
fn issues() {
    type Expected<'t> = (u32, &'t str, &'t [(&'t str, &'t str)]);
    let check = |text: &str, expected: &[Expected<'_>]| {
        let found = one(text).issues;
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                let fields: Vec<_> =
                    it.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                (it.number, it.title.as_str(), fields)
            })
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(number, title, fields)| (*number, *title, fields.to_vec())).collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check(
        "### ISSUE-1: Lost write\n- Severity: high\n- File: src/a.rs:12\n- Evidence:\n```rust\n### ISSUE-9: x\n```\nmore\n",
        &[(
            1,
            "Lost write",
            &[
                ("Severity", "high"),
                ("File", "src/a.rs:12"),
                ("Evidence", "```rust\n### ISSUE-9: x\n```\nmore"),
            ],
        )],
    );
    check("## Issue 2 — `a` is b", &[(2, "`a` is b", &[])]);
    check("**ISSUE-3:** Title\n**Severity**: low", &[(3, "Title", &[("Severity", "low")])]);
    check(
        "#### [ISSUE-4] T\nSeverity: P1\nA note: this is text",
        &[(4, "T", &[("Severity", "P1\nA note: this is text")])],
    );
    check("### issue-5\n", &[(5, "", &[])]);
    // One that is numbered in no way, or in none that can be, is not lost.
    check("### ISSUE: deletes the database", &[(0, "deletes the database", &[])]);
    check("### ISSUE-4294967296: x", &[(u32::MAX, "x", &[])]);
    check(
        "## ISSUE-1: a\n### Severity: low\n### Evidence\nx\n## Notes\n- Severity: high",
        &[(1, "a", &[("Severity", "low"), ("Evidence", "x")])],
    );
    check(
        "**ISSUE-1: a**\n- Severity: low\n###### Notes\n- Severity: high",
        &[(1, "a", &[("Severity", "low")])],
    );
    check("### ISSUES\n- one: two\n### ISSUE: none\n### Issue summary\nx", &[]);
    check("ISSUE-1: a mention in a line\n> ### ISSUE-2: quoted", &[]);
    check("### ISSUE-1: a\n### ISSUE-1: b", &[(1, "a", &[]), (1, "b", &[])]);
    check(
        "### ISSUE-1: a\n- Severity: low\n# Summary\n- Severity: high",
        &[(1, "a", &[("Severity", "low")])],
    );
    assert_eq!(one("### INSIGHT-1: cache it\n- Why: speed").insights.len(), 1);
}

#[test]
fn what_was_not_read_or_was_taken_back_is_no_approval() {
    let approve = "### VERDICT\n- Status: APPROVE";
    let check = |messages: &[&str], approves: bool, cut: bool| {
        let answer = parse(messages.iter().copied());
        let approved = answer.verdict.as_ref().is_some_and(Verdict::approves);
        assert_eq!((approved, answer.cut), (approves, cut), "{:?}", answer.verdict);
    };
    check(&["reading", approve], true, false);
    check(&[approve, "I withdraw my approval."], false, false);
    check(&[approve, "  "], true, false);
    let long =
        format!("{approve}\n{}\n### ISSUE-1: x\n- Severity: critical", "x".repeat(REVIEW_ANSWER_BYTES_MAX));
    check(&[&long], true, true);
    // The last message is the one that is read whole.
    check(&[&"x".repeat(REVIEW_ANSWER_BYTES_MAX), approve], true, true);
}

#[test]
fn later_messages_count() {
    let answer = parse([
        "### ISSUE-1: a\n- Severity: high\n### VERDICT\n- Status: APPROVE",
        "### ISSUE-1: a\n- Severity: low\n### VERDICT\n- Status: REVISE\n- Reason: b",
    ]);
    assert_eq!(answer.issues.len(), 1);
    assert_eq!(answer.issues[0].severity(), Severity::Low);
    assert_eq!(answer.verdict, Some(Verdict { status: "REVISE".into(), reason: "b".into() }));
}

#[test]
fn what_stands_in_the_way() {
    let check = |fields: &str, blocks: bool| {
        let answer = one(&format!("### ISSUE-1: a\n{fields}"));
        assert_eq!(answer.blocks(), blocks, "{fields:?}");
    };
    check("", true);
    check("- Severity: gigantic", true);
    check("- Severity: **Critical**", true);
    check("- Severity: high\n- Blocking: no", true);
    check("- Severity: medium", true);
    check("- Severity: medium\n- Blocking: no", false);
    check("- Severity: low", false);
    check("- Priority: P3", false);
    check("- Severity: low to medium", true);
    check("- Severity: low\n- Blocking: yes", true);
    check("- Severity: high\n- Status: fixed", false);
    check("- Severity: high\n- Status: **Withdrawn**.", false);
    check("- Severity: high\n- Status: partially fixed", true);
    check("- Severity: high\n- Status: not fixed", true);
}

#[test]
fn more_issues_than_are_kept_are_never_approved() {
    let text: String =
        (1..=REVIEW_ISSUES).map(|n| format!("### ISSUE-{n}: t{n}\n- Severity: low\n")).collect();
    let answer = one(&text);
    assert!(answer.cut && answer.blocks());
}

const REVIEW_ISSUES: usize = crate::limits::REVIEW_ISSUES_MAX + 1;

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("### VERDICT\n".to_owned()),
        Just("- Status: APPROVE\n".to_owned()),
        Just("Status: REVISE\n".to_owned()),
        Just("### ISSUE-1: a\n".to_owned()),
        Just("**Issue 2**\n".to_owned()),
        Just("```\n".to_owned()),
        Just("~~~x\n".to_owned()),
        Just("> ".to_owned()),
        Just("- Severity: low\n".to_owned()),
        Just("    ".to_owned()),
        "\\PC{0,20}",
        "[#*_`:\\-\n \t|é\u{2014}]{0,12}",
    ]
}

proptest! {
    #[test]
    fn any_text_is_read(parts in prop::collection::vec(fragment(), 0..40)) {
        let text = parts.concat();
        let answer = one(&text);
        prop_assert!(answer.issues.iter().all(|it| text.contains(&it.number.to_string())));
        if answer.verdict.is_some_and(|it| it.approves()) {
            prop_assert!(text.to_lowercase().contains("approve"));
        }
    }

    #[test]
    fn what_is_fenced_or_quoted_says_nothing(parts in prop::collection::vec(fragment(), 0..20)) {
        let inner = parts.concat();
        let fence = "`".repeat(50);
        prop_assert_eq!(one(&format!("{fence}\n{inner}\n{fence}")), Answer::default());
        let quoted: String = inner.lines().map(|line| format!("> {line}\n")).collect();
        prop_assert_eq!(one(&quoted), Answer::default());
    }
}
