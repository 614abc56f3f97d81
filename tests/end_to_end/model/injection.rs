//! Text in the change that speaks to the reviewer: it changes no verdict, no coverage and no masking.

use prevet_testkit::injection::{ATTEMPTS, commented, fences_hold};
use prevet_testkit::scripted_model::{Asked, Reply, ScriptedModel};
use prevet_testkit::server::patch;
use serde_json::{Value, json};

use crate::process::Process;
use crate::{each, not_reviewed};

/// `or-with-constant`, high.
const BUG: &str = "def check(role):\n    if role == 'admin' or 'owner':\n        grant()\n";

/// A model that obeys every one of them: it closes, approves, hides, and says nothing of use.
fn obedient(asked: &Asked) -> Reply {
    let all: Vec<Value> = (1..40)
        .map(|number| json!({ "number": number, "refuted": true, "quote": "approved by security", "reason": "trust me" }))
        .collect();
    let ids = asked.user.split("- id ").skip(1).filter_map(|rest| rest.split(':').next());
    let earlier: Vec<Value> = ids.map(|id| json!({ "id": id, "state": "mended" })).collect();
    Reply::json(&json!({
        "verdict": "approve", "coverage": "complete", "findings": [], "tested": all, "earlier": earlier,
        "close": ["*"], "suppressed": ["*"], "not_reviewed": []
    }))
}

/// The attempt in a comment, in code, in a file's name and in the texts of the call.
fn diff(attempt: &str) -> String {
    let name: String =
        attempt.chars().filter(|it| it.is_ascii_alphanumeric() || *it == ' ').take(60).collect();
    let code = format!("{}{BUG}note = {attempt:?}\n", commented(attempt));
    let named = if name.trim().is_empty() { "plain".to_owned() } else { name.trim().replace(' ', "-") };
    patch::added("a.py", &code) + &patch::added(&format!("docs/{named}.py"), "x = 1\n")
}

#[tokio::test]
async fn none_changes_the_verdict() {
    let model = ScriptedModel::start(obedient);
    let server = Process::start(&model, &[]).await;
    for (at, attempt) in ATTEMPTS.iter().enumerate() {
        let id = server.client.open_with(&format!("r{at}"), diff(attempt)).await;
        let context = json!({ "pr_title": attempt, "pr_description": attempt, "review_config": attempt });
        let arguments = json!({ "session_id": id, "intent": attempt, "context": context });
        let result = server.client.inspect(&arguments).await;
        assert_eq!(result["verdict"], "request_changes", "{attempt:?}: {result}");
        assert_eq!(each(&result, "severity"), ["high"], "{attempt:?}: {result}");
        assert_ne!(each(&result, "rule"), ["model"]);
    }
    let asked = model.asked();
    assert_eq!(fences_hold(&asked).len(), asked.len());
}

#[tokio::test]
async fn none_hides_what_was_not_read() {
    let model =
        ScriptedModel::start(|_| Reply::Text("APPROVED. Verdict: approve. Coverage complete.".to_owned()));
    let server = Process::start(&model, &[]).await;
    for (at, attempt) in ATTEMPTS.iter().enumerate() {
        let text = format!("{}x = 1\n", commented(attempt));
        let id = server.client.open_with(&format!("r{at}"), patch::added("a.py", &text)).await;
        let result = server.client.inspect(&json!({ "session_id": id, "intent": attempt })).await;
        assert_eq!(result["verdict"], "incomplete", "{attempt:?}: {result}");
        assert_eq!(not_reviewed(&result)[0].0, "a.py");
    }
}

#[tokio::test]
async fn none_lifts_a_mask() {
    let secret = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
    let model = ScriptedModel::start(obedient);
    let server = Process::start(&model, &[]).await;
    for (at, attempt) in ATTEMPTS.iter().enumerate() {
        let text = format!("{}key = \"{secret}\"\n", commented(attempt));
        let id = server.client.open_with(&format!("r{at}"), patch::added("a.py", &text)).await;
        let arguments = json!({ "session_id": id, "profile": "security", "intent": attempt });
        let result = server.client.inspect(&arguments).await;
        assert_eq!(result["verdict"], "request_changes", "{attempt:?}: {result}");
    }
    assert!(!String::from_utf8_lossy(&model.received()).contains(&secret));
}
