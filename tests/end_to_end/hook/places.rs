//! Repositories, names and surroundings that are not the usual ones.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use prevet_testkit::stub::closed_port;
use prevet_testkit::world::{WorkRepository, World, every_file};

use crate::material::{CLEAN, FLAW, FLAW_RULE, Pushed, hooked, world};

/// A repository made with these options of `git init`, with its remote, the hook, and a branch with a flaw.
fn made_with<'w>(world: &'w World, options: &[&str]) -> WorkRepository<'w> {
    let bare = [&["init", "-q", "--bare", "-b", "main"], options, &["o.git"]].concat();
    world.git_in(&world.root(), &bare).succeeds();
    let init = [&["init", "-q", "-b", "main"], options, &["o"]].concat();
    world.git_in(&world.root(), &init).succeeds();
    let repository = world.existing("o");
    for setting in [["user.email", "dev@example.test"], ["user.name", "Dev"]] {
        repository.git(&["config", setting[0], setting[1]]);
    }
    repository.git(&["remote", "add", "origin", "../o.git"]);
    repository.commit_file("base.txt", "a\n");
    repository.git(&["push", "-q", "origin", "main"]);
    repository.install_hook();
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository
}

fn flaw_stops_and_mending_helps(repository: &WorkRepository<'_>) {
    repository.commit_file("f.py", FLAW);
    repository.write("new.txt", "untracked\n");
    repository.push(&["origin", "HEAD:refs/heads/topic"]).run().is_stopped_by(&["f.py:2", FLAW_RULE]);
    repository.write("f.py", CLEAN);
    repository.git(&["commit", "-q", "-a", "-m", "mended"]);
    repository.push(&["origin", "HEAD:refs/heads/topic"]).run().is_clean();
}

#[test]
fn a_repository_with_sha_256() {
    let world = world();
    flaw_stops_and_mending_helps(&made_with(&world, &["--object-format=sha256"]));
}

#[test]
fn a_repository_with_reftables() {
    let world = world();
    let probe = ["init", "-q", "--ref-format=reftable", "probe"];
    if world.git_in(&world.root(), &probe).run().code != 0 {
        eprintln!("left out: this git has no reftables");
        return;
    }
    flaw_stops_and_mending_helps(&made_with(&world, &["--ref-format=reftable"]));
}

#[test]
fn a_detached_head() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["checkout", "-q", "--detach"]);
    flaw_stops_and_mending_helps(&repository);
}

#[test]
fn nobody_in_particular() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["config", "--unset", "user.email"]);
    repository.git(&["config", "user.useConfigOnly", "false"]);
    fs::write(world.git_config_file(), "[user]\n\tname = Somebody\n\temail = \n").unwrap();
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&[FLAW_RULE]);
}

#[test]
fn somebody_with_an_odd_address() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["config", "user.email", "Jörg Müller <jörg@exämple.test> (Büro)"]);
    flaw_stops_and_mending_helps(&repository);
}

#[test]
fn odd_names_of_repository_and_branch() {
    let world = world();
    let repository = world.repository("mein projekt (ü) +1");
    repository.install_hook();
    repository.git(&["checkout", "-q", "-b", "füre/ümlaut+1#2 ".trim_end()]);
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "HEAD"]).run().is_stopped_by(&[FLAW_RULE]);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "HEAD"]).run().is_clean();
}

#[test]
fn a_remote_with_another_name_and_a_branch_with_another_name() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["remote", "rename", "origin", "up/stream"]);
    repository.commit_file("f.py", FLAW);
    repository.push(&["up/stream", "topic"]).run().is_stopped_by(&["f.py:2"]);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["up/stream", "topic"]).run().is_clean();
}

#[test]
fn a_bare_repository_pushes_too() {
    let world = world();
    let repository = world.repository("w");
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.commit_file("f.py", FLAW);
    world.git_in(&world.root(), &["clone", "-q", "--bare", "w", "bare.git"]).succeeds();
    let bare = world.existing("bare.git");
    let url = format!("file://{}", world.path("w.git").display());
    bare.git(&["remote", "set-url", "origin", &url]);
    bare.git(&["fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*"]);
    let hook = bare.path("hooks/pre-push");
    let script = format!("#!/bin/sh\nexec '{}' hook pre-push \"$@\"\n", env!("CARGO_BIN_EXE_prevet"));
    fs::write(&hook, script).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    bare.push(&["origin", "topic"]).run().is_stopped_by(&["f.py:2"]);
    world
        .git_in(&world.root(), &["--git-dir", "bare.git", "push", "origin", "topic"])
        .run()
        .is_stopped_by(&[]);
}

#[test]
fn a_git_dir_that_is_given_on_the_command_line() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    repository.write("g.py", FLAW);
    let options = ["--git-dir=w/.git", "--work-tree=w", "push", "origin", "topic"];
    let outcome = world.git_in(&world.root(), &options).succeeds();
    outcome.says(&["g.py:2", "(uncommitted)"]);
}

#[test]
fn a_folder_below_the_root_sees_the_whole_change() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", FLAW);
    repository.write("deep/down/g.py", CLEAN);
    let folder = repository.path("deep/down");
    let outcome = world.prevet_in(&folder, &["inspect"]).exits(1);
    assert!(outcome.text().contains("f.py:2"), "{outcome}");
    let (above, below) = (repository.prevet(&["diff"]), world.prevet_in(&folder, &["diff"]));
    assert_eq!(above.succeeds().stdout, below.succeeds().stdout);
}

#[test]
fn a_proxy_is_not_asked_for_this_machine() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", FLAW);
    let mut push = repository.push(&["origin", "topic"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        push = push.env(name, closed_port());
    }
    push.run().is_stopped_by(&[FLAW_RULE]);
}

#[test]
fn surroundings_of_aws_are_not_asked_for_this_machine() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", FLAW);
    let push = repository.push(&["origin", "topic"]).env("AWS_ENDPOINT_URL", closed_port());
    let push = push.env("AWS_PROFILE", "nowhere").env("AWS_REGION", "mars-north-1");
    let push = push.env("AWS_ENDPOINT_URL_S3", closed_port()).env("AWS_ENDPOINT_URL_DYNAMODB", closed_port());
    push.run().is_stopped_by(&[FLAW_RULE]);
}

#[test]
fn a_diff_over_the_limit_of_one_request_takes_another_way() {
    let world = world();
    let repository = hooked(&world);
    // Text that does not compress: the bits of a fixed generator, six a character.
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .";
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[usize::try_from(state >> 58).unwrap()]
    };
    let text: Vec<u8> = (0..6_200_000).map(|at| if at % 100 == 99 { b'\n' } else { letter() }).collect();
    repository.commit_file("numbers.txt", text);
    repository.commit_file("f.py", FLAW);
    let push = || repository.push(&["origin", "topic"]);
    push().run().is_stopped_by(&[FLAW_RULE]);
    // What was put there on the way is not kept.
    let objects = every_file(&world.data_dir());
    let placed = |path: &PathBuf| path.file_name().is_some_and(|it| it.to_string_lossy().contains("placed-"));
    assert!(!objects.iter().any(placed), "{objects:?}");
    // The same bytes again are told from others.
    push().run().is_stopped_by(&[FLAW_RULE]);
}
