//! What a failing model or a killed Codex CLI looks like to whoever waits.

use prevet_testkit::model::Step;

use super::scene::{FIXED_INPUT, Scene, kill, lives};

const APPROVAL: &str = "### VERDICT\n- Status: APPROVE\n- Reason: fine\n";

#[test]
fn a_failing_endpoint() {
    let Some((scene, model)) = Scene::real("the Codex CLI on a failing endpoint") else { return };
    let check = |step: Step, expected: &str| {
        model.will([step]);
        let session = scene.begin_plan();
        let failed = session.comes_to("failed", "stopped", "turn_failed");
        let error = failed["error"].as_str().unwrap();
        assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        assert_eq!(
            (&failed["failure_reason"], &failed["recoverable"]),
            (&"turn_failed".into(), &false.into())
        );
        assert!(failed["thread_id"].is_string() && failed.get("review").is_none(), "{failed}");
        assert_eq!(session.end(&[])["finalized"], false);
    };
    check(Step::Status(401), "401");
    check(Step::Status(429), "429");
    check(Step::Status(500), "high demand");
    check(Step::Drop, "stream");
    check(Step::Hang, "idle");
    check(Step::Fail("server_error"), "scripted server_error");
}

#[test]
fn a_failure_half_way_goes_on_on_the_same_thread() {
    let Some((scene, model)) = Scene::real("the Codex CLI after a failure") else { return };
    model.will([Step::Run("echo seen-before".into()), Step::Status(429)]);
    let session = scene.begin_plan();
    let failed = session.comes_to("failed", "stopped", "turn_failed");
    assert_eq!((&failed["recoverable"], &failed["progress_observed"]), (&true.into(), &true.into()));
    model.will([Step::Say(APPROVAL.into())]);
    let reply = session.reply(FIXED_INPUT);
    assert_eq!((&reply["round"], &reply["thread_id"]), (&2.into(), &failed["thread_id"]));
    session.comes_to("completed", "done", "approved");
    let last = model.requests().pop().unwrap().to_string();
    assert!(last.contains("seen-before") && last.contains("ISSUE-1: done"), "the thread was lost");
    assert_eq!(session.end(&[])["verdict"], "APPROVE");
}

/// Signals the Codex CLI in the middle of a silent command.
fn killed(signal: &str, how: &str) {
    let Some((scene, model)) = Scene::real("a Codex CLI that is killed") else { return };
    model.will([Step::Run("sleep 300".into())]);
    let session = scene.begin_plan();
    session.sees(1, "sleep 300");
    let (runner, reviewer) = session.processes(1);
    kill(signal, reviewer);
    let failed = session.comes_to("failed", "stopped", "reviewer_process_exit");
    let error = failed["error"].as_str().unwrap();
    assert!(error.contains(how), "{error:?} lacks {how:?}");
    assert_eq!(failed["recoverable"], true);
    prevet_testkit::world::wait_until("the end of both", super::scene::PATIENCE, || {
        !lives(runner) && !lives(reviewer)
    });
    model.will([Step::Say(APPROVAL.into())]);
    session.reply(FIXED_INPUT);
    session.comes_to("completed", "done", "approved");
}

#[test]
fn killed_by_kill() {
    killed("KILL", "signal 9");
}

#[test]
fn killed_by_term() {
    killed("TERM", "signal 15");
}

#[test]
fn a_reviewer_has_no_review_tools() {
    let Some((scene, model)) = Scene::real("the Codex CLI with review tools of its own") else { return };
    let (config, started) = (scene.world.path("home/codex/config.toml"), scene.world.path("started"));
    let server = |name: &str| {
        let script = format!("echo {name} >>{}; cat >/dev/null", started.display());
        format!(
            "[mcp_servers.{name}]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"{script}\"]\nstartup_timeout_sec = 1\n"
        )
    };
    let text = [model.codex_config(), server("cross-review"), server("other")].concat();
    std::fs::write(config, text).unwrap();
    model.will([Step::Say("### VERDICT\n- Status: REVISE\n".into()), Step::Say(APPROVAL.into())]);
    let session = scene.begin_plan();
    session.comes_to("completed", "respond", "verdict_revise");
    session.reply(FIXED_INPUT);
    session.comes_to("completed", "done", "approved");
    assert_eq!(std::fs::read_to_string(started).unwrap(), "other\nother\n");
}

#[test]
fn a_reviewer_cannot_write_in_any_round() {
    let Some((scene, model)) = Scene::real("the Codex CLI's sandbox") else { return };
    let write = |name: &str| Step::Run(format!("touch {name}; echo x > {name}; echo tried"));
    model.will([write("one"), Step::Say("### VERDICT\n- Status: REVISE\n".into())]);
    let session = scene.begin_plan();
    session.comes_to("completed", "respond", "verdict_revise");
    model.will([write("two"), Step::Say(APPROVAL.into())]);
    session.reply(FIXED_INPUT);
    session.comes_to("completed", "done", "approved");
    for (round, name) in [(1, "one"), (2, "two")] {
        session.sees(round, "tried");
        session.sees(round, "Read-only file system");
        assert!(!scene.repository().path(name).exists(), "{name} was written");
    }
    assert_eq!(scene.repository().git(&["status", "--porcelain"]), "");
}
