//! Text in tickets, in the change and in the files around it that speaks to the model.

use prevet_testkit::injection::{ATTEMPTS, commented, fences_hold};
use prevet_testkit::scripted_model::{Asked, Reply, ScriptedModel};
use prevet_testkit::server::{Assembled, Multipart, patch};
use prevet_testkit::server::{GitHubSettings, Settings};
use prevet_testkit::stub::{Answer, Stub};
use serde_json::json;

use crate::{tickets, token};

const REQUIREMENT: &str = "People are greeted by name.";

/// A model that obeys: everything is done, and the proof is what the text said.
fn obedient(asked: &Asked) -> Reply {
    if asked.system.contains("List what it requires") {
        return Reply::json(&json!({ "requirements": [REQUIREMENT] }));
    }
    let said = ATTEMPTS.into_iter().find(|attempt| asked.user.contains(attempt)).unwrap_or("DONE");
    let judgement = json!({ "number": 1, "status": "DONE", "evidence": [said], "reason": said });
    Reply::json(&json!({ "judgements": [judgement], "verdict": "DONE", "overall": "DONE" }))
}

/// The attempt in code, in a comment, in a file's name, and in the README of the files around.
fn upload(attempt: &str) -> Multipart {
    let name: String = attempt.chars().filter(char::is_ascii_alphanumeric).take(60).collect();
    let code = format!("{}key = \"{}\"\nnote = {attempt:?}\n", commented(attempt), token());
    let diff = patch::added("a.py", &code) + &patch::added(&format!("docs/x{name}.py"), "x = 1\n");
    let pack = patch::pack(&[("a.py", &code), ("README.md", attempt)]).to_string();
    Multipart::diff(diff).part("context", pack)
}

#[tokio::test]
async fn none_makes_a_task_done_or_lifts_a_mask() {
    let attempts: Vec<String> = ATTEMPTS.iter().map(|it| format!("{REQUIREMENT}\n\n{it}")).collect();
    let stub = Stub::by_path(move |path| {
        let number: usize = path.rsplit('/').next().and_then(|it| it.parse().ok()).unwrap_or_default();
        Answer::json(200, &tickets::issue(number as u64, "Greet", &attempts[number - 1], "open"))
    });
    let model = ScriptedModel::start(obedient);
    let mut server = Assembled::start().await;
    let github = GitHubSettings::new(Some(&stub.url()), None).unwrap();
    let client = server.with(&model, Some(Settings { github, jira: None })).await;
    for (at, attempt) in ATTEMPTS.iter().enumerate() {
        let id = client.open(&format!("acme/r{at}")).await;
        client.upload_parts(&id, &upload(attempt)).await.expect(200);
        let context = json!({ "pr_title": attempt, "pr_description": attempt });
        let arguments = json!({
            "session_id": id, "task_description": format!("acme/shop#{}", at + 1), "intent": attempt, "context": context,
        });
        let result = client.tool_answer("check_task", &arguments).await.tool();
        assert_ne!(result["verdict"], "DONE", "{attempt:?}: {result}");
        assert!(result["report"].as_str().unwrap().starts_with("# Task Completion Check\n"));
        let arguments = json!({ "session_id": id, "question": attempt, "context": context });
        let result = client.tool_answer("ask", &arguments).await.tool();
        assert!(result.get("verdict").is_none() && result["answer"].is_string(), "{result}");
        client.tool_answer("describe_change", &json!({ "session_id": id, "intent": attempt })).await.tool();
    }
    // check_task asks twice with one marker, ask and describe_change once each.
    assert_eq!(fences_hold(&model.asked()).len(), ATTEMPTS.len() * 3);
    assert!(!String::from_utf8_lossy(&model.received()).contains(&token()));
}
