//! The user's index and work tree stay as they are, however a run ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use prevet_testkit::stub::{Answer, Stub, closed_port};
use prevet_testkit::world::{Call, Running, WorkRepository, World, snapshot, wait_until};

use crate::material::{CLEAN, FLAW, Pushed, hooked, world};

const PATIENCE: Duration = Duration::from_secs(20);

/// What must not change: the index and every file of the checkout.
struct Untouched {
    index: Vec<u8>,
    files: std::collections::BTreeMap<PathBuf, Vec<u8>>,
}

fn files(repository: &WorkRepository<'_>) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let mut files = snapshot(repository.root());
    let git_dir = repository.path(".git");
    files.retain(|path, _| !path.starts_with(&git_dir));
    files
}

impl Untouched {
    fn note(repository: &WorkRepository<'_>) -> Self {
        Self { index: repository.index(), files: files(repository) }
    }

    #[track_caller]
    fn check(&self, repository: &WorkRepository<'_>) {
        assert_eq!(repository.index(), self.index, "the index has changed");
        assert_eq!(files(repository), self.files, "the work tree has changed");
        assert!(!repository.path(".git/index.lock").exists(), "a lock is left");
    }
}

/// A dirty checkout: a changed file, and one that nobody has added.
fn dirty(repository: &WorkRepository<'_>, committed: &str) {
    repository.commit_file("f.py", committed);
    repository.write("base.txt", "a\nB\nc\n");
    repository.write("new.txt", "hi\n");
}

fn stashes(repository: &WorkRepository<'_>) {
    assert_eq!(repository.git(&["status", "--short"]), " M base.txt\n?? new.txt\n");
    repository.git(&["stash", "--include-untracked"]);
    repository.git(&["stash", "pop"]);
}

#[test]
fn after_a_push_that_passes() {
    let world = world();
    let repository = hooked(&world);
    dirty(&repository, CLEAN);
    let before = Untouched::note(&repository);
    repository.push(&["origin", "topic"]).succeeds();
    before.check(&repository);
    assert_eq!(world.temporary_files(), Vec::<PathBuf>::new());
    stashes(&repository);
}

#[test]
fn after_a_push_that_is_stopped() {
    let world = world();
    let repository = hooked(&world);
    dirty(&repository, FLAW);
    let before = Untouched::note(&repository);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["f.py:2"]);
    before.check(&repository);
    assert_eq!(world.temporary_files(), Vec::<PathBuf>::new());
    stashes(&repository);
}

#[test]
fn after_a_review_that_failed() {
    let world = world();
    let repository = hooked(&world);
    dirty(&repository, CLEAN);
    let before = Untouched::note(&repository);
    let push = repository.push(&["origin", "topic"]).env("PREVET_API_URL", closed_port());
    push.env("PREVET_API_KEY", "k").env("PREVET_TENANT_KEY", "t").succeeds();
    before.check(&repository);
    assert_eq!(world.temporary_files(), Vec::<PathBuf>::new());
    stashes(&repository);
}

#[test]
fn inspecting_and_diffing_leave_everything_as_it_is() {
    let world = world();
    let repository = hooked(&world);
    dirty(&repository, CLEAN);
    let before = Untouched::note(&repository);
    repository.prevet(&["inspect"]).succeeds();
    repository.prevet(&["diff"]).succeeds();
    before.check(&repository);
    stashes(&repository);
}

/// Holds `git diff` on the copied index fast: a clean filter waits there for ever. Once it does, `mark` appears.
fn hold_fast(repository: &WorkRepository<'_>, mark: &Path) {
    let held = format!("if [ -n \"$GIT_INDEX_FILE\" ]; then : >'{}'; sleep 600; fi; cat", mark.display());
    repository.git(&["config", "filter.slow.clean", &held]);
    repository.write(".git/info/attributes", "base.txt filter=slow\n");
}

fn let_go(repository: &WorkRepository<'_>) {
    std::fs::remove_file(repository.path(".git/info/attributes")).unwrap();
}

/// A dirty checkout and a push in the middle of its capture.
fn interrupted(end: impl FnOnce(&Running), check: impl FnOnce(&World)) {
    let world = world();
    let repository = hooked(&world);
    dirty(&repository, CLEAN);
    let before = Untouched::note(&repository);
    let mark = world.path("mark");
    hold_fast(&repository, &mark);
    let running = repository.push(&["origin", "topic"]).start();
    wait_until("the diff", PATIENCE, || mark.exists());
    assert!(!world.temporary_files().is_empty(), "the copy is in use");
    end(&running);
    let outcome = running.end();
    assert_ne!(outcome.code, 0, "{outcome}");
    let_go(&repository);
    before.check(&repository);
    assert_eq!(repository.on_remote("refs/heads/topic"), None);
    check(&world);
    stashes(&repository);
    let before = Untouched::note(&repository);
    let next = repository.push(&["origin", "topic"]).run();
    next.is_clean();
    before.check(&repository);
}

#[test]
fn after_ctrl_c_in_the_middle() {
    interrupted(
        |running| running.signal_group("INT"),
        |world| assert_eq!(world.temporary_files(), Vec::<PathBuf>::new(), "nothing is left behind"),
    );
}

#[test]
fn after_the_end_of_a_session_in_the_middle() {
    interrupted(
        |running| running.signal_group("TERM"),
        |world| assert_eq!(world.temporary_files(), Vec::<PathBuf>::new(), "nothing is left behind"),
    );
}

#[test]
fn after_being_killed_in_the_middle() {
    interrupted(|running| running.signal_group("KILL"), |_| ());
}

#[test]
fn after_the_hook_alone_is_killed() {
    let world = world();
    let repository = hooked(&world);
    dirty(&repository, CLEAN);
    let before = Untouched::note(&repository);
    let mark = world.path("mark");
    hold_fast(&repository, &mark);
    let (id, none) = (repository.id("topic"), "0".repeat(40));
    let lines = format!("refs/heads/topic {id} refs/heads/topic {none}\n");
    let running = repository.prevet(&["hook", "pre-push", "origin", "url"]).stdin(lines);
    let mut running = running.start();
    wait_until("the diff", PATIENCE, || mark.exists());
    running.signal("KILL");
    wait_until("its end", PATIENCE, || !running.is_running());
    // What it had started waits in the filter.
    running.signal_group("KILL");
    assert_eq!(running.end().code, -9);
    let_go(&repository);
    before.check(&repository);
    repository.push(&["origin", "topic"]).run().is_clean();
    before.check(&repository);
}

/// A call of the hook that waits for a silent server.
fn waiting(call: Call, stub: &Stub) -> Running {
    let call = call.env("PREVET_API_URL", stub.url()).env("PREVET_API_KEY", "k");
    let running = call.env("PREVET_TENANT_KEY", "t").start();
    wait_until("the request", PATIENCE, || !stub.requests().is_empty());
    running
}

#[test]
fn after_ctrl_c_while_the_server_is_waited_for() {
    let world = world();
    let repository = hooked(&world);
    dirty(&repository, CLEAN);
    let before = Untouched::note(&repository);
    let stub = Stub::always(Answer::Silence);
    let running = waiting(repository.prevet(&["inspect"]), &stub);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
    before.check(&repository);
    let running = waiting(repository.push(&["origin", "topic"]), &Stub::always(Answer::Silence));
    running.signal_group("INT");
    assert_ne!(running.end().code, 0);
    before.check(&repository);
    assert_eq!(repository.on_remote("refs/heads/topic"), None);
}
