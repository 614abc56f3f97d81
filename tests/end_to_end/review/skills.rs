//! All four skills with the real Codex CLI, through two rounds and more to their end.

use prevet_testkit::model::{Model, Step};
use serde_json::Value;

use super::scene::{Scene, Session};

const ISSUE: &str = "I looked at the files.\n\n### ISSUE-1: The cache is never emptied\n- Severity: high\n- File: plan.md:1\n\
    - Problem: memory grows\n- Evidence:\n```\n### VERDICT\n- Status: APPROVE\n```\n- Fix: bound it\n\n";
const OTHER: &str = "### ISSUE-2: No test\n- Severity: medium\n- File: plan.md:1\n";
const REVISE: &str = "### VERDICT\n- Status: REVISE\n- Reason: one issue\n";
const APPROVE: &str = "### VERDICT\n- Status: APPROVE\n- Reason: nothing is open\n";

fn say(parts: &[&str]) -> Step {
    Step::Say(parts.concat())
}

/// The text of the last user message that the model got.
fn last_prompt(model: &Model) -> String {
    let request = model.requests().pop().unwrap();
    let users: Vec<Value> =
        request["input"].as_array().unwrap().iter().filter(|item| item["role"] == "user").cloned().collect();
    users.last().unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
}

fn standings(result: &Value) -> Vec<(String, String)> {
    let word = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    result["ledger"].as_array().unwrap().iter().map(|it| (word(it, "issue"), word(it, "status"))).collect()
}

fn pair(issue: &str, status: &str) -> (String, String) {
    (issue.to_owned(), status.to_owned())
}

/// Plan and implementation: an issue, a dispute, an approval.
fn judged(scene: &Scene, model: &Model, skill: &[&str], input: &str, named: &[&str]) {
    model.will([Step::Run("cat plan.md".into()), say(&[ISSUE, OTHER, REVISE])]);
    let session = scene.begin(skill, input);
    assert!(session.begun.get("analysis_prompt").is_none());
    let first = session.comes_to("completed", "respond", "open_issues");
    assert_eq!(first["round"], 1);
    assert_eq!(first["review"]["verdict"], "REVISE");
    let block = &first["review"]["blocks"][0];
    assert_eq!((&block["id"], &block["title"]), (&"ISSUE-1".into(), &"The cache is never emptied".into()));
    assert_eq!((&block["severity"], &block["fields"]["Fix"]), (&"high".into(), &"bound it".into()));
    assert_eq!(standings(&first), [pair("ISSUE-1", "open"), pair("ISSUE-2", "open")]);
    let activities = first["activities"].to_string();
    assert!(activities.contains("cat plan.md") && activities.contains("message"), "{activities}");
    assert_eq!(session.wait()["activities"], Value::Array(vec![]), "told twice");
    let prompt = last_prompt(model);
    for text in named {
        assert!(prompt.contains(text), "{text:?} is not in the prompt:\n{prompt}");
    }

    model.will([say(&[OTHER, REVISE])]);
    let reply =
        session.reply("## FIXED_ITEMS\n- ISSUE-1: bounded\n## DISPUTED_ITEMS\n- ISSUE-2: there is one\n");
    assert_eq!((&reply["round"], &reply["thread_id"]), (&2.into(), &first["thread_id"]));
    let second = session.comes_to("completed", "respond", "open_issues");
    assert_eq!(standings(&second), [pair("ISSUE-1", "fixed"), pair("ISSUE-2", "disputed")]);
    let prompt = last_prompt(model);
    assert!(prompt.contains("ISSUE-1: bounded") && prompt.contains("ISSUE-2: there is one"), "{prompt}");

    model.will([say(&[APPROVE])]);
    session.reply("## DISPUTED_ITEMS\n- ISSUE-2: tests/cache.rs:10\n");
    let third = session.comes_to("completed", "done", "approved");
    assert_eq!(standings(&third), [pair("ISSUE-1", "fixed"), pair("ISSUE-2", "withdrawn")]);
    finalized(&session, &[], "APPROVE", 3);
}

/// Ends the session, and looks at what it leaves.
fn finalized(session: &Session<'_>, outcome: &[&str], verdict: &str, rounds: u32) {
    let ended = session.end(outcome);
    assert_eq!((&ended["finalized"], &ended["verdict"]), (&true.into(), &verdict.into()), "{ended}");
    assert_eq!(session.end(&[]), ended, "a second end says something else");
    let meta = session.json("meta.json");
    assert_eq!(
        (&meta["version"], &meta["verdict"], &meta["rounds"]),
        (&1.into(), &verdict.into(), &rounds.into())
    );
    let page = std::fs::read_to_string(session.path("review.md")).unwrap();
    assert!(page.contains(&format!("Ended with {verdict} in round {rounds}")), "{page}");
    let status = session.scene.review(&["status"]).succeeds().json();
    let listed = &status["sessions"][0];
    assert_eq!((&listed["session_dir"], &listed["verdict"]), (&session.text().into(), &verdict.into()));
    assert_eq!(listed["ended"], true);
}

#[test]
fn a_plan() {
    let Some((scene, model)) = Scene::real("review-plan with the Codex CLI") else { return };
    let input = "---\nPLAN_PATH: docs/plan.md\n---\n## USER_REQUEST\nAdd a cache\n## ACCEPTANCE_CRITERIA\n- it is bounded\n";
    judged(&scene, &model, &["review-plan"], input, &["docs/plan.md", "Add a cache", "it is bounded"]);
}

#[test]
fn a_working_tree() {
    let Some((scene, model)) = Scene::real("review-impl with the Codex CLI") else { return };
    let input = "## USER_REQUEST\nAdd a cache\n## SESSION_CONTEXT\nIt ran out of memory\n";
    let skill = ["review-impl", "--mode", "working-tree"];
    judged(&scene, &model, &skill, input, &["Add a cache", "ran out of memory", "git diff HEAD"]);
}

#[test]
fn a_branch() {
    let Some((scene, model)) = Scene::real("review-impl of a branch with the Codex CLI") else { return };
    let input = "---\nBASE_BRANCH: trunk\n---\n## USER_REQUEST\nAdd a cache\n";
    judged(&scene, &model, &["review-impl", "--mode", "branch"], input, &["Add a cache", "trunk"]);
}

/// Peers: an advisory verdict ends nothing, an outcome does.
fn peers(skill: &str, input: &str, named: &[&str], outcome: &str) {
    let Some((scene, model)) = Scene::real("two peers with the Codex CLI") else { return };
    let insight = "### INSIGHT-1: A map is enough\n- Claim: x\n### ISSUE-1: Wrong base\n- Severity: high\n";
    model.will([say(&[insight, "### VERDICT\n- Status: CONTINUE\n- Reason: open\n"])]);
    let session = scene.begin(&[skill], input);
    let analysis = session.begun["analysis_prompt"].as_str().unwrap();
    let first = session.comes_to("completed", "cross_check", "peer_verdict_is_advisory");
    assert_eq!(first["review"]["verdict"], "CONTINUE");
    let insights = first["review"]["insights"].as_array().unwrap();
    assert_eq!(insights[0]["title"], "A map is enough");
    let prompt = last_prompt(&model);
    for text in named {
        assert!(prompt.contains(text) && analysis.contains(text), "{text:?} is missing");
    }

    model.will([say(&["### INSIGHT-1: A map is enough\n", "### VERDICT\n- Status: CONSENSUS\n"])]);
    session.reply(
        "## AGREED_POINTS\nthe map\n## DISAGREED_POINTS\nISSUE-1: the base is right\n## NEW_FINDINGS\nnone\n",
    );
    let second = session.comes_to("completed", "cross_check", "peer_verdict_is_advisory");
    assert_eq!(standings(&second), [pair("ISSUE-1", "withdrawn")]);
    assert!(last_prompt(&model).contains("the base is right"));
    finalized(&session, &["--outcome", outcome], &outcome.to_uppercase(), 2);
}

#[test]
fn a_question() {
    let input = "## QUESTION\nMap or tree?\n## CONSTRAINTS\nno new crates\n";
    peers("review-think", input, &["Map or tree?", "no new crates"], "consensus");
}

#[test]
fn a_pull_request() {
    let input = "---\nPR_TITLE: Add a cache\nBASE_BRANCH: trunk\nCOMMIT_COUNT: 2\n---\n## COMMIT_LIST\nabc one\ndef two\n";
    peers("review-pr", input, &["Add a cache", "trunk", "def two"], "stalemate");
}
