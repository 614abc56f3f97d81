//! What git can show in odd ways: drivers, quoted names, other encodings, linked worktrees, missing history.

use prevet_testkit::world::WorkRepository;

use crate::material::{CLEAN, FLAW, FLAW_RULE, Pushed, hooked, secret, secret_line, world};

const ODD_NAMES: [&str; 3] = ["café.txt", "quo\"te.txt", "my dir/a b.txt"];

#[test]
fn an_external_diff_program_hides_nothing() {
    let world = world();
    let repository = hooked(&world);
    repository.git(&["config", "diff.external", "true"]);
    repository.write("base.txt", format!("a\n{}\nc\n", ["AKIA", "IOSFODNN7EXAMPLX"].concat()));
    repository.git(&["commit", "-q", "-a", "-m", "x"]);
    assert_eq!(repository.git(&["diff", "main", "HEAD"]), "", "the driver is in place");
    repository.push(&["origin", "HEAD:t"]).run().is_stopped_by(&["base.txt:2"]);
}

#[test]
fn a_text_conversion_hides_nothing() {
    let world = world();
    let repository = world.repository("w");
    repository.commit_file(".gitattributes", "*.txt diff=quiet\n");
    repository.git(&["push", "-q", "origin", "main"]);
    repository.install_hook();
    repository.git(&["config", "diff.quiet.textconv", "echo nothing to see"]);
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.commit_file("base.txt", format!("a\n{}c\n", secret_line()));
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["base.txt:2"]);
}

#[test]
fn an_attribute_of_the_change_itself_hides_no_secret() {
    let world = world();
    let repository = hooked(&world);
    repository.write(".gitattributes", "*.txt -diff\n*.py binary\n");
    repository.write("f.py", FLAW);
    repository.commit_file("base.txt", format!("a\n{}c\n", secret_line()));
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["base.txt:2", FLAW_RULE]);
}

/// `t.lua` with a removed line that begins with `-- `, and one finding on its line 6.
fn lua(repository: &WorkRepository<'_>) {
    let body = "local a = 1\nlocal b = 2\nlocal c = 3\nlocal d = 4\n";
    repository.commit_file("t.lua", format!("-- old comment\n{body}x = 1\n"));
    repository.git(&["push", "-q", "--no-verify", "origin", "HEAD:main"]);
    repository.commit_file("t.lua", format!("-- new comment\n{body}x = \"{}\"\n", secret()));
}

#[test]
fn a_removed_line_that_looks_like_a_file_s_header_is_none() {
    let world = world();
    let repository = hooked(&world);
    lua(&repository);
    let outcome = repository.push(&["origin", "topic"]).run();
    outcome.is_stopped_by(&["t.lua:6"]);
    let mentioned: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("--> ")).collect();
    assert_eq!(mentioned.len(), 1, "{outcome}");
    let patch = repository.prevet(&["diff"]).succeeds().text();
    assert!(patch.contains("\n--- old comment\n"), "{patch}");
    assert_eq!(patch, repository.git(&["diff", "main@{upstream}", "HEAD"]));
}

#[test]
fn odd_names_are_shown_as_they_are() {
    let world = world();
    let repository = hooked(&world);
    for name in ODD_NAMES {
        repository.write(name, secret_line());
    }
    repository.commit("odd names");
    let outcome = repository.push(&["origin", "topic"]).run();
    outcome.is_stopped_by(&["café.txt:1", "quo\"te.txt:1", "my dir/a b.txt:1"]);
    outcome.never_says(&["\\303", "\\\"", "\"b/", "txt\t"]);
}

#[test]
fn odd_names_are_whole_in_every_format() {
    let world = world();
    let repository = world.repository("w");
    for name in ODD_NAMES {
        repository.write(name, secret_line());
    }
    let json = repository.prevet(&["inspect", "--format", "json"]).exits(1).json();
    let files = |findings: &serde_json::Value| {
        let mut files: Vec<String> = findings
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| it["file"].as_str().unwrap().to_owned())
            .collect();
        files.sort();
        files
    };
    assert_eq!(files(&json["findings"]), ["café.txt", "my dir/a b.txt", "quo\"te.txt"]);
    let sarif = repository.prevet(&["inspect", "--format", "sarif"]).exits(1).json();
    let mut places: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str())
        .collect();
    places.sort_unstable();
    // A SARIF place is a URI reference.
    assert_eq!(places, ["caf%C3%A9.txt", "my%20dir/a%20b.txt", "quo%22te.txt"]);
    let text = repository.prevet(&["inspect"]).exits(1).text();
    ODD_NAMES.iter().for_each(|name| assert!(text.contains(&format!("{name}:1")), "{name}: {text}"));
}

#[test]
fn a_file_that_is_not_utf_8_is_reviewed_with_its_neighbours() {
    let world = world();
    let repository = hooked(&world);
    repository.write("good.py", CLEAN);
    repository.commit_file("l.py", b"caf\xe9 = 1\n");
    repository.git(&["push", "-q", "--no-verify", "origin", "HEAD:main"]);
    repository.write("good.py", FLAW);
    repository.commit_file("l.py", [b"caf\xe9 = 2\n".as_slice(), secret_line().as_bytes()].concat());
    let outcome = repository.push(&["origin", "topic"]).run();
    outcome.is_stopped_by(&["good.py:2", FLAW_RULE, "l.py:2"]);
    let base = ["--base", "origin/main"];
    let json = repository.prevet(&[&["inspect", "--format", "json"], &base[..]].concat()).exits(1).json();
    assert_eq!(json["findings"].as_array().unwrap().len(), 2, "{json}");
}

#[test]
fn a_linked_worktree_is_reviewed_as_it_is() {
    let world = world();
    let repository = world.repository("w");
    repository.install_hook();
    let (main_index, bare) = (repository.index(), repository.git(&["config", "core.bare"]));
    repository.git(&["worktree", "add", "-q", "../wt", "-b", "b"]);
    let linked = repository.beside("wt");
    linked.commit_file("committed.py", CLEAN);
    linked.write("s/new.txt", secret_line());
    let index = linked.index();
    let outcome = world.git_in(&linked.path("s"), &["push", "origin", "b"]).succeeds();
    outcome.says(&["s/new.txt:1", "(uncommitted)"]);
    assert_eq!(linked.index(), index);
    assert_eq!(repository.index(), main_index);
    assert_eq!(repository.git(&["config", "core.bare"]), bare);
    assert_eq!(repository.git(&["status", "--short"]), "");
    assert_eq!(linked.git(&["status", "--short"]), "?? s/\n");
    linked.commit("with the secret");
    world.git_in(&linked.path("s"), &["push", "origin", "b"]).run().is_stopped_by(&["s/new.txt:1"]);
}

#[test]
fn a_tip_that_was_never_fetched_is_overwritten_by_its_owner_alone() {
    let world = world();
    let first = world.repository("w");
    let second = world.clone_of("w.git", "second", &["--single-branch", "-b", "main"]);
    first.git(&["checkout", "-q", "-b", "a"]);
    first.commit_file("theirs.txt", "theirs\n");
    first.git(&["push", "-q", "origin", "a"]);
    second.install_hook();
    second.git(&["checkout", "-q", "-b", "a"]);
    second.commit_file("ours.py", FLAW);
    let theirs = first.id("a");
    second.git_call(&["cat-file", "-e", &theirs]).exits(1);
    let outcome = second.push(&["-f", "origin", "a"]).run();
    outcome.is_stopped_by(&["ours.py:2"]);
    outcome.never_says(&["theirs.txt", "fatal", "Invalid revision"]);
    second.git(&["reset", "-q", "--hard", "main"]);
    second.commit_file("ours.py", CLEAN);
    second.push(&["-f", "origin", "a"]).run().is_clean();
    assert_eq!(second.on_remote("refs/heads/a"), Some(second.id("a")));
}
