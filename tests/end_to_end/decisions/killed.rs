//! A server that is killed: nothing is lost and nothing doubled.

use std::time::Duration;

use prevet_testkit::server::Served;
use serde_json::{Value, json};

use crate::{Sides, get, serve};

fn arguments(question: &str, wait_seconds: u64) -> Value {
    json!({ "question": question, "options": ["yes", "no"], "waitSeconds": wait_seconds })
}

#[tokio::test]
async fn while_agents_wait() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let question = "Do we sign commits?";
    let waits: Vec<_> = (0..5)
        .map(|_| {
            let client = sides.agent.clone();
            tokio::spawn(async move {
                let params = json!({ "name": "request_decision", "arguments": arguments(question, 40) });
                let era = prevet_testkit::server::Era::Legacy("2025-11-25");
                client.rpc_request(era, "tools/call", &params).send().await
            })
        })
        .collect();
    while sides.open_lots().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let before = sides.open_lots().await;
    let served = served.kill_and_restart().await;
    let sides = Sides::of(&served);
    for wait in waits {
        // Whoever waited is cut off.
        assert!(wait.await.unwrap().is_err());
    }
    let after = sides.open_lots().await;
    assert_eq!(after.len(), 1);
    assert_eq!(after[0]["lotId"], before[0]["lotId"]);
    let pending = sides.tool("request_decision", arguments(question, 0)).await;
    assert_eq!(pending["decisionRef"], before[0]["lotId"], "the identical call resumes the same lot");
    sides.answer(before[0]["lotId"].as_str().unwrap(), json!({ "option": "no" })).await.expect(200);
    let result = sides.tool("request_decision", arguments(question, 0)).await;
    assert_eq!((&result["status"], &result["answer"]), (&json!("answered"), &json!("no")));
}

async fn answer_and_kill(served: Served, round: u64) -> Served {
    let sides = Sides::of(&served);
    let question = format!("Do we keep {round} copies?");
    let lot = {
        let pending = sides.tool("request_decision", arguments(&question, 0)).await;
        pending["decisionRef"].as_str().unwrap().to_owned()
    };
    let answering = tokio::spawn({
        let (person, lot) = (sides.person.clone(), lot.clone());
        async move {
            let url = format!("{}/inbox/api/lots/{lot}/answer", person.origin());
            let answer = person.request("POST", &url).json(&json!({ "option": "yes" })).send().await;
            answer.is_ok_and(|answer| answer.status() == 200)
        }
    });
    // Somewhere in the middle of it, a little later each time.
    tokio::time::sleep(Duration::from_millis(round * 3)).await;
    let served = served.kill_and_restart().await;
    let told = answering.await.unwrap();
    let sides = Sides::of(&served);
    let lot_now = get(&sides.person, &format!("lots/{lot}")).await.expect(200);
    let state = lot_now["state"].as_str().unwrap();
    let open: Vec<Value> = sides.open_lots().await;
    let history = get(&sides.person, "decisions?limit=50").await.expect(200);
    let of_lot =
        history["decisions"].as_array().unwrap().iter().filter(|it| it["lotId"] == lot.as_str()).count();
    match state {
        "answered" => {
            assert_eq!((open.len(), of_lot), (0, 1), "round {round}");
        }
        "open" => {
            assert!(!told, "an answer that was confirmed is kept");
            assert_eq!((open.len(), of_lot), (1, 0), "round {round}");
            sides.answer(&lot, json!({ "option": "yes" })).await.expect(200);
        }
        other => panic!("round {round}: {other}"),
    }
    let result = sides.tool("request_decision", arguments(&question, 0)).await;
    assert_eq!((&result["status"], &result["answer"]), (&json!("answered"), &json!("yes")), "round {round}");
    served
}

#[tokio::test]
async fn while_an_answer_is_written() {
    let mut served = serve().await;
    for round in 0..12 {
        served = answer_and_kill(served, round).await;
    }
}
