//! Reviewers that misbehave, and what is said of each.

use prevet_testkit::world::wait_until;
use serde_json::Value;

use super::scene::{
    FIXED_INPUT, PATIENCE, PLAN_INPUT, Scene, Session, command_started, event, lives, says, thread,
};

const APPROVAL: &str = "### VERDICT\n- Status: APPROVE\n";

#[test]
fn ends_without_a_review() {
    let check = |body: &str, status: &str, next: &str, reason: &str, error: &str| {
        let scene = Scene::fake(body);
        let session = scene.begin_plan();
        let told = session.comes_to(status, next, reason);
        let said = told["error"].as_str().unwrap_or_default();
        assert!(said.contains(error), "{said:?} lacks {error:?}");
        assert_eq!(session.end(&[])["finalized"], false, "{body}");
    };
    let exit = "reviewer_process_exit";
    check("exit 0", "failed", "stopped", exit, "exit code 0");
    check("exit 1", "failed", "stopped", exit, "exit code 1");
    check("echo 'no such thread' >&2; exit 1", "failed", "stopped", exit, "no such thread");
    check("kill -9 $$", "failed", "stopped", exit, "signal 9");
    check("head -c 100000 /dev/urandom", "failed", "stopped", exit, "exit code 0");
    check("echo '{\"type\":'; echo '[]'; echo APPROVE", "failed", "stopped", exit, "exit code 0");
    check("exec >&- 2>&-; sleep 0.2; exit 3", "failed", "stopped", exit, "exit code 3");
    check(&format!("{}exit 7", thread()), "failed", "stopped", exit, "exit code 7");
    check(&says("I approve of all of it."), "completed", "ask_user", "missing_verdict", "");
    check(&says("```\n### VERDICT\n- Status: APPROVE\n```"), "completed", "ask_user", "missing_verdict", "");
    let silent = [thread(), event(r#"{"type":"turn.completed"}"#)].concat();
    check(&silent, "completed", "ask_user", "missing_verdict", "");
    let failed = [thread(), event(r#"{"type":"turn.failed","error":{"message":"quota"}}"#), "exit 1".into()];
    check(&failed.concat(), "failed", "stopped", "turn_failed", "quota");
}

#[test]
fn warnings_are_not_the_end() {
    let warning = event(r#"{"type":"error","message":"Reconnecting... 1/5"}"#);
    let scene = Scene::fake(&[thread(), warning, says(APPROVAL)].concat());
    let told = scene.begin_plan().comes_to("completed", "done", "approved");
    assert!(told["activities"].to_string().contains("Reconnecting"), "{told}");
}

#[test]
fn prints_200_megabytes() {
    let check = |body: &str| {
        let scene = Scene::fake(body);
        let session = scene.begin_plan();
        session.comes_to("failed", "stopped", "output_limit");
        let kept = session.path("outputs/round-001.jsonl").metadata().unwrap().len();
        assert!(kept <= 64 << 20, "{kept} bytes are kept");
    };
    let line = format!(r#"{{"type":"item.updated","text":"{}"}}"#, "x".repeat(2000));
    check(&format!("yes '{line}' | head -c 200000000"));
    check("head -c 200000000 /dev/zero | tr '\\0' x");
}

#[test]
fn says_much_on_standard_error() {
    let scene = Scene::fake(&format!("yes warning | head -c 3000000 >&2\n{}", says(APPROVAL)));
    let session = scene.begin_plan();
    session.comes_to("completed", "done", "approved");
    assert!(session.path("error.log").metadata().unwrap().len() < 2 << 20);
}

/// Begins with a bound on silence, in seconds.
fn begin_with_silence<'s>(scene: &'s Scene, seconds: &str) -> Session<'s> {
    let call = scene.begin_call(&["review-plan"], PLAN_INPUT).env("PREVET_REVIEW_STALL_SECONDS", seconds);
    let begun = call.succeeds().json();
    Session { scene, directory: begun["session_dir"].as_str().unwrap().into(), begun }
}

#[test]
fn falls_silent() {
    let scene = Scene::fake(
        &format!("{}sleep 300 & echo $! >'$PIDS'\nwait", thread()).replace("'$PIDS'", "/dev/null"),
    );
    let session = begin_with_silence(&scene, "1");
    let told = session.comes_to("stalled", "stopped", "stalled");
    assert_eq!((&told["failure_reason"], &told["progress_observed"]), (&"stalled".into(), &false.into()));
    let (runner, reviewer) = session.processes(1);
    wait_until("the end of both", PATIENCE, || !lives(runner) && !lives(reviewer));
}

#[test]
fn is_silent_while_a_command_runs() {
    let ended = event(
        r#"{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"cargo test","status":"completed"}}"#,
    );
    let scene =
        Scene::fake(&[thread(), command_started(), "sleep 3\n".into(), ended, says(APPROVAL)].concat());
    begin_with_silence(&scene, "1").comes_to("completed", "done", "approved");
}

#[test]
fn is_too_slow() {
    let begin = |scene: &Scene| -> Value {
        let skill = ["review-plan", "--timeout-seconds", "1"];
        scene.begin_call(&skill, PLAN_INPUT).succeeds().json()
    };
    let check = |body: &str, reason: &str, recoverable: bool| {
        let scene = Scene::fake(body);
        let begun = begin(&scene);
        let session =
            Session { scene: &scene, directory: begun["session_dir"].as_str().unwrap().into(), begun };
        let told = session.comes_to("timeout", "stopped", reason);
        assert_eq!(told["timeout_reason"], "runner_deadline");
        assert_eq!(
            (&told["recoverable"], &told["progress_observed"]),
            (&recoverable.into(), &recoverable.into())
        );
        scene.reviewer(&says(APPROVAL));
        session.reply(FIXED_INPUT);
        session.comes_to("completed", "done", "approved");
    };
    check(&[thread(), command_started(), "sleep 300".into()].concat(), "recoverable_timeout", true);
    check(&[thread(), "sleep 300".into()].concat(), "timeout", false);
}

#[test]
fn stays_after_its_turn() {
    let scene = Scene::fake(&format!("{}sleep 300", says(APPROVAL)));
    let session = scene.begin_plan();
    session.comes_to("completed", "done", "approved");
    assert_eq!(session.json("outputs/round-001.end.json")["cause"], "lingered");
}

#[test]
fn leaves_something_running() {
    let scene = Scene::bare();
    let pid = scene.world.path("pid");
    let daemon =
        format!("setsid sh -c 'echo $$ >{}; exec sleep 300' >/dev/null 2>&1 </dev/null &\n", pid.display());
    let wait = format!("while [ ! -s '{}' ]; do sleep 0.05; done\n", pid.display());
    scene.reviewer(&[daemon, wait, says(APPROVAL)].concat());
    scene.begin_plan().comes_to("completed", "done", "approved");
    let pid = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
    assert!(!lives(pid));
}

#[test]
fn goes_on_on_another_thread() {
    let scene = Scene::fake(&says("### VERDICT\n- Status: REVISE\n"));
    let session = scene.begin_plan();
    session.comes_to("completed", "respond", "verdict_revise");
    scene.reviewer(&says(APPROVAL).replace("t-1", "t-2"));
    session.reply(FIXED_INPUT);
    let told = session.comes_to("failed", "stopped", "thread_changed");
    assert_eq!(told["thread_id"], "t-1");
}
