//! What commits in between hold, and histories with parts missing.

use prevet_testkit::world::WorkRepository;

use crate::material::{CLEAN, FLAW, FLAW_RULE, Pushed, hooked, secret_line, world};

#[test]
fn a_secret_that_only_a_commit_in_between_has_is_found_there() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("settings.txt", secret_line());
    let commit = repository.id("HEAD");
    repository.commit_file("settings.txt", "key = read(\"KEY\")\n");
    let outcome = repository.push(&["origin", "topic"]).run();
    outcome.is_stopped_by(&["settings.txt:1", &format!("in commit {}", &commit[..10])]);
    assert_eq!(repository.on_remote("refs/heads/topic"), None);
}

#[test]
fn a_secret_in_a_commit_whose_change_was_taken_back_altogether_is_found() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("settings.txt", secret_line());
    repository.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(repository.git(&["diff", "main", "topic"]), "");
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["settings.txt:1", "in commit"]);
}

#[test]
fn a_secret_that_a_merge_brings_in_is_found() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.commit_file("side.txt", "one\n");
    repository.git(&["checkout", "-q", "topic"]);
    repository.commit_file("f.py", CLEAN);
    repository.git(&["merge", "-q", "--no-ff", "--no-commit", "side"]);
    repository.write("side.txt", secret_line());
    repository.commit("evil merge");
    repository.commit_file("side.txt", "one\n");
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["side.txt:1"]);
}

#[test]
fn a_secret_that_is_there_already_does_not_stop_its_removal() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("settings.txt", secret_line());
    repository.git(&["push", "-q", "--no-verify", "origin", "HEAD:main"]);
    repository.commit_file("settings.txt", "key = read(\"KEY\")\n");
    repository.push(&["origin", "topic"]).run().is_clean();
}

#[test]
fn a_bug_that_a_later_commit_mends_does_not_stop_the_push() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", FLAW);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_clean();
}

/// `feat` and a `main` that moved on, in a remote of which a clone has the tips alone.
fn shallow<'w>(origin: &WorkRepository<'w>, world: &'w prevet_testkit::world::World) -> WorkRepository<'w> {
    origin.git(&["checkout", "-q", "-b", "feat"]);
    origin.commit_file("feat.py", CLEAN);
    origin.git(&["push", "-q", "origin", "feat"]);
    origin.git(&["checkout", "-q", "main"]);
    origin.commit_file("moved.txt", "on\n");
    origin.git(&["push", "-q", "origin", "main"]);
    world.clone_of("w.git", "sh", &["--depth", "1", "-b", "feat", "--no-single-branch"])
}

#[test]
fn a_shallow_clone_reviews_what_it_can_see() {
    let world = world();
    let origin = world.repository("w");
    let clone = shallow(&origin, &world);
    clone.git_call(&["merge-base", "origin/main", "HEAD"]).exits(1);
    clone.install_hook();
    clone.commit_file("more.py", FLAW);
    let named = ["more.py:2", FLAW_RULE, "no merge base", "shallow clone"];
    let outcome = clone.push(&["origin", "feat"]).run();
    outcome.is_stopped_by(&named);
    outcome.says(&["what the remote has under this name"]);
    let outcome = clone.push(&["origin", "HEAD:new"]).run();
    outcome.is_stopped_by(&named);
    outcome.says(&["the newest commit that a branch of the remote has"]);
}

#[test]
fn a_shallow_clone_without_a_base_is_never_inspected_as_empty() {
    let world = world();
    let origin = world.repository("w");
    let clone = shallow(&origin, &world);
    for arguments in [&["inspect"][..], &["diff"]] {
        let outcome = clone.prevet(arguments).exits(3);
        outcome.says(&["no merge base with origin/main (shallow clone?): run `git fetch --unshallow`"]);
        assert!(outcome.stdout.is_empty(), "{outcome}");
    }
}

#[test]
fn a_repository_without_a_remote_reviews_everything_that_is_pushed() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["remote", "remove", "origin"]);
    repository.commit_file("f.py", FLAW);
    let outcome = repository.push(&["../w.git", "topic"]).run();
    outcome.is_stopped_by(&["f.py:2", FLAW_RULE]);
    repository.commit_file("f.py", CLEAN);
    let outcome = repository.push(&["../w.git", "topic"]).run();
    outcome.is_clean();
    outcome.says(&["nothing that the remote has is known", "everything that is pushed counts as new"]);
}

#[test]
fn a_repository_without_a_remote_is_inspected_against_its_last_commit() {
    let world = world();
    let repository = world.repository("w");
    repository.git(&["remote", "remove", "origin"]);
    repository.write("f.py", FLAW);
    let outcome = repository.prevet(&["inspect"]).exits(1);
    outcome.says(&["only uncommitted work is inspected, against HEAD"]);
}

#[test]
fn a_first_push_into_an_empty_remote_reviews_everything() {
    let world = world();
    let repository = hooked(&world);
    world.git_in(&world.root(), &["init", "-q", "--bare", "empty.git"]).succeeds();
    repository.git(&["remote", "set-url", "origin", "../empty.git"]);
    repository.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    repository.git(&["symbolic-ref", "--delete", "refs/remotes/origin/HEAD"]);
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["f.py:2"]);
}

#[test]
fn a_rewritten_remote_without_a_base_says_to_fetch_first() {
    let world = world();
    let first = world.repository("w");
    let second = world.clone_of("w.git", "second", &[]);
    first.git(&["checkout", "-q", "--orphan", "new-root"]);
    first.commit_file("theirs.txt", "theirs\n");
    first.git(&["push", "-q", "-f", "origin", "HEAD:a"]);
    second.install_hook();
    second.git(&["checkout", "-q", "--orphan", "other-root"]);
    second.commit_file("ours.py", FLAW);
    let outcome = second.push(&["-f", "origin", "HEAD:a"]).run();
    outcome.is_stopped_by(&["ours.py:2", "if the remote was rewritten, fetch first"]);
    outcome.never_says(&["fatal", "Invalid revision"]);
}
