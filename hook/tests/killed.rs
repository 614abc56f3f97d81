//! A run that is stopped half way leaves the repository as it was.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the slow filter holds the diff up.
const FILTER_SECONDS: u64 = 20;
const WAIT_SECONDS: u64 = 10;

fn git(home: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .current_dir(home.join("repo"))
        .args(arguments)
        .env("HOME", home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}");
}

/// A repository in which the diff waits for a filter, with an edit and a new file.
fn repository(home: &Path) {
    fs::create_dir_all(home.join("repo")).unwrap();
    fs::create_dir_all(home.join("tmp")).unwrap();
    git(home, &["init", "-q"]);
    for (name, value) in [("user.name", "a"), ("user.email", "a@example.test")] {
        git(home, &["config", name, value]);
    }
    fs::write(home.join("repo/.gitattributes"), "slow.txt filter=slow\n").unwrap();
    fs::write(home.join("repo/slow.txt"), "1\n").unwrap();
    git(home, &["add", "."]);
    git(home, &["commit", "-q", "-m", "one"]);
    git(home, &["config", "filter.slow.clean", &format!("sleep {FILTER_SECONDS}; cat")]);
    fs::write(home.join("repo/slow.txt"), "22\n").unwrap();
    fs::write(home.join("repo/new.txt"), "hi\n").unwrap();
}

fn start(home: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_prevet"))
        .args(["diff", "--base", "HEAD"])
        .current_dir(home.join("repo"))
        .env("HOME", home)
        .env("TMPDIR", home.join("tmp"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn private_files(home: &Path) -> usize {
    fs::read_dir(home.join("tmp")).unwrap().count()
}

/// Until the copy of the index has been made, and git has been started on it.
fn wait_for_the_copy(home: &Path) {
    let deadline = Instant::now() + Duration::from_secs(WAIT_SECONDS);
    while private_files(home) == 0 {
        assert!(Instant::now() < deadline, "no private folder within {WAIT_SECONDS} seconds");
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(300));
}

fn check(signal: &str, leftovers: usize) {
    let home = tempfile::tempdir().unwrap();
    repository(home.path());
    let index = home.path().join("repo/.git/index");
    let before = (fs::read(&index).unwrap(), fs::metadata(&index).unwrap().modified().unwrap());
    let mut child = start(home.path());
    wait_for_the_copy(home.path());
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert!(!child.wait().unwrap().success());
    assert_eq!((fs::read(&index).unwrap(), fs::metadata(&index).unwrap().modified().unwrap()), before);
    assert!(!home.path().join("repo/.git/index.lock").exists());
    assert_eq!(fs::read_to_string(home.path().join("repo/slow.txt")).unwrap(), "22\n");
    assert_eq!(private_files(home.path()), leftovers, "{signal}");
}

#[test]
fn by_kill() {
    // Nobody can clean up behind this one; the next run does, an hour later.
    check("KILL", 1);
}

#[test]
fn by_the_user() {
    check("INT", 0);
    check("TERM", 0);
}
