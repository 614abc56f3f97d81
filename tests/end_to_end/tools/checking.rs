//! `check_task` on a task's own words.

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::server::{Assembled, Client};
use serde_json::{Value, json};

use crate::change;

const TASK: &str = "Totals use prices. People are greeted by name.";

/// Answers the first question with `requirements` and the second with `judgements`.
fn model(requirements: &Value, judgements: &str) -> ScriptedModel {
    let (requirements, judgements) =
        (json!({ "requirements": requirements }).to_string(), judgements.to_owned());
    ScriptedModel::start(move |request| {
        let first = request.system.contains("List what it requires");
        Reply::Text(if first { requirements.clone() } else { judgements.clone() })
    })
}

fn judged(standings: [&str; 2], quotes: [&str; 2]) -> String {
    let entry = |at: usize| {
        json!({
            "number": at + 1, "status": standings[at], "reason": "seen",
            "evidence": [{ "file": "shop.py", "quote": quotes[at] }],
        })
    };
    json!({ "judgements": [entry(0), entry(1)] }).to_string()
}

async fn check(client: &Client, id: &str) -> Value {
    let arguments = json!({ "session_id": id, "task_description": TASK, "task_source": "user-text" });
    client.tool_answer("check_task", &arguments).await.tool()
}

#[tokio::test]
async fn the_verdict_is_computed() {
    let mut server = Assembled::start().await;
    let requirements = json!(["Totals use prices.", "People are greeted by name.", "Invented."]);
    let (price, greeting) = ("sum(item.price for item in items)", "return 'hello ' + profile.name");
    for (standings, quotes, verdict) in [
        (["DONE", "DONE"], [price, greeting], "DONE"),
        (["DONE", "NOT DONE"], [price, ""], "PARTIAL"),
        (["NOT DONE", "NOT_DONE"], ["", ""], "NOT DONE"),
        (["DONE", "DONE"], [price, "return 'bye'"], "PARTIAL"),
        (["DONE", "DONE"], ["", ""], "PARTIAL"),
        (["fine", "super"], [price, greeting], "NOT DONE"),
    ] {
        let client = server.with(&model(&requirements, &judged(standings, quotes)), None).await;
        let id = client.open_with("shop", change()).await;
        let result = check(&client, &id).await;
        assert_eq!(result["verdict"], verdict, "{result}");
        assert_eq!(result["requirements"].as_array().unwrap().len(), 2, "{result}");
        let report = result["report"].as_str().unwrap();
        assert!(
            report.starts_with(&format!("# Task Completion Check\n\n**Overall verdict: {verdict}**\n")),
            "{report}"
        );
        assert_eq!(report.contains("## Gaps"), verdict != "DONE", "{report}");
    }
}

#[tokio::test]
async fn evidence_has_its_place() {
    let mut server = Assembled::start().await;
    let answer = judged(["DONE", "DONE"], ["sum(item.price for item in items)", "'hello ' + profile.name"]);
    let client = server.with(&model(&json!(["Totals use prices.", "greeted by name"]), &answer), None).await;
    let id = client.open_with("shop", change()).await;
    let result = check(&client, &id).await;
    let evidence = &result["requirements"][1]["evidence"][0];
    assert_eq!(*evidence, json!({ "file": "shop.py", "line": 6, "quote": "return 'hello ' + profile.name" }));
    assert!(result["report"].as_str().unwrap().contains("`shop.py:6`"));
}

#[tokio::test]
async fn what_cannot_be_read_is_never_done() {
    let mut server = Assembled::start().await;
    let requirements = json!(["Totals use prices.", "People are greeted by name."]);
    for answer in
        ["All requirements are DONE.", "", "```json\n{\"judgements\": [", "{\"judgements\": []}", "fertig"]
    {
        let model = model(&requirements, answer);
        let client = server.with(&model, None).await;
        let id = client.open_with("shop", change()).await;
        let arguments = json!({ "session_id": id, "task_description": TASK });
        client.tool_answer("check_task", &arguments).await.expect_tool_error("BUSY", &["could not be read"]);
        assert_eq!(model.asked().len(), 3);
    }
    let half =
        json!({ "judgements": [{ "number": 1, "status": "DONE", "evidence": ["item.price for item"] }] });
    let client = server.with(&model(&requirements, &half.to_string()), None).await;
    let id = client.open_with("shop", change()).await;
    let result = check(&client, &id).await;
    assert_eq!(
        (&result["verdict"], &result["requirements"][1]["verdict"]),
        (&json!("PARTIAL"), &json!("NOT DONE"))
    );
}

#[tokio::test]
async fn the_session_remembers_the_task() {
    let mut server = Assembled::start().await;
    let answer = judged(["DONE", "DONE"], ["item.price for item in items", "profile.name"]);
    let client = server.with(&model(&json!(["Totals use prices."]), &answer), None).await;
    let id = client.open_with("shop", change()).await;
    let before = client.session(&client.session_body("shop")).await.expect(200);
    assert!(before.get("prior_task").is_none(), "{before}");
    check(&client, &id).await;
    let after = client.session(&client.session_body("shop")).await.expect(200);
    assert_eq!(after["prior_task"], json!({ "task_description": TASK, "task_source": "user-text" }));
}
