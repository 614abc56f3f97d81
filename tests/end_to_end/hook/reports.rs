//! `prevet inspect`: exit codes, and formats that a program can read.

use prevet_testkit::world::{Outcome, WorkRepository};

use crate::material::{CLEAN, DOUBT, DOUBT_RULE, FLAW, FLAW_RULE, secret, secret_line, world};

const FORMATS: [&str; 4] = ["text", "json", "sarif", "markdown"];

fn inspect(repository: &WorkRepository<'_>, arguments: &[&str], code: i32) -> Outcome {
    repository.prevet(&[&["inspect"], arguments].concat()).exits(code)
}

#[test]
fn exit_codes_follow_verdict_and_gate() {
    let world = world();
    let repository = world.repository("w");
    let check = |content: &str, arguments: &[&str], code: i32| {
        repository.write("f.py", content);
        inspect(&repository, arguments, code);
    };
    check(CLEAN, &[], 0);
    check(FLAW, &[], 1);
    check(FLAW, &["--fail-on", "high"], 1);
    check(FLAW, &["--fail-on", "critical"], 0);
    check(FLAW, &["--fail-on", "never"], 0);
    check(DOUBT, &[], 0);
    check(DOUBT, &["--fail-on", "medium"], 1);
    check(DOUBT, &["--profile", "security", "--fail-on", "low"], 0);
}

#[test]
fn what_was_not_read_is_3_whatever_the_gate() {
    let world = world();
    let repository = world.repository("w");
    repository.write("t.lua", "x = 1\n");
    for arguments in [&[][..], &["--fail-on", "never"], &["--fail-on", "low"]] {
        let outcome = inspect(&repository, arguments, 3);
        assert!(outcome.text().contains("t.lua"), "{outcome}");
    }
    repository.write("f.py", FLAW);
    inspect(&repository, &[], 1);
}

#[test]
fn usage_errors_are_2_and_say_how() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", CLEAN);
    inspect(&repository, &["--format", "yaml"], 2).says(&["yaml", "sarif"]);
    inspect(&repository, &["--fail-on", "severe"], 2).says(&["severe", "critical"]);
    inspect(&repository, &["--base", "nowhere"], 2).says(&["no revision \"nowhere\""]);
    inspect(&repository, &["--base", "--output=x"], 2);
    inspect(&repository, &["--base=--output=x"], 2).says(&["--output=x"]);
    assert!(!repository.path("x").exists());
    repository.prevet(&["inspekt"]).exits(2).says(&["inspekt", "Usage"]);
    repository.prevet(&[]).exits(2).says(&["Usage"]);
    world.prevet(&["inspect"]).exits(2).says(&["not in a git repository"]);
    let bare = world.path("w.git");
    world.prevet_in(&bare, &["inspect"]).exits(2).says(&["no work tree"]);
}

#[test]
fn an_unknown_profile_runs_as_inspect() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", FLAW);
    let json = inspect(&repository, &["--profile", "everything", "--format", "json"], 1).json();
    assert_eq!(json["profile"], "inspect");
}

/// Two findings, one of them a secret, in each format.
fn flawed(format: &str) -> Outcome {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", FLAW);
    repository.write("settings.txt", secret_line());
    let outcome = inspect(&repository, &["--format", format], 1);
    assert_eq!(outcome.stderr, "", "people are told on standard error, and there is nothing to tell");
    outcome.never_says(&["\u{1b}", &secret(), &secret()[4..]]);
    outcome
}

#[test]
fn json_is_the_tool_s_result() {
    let json = flawed("json").json();
    assert_eq!(json["verdict"], "request_changes");
    assert_eq!(json["profile"], "review");
    let bug = json["findings"].as_array().unwrap().iter().find(|it| it["rule"] == FLAW_RULE).unwrap();
    assert_eq!((&bug["file"], &bug["line"], &bug["severity"]), (&"f.py".into(), &2.into(), &"high".into()));
    assert_eq!(bug["evidence"], "if x == 1 or 2:");
    assert_eq!(json["counts"]["new"], 2, "{json}");
}

#[test]
fn sarif_is_valid_and_clean() {
    let sarif = flawed("sarif").json();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let bug = results.iter().find(|it| it["ruleId"] == FLAW_RULE).unwrap();
    assert_eq!(bug["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    assert_eq!(sarif["runs"][0]["invocations"][0]["exitCode"], 1);
}

#[test]
fn markdown_is_a_comment() {
    let text = flawed("markdown").text();
    assert!(text.starts_with("### Prevet: "), "{text}");
    assert!(text.contains("f.py:2") && text.contains("settings.txt:1"), "{text}");
}

#[test]
fn text_shows_the_code() {
    let text = flawed("text").text();
    assert!(text.contains("f.py:2") && text.contains("2 |     if x == 1 or 2:"), "{text}");
}

#[test]
fn no_change_is_told_and_claims_nothing() {
    let world = world();
    let repository = world.repository("w");
    for format in FORMATS {
        let outcome = inspect(&repository, &["--format", format], 0);
        outcome.says(&["nothing has changed"]).never_says(&["approve"]);
        match format {
            "json" => assert_eq!(outcome.json()["code"], "NO_DIFF"),
            "sarif" => assert_eq!(outcome.json()["runs"][0]["results"], serde_json::json!([])),
            _ => assert!(outcome.stdout.is_empty(), "{outcome}"),
        }
    }
}

#[test]
fn a_mended_finding_is_told_as_fixed() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", FLAW);
    let first = inspect(&repository, &["--format", "json"], 1).json();
    repository.write("f.py", format!("import os\n\n\n{FLAW}"));
    let moved = inspect(&repository, &["--format", "json"], 1).json();
    assert_eq!(moved["findings"][0]["id"], first["findings"][0]["id"]);
    assert_eq!(moved["findings"][0]["status"], "persisting");
    repository.write("f.py", CLEAN);
    let mended = inspect(&repository, &["--format", "json"], 0).json();
    assert_eq!(mended["fixed"][0]["id"], first["findings"][0]["id"]);
}

#[test]
fn findings_of_every_severity_are_in_the_text() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", FLAW);
    repository.write("g.py", DOUBT);
    let text = inspect(&repository, &[], 1).text();
    assert!(text.contains(FLAW_RULE) && text.contains(DOUBT_RULE), "{text}");
    assert!(text.contains("request_changes: 1 high, 1 medium"), "{text}");
}

#[test]
fn a_terminal_gets_colours_unless_they_are_unwelcome() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", FLAW);
    let inspect = format!("{} inspect", env!("CARGO_BIN_EXE_prevet"));
    // `script` of util-linux gives a command a terminal.
    let script = || world.call("script", repository.root()).args(&["-q", "-e", "-c", &inspect, "/dev/null"]);
    let known = std::process::Command::new("script").arg("--version").output();
    if !known.is_ok_and(|output| output.stdout.starts_with(b"script from util-linux")) {
        eprintln!("left out: there is no `script` of util-linux");
        return;
    }
    let coloured = script().env("TERM", "xterm").exits(1).text();
    assert!(coloured.contains("\u{1b}[") && coloured.contains(FLAW_RULE), "{coloured}");
    let plain = script().env("TERM", "xterm").env("NO_COLOR", "1").exits(1).text();
    assert!(
        plain.contains(FLAW_RULE) && !plain.contains("\u{1b}[31") && !plain.contains("\u{1b}[1m"),
        "{plain:?}"
    );
}
