//! What people say of a decision later, and what becomes of its reuse.

use prevet_testkit::server::Assembled;
use serde_json::{Value, json};

use crate::{Sides, first, get, serve};

const ASKED: &str = "Should we use Redis for the session cache?";
const REPHRASED: &str = "Do we want Redis as the session cache?";

fn scoped(question: &str, concepts: &[&str]) -> Value {
    json!({ "question": question, "query": question, "concepts": concepts, "waitSeconds": 0 })
}

#[tokio::test]
async fn wrong_takes_it_out_of_reuse() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let decision = sides.decide(ASKED, "yes").await;
    assert_eq!(first(&sides.look_up(REPHRASED).await), ("apply", "asks the same", "yes"));
    let corrected = sides.correct(&decision, json!({ "verb": "wrong" })).await.expect(200);
    assert_eq!(corrected["scope"]["reusable"], false);
    assert_eq!(sides.look_up(REPHRASED).await["matches"], json!([]));
    assert_eq!(sides.request(REPHRASED).await["status"], "pending");
    assert_eq!(sides.request(ASKED).await["status"], "pending", "the identical request asks again too");
    let why = get(&sides.person, &format!("decisions/{decision}")).await.expect(200);
    assert_eq!((&why["answer"], &why["corrections"][0]["verb"]), (&json!("yes"), &json!("wrong")));
}

#[tokio::test]
async fn too_broad_binds_it_to_its_concepts() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let pending = sides.tool("request_decision", scoped(ASKED, &["sessions"])).await;
    let decision =
        sides.answer(pending["decisionRef"].as_str().unwrap(), json!({ "text": "yes" })).await.expect(200);
    let look_up = async |concepts: &[&str]| {
        let lookup = sides.tool("lookup_decision", scoped(REPHRASED, concepts)).await;
        first(&lookup).0.to_owned()
    };
    // What was decided for one area was not decided for everything.
    for correct in [false, true] {
        if correct {
            let id = decision["decisionId"].as_str().unwrap();
            sides.correct(id, json!({ "verb": "too_broad" })).await.expect(200);
        }
        assert_eq!(look_up(&["sessions"]).await, "apply");
        assert_eq!((look_up(&[]).await.as_str(), look_up(&["ui"]).await.as_str()), ("confirm", "confirm"));
    }
    let everywhere = sides.decide("Do we sign commits?", "yes").await;
    let look_up = async |concepts: &[&str]| {
        let lookup = sides.tool("lookup_decision", scoped("Should we sign commits?", concepts)).await;
        first(&lookup).0.to_owned()
    };
    assert_eq!(look_up(&["ui"]).await, "apply");
    sides.correct(&everywhere, json!({ "verb": "too_broad" })).await.expect(200);
    assert_eq!(look_up(&["ui"]).await, "confirm");
}

#[tokio::test]
async fn ask_next_time_confirms_once() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let decision = sides.decide(ASKED, "yes").await;
    sides.correct(&decision, json!({ "verb": "ask_next_time" })).await.expect(200);
    assert_eq!(first(&sides.look_up(REPHRASED).await).0, "confirm");
    let pending = sides.request(REPHRASED).await;
    assert_eq!(pending["status"], "pending");
    assert_eq!(pending["similar"][0]["answer"], "yes");
    sides.answer(pending["decisionRef"].as_str().unwrap(), json!({ "confirms": decision })).await.expect(200);
    assert_eq!(first(&sides.look_up(ASKED).await).0, "apply", "as before");
    let why = get(&sides.person, &format!("decisions/{decision}")).await.expect(200);
    assert_eq!(why["scope"]["confirmNext"], false);
}

#[tokio::test]
async fn expires_after_a_duration_or_a_date() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let decision = sides.decide(ASKED, "yes").await;
    let correct = async |expires: Value| {
        sides.correct(&decision, json!({ "verb": "expires_after", "expiresAfter": expires })).await
    };
    correct(Value::Null).await.expect_error(400, "INVALID_INPUT", &["90d", "2027-01-31"]);
    correct(json!("soon")).await.expect_error(400, "INVALID_INPUT", &["neither a duration"]);
    correct(json!("90d")).await.expect(200);
    assert_eq!(first(&sides.look_up(REPHRASED).await).0, "apply");
    correct(json!("2020-01-31")).await.expect_error(400, "INVALID_INPUT", &["a time to come", "wrong"]);
    let corrected = correct(json!("2099-01-31")).await.expect(200);
    assert_eq!(corrected["scope"]["expiresAt"], "2099-01-31T00:00:00Z");
    sides.correct(&decision, json!({ "verb": "only_this_repo" })).await.expect_error(
        400,
        "INVALID_INPUT",
        &["no repository"],
    );
}

#[tokio::test]
async fn an_answer_that_has_expired_is_asked_for_again() {
    let mut server = Assembled::start().await;
    let sides = Sides { agent: server.client.clone(), person: server.person().await };
    let decision = sides.decide(ASKED, "yes").await;
    sides.correct(&decision, json!({ "verb": "expires_after", "expiresAfter": "30d" })).await.expect(200);
    let agent = server.at(|| std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() + 60 * 24 * 60 * 60).await;
    let later = Sides { person: sides.person.with_url(&agent.url), agent };
    let lookup = later.look_up(REPHRASED).await;
    assert_eq!((first(&lookup).0, first(&lookup).1), ("confirm", "has expired"));
    assert_eq!(later.request(ASKED).await["status"], "pending");
}

#[tokio::test]
async fn corrections_at_once_are_all_kept() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let params = json!({ "name": "request_decision", "arguments": scoped(ASKED, &[]) });
    let era = prevet_testkit::server::Era::Legacy("2025-11-25");
    let request = sides.agent.rpc_request(era, "tools/call", &params);
    let pending = sides.agent.send(request.header("X-Prevet-Repository", "o/a")).await.tool();
    let lot = pending["decisionRef"].as_str().unwrap();
    let decision = sides.answer(lot, json!({ "text": "yes" })).await.expect(200);
    let id = decision["decisionId"].as_str().unwrap();
    let verbs = ["wrong", "too_broad", "only_this_repo", "ask_next_time"];
    let correct = |verb: &'static str| sides.correct(id, json!({ "verb": verb }));
    let [a, b, c, d] = verbs.map(correct);
    let (a, b, c, d) = tokio::join!(a, b, c, d);
    for answer in [a, b, c, d] {
        answer.expect(200);
    }
    let why = get(&sides.person, &format!("decisions/{id}")).await.expect(200);
    let mut kept: Vec<&str> =
        why["corrections"].as_array().unwrap().iter().map(|it| it["verb"].as_str().unwrap()).collect();
    kept.sort_unstable();
    assert_eq!(kept, ["ask_next_time", "only_this_repo", "too_broad", "wrong"]);
    assert_eq!(why["scope"]["reusable"], false);
}

#[tokio::test]
async fn only_this_repo_binds_it_to_where_it_came_from() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let call = async |tool: &str, question: &str, repository: &str| {
        let params = json!({ "name": tool, "arguments": scoped(question, &[]) });
        let era = prevet_testkit::server::Era::Legacy("2025-11-25");
        let request = sides.agent.rpc_request(era, "tools/call", &params);
        sides.agent.send(request.header("X-Prevet-Repository", repository)).await.tool()
    };
    let pending = call("request_decision", ASKED, "o/a").await;
    let decision =
        sides.answer(pending["decisionRef"].as_str().unwrap(), json!({ "text": "yes" })).await.expect(200);
    assert_eq!(call("request_decision", REPHRASED, "o/b").await["status"], "reused");
    let id = decision["decisionId"].as_str().unwrap();
    sides.correct(id, json!({ "verb": "only_this_repo" })).await.expect(200);
    assert_eq!(first(&call("lookup_decision", REPHRASED, "o/a").await).0, "apply");
    assert_eq!(first(&call("lookup_decision", REPHRASED, "o/b").await).0, "confirm");
    assert_eq!(first(&sides.look_up(REPHRASED).await).0, "confirm", "nobody knows where this one comes from");
    assert_eq!(call("request_decision", ASKED, "o/b").await["status"], "pending");
    assert_eq!(call("request_decision", ASKED, "o/a").await["answer"], "yes");
}

#[tokio::test]
async fn corrections_are_checked() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let decision = sides.decide(ASKED, "yes").await;
    let check = async |body: Value, words: &[&str]| {
        sides.correct(&decision, body).await.expect_error(400, "INVALID_INPUT", words);
    };
    check(json!({ "verb": "right" }), &["wrong, too_broad, only_this_repo, ask_next_time, expires_after"])
        .await;
    check(json!({ "verb": "wrong", "expiresAfter": "1d" }), &["only expires_after"]).await;
    check(json!({ "verb": "wrong", "x": 1 }), &["not what this route takes"]).await;
    check(json!({}), &["verb"]).await;
    let unknown = sides.correct("dec_0000000000aaaaaaaaaaaaaaaa", json!({ "verb": "wrong" })).await;
    unknown.expect_error(404, "NOT_FOUND", &["there is no decision"]);
    sides.correct("..%2f..", json!({ "verb": "wrong" })).await.expect_error(
        404,
        "NOT_FOUND",
        &["there is no"],
    );
}
