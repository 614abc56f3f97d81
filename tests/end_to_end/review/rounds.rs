//! Rounds with a reviewer that says what the test wants: settings, templates, stalemate, what the reviewer is told.

use std::fs;

use super::scene::{FIXED_INPUT, PLAN_INPUT, Scene, says};

const ISSUE: &str = "### ISSUE-1: It leaks\n- Severity: high\n";
const REVISE: &str = "### VERDICT\n- Status: REVISE\n";
const APPROVE: &str = "### VERDICT\n- Status: APPROVE\n";

#[test]
fn the_same_issues_twice_are_a_stalemate() {
    let scene = Scene::fake(&says(&[ISSUE, REVISE].concat()));
    let session = scene.begin_plan();
    session.comes_to("completed", "respond", "open_issues");
    session.reply("## DISPUTED_ITEMS\nISSUE-1: it does not\n");
    session.comes_to("completed", "done", "stalemate");
    let ended = session.end(&[]);
    assert_eq!((&ended["finalized"], &ended["verdict"]), (&true.into(), &"STALEMATE".into()));
}

#[test]
fn an_approval_beside_an_open_issue_is_none() {
    let scene = Scene::fake(&says(&[ISSUE, APPROVE].concat()));
    let session = scene.begin_plan();
    let told = session.comes_to("completed", "respond", "open_issues");
    assert_eq!(told["review"]["verdict"], "APPROVE");
    assert_eq!(session.end(&[])["finalized"], false);
}

#[test]
fn a_peer_without_an_outcome_is_only_stopped() {
    let scene = Scene::fake(&says("### INSIGHT-1: a\n### VERDICT\n- Status: CONSENSUS\n"));
    let session = scene.begin(&["review-think"], "## QUESTION\nx\n");
    session.comes_to("completed", "cross_check", "peer_verdict_is_advisory");
    assert_eq!(session.end(&[])["finalized"], false);
    assert!(!session.path("meta.json").exists());
}

#[test]
fn settings_reach_the_reviewer_and_stay() {
    let scene = Scene::fake(&says(REVISE));
    scene.repository().write(".prevet.toml", "[review]\nmodel = \"of-repository\"\n");
    fs::create_dir_all(scene.world.config_file().parent().unwrap()).unwrap();
    fs::write(scene.world.config_file(), "[review]\nmodel = \"of-user\"\neffort = \"low\"\n").unwrap();
    let session = scene.begin_plan();
    session.wait();
    session.reply(FIXED_INPUT);
    session.wait();
    let other = ["reply", session.text(), "--input", "-", "--model", "other", "--effort", "xhigh"];
    scene.review(&other).stdin(FIXED_INPUT).succeeds();
    session.wait();
    session.reply(FIXED_INPUT);
    session.wait();
    let tools = "-c mcp_servers.cross-review.command=\"prevet\" -c mcp_servers.cross-review.enabled=false";
    let resume =
        format!("exec resume --json -c sandbox_mode=\"read-only\" {tools} -c model_reasoning_effort");
    assert_eq!(
        scene.calls(),
        [
            format!("exec --json -s read-only {tools} -c model_reasoning_effort=\"low\" -m of-repository -"),
            format!("{resume}=\"low\" -m of-repository t-1 -"),
            format!("{resume}=\"xhigh\" -m other t-1 -"),
            format!("{resume}=\"xhigh\" -m other t-1 -"),
        ]
    );
    let state = session.json("state.json");
    assert_eq!((&state["sandbox"], &state["model"]), (&"read-only".into(), &"other".into()));
}

#[test]
fn keys_and_the_repository_of_a_hook_stay_behind() {
    let scene = Scene::bare();
    let got = scene.world.path("got");
    scene.reviewer(&format!("env >'{}'\n{}", got.display(), says(APPROVE)));
    let call = scene.begin_call(&["review-plan"], PLAN_INPUT);
    let call = call.env("PREVET_API_KEY", "sesame").env("GIT_INDEX_FILE", "/nowhere");
    let begun = call.succeeds().json();
    scene.review(&["wait", begun["session_dir"].as_str().unwrap()]).succeeds();
    let variables = fs::read_to_string(got).unwrap();
    assert!(variables.contains("PATH=") && !variables.contains("sesame") && !variables.contains("/nowhere"));
}

#[test]
fn the_prompt_comes_on_standard_input_whatever_its_size() {
    let scene = Scene::bare();
    let got = scene.world.path("got");
    scene.reviewer(&format!("cat >'{}'\n{}", got.display(), says(APPROVE)));
    let request = format!("{}$(touch x) `y` {{{{PLAN_PATH}}}} é", "word ".repeat(100_000));
    let session = scene.begin(&["review-plan"], &format!("## PLAN_PATH\np.md\n## USER_REQUEST\n{request}\n"));
    session.comes_to("completed", "done", "approved");
    let prompt = fs::read_to_string(got).unwrap();
    assert!(prompt.contains(&request));
    assert_eq!(prompt, fs::read_to_string(session.path("prompts/round-001.md")).unwrap());
}

#[test]
fn templates_of_the_repository_and_the_user() {
    let scene = Scene::fake(&says(REVISE));
    scene.repository().write(".prevet/templates/review-plan.md", "Ours: {{USER_REQUEST}} {{MY_OWN}}");
    let of_user = scene.world.config_file().parent().unwrap().join("templates");
    fs::create_dir_all(&of_user).unwrap();
    fs::write(of_user.join("review-plan-next.md"), "Mine: {{FIXED_ITEMS}}").unwrap();
    let session = scene.begin(&["review-plan"], &format!("{PLAN_INPUT}## MY_OWN\nvalue\n"));
    session.wait();
    session.reply(FIXED_INPUT);
    session.wait();
    let prompt = |name: &str| fs::read_to_string(session.path(name)).unwrap();
    assert_eq!(prompt("prompts/round-001.md"), "Ours: Add a cache value");
    assert_eq!(prompt("prompts/round-002.md"), "Mine: - ISSUE-1: done");
}

#[test]
fn the_wait_has_a_default_that_the_environment_sets() {
    let scene = Scene::fake("sleep 300");
    let session = scene.begin_plan();
    let waited = scene.review(&["wait", session.text()]).env("REVIEW_WAIT_DEFAULT_S", "1").succeeds();
    assert_eq!(waited.json()["status"], "running");
    assert!(waited.elapsed.as_secs_f64() >= 1.0);
    let wrong = scene.review(&["wait", session.text()]).env("REVIEW_WAIT_DEFAULT_S", "soon").exits(2);
    assert_eq!(super::scene::code(&wrong), "CONFIG_INVALID");
    session.end(&[]);
}
