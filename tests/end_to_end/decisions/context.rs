//! What agents share reaches agents and people who work on the same.

use serde_json::{Value, json};

use crate::{Sides, get, serve};

fn bodies(value: &Value) -> Vec<&str> {
    value["context"]
        .as_array()
        .map_or(Vec::new(), |all| all.iter().map(|it| it["body"].as_str().unwrap()).collect())
}

#[tokio::test]
async fn context_is_delivered() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let share = async |body: &str, concepts: &[&str]| {
        let shared = sides
            .tool("share_context", json!({ "kind": "finding", "body": body, "concepts": concepts }))
            .await;
        assert_eq!(shared["status"], "ok");
        assert!(shared["itemId"].as_str().unwrap().starts_with("ctx_"), "{shared}");
    };
    share("the cache is cold after a deploy", &["cache", "deploy"]).await;
    share("the UI polls", &["ui"]).await;
    share("the freeze begins on Friday", &[]).await;
    let look_up = async |concepts: &[&str]| {
        sides.tool("lookup_decision", json!({ "query": "cold cache", "concepts": concepts })).await
    };
    let (freeze, cold, polls) =
        ("the freeze begins on Friday", "the cache is cold after a deploy", "the UI polls");
    assert_eq!(sorted(bodies(&look_up(&["Cache"]).await)), sorted(vec![freeze, cold]));
    assert_eq!(sorted(bodies(&look_up(&["cache", "deploy"]).await)), sorted(vec![freeze, cold]), "each once");
    assert_eq!(bodies(&look_up(&["other"]).await), [freeze]);
    assert_eq!(bodies(&look_up(&[]).await).len(), 3, "no concept is everything");
    let arguments = json!({ "question": "Do we warm it?", "concepts": ["ui"], "waitSeconds": 0 });
    let pending = sides.tool("request_decision", arguments).await;
    assert_eq!(sorted(bodies(&pending)), sorted(vec![freeze, polls]));
    let lot = pending["decisionRef"].as_str().unwrap();
    let shown = get(&sides.person, &format!("lots/{lot}")).await.expect(200);
    assert_eq!(sorted(bodies(&shown)), sorted(vec![freeze, polls]), "people see it beside the question");
}

fn sorted(mut texts: Vec<&str>) -> Vec<&str> {
    texts.sort_unstable();
    texts
}

#[tokio::test]
async fn many_share_at_once_and_none_is_lost() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let shares: Vec<_> = (0..12)
        .map(|at| {
            let sides = sides.clone();
            tokio::spawn(async move {
                let arguments = json!({ "kind": "note", "body": format!("item {at}"), "concepts": ["c"] });
                sides.tool("share_context", arguments).await
            })
        })
        .collect();
    for share in shares {
        assert_eq!(share.await.unwrap()["status"], "ok");
    }
    let lookup = sides.tool("lookup_decision", json!({ "query": "q", "concepts": ["c"] })).await;
    assert_eq!(bodies(&lookup).len(), 12);
}

#[tokio::test]
async fn changes_to_its_files_make_an_answer_less_fresh() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let arguments =
        json!({ "question": "Which cache do we use?", "files": ["a.py", "b.py"], "waitSeconds": 0 });
    let pending = sides.tool("request_decision", arguments).await;
    sides.answer(pending["decisionRef"].as_str().unwrap(), json!({ "text": "redis" })).await.expect(200);
    let look_up = async || {
        let arguments = json!({ "query": "What cache do we use?", "files": ["a.py"] });
        let lookup = sides.tool("lookup_decision", arguments).await;
        let found = &lookup["matches"][0];
        (found["freshness"].as_f64().unwrap(), found["freshnessReason"].as_str().unwrap().to_owned())
    };
    let (fresh, reason) = look_up().await;
    assert!((fresh - 1.0).abs() < 0.01 && reason.contains("not changed since"), "{fresh} {reason}");
    // A change counts when it comes after the decision, whose time is a whole second.
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    let session = sides.agent.open_with("r", prevet_testkit::server::patch::added("a.py", "x = 1\n")).await;
    sides.agent.inspect(&json!({ "session_id": session })).await;
    let (less, reason) = look_up().await;
    assert!((less - 0.85).abs() < 0.01 && reason.contains("1 change to its files"), "{less} {reason}");
}
