//! Secrets in files of which a patch shows no text.

use serde_json::Value;

use crate::material::{CLEAN, Pushed, STOPPED, hooked, secret, secret_line, world};

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xFF, 0xFE].into_iter().chain(units).collect()
}

/// Bytes that git holds to be binary, with `text` among them.
fn binary(text: &str) -> Vec<u8> {
    [b"SQLite format 3\0\x01\x02\x00", text.as_bytes(), b"\0\0\xF0\x9F\x00\x00"].concat()
}

#[test]
fn utf16_text_is_read_with_its_lines() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("deploy.ps1", utf16(&format!("$x = 1\r\n$y = 2\r\n${}", secret_line())));
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["deploy.ps1:3", "secrets.aws"]);
}

#[test]
fn a_secret_among_binary_bytes_stops_the_push() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("store.db", binary(&format!("aws {} end", secret())));
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["store.db", "secrets.aws"]);
}

#[test]
fn one_that_was_there_before_is_not_new() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["checkout", "-q", "main"]);
    repository.commit_file("store.db", binary(&format!("aws {} end", secret())));
    repository.git(&["push", "-q", "--no-verify", "origin", "main"]);
    repository.git(&["checkout", "-q", "-B", "topic"]);
    repository.commit_file("store.db", binary(&format!("aws {} end, and more", secret())));
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.says(&["approve: no findings"]).never_says(&[STOPPED]);
}

#[test]
fn inspect_finds_it_in_the_work_tree() {
    let world = world();
    let repository = hooked(&world);
    repository.write("a.py", CLEAN);
    repository.write("store.db", binary(&format!("aws {} end", secret())));
    let outcome = repository.prevet(&["inspect", "--format", "json"]).exits(1);
    let result: Value = outcome.json();
    assert_eq!((&result["verdict"], &result["counts"]["total"]), (&"request_changes".into(), &1.into()));
    assert_eq!(result["findings"][0]["file"], "store.db");
    assert!(result["findings"][0].get("line").is_none() && result.get("secret_scan").is_none(), "{result}");
    outcome.never_says(&[&secret()]);
}
