//! The policy as of the base, ignore comments, and what is not committed.

use prevet_testkit::world::WorkRepository;

use crate::material::{
    CLEAN, DOUBT, DOUBT_RULE, FLAW, FLAW_RULE, NOT_REVIEWED, Pushed, STOPPED, hooked, secret_line, world,
};

/// `.prevet.toml` on `main`, here and on the remote; `topic` begins there.
fn policy_on_base(repository: &WorkRepository<'_>, policy: &str) {
    repository.git(&["checkout", "-q", "main"]);
    repository.commit_file(".prevet.toml", policy);
    repository.git(&["push", "-q", "--no-verify", "origin", "main"]);
    repository.git(&["checkout", "-q", "-B", "topic"]);
}

/// Code with the flaw, and a comment of this text before it.
fn flaw_after(comment: &str) -> String {
    FLAW.replacen("    if", &format!("    # {comment}\n    if"), 1)
}

/// What a policy says does nothing for the change that brings it, and holds once the base has it.
fn loosens_once_on_the_base(policy: &str, file: &str, content: &str, shown: &str) {
    let world = world();
    let repository = hooked(&world);
    repository.write(".prevet.toml", policy);
    repository.commit_file(file, content);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&[shown]);
    policy_on_base(&repository, policy);
    repository.commit_file(file, content);
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.never_says(&[STOPPED, NOT_REVIEWED]);
}

#[test]
fn a_gate_of_never() {
    loosens_once_on_the_base("gate = \"never\"\n", "f.py", FLAW, FLAW_RULE);
}

#[test]
fn an_exclude() {
    loosens_once_on_the_base("exclude = [\"gen/**\"]\n", "gen/f.py", FLAW, "gen/f.py:2");
}

#[test]
fn a_rule_that_is_off() {
    loosens_once_on_the_base(&format!("[rules]\n\"{FLAW_RULE}\" = \"off\"\n"), "f.py", FLAW, FLAW_RULE);
}

#[test]
fn a_rule_of_another_severity() {
    loosens_once_on_the_base(&format!("[rules]\n\"{FLAW_RULE}\" = \"low\"\n"), "f.py", FLAW, FLAW_RULE);
}

#[test]
fn findings_below_the_gate_are_shown_and_stop_nothing() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", DOUBT);
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.says(&[DOUBT_RULE, "f.py:1", "approve: 1 medium"]).never_says(&[STOPPED]);
}

#[test]
fn a_lower_gate_stops_more() {
    let world = world();
    let repository = hooked(&world);
    policy_on_base(&repository, "gate = \"medium\"\n");
    repository.commit_file("f.py", DOUBT);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&[DOUBT_RULE]);
}

#[test]
fn excludes_do_not_hide_secrets() {
    let world = world();
    let repository = hooked(&world);
    policy_on_base(&repository, "exclude = [\"**\"]\ngate = \"critical\"\n");
    repository.commit_file("gen/settings.txt", secret_line());
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["gen/settings.txt:1"]);
    repository.git(&["rm", "-q", "-r", "gen"]);
    repository.commit("gone");
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["gen/settings.txt:1", "in commit"]);
}

#[test]
fn what_is_not_committed_is_shown_and_stops_nothing() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    repository.write("f.py", FLAW);
    repository.write("new/settings.txt", secret_line());
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.says(&[FLAW_RULE, "new/settings.txt:1", "(uncommitted)", "2 uncommitted"]);
    outcome.never_says(&[STOPPED, &crate::material::secret()]);
}

#[test]
fn what_is_not_committed_stops_the_push_where_the_base_says_so() {
    let world = world();
    let repository = hooked(&world);
    policy_on_base(&repository, "gate_uncommitted = true\n");
    repository.commit_file("f.py", CLEAN);
    repository.write("g.py", FLAW);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["g.py:2", "(uncommitted)"]);
    repository.write("g.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_clean();
}

#[test]
fn what_is_not_committed_says_nothing_about_another_commit() {
    let world = world();
    let repository = hooked(&world);
    policy_on_base(&repository, "gate_uncommitted = true\n");
    repository.commit_file("f.py", CLEAN);
    repository.git(&["checkout", "-q", "-b", "elsewhere"]);
    repository.commit("elsewhere");
    repository.write("g.py", FLAW);
    repository.push(&["origin", "topic"]).run().is_clean();
}

#[test]
fn mending_in_the_work_tree_alone_mends_nothing() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", FLAW);
    repository.write("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&["f.py:2"]);
}

#[test]
fn an_ignore_comment_lifts_the_gate_and_is_listed_with_its_reason() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", flaw_after(&format!("prevet: ignore {FLAW_RULE} both are meant")));
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.says(&["suppressed", FLAW_RULE, "f.py:3", "both are meant", "new in this change"]);
    outcome.never_says(&[STOPPED]);
}

#[test]
fn an_ignore_comment_needs_the_rule_and_a_reason() {
    let world = world();
    let repository = hooked(&world);
    for comment in [format!("prevet: ignore {FLAW_RULE}"), "prevet: ignore python.eval why".to_owned()] {
        repository.commit_file("f.py", flaw_after(&comment));
        repository.push(&["origin", "topic"]).run().is_stopped_by(&["f.py:3"]);
    }
}

#[test]
fn an_ignore_comment_of_the_change_itself_holds_the_gate_where_the_base_says_so() {
    let world = world();
    let repository = hooked(&world);
    policy_on_base(&repository, "new_ignores = \"block\"\n");
    let ignored = flaw_after(&format!("prevet: ignore {FLAW_RULE} both are meant"));
    repository.commit_file("f.py", &ignored);
    let outcome = repository.push(&["origin", "topic"]).run();
    outcome.is_stopped_by(&["suppressed", "both are meant", "new in this change"]);
    repository.prevet(&["inspect"]).exits(1);
    repository.prevet(&["inspect", "--fail-on", "high"]).exits(1);
    repository.prevet(&["inspect", "--fail-on", "never"]).succeeds();
    repository.git(&["push", "-q", "--no-verify", "origin", "topic:main"]);
    repository.commit_file("f.py", ignored.replace("or 2", "or 3"));
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.says(&["both are meant"]).never_says(&["new in this change", STOPPED]);
}

#[test]
fn a_secret_that_a_later_commit_ignores_passes_as_ignored() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("settings.txt", secret_line());
    let stopped = repository.push(&["origin", "topic"]).run();
    let rule = stopped.stderr.split_once("high[").unwrap().1.split_once(']').unwrap().0.to_owned();
    let comment = format!("# prevet: ignore {rule} a key of the test bench\n");
    repository.commit_file("settings.txt", format!("{comment}{}", secret_line()));
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.says(&["suppressed", "a key of the test bench"]).never_says(&[STOPPED]);
    // Another key on the same line of an earlier commit is not that one.
    repository.git(&["reset", "-q", "--hard", "main"]);
    repository.commit_file("settings.txt", secret_line().replace("LD4K", "LD5K"));
    repository.commit_file("settings.txt", format!("{comment}{}", secret_line()));
    repository.push(&["-f", "origin", "topic"]).run().is_stopped_by(&["in commit"]);
}

#[test]
fn a_commit_that_brings_its_own_ignore_hides_nothing_where_the_base_says_so() {
    let world = world();
    let repository = hooked(&world);
    let comment = "# prevet: ignore secrets.aws-access-key-id a key of the test bench\n";
    let ignored_and_gone = || {
        repository.commit_file("settings.txt", format!("{comment}{}", secret_line()));
        repository.commit_file("settings.txt", "key = read(\"KEY\")\n");
        repository.push(&["origin", "topic"]).run()
    };
    ignored_and_gone().is_clean();
    policy_on_base(&repository, "new_ignores = \"block\"\n");
    repository.push(&["-q", "--no-verify", "origin", ":topic"]).succeeds();
    ignored_and_gone().is_stopped_by(&["settings.txt:2", "in commit"]);
}

#[test]
fn a_broken_policy_on_the_base_is_named_and_the_push_goes_on() {
    let world = world();
    let repository = hooked(&world);
    for (policy, parts) in [
        ("gates = \"high\"\n", ["gates", "unknown field"]),
        ("gate = 3\n", ["gate", "string"]),
        ("[rules]\n\"a.b\" = \"loud\"\n", ["a.b", "not one of off"]),
        (
            "[rules]\n\"python.asert-used\" = \"low\"\n",
            ["python.asert-used", "was `python.assert-used` meant?"],
        ),
    ] {
        policy_on_base(&repository, policy);
        repository.commit_file("f.py", FLAW);
        let outcome = repository.push(&["-f", "origin", "topic"]).run();
        outcome.went_on_unreviewed(&[&[".prevet.toml"], &parts[..]].concat());
        repository.prevet(&["inspect"]).exits(2).says(&[".prevet.toml"]).says(&parts);
    }
}

#[test]
fn a_broken_policy_in_the_change_itself_is_no_excuse() {
    let world = world();
    let repository = hooked(&world);
    repository.write(".prevet.toml", "gates = 3\n");
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&[FLAW_RULE]);
}

#[test]
fn what_could_not_be_read_is_named_and_stops_the_push_where_the_base_says_so() {
    let world = world();
    let repository = hooked(&world);
    repository.write("f.py", CLEAN);
    repository.commit_file("t.lua", "x = 1\n");
    let outcome = repository.push(&["origin", "topic"]).succeeds();
    outcome.says(&["incomplete", "t.lua", NOT_REVIEWED, "; the push goes on"]);
    policy_on_base(&repository, "on_error = \"block\"\n");
    repository.commit_file("t.lua", "x = 1\n");
    let outcome = repository.push(&["-f", "origin", "topic"]).exits(1);
    outcome.says(&["t.lua", NOT_REVIEWED, "on_error = \"block\""]).never_says(&[STOPPED]);
}
