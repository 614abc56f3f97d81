//! Every state of a request, and what people see of it.

use std::time::{Duration, Instant};

use prevet_testkit::server::Assembled;
use serde_json::{Value, json};

use crate::{Sides, first, get, post, serve};

fn names(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn from_pending_to_reused() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let options = json!([
        { "label": "Redis", "value": "redis", "consequence": "one more service" },
        { "label": "In memory", "value": "memory" },
    ]);
    let arguments = json!({
        "question": "Which session cache do we use?", "options": options, "recommendation": "redis",
        "concepts": ["Cache"], "files": ["src/cache.rs"], "waitSeconds": 0,
    });
    let pending = sides.tool("request_decision", arguments.clone()).await;
    assert_eq!(names(&pending), ["decisionRef", "instruction", "retryAfterSeconds", "status"]);
    assert_eq!(pending["status"], "pending");
    let lots = sides.open_lots().await;
    let lot = &lots[0];
    assert_eq!(lot["lotId"], pending["decisionRef"]);
    assert_eq!(lot["question"], "Which session cache do we use?");
    assert_eq!(lot["options"][0]["consequence"], "one more service");
    assert_eq!((&lot["recommendation"], &lot["concepts"][0]), (&json!("redis"), &json!("cache")));
    assert!(lot["waiting"][0]["who"].as_str().unwrap().starts_with("key_"), "{lot}");
    // Neither wait nor recommendation is part of the request.
    let mut other = arguments.clone();
    (other["recommendation"], other["waitSeconds"]) = (json!("memory"), json!(1));
    assert_eq!(sides.tool("request_decision", other).await["decisionRef"], pending["decisionRef"]);

    let decision =
        sides.answer(lot["lotId"].as_str().unwrap(), json!({ "option": "redis" })).await.expect(200);
    let answered = sides.tool("request_decision", arguments.clone()).await;
    assert_eq!(
        names(&answered),
        ["answer", "correction", "decisionId", "lotId", "receipt", "status", "trace"]
    );
    assert_eq!((&answered["status"], &answered["answer"]), (&json!("answered"), &json!("redis")));
    assert_eq!(answered["decisionId"], decision["decisionId"]);
    assert_eq!(answered["receipt"], decision["receipt"]);
    let verbs = json!(["wrong", "too_broad", "only_this_repo", "ask_next_time", "expires_after"]);
    assert_eq!(answered["correction"]["verbs"], verbs);
    for field in ["answeredBy", "answeredAt", "way", "lotId", "contentHash"] {
        assert!(answered["receipt"][field].is_string(), "{answered}");
    }

    // In other words, from somebody else: nobody is interrupted.
    let mut rephrased = arguments.clone();
    rephrased["question"] = json!("What session cache should we use?");
    let reused = sides.tool("request_decision", rephrased.clone()).await;
    assert_eq!(names(&reused), ["answer", "correction", "decisionId", "receipt", "status", "trace"]);
    assert_eq!((&reused["status"], &reused["answer"]), (&json!("reused"), &json!("redis")));
    assert_eq!(sides.open_lots().await.len(), 0);
    // Where that answer is not on offer, people are asked.
    rephrased["options"] = json!(["disk", "memory"]);
    let asked = sides.tool("request_decision", rephrased).await;
    assert_eq!(asked["status"], "pending");
    assert!(asked["similar"][0]["reason"].as_str().unwrap().contains("none of the options"), "{asked}");

    let id = decision["decisionId"].as_str().unwrap();
    let why = get(&sides.person, &format!("decisions/{id}")).await.expect(200);
    assert_eq!((&why["uses"], &why["asked"][0]), (&json!(1), &json!("Which session cache do we use?")));
    let log = get(&sides.person, "audit").await.expect(200);
    let actions: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(actions.iter().filter(|it| **it == "requested").count(), 2, "{actions:?}");
    assert!(actions.contains(&"answered") && actions.contains(&"reused"), "{actions:?}");
}

#[tokio::test]
async fn an_answer_ends_a_wait() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let started = Instant::now();
    let waiting = tokio::spawn({
        let sides = sides.clone();
        async move {
            sides.tool("request_decision", json!({ "question": "Do we use tabs?", "waitSeconds": 45 })).await
        }
    });
    let lot = loop {
        if let Some(lot) = sides.open_lots().await.first() {
            break lot["lotId"].as_str().unwrap().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    sides.answer(&lot, json!({ "text": "spaces" })).await.expect(200);
    let result = waiting.await.unwrap();
    assert_eq!((&result["status"], &result["answer"]), (&json!("answered"), &json!("spaces")));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[tokio::test]
async fn whoever_waits_hears_of_it() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let params = json!({
        "name": "request_decision", "arguments": { "question": "Do we use tabs?", "waitSeconds": 1 },
        "_meta": { "progressToken": 7 },
    });
    for era in prevet_testkit::server::Era::ALL {
        let answer = sides.agent.rpc(era, "tools/call", &params).await;
        let messages = answer.messages();
        let progress: Vec<&Value> =
            messages.iter().filter(|it| it["method"] == "notifications/progress").collect();
        assert!(!progress.is_empty(), "{era:?}: {}", answer.text);
        assert_eq!(progress[0]["params"]["progressToken"], 7);
        assert_eq!(answer.tool()["status"], "pending");
    }
}

#[tokio::test]
async fn a_dismissal_is_the_end_of_it() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let lot = sides.open("Should we encrypt the database backups?", &[]).await;
    let path = format!("lots/{lot}/dismiss");
    post(&sides.person, &path, &json!({ "reason": "not ours" })).await.expect(200);
    for question in ["Should we encrypt the database backups?", "Do we encrypt DB backups?"] {
        let result = sides.request(question).await;
        assert_eq!(names(&result), ["instruction", "lotId", "reason", "receipt", "status"], "{question}");
        assert_eq!((&result["status"], &result["reason"]), (&json!("dismissed"), &json!("not ours")));
        assert_eq!(result["lotId"], lot.as_str());
    }
    assert_eq!(sides.look_up("Should we encrypt the database backups?").await["matches"], json!([]));
    assert_eq!(sides.answer(&lot, json!({ "text": "yes" })).await.status, 409);
    let reopened = post(&sides.person, &format!("lots/{lot}/reopen"), &json!({})).await.expect(200);
    assert_eq!(reopened["state"], "open");
    assert_eq!(sides.request("Should we encrypt the database backups?").await["decisionRef"], lot.as_str());
    sides.answer(&lot, json!({ "text": "yes" })).await.expect(200);
    assert_eq!(sides.request("Do we encrypt DB backups?").await["answer"], "yes");
}

#[tokio::test]
async fn a_lot_is_split_by_a_person() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let (one, other) = ("Should we encrypt the database backups?", "Should database backups be encrypted?");
    let lot = sides.open(one, &[]).await;
    assert_eq!(sides.open(other, &[]).await, lot, "they ask the same");
    let open = sides.open_lots().await;
    let key = open[0]["asks"][1]["key"].as_str().unwrap();
    let split =
        post(&sides.person, &format!("lots/{lot}/split"), &json!({ "asks": [key] })).await.expect(200);
    let new = split["new"]["lotId"].as_str().unwrap();
    assert_eq!(sides.open_lots().await.len(), 2);
    assert_eq!((sides.open(one, &[]).await, sides.open(other, &[]).await), (lot.clone(), new.to_owned()));
    sides.answer(new, json!({ "text": "no" })).await.expect(200);
    assert_eq!(sides.request(other).await["answer"], "no");
    // What answers the one does not answer the other, neither before nor after.
    assert_eq!(sides.open(one, &[]).await, lot);
    sides.answer(&lot, json!({ "text": "yes" })).await.expect(200);
    for (question, answer) in [(one, "yes"), (other, "no")] {
        assert_eq!(sides.request(question).await["answer"], answer, "{question}");
    }
}

#[tokio::test]
async fn whoever_joined_gets_the_answer() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let ask = async |concepts: &[&str]| {
        let arguments =
            json!({ "question": "Do we shrink the cache?", "concepts": concepts, "waitSeconds": 0 });
        sides.tool("request_decision", arguments).await
    };
    let lot = ask(&["payments"]).await["decisionRef"].as_str().unwrap().to_owned();
    assert_eq!(ask(&["payments", "search"]).await["decisionRef"], lot.as_str());
    sides.answer(&lot, json!({ "text": "yes" })).await.expect(200);
    for concepts in [&["payments"][..], &["payments", "search"]] {
        let result = ask(concepts).await;
        assert_eq!((&result["status"], &result["answer"]), (&json!("answered"), &json!("yes")), "{result}");
    }
    assert_eq!(ask(&["search"]).await["status"], "pending", "nobody asked that");
}

#[tokio::test]
async fn a_question_with_ever_other_options_ends_at_a_bound() {
    let served = serve().await;
    let sides = Sides::of(&served);
    for number in 0..20 {
        sides.open("Which of them?", &["a", &number.to_string()]).await;
    }
    let arguments = json!({ "question": "Which of them?", "options": ["a", "z"], "waitSeconds": 0 });
    let answer = crate::tool_answer(&sides.agent, "request_decision", &arguments).await;
    answer.expect_tool_error("BUSY", &["20 requests", "answer or dismiss"]);
}

#[tokio::test]
async fn a_confirmed_reuse_teaches_words() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let first_decision = sides.decide("Should we cache the avatars?", "yes").await;
    let lot = sides.open("Should we cache the portraits?", &[]).await;
    let shown = get(&sides.person, &format!("lots/{lot}")).await.expect(200);
    assert_eq!(shown["similar"][0]["decisionId"], first_decision.as_str(), "{shown}");
    let confirmed = sides.answer(&lot, json!({ "confirms": first_decision })).await.expect(200);
    assert_eq!((&confirmed["answer"], &confirmed["confirms"]), (&json!("yes"), &json!(first_decision)));
    // In other questions the words may mean the same too, and a person is asked.
    sides.decide("Do we resize avatars on upload?", "always").await;
    let lookup = sides.look_up("Do we resize portraits on upload?").await;
    let (guidance, reason, answer) = first(&lookup);
    assert_eq!((guidance, answer), ("confirm", "always"), "{lookup}");
    assert!(reason.starts_with("asks the same if"), "{lookup}");
    let pending = sides.request("Should portraits be resized on upload?").await;
    assert_eq!(pending["status"], "pending", "{pending}");
    // What differs in an environment is never learned.
    let staging = sides.decide("Do we seed data in staging?", "yes").await;
    let lot = sides.open("Do we seed data in production?", &[]).await;
    sides.answer(&lot, json!({ "confirms": staging })).await.expect(200);
    sides.decide("Do agents reset staging?", "yes").await;
    let lookup = sides.look_up("Do agents reset production?").await;
    assert_eq!(first(&lookup).0, "confirm");
    assert_eq!(first(&lookup).1, "differs: staging/production");
}

#[tokio::test]
async fn history_is_listed_and_searched() {
    let served = serve().await;
    let sides = Sides::of(&served);
    for at in 0..5 {
        sides.decide(&format!("Do we keep {at} copies?"), "yes").await;
    }
    sides.decide("Where do we store session tokens?", "in Redis").await;
    let list = async |path: &str| {
        get(&sides.person, path).await.expect(200)["decisions"].as_array().unwrap().clone()
    };
    let all = list("decisions").await;
    assert_eq!(all.len(), 6);
    assert_eq!(all[0]["question"], "Where do we store session tokens?", "newest first");
    let page = list("decisions?limit=2").await;
    let before = page[1]["decisionId"].as_str().unwrap();
    let next = list(&format!("decisions?limit=2&before={before}")).await;
    assert_eq!(next[0], all[2]);
    let hits = list("decisions?query=session%20tokens").await;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0]["answer"], "in Redis");
}

fn seconds() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

#[tokio::test]
async fn a_request_that_nobody_asks_for_again_expires() {
    const IDLE_SECONDS: u64 = 30 * 24 * 60 * 60;
    let mut server = Assembled::start().await;
    let person = server.person().await;
    let now = Sides { agent: server.client.clone(), person: person.clone() };
    let lot = now.open("Do we use tabs?", &[]).await;
    let later = server.at(|| seconds() + IDLE_SECONDS + 5).await;
    let later = Sides { person: person.with_url(&later.url), agent: later };
    let answer = later.answer(&lot, json!({ "text": "yes" })).await;
    answer.expect_error(409, "INVALID_INPUT", &["expired", "30 days"]);
    for _ in 0..2 {
        let shown = get(&later.person, &format!("lots/{lot}")).await.expect(200);
        assert_eq!(shown["state"], "expired", "and stays so");
        assert_eq!(later.open_lots().await.len(), 0);
    }
    // Whoever still needs it asks anew.
    let again = later.open("Do we use tabs?", &[]).await;
    assert_ne!(again, lot);
    later.answer(&again, json!({ "text": "no" })).await.expect(200);
    assert_eq!(later.request("Do we use tabs?").await["answer"], "no");
    // A clock that is behind sees an answer from ahead of its time.
    assert_eq!(now.request("Do we use tabs?").await["answer"], "no");
    let lookup = now.look_up("Should we use tabs?").await;
    assert_eq!((first(&lookup).0, &lookup["matches"][0]["freshness"]), ("apply", &json!(1.0)));
}
