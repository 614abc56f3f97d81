//! Every code of a failed call, and that nothing is left of what was refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use prevet_testkit::world::{Outcome, every_file};

use super::scene::{FIXED_INPUT, PATIENCE, PLAN_INPUT, Scene, code, says, thread};

const REVISE: &str = "### VERDICT\n- Status: REVISE\n";

#[test]
fn a_begin_that_is_refused_leaves_nothing() {
    let scene = Scene::fake(&says(REVISE));
    let root = scene.repository().root().to_str().unwrap().to_owned();
    let check = |arguments: &[&str], input: &str, expected: &str, part: &str| {
        let refused = scene.begin_call(arguments, input).exits(2);
        assert_eq!(code(&refused), expected, "{refused}");
        assert!(refused.text().contains(part), "{part:?} is missing\n{refused}");
        assert!(!scene.repository().path(".cross-review").exists(), "{arguments:?}");
    };
    let plan = ["review-plan"];
    check(&["review-all"], PLAN_INPUT, "UNKNOWN_SKILL", "review-all");
    check(&["review-impl"], "## USER_REQUEST\nx\n", "INVALID_INPUT", "mode");
    check(&["review-impl", "--mode", "all"], "## USER_REQUEST\nx\n", "INVALID_INPUT", "working-tree");
    check(&["review-plan", "--mode", "branch"], PLAN_INPUT, "INVALID_INPUT", "mode");
    check(&["review-impl", "--mode", "branch"], "## USER_REQUEST\nx\n", "INVALID_INPUT", "BASE_BRANCH");
    check(&plan, "", "INVALID_INPUT", "PLAN_PATH, USER_REQUEST");
    check(&plan, "please look", "INVALID_INPUT", "line 1");
    check(&plan, "---\nPLAN_PATH: x\n", "INVALID_INPUT", "never closed");
    check(&plan, "---\nPLAN_PATH\n---\n", "INVALID_INPUT", "line 2");
    check(&plan, &"x".repeat(2 << 20), "INVALID_INPUT", "1048576");
    check(&["review-plan", "--timeout-seconds", "0"], PLAN_INPUT, "INVALID_INPUT", "timeout_seconds");
    check(&["review-plan", "--reviewer", "claude"], PLAN_INPUT, "INVALID_INPUT", "codex");
    check(
        &["review-plan", "--model", "--yolo"].map(|it| if it == "--yolo" { "a b" } else { it }),
        PLAN_INPUT,
        "INVALID_INPUT",
        "model",
    );
    check(&["review-plan", "--working-dir", "/nowhere"], PLAN_INPUT, "INVALID_INPUT", "/nowhere");
    let outside = scene.world.path("tmp");
    check(
        &["review-plan", "--working-dir", outside.to_str().unwrap()],
        PLAN_INPUT,
        "INVALID_INPUT",
        "repository",
    );
    let file = format!("{root}/plan.md");
    check(&["review-plan", "--working-dir", &file], PLAN_INPUT, "INVALID_INPUT", "directory");
    let missing = scene.review(&["begin", "--skill", "review-plan", "--input", "missing.md"]).exits(2);
    assert_eq!(code(&missing), "INVALID_INPUT");
    for (name, text) in [(".prevet.toml", "[review]\nefort = \"high\"\n"), (".prevet.toml", "gate = ")] {
        scene.repository().write(name, text);
        check(&plan, PLAN_INPUT, "CONFIG_INVALID", &format!("{root}/.prevet.toml"));
    }
    fs::remove_file(scene.repository().path(".prevet.toml")).unwrap();
    let config = scene.world.config_file();
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[review]\ntimeout_seconds = \"long\"\n").unwrap();
    check(&plan, PLAN_INPUT, "CONFIG_INVALID", "config.toml");
    fs::remove_file(&config).unwrap();
    scene.repository().write(".prevet/templates/review-plan.md", b"\xff\xfe");
    check(&plan, PLAN_INPUT, "TEMPLATE_NOT_FOUND", "review-plan.md");
}

#[test]
fn a_reviewer_that_is_missing_or_too_old() {
    let scene = Scene::bare();
    let missing = scene.begin_call(&["review-plan"], PLAN_INPUT).exits(2);
    assert_eq!(code(&missing), "REVIEWER_NOT_FOUND");
    let path = scene.world.path("bin");
    let doctor =
        || scene.repository().prevet(&["doctor"]).env("PATH", format!("{}:/usr/bin:/bin", path.display()));
    assert!(doctor().run().text().contains("note  no review rounds: the codex CLI is not in PATH"));
    scene.program("codex", "#!/bin/sh\necho codex-cli 0.44.0\n");
    let old = scene.begin_call(&["review-plan"], PLAN_INPUT).exits(3);
    assert_eq!(code(&old), "LAUNCH_FAILED");
    assert!(old.text().contains("0.80 or newer"), "{old}");
    assert!(!scene.repository().path(".cross-review").exists());
    assert!(doctor().run().text().contains("0.80 or newer"));
    scene.program("codex", "#!/no/such/interpreter\n");
    let broken = scene.begin_call(&["review-plan"], PLAN_INPUT).exits(3);
    assert_eq!(code(&broken), "LAUNCH_FAILED");
    let sessions = fs::read_dir(scene.repository().path(".cross-review/sessions")).unwrap();
    assert_eq!(sessions.count(), 0, "a session is left");
}

#[test]
fn a_reply_at_the_wrong_time() {
    let scene = Scene::fake(&format!("{}sleep 300", thread()));
    let session = scene.begin_plan();
    assert_eq!(code(&session.reply_call(FIXED_INPUT).exits(3)), "ROUND_STILL_RUNNING");
    // The state is named before the input is looked at.
    assert_eq!(code(&session.reply_call("").exits(3)), "ROUND_STILL_RUNNING");
    session.end(&[]);

    scene.reviewer("exit 1");
    let nameless = scene.begin_plan();
    nameless.comes_to("failed", "stopped", "reviewer_process_exit");
    assert_eq!(code(&nameless.reply_call(FIXED_INPUT).exits(3)), "SESSION_BROKEN");

    scene.reviewer(&says(REVISE));
    let session = scene.begin_plan();
    session.wait();
    assert_eq!(code(&session.reply_call("").exits(2)), "INVALID_INPUT");
    assert_eq!(
        code(&scene.review(&["end", session.text(), "--outcome", "approve"]).exits(2)),
        "INVALID_INPUT"
    );
    fs::remove_file(scene.world.path("bin/codex")).unwrap();
    assert_eq!(code(&session.reply_call(FIXED_INPUT).exits(2)), "REVIEWER_NOT_FOUND");
    scene.program("codex", "#!/no/such/interpreter\n");
    assert_eq!(code(&session.reply_call(FIXED_INPUT).exits(3)), "LAUNCH_FAILED");
    // None of it has changed the session.
    session.comes_to("completed", "respond", "verdict_revise");
    scene.reviewer(&says(REVISE));
    assert_eq!(session.reply(FIXED_INPUT)["round"], 2);
}

#[test]
fn directories_that_are_no_sessions() {
    let scene = Scene::fake(&says(REVISE));
    let session = scene.begin_plan();
    session.wait();
    let sessions = session.directory.parent().unwrap();
    let check = |directory: &str, expected: &str, part: &str| {
        for verb in [&["wait"][..], &["end"], &["status"], &["reply", "--input", "-"]] {
            let call = scene.review(&[verb, &[directory]].concat()).stdin(FIXED_INPUT);
            let refused = call.exits(if expected == "INVALID_SESSION" { 2 } else { 3 });
            assert_eq!(code(&refused), expected, "{refused}");
            assert!(refused.text().contains(part), "{part:?} is missing\n{refused}");
        }
    };
    let path = |name: &str| sessions.join(name).to_str().unwrap().to_owned();
    check(&path("review-plan-20200101-001"), "INVALID_SESSION", "review-plan-20200101-001");
    check(scene.repository().root().to_str().unwrap(), "INVALID_SESSION", ".cross-review/sessions");
    // Half of one, and one that a link makes look like one.
    fs::create_dir(path("review-plan-20200101-002")).unwrap();
    check(&path("review-plan-20200101-002"), "INVALID_SESSION", "state.json");
    let elsewhere = scene.world.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::copy(session.path("state.json"), elsewhere.join("state.json")).unwrap();
    symlink(&elsewhere, path("review-plan-20200101-003")).unwrap();
    check(&path("review-plan-20200101-003"), "INVALID_SESSION", "review_begin makes them");

    fs::create_dir(path("review-plan-20200101-004")).unwrap();
    fs::copy(session.path("state.json"), sessions.join("review-plan-20200101-004/state.json")).unwrap();
    symlink(scene.world.root(), sessions.join("review-plan-20200101-004/outputs")).unwrap();
    check(&path("review-plan-20200101-004"), "INVALID_SESSION", "outputs");

    let state = fs::read_to_string(session.path("state.json")).unwrap();
    let write = |text: &str| fs::write(session.path("state.json"), text).unwrap();
    write(&state.replace("\"version\": 1", "\"version\": 2"));
    check(session.text(), "INVALID_SESSION", "update prevet");
    write(&state[..state.len() / 2]);
    check(session.text(), "INVALID_SESSION", "state.json");
    write(&state);
    fs::write(session.path("rounds.json"), "{\"version\": 1, \"rounds\": []}").unwrap();
    check(session.text(), "SESSION_BROKEN", "rounds.json");
    fs::remove_file(session.path("rounds.json")).unwrap();
    check(session.text(), "SESSION_BROKEN", "rounds.json");
    let listed = scene.review(&["status"]).succeeds().json();
    assert!(listed["sessions"].as_array().unwrap().iter().all(|it| it["error"].is_string()), "{listed}");
}

#[test]
fn two_begins_at_once() {
    let scene = Scene::fake(&says(REVISE));
    let calls: Vec<_> = (0..6).map(|_| scene.begin_call(&["review-plan"], PLAN_INPUT).start()).collect();
    let mut made: Vec<String> =
        calls.into_iter().map(|call| call.end().json()["session_dir"].as_str().unwrap().to_owned()).collect();
    made.sort();
    made.dedup();
    assert_eq!(made.len(), 6, "{made:?}");
    let sessions = every_file(&scene.repository().path(".cross-review/sessions"));
    assert!(sessions.iter().all(|path| !path.ends_with(".new-")), "{sessions:?}");
}

#[test]
fn two_replies_at_once() {
    let scene = Scene::fake(&says(REVISE));
    let session = scene.begin_plan();
    session.wait();
    scene.reviewer(&format!("{}sleep 300", thread()));
    let calls: Vec<_> = (0..4).map(|_| session.reply_call(FIXED_INPUT).start()).collect();
    let mut codes: Vec<_> = calls.into_iter().map(|call| call.end().code).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 3, 3, 3]);
    assert_eq!(session.wait_call(0).succeeds().json()["round"], 2);
    session.end(&[]);
}

/// Runs a script in a mount namespace of its own, where it may mount; none where it may not.
fn in_namespace(scene: &Scene, script: &str) -> Option<Outcome> {
    let path = format!("{}:/usr/sbin:/sbin:/usr/bin:/bin", scene.world.path("bin").display());
    let call = scene.world.call("unshare", scene.repository().root()).args(&["-rm", "sh", "-c", script]);
    let outcome = call.env("PATH", path).within(PATIENCE * 3).run();
    let could = outcome.code != 77 && !outcome.stderr.contains("unshare");
    if !could {
        eprintln!("left out: a full and a read-only disk (this system has no mount namespaces for us)");
    }
    could.then_some(outcome)
}

/// The repository of a scene, with a place to mount something on.
fn disk(body: &str) -> (Scene, String, String) {
    let scene = Scene::fake(body);
    let own = scene.repository().path(".cross-review");
    fs::create_dir(&own).unwrap();
    let input = scene.world.path("input.md");
    fs::write(&input, PLAN_INPUT).unwrap();
    let begin = format!(
        "{} review begin --skill review-plan --input {}",
        env!("CARGO_BIN_EXE_prevet"),
        input.display()
    );
    (scene, own.display().to_string(), begin)
}

#[test]
fn a_disk_that_is_full_or_read_only() {
    let (scene, own, begin) = disk(&says(REVISE));
    let check = |options: &str, part: &str| {
        let script = format!("mount -t tmpfs -o {options} none {own} || exit 77; exec {begin}");
        let Some(refused) = in_namespace(&scene, &script) else { return };
        assert_eq!(code(&refused), "IO_ERROR", "{refused}");
        assert!(refused.text().contains(part), "{part:?} is missing\n{refused}");
        assert_eq!(refused.code, 3, "{refused}");
        assert_eq!(every_file(own.as_ref()), Vec::<PathBuf>::new());
    };
    check("nr_inodes=6,size=8k", "make room");
    check("ro", "writable");
}

#[test]
fn a_disk_that_gets_full_in_a_round() {
    let print = "head -c 5000000 /dev/zero | tr '\\0' x\n";
    let (scene, own, begin) = disk(&[&thread(), print, &says("### VERDICT\n- Status: APPROVE\n")].concat());
    // It is not approved, and it is settled when there is room again.
    let script = format!(
        "mount -t tmpfs -o size=300k none {own} || exit 77\n\
         {begin} >/dev/null || exit 1\n\
         cd {own}/sessions/review-plan-*\n\
         until {prevet} review wait . --max-wait-seconds 60 >{out}; do\n\
         cat {out} >&2; mount -o remount,size=9m {own}; done\n\
         cat {out}",
        prevet = env!("CARGO_BIN_EXE_prevet"),
        out = scene.world.path("waited").display(),
    );
    let Some(outcome) = in_namespace(&scene, &script) else { return };
    assert_eq!(outcome.json()["next"], "stopped", "{outcome}");
    assert_eq!(outcome.json()["status"], "failed", "{outcome}");
}
