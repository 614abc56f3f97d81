//! The four formats of one inspection, and what hostile text does to them.

use insta::assert_snapshot;
use prevet_domain::finding::{Confidence, Finding, ReportType, Severity, Status, Suppressed};
use prevet_domain::verdict::{Cause, NotReviewed, Verdict};
use serde_json::{Value, json};

use super::*;

const SECRET: &str = "AKIAIOSFODNN7EXAMPLE";

fn finding(rule: &str, severity: Severity, file: &str, line: Option<u32>) -> Finding {
    Finding {
        id: format!("id-{rule}"),
        report_type: ReportType::Bug,
        severity,
        confidence: Confidence::High,
        file: file.into(),
        line,
        end_line: line,
        title: format!("Title of {rule}"),
        message: "What is wrong.\nWhat to do.".into(),
        rule: rule.into(),
        evidence: String::new(),
        cwe: None,
        owasp: None,
        fix: None,
        status: Status::New,
    }
}

pub(super) fn inspection(verdict: Verdict, findings: Vec<ReportedFinding>) -> Inspection {
    Inspection {
        verdict,
        profile: "review".into(),
        session_id: "s".into(),
        findings,
        suppressed: Vec::new(),
        fixed: Vec::new(),
        degraded: None,
        notes: Vec::new(),
        raw: json!({"verdict": verdict.as_str(), "findings": []}),
    }
}

fn not_reviewed(file: &str, reason: &str, cause: Cause) -> NotReviewed {
    NotReviewed { file: file.into(), line: None, reason: reason.into(), cause }
}

/// One of everything.
pub(super) fn full() -> Inspection {
    let secret = Finding {
        report_type: ReportType::Secret,
        evidence: "key = \"AKIA************MPLE\"".into(),
        cwe: Some("CWE-798".into()),
        fix: Some(format!("key = \"{SECRET}\"")),
        ..finding("secrets.aws-key", Severity::Critical, "src/a b.py", Some(3))
    };
    let injection = Finding {
        report_type: ReportType::Security,
        evidence: "cursor.execute(\"select \" + name)".into(),
        cwe: Some("CWE-89".into()),
        owasp: Some("LLM05:2025".into()),
        fix: Some("    cursor.execute(\"select ?\", (name,))\n".into()),
        end_line: Some(9),
        ..finding("python.sql", Severity::High, "src/a b.py", Some(8))
    };
    let whole_file = Finding {
        confidence: Confidence::Low,
        status: Status::Persisting,
        ..finding("model", Severity::Medium, "Makefile", None)
    };
    let uncommitted = finding("python.assert-used", Severity::Medium, "draft.py", Some(1));
    let mut all = inspection(
        Verdict::RequestChanges,
        vec![
            ReportedFinding { uncommitted: true, ..ReportedFinding::new(uncommitted) },
            ReportedFinding::new(whole_file),
            ReportedFinding::new(injection),
            ReportedFinding { commit: Some("1a2b3c4".into()), ..ReportedFinding::new(secret) },
        ],
    );
    all.suppressed.push(Suppressed {
        id: "id-suppressed".into(),
        rule: "python.eval".into(),
        file: "src/c.py".into(),
        line: Some(5),
        reason: "the input is a constant".into(),
        new: true,
    });
    all.fixed.push(Fixed { id: "id-gone".into(), title: "Unchecked index".into() });
    all.degraded = Some(Degraded {
        cause: "the model ran into its time limit".into(),
        not_reviewed: vec![
            not_reviewed("big.py", "too large to parse", Cause::Gap),
            not_reviewed("Cargo.lock", "lock file", Cause::Convention),
            not_reviewed("yarn.lock", "lock file", Cause::Convention),
        ],
    });
    all.notes.push("the base is main".into());
    all
}

#[test]
fn text_of_everything() {
    let source = |file: &str, lines: std::ops::RangeInclusive<u32>| {
        assert_eq!((file, lines), ("src/a b.py", 8..=9), "only what is shown is asked for");
        Some("    cursor.execute(\"select \" + name)\n\treturn cursor".to_owned())
    };
    assert_snapshot!(text::render(&full(), &source, Colour::Off), @r#"
critical[secrets.aws-key]: Title of secrets.aws-key
 --> src/a b.py:3:1
  |
3 | key = "AKIA************MPLE"
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = What is wrong.
    What to do.
  = note: SECRET_REPORT, high confidence, new, CWE-798, in commit 1a2b3c4, gone from the end state, id id-secrets.aws-key

high[python.sql]: Title of python.sql
 --> src/a b.py:8:5
  |
8 | /     cursor.execute("select " + name)
9 | |     return cursor
  | |_________________^
  |
  = What is wrong.
    What to do.
  = note: SECURITY_REPORT, high confidence, new, CWE-89, LLM05:2025, id id-python.sql
help: replace the lines with
  |
8 |     cursor.execute("select ?", (name,))
  |

medium[model]: Title of model
--> Makefile
 = What is wrong.
   What to do.
 = note: BUG_REPORT, low confidence, persisting, id id-model

medium[python.assert-used]: Title of python.assert-used (uncommitted)
--> draft.py:1
 = What is wrong.
   What to do.
 = note: BUG_REPORT, high confidence, new, id id-python.assert-used

request_changes: 1 critical, 1 high, 2 medium
  3 new, 1 persisting, 1 uncommitted
  fixed: Unchecked index (id-gone)
  suppressed: python.eval at src/c.py:5: the input is a constant, new in this change
  not as planned: the model ran into its time limit
  not read, too large to parse: big.py
  left out, lock file: Cargo.lock, yarn.lock
  note: the base is main
"#);
}

#[test]
fn text_without_findings() {
    let check = |verdict, parts: Vec<NotReviewed>| {
        let mut empty = inspection(verdict, Vec::new());
        if !parts.is_empty() {
            empty.degraded = Some(Degraded { cause: "parts were left out".into(), not_reviewed: parts });
        }
        text::render(&empty, &NoSource, Colour::Off)
    };
    let locks = (0..12).map(|number| not_reviewed(&format!("{number}.lock"), "lock file", Cause::Convention));
    assert_snapshot!(check(Verdict::Approve, locks.collect()), @r#"
approve: no findings
  not as planned: parts were left out
  left out, lock file: 0.lock, 1.lock, 2.lock, 3.lock, 4.lock, 5.lock, 6.lock, 7.lock and 4 more
"#);
    let gaps = (0..12).map(|number| not_reviewed(&format!("{number}.py"), "no answer", Cause::Gap));
    assert_snapshot!(check(Verdict::Incomplete, gaps.collect()), @r#"
incomplete: no findings; part of the change was not read
  not as planned: parts were left out
  not read, no answer: 0.py, 1.py, 2.py, 3.py, 4.py, 5.py, 6.py, 7.py, 8.py, 9.py, 10.py, 11.py
"#);
    assert_snapshot!(check(Verdict::Error, Vec::new()), @r#"
error: no findings; nothing was read
"#);
}

#[test]
fn colours_only_where_asked() {
    assert!(text::render(&full(), &NoSource, Colour::On).contains("\x1b["));
    assert!(!text::render(&full(), &NoSource, Colour::Off).contains('\x1b'));
}

/// The Markdown of everything, up to the details and from there on.
fn markdown_halves() -> (String, String) {
    let whole = markdown::render(&full()).replace('\u{200b}', "·");
    let at = whole.find("<details>").unwrap();
    (whole[..at].to_owned(), whole[at..].to_owned())
}

#[test]
fn markdown_begins_with_a_table() {
    assert_snapshot!(markdown_halves().0, @r#"
### Prevet: request\_changes: 1 critical, 1 high, 2 medium

| severity | place | finding | rule |
|---|---|---|---|
| critical | src/a b\.py:3 | Title of secrets\.aws\-key | secrets\.aws\-key |
| high | src/a b\.py:8 | Title of python\.sql | python\.sql |
| medium | Makefile | Title of model | model |
| medium | draft\.py:1 | Title of python\.assert\-used *(uncommitted)* | python\.assert\-used |
"#);
}

#[test]
fn markdown_goes_on_with_the_details() {
    assert_snapshot!(markdown_halves().1, @r#"
<details><summary>critical: Title of secrets.aws-key in src/a b.py:3</summary>

What is wrong\.

What to do\.

```text
key = "AKIA************MPLE"
```

SECRET\_REPORT, high confidence, new, CWE\-798, in commit 1a2b3c4, gone from the end state, id id\-secrets\.aws\-key

</details>

<details><summary>high: Title of python.sql in src/a b.py:8</summary>

What is wrong\.

What to do\.

```text
cursor.execute("select " + name)
```

Replace the lines with:

```text
    cursor.execute("select ?", (name,))
```

SECURITY\_REPORT, high confidence, new, CWE\-89, LLM05:2025, id id\-python\.sql

</details>

<details><summary>medium: Title of model in Makefile</summary>

What is wrong\.

What to do\.

BUG\_REPORT, low confidence, persisting, id id\-model

</details>

<details><summary>medium: Title of python.assert-used in draft.py:1</summary>

What is wrong\.

What to do\.

BUG\_REPORT, high confidence, new, id id\-python\.assert\-used

</details>

- not as planned: the model ran into its time limit
- not read, too large to parse: big\.py
- left out, lock file: Cargo\.lock
- left out, lock file: yarn\.lock
- suppressed: python\.eval at src/c\.py:5: the input is a constant (new in this change)
- fixed: Unchecked index (id\-gone)
- the base is main
"#);
}

#[test]
fn json_is_the_result_as_it_is() {
    let raw = json!({"verdict": "approve", "text": "\u{1b}[31m \u{9b}31m \u{202e}é"});
    let text = json::render(&raw);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), raw);
    assert_snapshot!(text, @r#"
{
  "verdict": "approve",
  "text": "\u001b[31m \u009b31m \u202eé"
}
"#);
}

/// The hostile text stands wherever text of others can.
fn hostile(text: &str) -> Inspection {
    let hostile = Finding {
        id: text.into(),
        title: text.into(),
        message: text.into(),
        rule: text.into(),
        evidence: text.into(),
        cwe: Some(text.into()),
        owasp: Some(text.into()),
        fix: Some(text.into()),
        ..finding("r", Severity::High, text, Some(1))
    };
    let mut all = inspection(
        Verdict::Incomplete,
        vec![ReportedFinding { commit: Some(text.into()), ..ReportedFinding::new(hostile.clone()) }],
    );
    all.findings.push(ReportedFinding::new(Finding { line: None, ..hostile }));
    all.suppressed.push(Suppressed {
        id: text.into(),
        rule: text.into(),
        file: "other".to_owned() + text,
        line: Some(1),
        reason: text.into(),
        new: false,
    });
    all.fixed.push(Fixed { id: text.into(), title: text.into() });
    let parts = vec![not_reviewed(text, text, Cause::Gap), not_reviewed(text, text, Cause::Convention)];
    all.degraded = Some(Degraded { cause: text.into(), not_reviewed: parts });
    all.notes.push(text.into());
    all
}

#[test]
fn nothing_steers_a_terminal() {
    let text = "a\u{1b}[2J\u{1b}]8;;http://evil\u{7}b\u{9b}31m\r\u{8}c\u{202e}d\u{2066}e\0f\u{200d}g";
    let all = Inspection { raw: json!({"text": text}), ..hostile(text) };
    let lookup = |_: &str, _: std::ops::RangeInclusive<u32>| Some(text.to_owned());
    for format in [Format::Text(Colour::Off), Format::Json, Format::Sarif, Format::Markdown] {
        let report = render(&all, format, &lookup);
        let is_ours = |one: &char| *one == '\n' || (format == Format::Markdown && *one == '\u{200b}');
        let found = report.chars().filter(|one| !is_ours(one)).find(|one| escape::is_hidden(*one));
        assert_eq!(found, None, "{format:?}");
    }
    let coloured = render(&all, Format::Text(Colour::On), &lookup);
    assert!(!coloured.contains("\x1b[2J") && !coloured.contains("\x1b]") && !coloured.contains('\u{9b}'));
}

#[test]
fn nothing_breaks_out_of_a_comment() {
    let text = "|x|\n\n# h\n```\n</details><img src=x onerror=y>![i](http://e) @all #1 ~~~\n````";
    let report = markdown::render(&hostile(text));
    let mut fence = None::<String>;
    let mut open = 0;
    for line in report.lines() {
        match &fence {
            Some(begun) if line == begun => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = Some(line.trim_end_matches("text").to_owned()),
            None => {
                open += i32::from(line.starts_with("<details>")) - i32::from(line == "</details>");
                let rest = line.replace("<details><summary>", "").replace("</summary>", "");
                let rest = if rest == "</details>" { String::new() } else { rest };
                assert!(!rest.contains('<') && !rest.contains("@a") && !rest.contains("#1"), "{line}");
                assert!(!rest.contains("](") || line.starts_with("<details>"), "{line}");
                assert!(!rest.starts_with("# ") && !rest.starts_with("~~~"), "{line}");
                let bars = rest.replace("\\|", "").matches('|').count();
                assert!(bars == 0 || bars == 5 || line.starts_with("<details>"), "{bars} in {line}");
            }
        }
    }
    assert_eq!((fence, open), (None, 0));
}

#[test]
fn what_says_the_same_is_shown_once() {
    let of = |severity, count: u32| {
        let rule = format!("python.{}", severity as usize);
        (1..=count).map(move |line| ReportedFinding::new(finding(&rule, severity, "a.py", Some(line))))
    };
    let findings = of(Severity::Low, 12).chain(of(Severity::Medium, 6)).chain(of(Severity::High, 20));
    let text = render(
        &inspection(Verdict::RequestChanges, findings.collect()),
        Format::Text(Colour::Off),
        &|_: &str, _: std::ops::RangeInclusive<u32>| None,
    );
    let count = |part: &str| text.matches(part).count();
    assert_eq!((count("high["), count("medium["), count("low[")), (20, 5 + 1, 1 + 1), "{text}");
    assert!(text.contains("the same in 1 more place: a.py:6\n"), "{text}");
    assert!(text.contains("the same in 11 more places: a.py:2, a.py:3"), "{text}");
    assert!(text.contains("a.py:9 and 3 more (--format json has them all)"), "{text}");
}

#[test]
fn a_long_comment_says_what_it_leaves_out() {
    let many = (0..2_000).map(|number| {
        ReportedFinding::new(finding("python.assert-used", Severity::Low, "a.py", Some(number + 1)))
    });
    let report = markdown::render(&inspection(Verdict::Approve, many.collect()));
    assert!(report.len() <= 60_000, "{}", report.len());
    assert!(report.contains(" more, in the full report") && report.contains("Details of "));
}

#[test]
fn a_secret_is_never_printed() {
    let line = format!("key = \"{SECRET}\"");
    let lookup = |_: &str, _: std::ops::RangeInclusive<u32>| Some(line.clone());
    let check = |all: &Inspection| {
        for format in [Format::Text(Colour::Off), Format::Text(Colour::On), Format::Sarif, Format::Markdown] {
            let report = render(all, format, &lookup);
            assert!(!report.contains(SECRET), "{format:?}: {report}");
        }
    };
    check(&full());
    let beside = |line, evidence: &str| {
        ReportedFinding::new(Finding {
            evidence: evidence.into(),
            ..finding("model", Severity::High, "src/a b.py", line)
        })
    };
    let mut same_line = full();
    same_line.findings.push(beside(Some(3), "key ="));
    check(&same_line);
    let mut same_lines = full();
    let mut around = beside(Some(1), "key =");
    around.finding.end_line = Some(30);
    same_lines.findings.push(around);
    check(&same_lines);
    check(&inspection(Verdict::RequestChanges, vec![beside(Some(40), "key = \"AKIA****\"")]));
    let mut suppressed = full();
    suppressed.findings.clear();
    suppressed.findings.push(ReportedFinding::new(Finding {
        evidence: "key =".into(),
        ..finding("model", Severity::High, "src/c.py", Some(5))
    }));
    check(&suppressed);
}
