//! Bad input: said clearly, as the tool's own result, and nothing is opened.

use serde_json::{Value, json};

use crate::{Sides, post, serve, tool_answer};

#[tokio::test]
async fn requests_that_cannot_be_put_to_people() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let fifty: Vec<String> = (0..50).map(|at| format!("option {at}")).collect();
    let many: Vec<String> = (0..21).map(|at| format!("concept {at}")).collect();
    let check = async |tool: &str, arguments: Value, words: &[&str]| {
        let answer = tool_answer(&sides.agent, tool, &arguments).await;
        answer.expect_tool_error("INVALID_INPUT", words);
        assert_eq!(answer.tool()["status"], "error", "{tool} {words:?}");
    };
    let ask = "request_decision";
    check(ask, json!({}), &["question"]).await;
    check(ask, json!({ "question": "" }), &["question is empty"]).await;
    check(ask, json!({ "question": " \n" }), &["question is empty"]).await;
    check(ask, json!({ "question": "x".repeat(10_000) }), &["10000 characters", "2000"]).await;
    check(ask, json!({ "question": 5 }), &["question"]).await;
    check(ask, json!({ "question": "q?", "options": fifty }), &["50 options", "20"]).await;
    check(ask, json!({ "question": "q?", "options": ["a", "b", "A"] }), &["\"A\" twice"]).await;
    check(ask, json!({ "question": "q?", "options": ["a", ""] }), &["option's label is empty"]).await;
    check(ask, json!({ "question": "q?", "options": [5] }), &["options[0]"]).await;
    check(ask, json!({ "question": "q?", "concepts": "a" }), &["concepts"]).await;
    check(ask, json!({ "question": "q?", "concepts": many }), &["21 concepts"]).await;
    check(ask, json!({ "question": "q?", "waitSeconds": "5" }), &["waitSeconds"]).await;
    check("lookup_decision", json!({}), &["query"]).await;
    check("lookup_decision", json!({ "query": "" }), &["query is empty"]).await;
    check("lookup_decision", json!({ "query": "q", "limit": "many" }), &["limit"]).await;
    check("share_context", json!({ "kind": "note" }), &["body"]).await;
    check("share_context", json!({ "kind": "", "body": "b" }), &["kind is empty"]).await;
    check("share_context", json!({ "kind": "note", "body": "x".repeat(5_000) }), &["5000 characters"]).await;
    assert_eq!(sides.open_lots().await.len(), 0);
}

#[tokio::test]
async fn answers_that_are_none() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let lot = sides.open("Do we use Redis?", &["yes", "no"]).await;
    let check = async |body: Value, words: &[&str]| {
        sides.answer(&lot, body).await.expect_error(400, "INVALID_INPUT", words);
    };
    check(json!({}), &["option or has a text"]).await;
    check(json!({ "option": "maybe" }), &["maybe", "yes, no"]).await;
    check(json!({ "text": "of course" }), &["none of the options"]).await;
    check(json!({ "option": "yes", "text": "yes" }), &["not both"]).await;
    check(json!({ "option": "" }), &["empty"]).await;
    check(json!({ "answer": "yes" }), &["not what this route takes"]).await;
    check(json!(["yes"]), &["not a JSON object"]).await;
    let free = sides.open("Which region?", &[]).await;
    sides.answer(&free, json!({ "option": "x" })).await.expect_error(400, "INVALID_INPUT", &["no options"]);
    sides.answer(&free, json!({ "text": "x".repeat(5_000) })).await.expect_error(
        400,
        "INVALID_INPUT",
        &["4000"],
    );
    for unknown in ["lot_0000000000aaaaaaaaaaaaaaaa", "x", "%2e%2e", "a%20b", &"x".repeat(300)] {
        let answer = sides.answer(unknown, json!({ "text": "x" })).await;
        answer.expect_error(404, "NOT_FOUND", &["there is no"]);
    }
    post(&sides.person, &format!("lots/{free}/reopen"), &json!({})).await.expect_error(
        409,
        "INVALID_INPUT",
        &["open"],
    );
    assert_eq!(sides.open_lots().await.len(), 2);
}

#[tokio::test]
async fn markup_stays_text_and_secrets_stay_out() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let script = "<script>alert(1)</script> & \"q\" \u{202e}?";
    let lot = sides.open(script, &["<b>", "{{x}}"]).await;
    let lots = sides.open_lots().await;
    assert_eq!(
        (&lots[0]["question"], &lots[0]["options"][0]["value"]),
        (&json!(script.trim()), &json!("<b>"))
    );
    sides.answer(&lot, json!({ "option": "<b>" })).await.expect(200);
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    sides.open(&format!("May we use {token} here?"), &[]).await;
    assert!(!format!("{:?}", sides.open_lots().await).contains(&token));
    assert!(!served.log().contains(&token));
}

#[tokio::test]
async fn waits_are_held_to_their_window() {
    let served = serve().await;
    let sides = Sides::of(&served);
    for wait in [json!(-3), json!(0), json!(0.4), Value::Null] {
        let mut arguments = json!({ "question": "Do we use Redis?", "waitSeconds": wait });
        if wait.is_null() {
            // The default is a long wait, which this test does not want to see.
            arguments["waitSeconds"] = json!(1);
        }
        let result = sides.tool("request_decision", arguments).await;
        assert_eq!(result["status"], "pending");
    }
    for limit in [json!(0), json!(-1), json!(1e9), json!(2.5)] {
        sides.tool("lookup_decision", json!({ "query": "redis", "limit": limit })).await;
    }
}
