//! The inbox page in a real Chromium.

use std::path::Path;

use prevet_testkit::server::{Chromium, Parts};
use serde_json::{Value, json};

use crate::{Sides, serve};

/// What an agent does: the same call again while it is told `pending`.
async fn waited_for(sides: &Sides, request: &Value) -> Value {
    loop {
        let result = sides.tool("request_decision", request.clone()).await;
        if result["status"] != "pending" {
            return result;
        }
    }
}

#[tokio::test]
async fn people_answer_by_mouse_and_by_keyboard() {
    let Some(parts) = Parts::from_env("the inbox page in Chromium") else { return };
    let served = serve().await;
    let sides = Sides::of(&served);
    let cache = json!({
        "question": "Which cache do we use?", "recommendation": "valkey", "concepts": ["storage"], "files": ["cache.toml"],
        "options": [{ "label": "Redis", "value": "redis", "consequence": "a licence to check" }, "valkey"], "waitSeconds": 10,
    });
    sides
        .tool(
            "share_context",
            json!({ "kind": "risk", "body": "Redis changed its licence.", "concepts": ["storage"] }),
        )
        .await;
    let mut waiting = cache.clone();
    waiting["waitSeconds"] = json!(0);
    assert_eq!(sides.tool("request_decision", waiting).await["status"], "pending");
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inbox");
    let mut browser = Chromium::start(&parts, &served, "inbox.mjs", &shots, &[]);
    let (agent, ()) = tokio::join!(waited_for(&sides, &cache), browser.ready());
    assert_eq!((&agent["status"], &agent["answer"]), (&json!("answered"), &json!("valkey")), "{agent}");
    let queue =
        json!({ "question": "Which queue do we use?", "options": ["kafka", "nats"], "waitSeconds": 10 });
    let (agent, result) = tokio::join!(waited_for(&sides, &queue), browser.result());
    assert_eq!((&agent["status"], &agent["answer"]), (&json!("answered"), &json!("nats")), "{agent}");
    assert_eq!((&result["errors"], &result["faults"]), (&json!([]), &json!([])), "{result}");
    assert_eq!((&result["wide"], &result["reloaded"]), (&json!(false), &json!(1)), "{result}");
    assert_eq!(result["focused"], "Which queue do we use?");
    assert!(result["found"].as_str().unwrap().contains("answer: valkey"), "{result}");
    assert!(result["signedOut"].as_str().unwrap().contains("Human key"), "{result}");
}
