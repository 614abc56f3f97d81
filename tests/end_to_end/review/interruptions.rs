//! Who may go away, and what then: waiters, runners, whole process groups; and two that wait at once.

use std::fs;

use prevet_testkit::world::wait_until;
use serde_json::Value;

use super::scene::{
    FIXED_INPUT, PATIENCE, PLAN_INPUT, Scene, Session, command_started, kill, lives, says, thread,
};

const APPROVAL: &str = "### VERDICT\n- Status: APPROVE\n";

/// A reviewer that answers when the test lets it.
fn held(scene: &Scene) -> String {
    let gate = scene.world.path("gate");
    format!(
        "{}{}while [ ! -e '{}' ]; do sleep 0.05; done\n{}",
        thread(),
        command_started(),
        gate.display(),
        says(APPROVAL)
    )
}

fn let_go(scene: &Scene) {
    fs::write(scene.world.path("gate"), "").unwrap();
}

fn held_session() -> Scene {
    let scene = Scene::bare();
    scene.reviewer(&held(&scene));
    scene
}

/// What does not depend on when one looks.
fn outcome(result: &Value) -> Value {
    let mut result = result.clone();
    result["activities"] = Value::Null;
    result
}

#[test]
fn a_waiter_that_is_killed() {
    let scene = held_session();
    let session = scene.begin_plan();
    let waiting = session.wait_call(60).start();
    session.sees(1, "cargo test");
    waiting.signal("KILL");
    assert_eq!(waiting.end().code, -9);
    let looked = session.wait_call(0).succeeds().json();
    assert_eq!((&looked["status"], &looked["next"]), (&"running".into(), &"running".into()));
    assert_eq!((&looked["next_reason"], &looked["thread_id"]), (&"reviewer_running".into(), &"t-1".into()));
    assert!(looked["activities"].to_string().contains("cargo test"), "{looked}");
    let_go(&scene);
    session.comes_to("completed", "done", "approved");
}

#[test]
fn a_terminal_that_is_closed() {
    let scene = held_session();
    // A shell that stays, as a server would: all of its group are killed, and the round goes on.
    let input = scene.world.path("input.md");
    fs::write(&input, PLAN_INPUT).unwrap();
    let prevet = env!("CARGO_BIN_EXE_prevet");
    let script =
        format!("{prevet} review begin --skill review-plan --input {} && sleep 300", input.display());
    let call = scene.world.call("sh", scene.repository().root()).args(&["-c", &script]);
    let path = format!("{}:/usr/bin:/bin", scene.world.path("bin").display());
    let shell = call.env("PATH", path).start();
    wait_until("the session", PATIENCE, || shell.stdout().ends_with('\n'));
    let begun: Value = serde_json::from_str(&shell.stdout()).unwrap();
    shell.signal_group("HUP");
    // Where whoever runs the tests ignores it, so do all of theirs.
    shell.signal_group("KILL");
    assert_eq!(shell.end().code, -1);
    let session = Session { scene: &scene, directory: begun["session_dir"].as_str().unwrap().into(), begun };
    session.sees(1, "cargo test");
    let_go(&scene);
    session.comes_to("completed", "done", "approved");
}

#[test]
fn a_begin_that_is_killed_leaves_nothing_that_runs_for_ever() {
    for milliseconds in [5, 20, 40, 60, 80, 100, 150] {
        let scene = held_session();
        let beginning = scene.begin_call(&["review-plan"], PLAN_INPUT).start();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        beginning.signal("KILL");
        beginning.end();
        let_go(&scene);
        let sessions = fs::read_dir(scene.repository().path(".cross-review/sessions"));
        let sessions = sessions.into_iter().flatten().map(|entry| entry.unwrap());
        for entry in sessions.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.')) {
            let session = Session { scene: &scene, directory: entry.path(), begun: Value::Null };
            // What had begun goes on, what had not is said to have ended.
            let told = session.wait();
            let reason = told["next_reason"].as_str().unwrap();
            assert!(["approved", "reviewer_process_exit"].contains(&reason), "{told}");
        }
    }
}

#[test]
fn a_save_that_stopped_between_its_files_keeps_the_thread() {
    let scene = Scene::fake(&says("### ISSUE-1: a\n- Severity: high\n### VERDICT\n- Status: REVISE\n"));
    let session = scene.begin_plan();
    session.comes_to("completed", "respond", "open_issues");
    let mut state = session.json("state.json");
    state.as_object_mut().unwrap().remove("thread_id").unwrap();
    std::fs::write(session.path("state.json"), state.to_string()).unwrap();
    assert_eq!(session.reply(FIXED_INPUT)["thread_id"], "t-1");
    session.wait();
    assert!(scene.calls()[1].ends_with(" t-1 -"), "{:?}", scene.calls());
}

#[test]
fn two_that_wait_agree() {
    let scene = held_session();
    let session = scene.begin_plan();
    session.sees(1, "cargo test");
    for seconds in [0, 0] {
        assert_eq!(session.wait_call(seconds).succeeds().json()["status"], "running");
    }
    let waiting: Vec<_> =
        [270, 50, 50].into_iter().map(|seconds| session.wait_call(seconds).start()).collect();
    let looking: Vec<_> = (0..4).map(|_| session.wait_call(0).start()).collect();
    for call in looking {
        call.end().json();
    }
    let_go(&scene);
    let told: Vec<Value> = waiting.into_iter().map(|call| outcome(&call.end().json())).collect();
    assert_eq!(told[0]["next_reason"], "approved");
    assert!(told.iter().all(|result| *result == told[0]), "{told:#?}");
    assert_eq!(outcome(&session.wait_call(0).succeeds().json()), told[0]);
    assert_eq!(session.json("rounds.json")["rounds"].as_array().unwrap().len(), 1);
}

#[test]
fn a_runner_that_is_killed() {
    let scene = held_session();
    let session = scene.begin_plan();
    session.sees(1, "cargo test");
    let (runner, reviewer) = session.processes(1);
    kill("KILL", runner);
    let failed = session.comes_to("failed", "stopped", "reviewer_process_exit");
    assert!(failed["error"].as_str().unwrap().contains("without a record"), "{failed}");
    assert_eq!(failed["recoverable"], true);
    wait_until("the orphan's end", PATIENCE, || !lives(reviewer));
    scene.reviewer(&says(APPROVAL));
    session.reply(FIXED_INPUT);
    session.comes_to("completed", "done", "approved");
}

#[test]
fn a_machine_that_restarts() {
    let scene = held_session();
    let session = scene.begin_plan();
    session.sees(1, "cargo test");
    let (runner, reviewer) = session.processes(1);
    kill("KILL", runner);
    kill("KILL", reviewer);
    // Another process has the numbers now: the test itself, which must not be signalled.
    let path = session.path("outputs/round-001.runner.json");
    let mut file = super::scene::json_file(&path);
    for name in ["runner", "reviewer"] {
        file[name]["pid"] = std::process::id().into();
    }
    fs::write(&path, file.to_string()).unwrap();
    session.comes_to("failed", "stopped", "reviewer_process_exit");
    assert_eq!(session.end(&[])["finalized"], false);
}

#[test]
fn an_end_stops_all_that_runs() {
    let scene = Scene::bare();
    // It ignores requests to end, and so does what it starts in a session of its own.
    let (pids, stubborn) = (scene.world.path("pids"), "trap '' TERM INT HUP; while :; do sleep 1; done");
    scene.reviewer(&format!(
        "{}{}setsid sh -c 'echo $$ >>{pids}; {stubborn}' &\necho $$ >>{pids}\n{stubborn}\n",
        thread(),
        command_started(),
        pids = pids.display()
    ));
    let session = scene.begin_plan();
    let listed = || fs::read_to_string(&pids).unwrap_or_default();
    wait_until("both processes", PATIENCE, || listed().lines().count() == 2);
    let (runner, _) = session.processes(1);
    let ended = session.end(&[]);
    assert_eq!((&ended["finalized"], ended.get("verdict")), (&false.into(), None));
    assert!(!session.path("meta.json").exists());
    for pid in listed().lines().map(|line| line.parse().unwrap()).chain([runner]) {
        wait_until("the end of a process", PATIENCE, || !lives(pid));
    }
    session.comes_to("failed", "stopped", "session_ended");
    assert_eq!(super::scene::code(&session.reply_call(FIXED_INPUT).exits(2)), "INVALID_INPUT");
}
