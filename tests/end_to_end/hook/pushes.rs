//! Every kind of push, and what of it is reviewed.

use prevet_testkit::stub::{Answer, Stub};
use prevet_testkit::world::WorkRepository;

use crate::material::{CLEAN, FLAW, FLAW_RULE, NOTHING_FOUND, Pushed, hooked, secret_line, world};

/// A branch `old` on the remote, pushed without the hook.
fn with_old_branch(repository: &WorkRepository<'_>) {
    repository.push(&["-q", "--no-verify", "origin", "HEAD:old"]).succeeds();
}

#[test]
fn a_deletion_reviews_nothing_and_asks_nobody() {
    let world = world();
    let repository = hooked(&world);
    with_old_branch(&repository);
    let stub = Stub::always(Answer::Silence);
    let push = repository.push(&["-q", "origin", ":old"]);
    let push = push.env("PREVET_API_URL", stub.url()).env("PREVET_API_KEY", "k");
    let outcome = push.env("PREVET_TENANT_KEY", "t").succeeds();
    assert_eq!(outcome.stderr, "", "{outcome}");
    assert!(stub.requests().is_empty());
    assert!(!world.data_dir().exists());
    assert_eq!(repository.on_remote("refs/heads/old"), None);
}

#[test]
fn a_deletion_beside_an_update_reviews_the_update() {
    let world = world();
    let repository = hooked(&world);
    with_old_branch(&repository);
    repository.commit_file("f.py", FLAW);
    let outcome = repository.push(&["origin", ":old", "topic"]).run();
    outcome.is_stopped_by(&[FLAW_RULE, "f.py:2"]);
    assert!(repository.on_remote("refs/heads/old").is_some());
}

#[test]
fn a_clean_change_passes() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_clean();
    assert_eq!(repository.on_remote("refs/heads/topic"), Some(repository.id("topic")));
}

/// One flaw on `topic`, pushed in the way that the arguments say.
fn stopped_push(arguments: &[&str]) {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", FLAW);
    repository.git(&["tag", "-a", "-m", "one", "v1"]);
    let id = repository.id("HEAD");
    let arguments: Vec<String> = arguments.iter().map(|it| it.replace("{id}", &id)).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = repository.push(&arguments).run();
    outcome.is_stopped_by(&[FLAW_RULE, "f.py:2"]);
    let refs = repository.git(&["ls-remote", "origin"]);
    assert!(!refs.contains(&id), "{refs}");
}

#[test]
fn a_new_branch_is_reviewed() {
    stopped_push(&["origin", "topic"]);
}

#[test]
fn head_under_another_name_is_reviewed() {
    stopped_push(&["origin", "HEAD:refs/heads/x"]);
}

#[test]
fn a_commit_id_is_reviewed() {
    stopped_push(&["origin", "{id}:refs/heads/x"]);
}

#[test]
fn a_forced_push_is_reviewed() {
    stopped_push(&["--force", "origin", "+topic"]);
}

#[test]
fn the_target_branch_itself_is_reviewed() {
    stopped_push(&["origin", "HEAD:main"]);
}

#[test]
fn an_annotated_tag_is_reviewed() {
    stopped_push(&["origin", "v1"]);
}

#[test]
fn all_branches_are_reviewed() {
    stopped_push(&["--all", "origin"]);
}

#[test]
fn a_mirror_push_is_reviewed() {
    stopped_push(&["--mirror", "origin"]);
}

#[test]
fn a_dry_run_is_reviewed() {
    stopped_push(&["--dry-run", "origin", "topic"]);
}

#[test]
fn a_deletion_of_everything_else_is_reviewed_for_what_stays() {
    stopped_push(&["--prune", "origin", "refs/heads/*"]);
}

#[test]
fn an_address_in_place_of_a_remote_is_reviewed() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", FLAW);
    let url = format!("file://{}", world.path("w.git").display());
    repository.push(&[&url, "topic"]).run().is_stopped_by(&[FLAW_RULE]);
    repository.push(&["../w.git", "topic"]).run().is_stopped_by(&[FLAW_RULE]);
}

#[test]
fn a_push_to_an_address_that_is_no_remote_is_reviewed_against_origin() {
    let world = world();
    let repository = hooked(&world);
    world.git_in(&world.root(), &["init", "-q", "--bare", "elsewhere.git"]).succeeds();
    repository.commit_file("f.py", FLAW);
    repository.push(&["../elsewhere.git", "topic"]).run().is_stopped_by(&[FLAW_RULE]);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["../elsewhere.git", "topic"]).run().is_clean();
}

#[test]
fn configuration_on_the_command_line_holds_and_hides_nothing() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", FLAW);
    let hiding = ["-c", "diff.external=true", "-c", "core.quotePath=false", "-c", "diff.noprefix=true"];
    let arguments = [&hiding[..], &["push", "origin", "topic"]].concat();
    repository.git_call(&arguments).run().is_stopped_by(&[FLAW_RULE, "f.py:2"]);
}

#[test]
fn an_up_to_date_push_says_nothing() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).succeeds();
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    assert_eq!(outcome.own_lines(), Vec::<&str>::new(), "{outcome}");
}

#[test]
fn several_branches_are_each_reviewed() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("one.py", CLEAN);
    repository.git(&["checkout", "-q", "-b", "two", "main"]);
    repository.commit_file("two.py", FLAW);
    let outcome = repository.push(&["origin", "topic", "two"]).run();
    outcome.is_stopped_by(&["refs/heads/topic: reviewed, nothing found", "two.py:2", "refs/heads/two"]);
    assert_eq!(repository.on_remote("refs/heads/topic"), None);
}

#[test]
fn one_commit_under_several_names_is_reviewed_once() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    repository.git(&["tag", "v1"]);
    let outcome = repository.push(&["origin", "topic", "topic:other", "v1"]).succeeds();
    assert_eq!(outcome.stderr.matches(NOTHING_FOUND).count(), 1, "{outcome}");
}

#[test]
fn other_references_of_a_mirror_are_not_reviewed() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["push", "-q", "--no-verify", "--mirror", "origin"]);
    repository.git(&["notes", "add", "-m", &secret_line()]);
    let outcome = repository.push(&["--mirror", "origin"]).succeeds();
    assert_eq!(outcome.own_lines(), Vec::<&str>::new(), "{outcome}");
}

#[test]
fn a_tag_on_a_file_s_content_is_not_reviewed() {
    let world = world();
    let repository = hooked(&world);
    let blob = repository.id("HEAD:base.txt");
    repository.git(&["tag", "-a", "-m", "a blob", "content", &blob]);
    let outcome = repository.push(&["origin", "content"]).succeeds();
    outcome.never_says(&["not reviewed"]);
}

#[test]
fn only_what_is_pushed_counts() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    repository.git(&["branch", "clean"]);
    repository.commit_file("g.py", FLAW);
    repository.push(&["origin", "clean"]).run().is_clean();
}
