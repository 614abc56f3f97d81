//! Many at once: one lot, one answer, and everybody sees it.

use std::collections::BTreeSet;
use std::time::Duration;

use prevet_domain::ids::TenantKey;
use prevet_domain::session::{Product, Role};
use prevet_testkit::server::{Client, Served};
use serde_json::{Value, json};

use crate::{Sides, post, serve, tool_answer};

/// A second person of the same tenant.
async fn second_person(served: &Served, sides: &Sides) -> Client {
    let administration = served.administration().await;
    let tenant = TenantKey::parse(served.ready["tenant_key"].as_str().unwrap()).unwrap();
    let key = administration.create_key(&tenant, Role::Human, vec![Product::Decisions], None).await.unwrap();
    administration.close().await;
    sides.person.with_key(Some(&key.key))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_people_at_once_one_wins() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let other = second_person(&served, &sides).await;
    for round in 0..200 {
        let question = format!("Is it round {round}?");
        let lot = sides.open(&question, &["approve", "reject"]).await;
        let waiting = tokio::spawn({
            let sides = sides.clone();
            let arguments =
                json!({ "question": question, "options": ["approve", "reject"], "waitSeconds": 30 });
            async move { sides.tool("request_decision", arguments).await }
        });
        let path = format!("lots/{lot}/answer");
        let (approve, reject) = (json!({ "option": "approve" }), json!({ "option": "reject" }));
        let (one, two) = tokio::join!(post(&sides.person, &path, &approve), post(&other, &path, &reject),);
        let (winner, loser, said) = match (one.status, two.status) {
            (200, 409) => (&one, &two, "approve"),
            (409, 200) => (&two, &one, "reject"),
            statuses => panic!("round {round}: {statuses:?} {} {}", one.text, two.text),
        };
        assert_eq!(winner.json()["answer"], said);
        assert_eq!(loser.json()["decision"]["answer"], said, "the other sees the winner");
        let resumed = waiting.await.unwrap();
        assert_eq!((&resumed["status"], &resumed["answer"]), (&json!("answered"), &json!(said)), "{resumed}");
        // The same person's same answer again is fine, another one is not.
        let (again, against) =
            if said == "approve" { (&sides.person, &other) } else { (&other, &sides.person) };
        let same = if said == "approve" { &approve } else { &reject };
        assert_eq!(post(again, &path, same).await.expect(200)["decisionId"], resumed["decisionId"]);
        assert_eq!(post(against, &path, same).await.status, 409);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_agents_ask_the_same_at_once() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let arguments =
        json!({ "question": "Do we cap uploads at 25 MB?", "options": ["yes", "no"], "waitSeconds": 40 });
    let ask = |thread: usize| {
        let (client, arguments) = (sides.agent.clone(), arguments.clone());
        tokio::spawn(async move {
            let params = json!({ "name": "request_decision", "arguments": arguments });
            let era = prevet_testkit::server::Era::Legacy("2025-11-25");
            let request = client.rpc_request(era, "tools/call", &params);
            client.send(request.header("X-Prevet-Thread", format!("thread-{thread}"))).await.tool()
        })
    };
    let asks: Vec<_> = (0..100).map(ask).collect();
    let lot = loop {
        let lots = sides.open_lots().await;
        assert!(lots.len() <= 1, "{lots:?}");
        if let Some(lot) = lots.first().filter(|lot| lot["waiting"].as_array().unwrap().len() == 100) {
            break lot.clone();
        }
        assert!(
            !asks.iter().any(tokio::task::JoinHandle::is_finished),
            "a call ended before there was an answer"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let id = lot["lotId"].as_str().unwrap();
    let decision = sides.answer(id, json!({ "option": "yes" })).await.expect(200);
    let mut results: Vec<Value> = Vec::new();
    for ask in asks {
        results.push(ask.await.unwrap());
    }
    assert_eq!(results.len(), 100);
    let ids: BTreeSet<&str> =
        results.iter().map(|it| it["decisionId"].as_str().unwrap_or_default()).collect();
    assert_eq!(ids, BTreeSet::from([decision["decisionId"].as_str().unwrap()]));
    assert!(results.iter().all(|it| it["answer"] == "yes" && it["lotId"] == id), "{results:?}");
    assert_eq!(sides.open_lots().await.len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn wordings_of_one_question_at_once_are_one_lot() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let wordings = [
        "Should we encrypt the database backups?",
        "Do we encrypt the DB backups?",
        "Should database backups be encrypted?",
        "should we encrypt the   database backups?",
        "Is it OK to encrypt the database backups?",
    ];
    let ask = |question: &str| {
        let (client, arguments) = (sides.agent.clone(), json!({ "question": question, "waitSeconds": 0 }));
        tokio::spawn(async move { tool_answer(&client, "request_decision", &arguments).await.tool() })
    };
    let asks: Vec<_> = wordings.iter().cycle().take(25).map(|wording| ask(wording)).collect();
    let mut lots = BTreeSet::new();
    for ask in asks {
        lots.insert(ask.await.unwrap()["decisionRef"].as_str().unwrap().to_owned());
    }
    assert_eq!(lots.len(), 1, "{lots:?}");
    let open = sides.open_lots().await;
    assert_eq!(open[0]["asks"].as_array().unwrap().len(), 4, "white space and case make no other wording");
}
