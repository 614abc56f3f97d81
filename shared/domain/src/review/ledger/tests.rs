//! Issues over rounds.

use super::super::answer::parse;
use super::*;

/// Rounds as (fixed, disputed, text) to the standings after the last.
fn check(rounds: &[(&[u32], &[u32], &str)], expected: &[(&str, Standing)]) {
    let mut ledger = Ledger::default();
    for (number, (fixed, disputed, text)) in (1..).zip(rounds) {
        let claims =
            Claims { fixed: fixed.iter().copied().collect(), disputed: disputed.iter().copied().collect() };
        ledger.observe(number, &claims, &parse([*text]));
    }
    let found: Vec<_> = ledger.entries.iter().map(|it| (it.title.as_str(), it.standing)).collect();
    assert_eq!(found, expected);
}

const A: &str = "### ISSUE-1: Lost write in cache\n- File: a.rs:3\n";
const B: &str = "### ISSUE-2: Wrong unit\n- File: b.rs\n";

#[test]
fn standings() {
    use Standing::{Disputed, Fixed, Open, Reappeared, Withdrawn};
    let (a, b) = ("Lost write in cache", "Wrong unit");
    let both = [A, B].concat();
    check(&[(&[], &[], &both)], &[(a, Open), (b, Open)]);
    check(&[(&[], &[], &both), (&[1], &[2], B)], &[(a, Fixed), (b, Disputed)]);
    check(&[(&[], &[], &both), (&[1], &[2], "")], &[(a, Fixed), (b, Withdrawn)]);
    check(&[(&[], &[], &both), (&[1], &[2], B), (&[2], &[], "")], &[(a, Fixed), (b, Fixed)]);
    check(&[(&[], &[], &both), (&[], &[2], B), (&[], &[], "")], &[(a, Fixed), (b, Withdrawn)]);
    check(&[(&[], &[], A), (&[1], &[], ""), (&[], &[], A)], &[(a, Reappeared)]);
    check(&[(&[], &[], A), (&[], &[1], ""), (&[], &[], A), (&[], &[], A)], &[(a, Reappeared)]);
    check(&[(&[], &[], A), (&[1], &[], A)], &[(a, Open)]);
    // The reviewer's own word.
    check(
        &[
            (&[], &[], &both),
            (
                &[],
                &[],
                "### ISSUE-1: Lost write in cache\n- Status: fixed\n### ISSUE-2: Wrong unit\n- Status: withdrawn",
            ),
        ],
        &[(a, Fixed), (b, Withdrawn)],
    );
}

#[test]
fn which_is_which() {
    let check = |first: &str, second: &str, same: bool| {
        let mut ledger = Ledger::default();
        ledger.observe(1, &Claims::default(), &parse([first]));
        let before = ledger.entries.len();
        ledger.observe(2, &Claims::default(), &parse([second]));
        assert_eq!(ledger.entries.len() == before, same, "{first:?} {second:?}");
    };
    check(A, "### ISSUE-7: Lost write in cache\n- File: a.rs:90", true);
    check(A, "### ISSUE-1: Lost write in the cache remains", true);
    check(A, "### ISSUE-9: Lost write in the cache\n- File: `a.rs:5`", true);
    check(A, "### ISSUE-1: Test is missing\n- File: a.rs:3", false);
    // The same fault in another file is another one, whatever its number.
    check(A, "### ISSUE-1: Lost write in index\n- File: b.rs:9", false);
    check(A, "### ISSUE-1: Lost write in cache\n- File: b.rs:9", true);
    check(A, "### ISSUE-4: Lost read in cache\n- File: c.rs", false);
    check(A, "### ISSUE-4: Lost write in cache\n- File: c.rs", false);
    check(A, &format!("{A}### ISSUE-2: Lost write in cache\n- File: a.rs:80"), false);
    check("### ISSUE-1:\n", "### ISSUE-1:\n", true);
}

#[test]
fn claims_are_read_off_the_input() {
    let check = |text: &str, expected: &[u32]| assert_eq!(issue_numbers(text), expected, "{text}");
    check("- ISSUE-1: done\n- issue 12, Issue#3 and ISSUE_4", &[1, 12, 3, 4]);
    check("no issues; issue-x; an issue", &[]);
}
