//! Notices: what waits and what was decided, at a webhook.

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::server::Served;
use serde_json::{Value, json};

use crate::{Sides, post};

/// Whatever is posted to it is kept; the first attempt fails.
fn receiver() -> ScriptedModel {
    ScriptedModel::start(|asked| {
        if asked.number == 0 { Reply::Status(503, None) } else { Reply::Text(String::new()) }
    })
}

async fn served(receiver: &ScriptedModel, settings: &[(&str, &str)]) -> Served {
    let url = receiver.url();
    let settings = [&[("PREVET_NOTICE_URL", url.as_str())], settings].concat();
    Served::start_with(env!("CARGO_BIN_EXE_prevet"), &settings).await
}

/// Head and body of each request that came.
fn received(receiver: &ScriptedModel) -> Vec<(String, Value)> {
    let split = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_ascii_lowercase(), serde_json::from_str(body).unwrap())
    };
    receiver.asked().into_iter().map(|asked| split(asked.bytes)).collect()
}

#[tokio::test]
async fn requests_and_answers_are_told_signed_and_again_where_that_failed() {
    let receiver = receiver();
    let served = served(&receiver, &[("PREVET_NOTICE_SECRET", "word")]).await;
    let sides = Sides::of(&served);
    let lot = sides.open("Do we use Kafka?", &["yes", "no"]).await;
    sides.answer(&lot, json!({ "option": "yes" })).await.expect(200);
    let other = sides.open("Do we use NATS?", &[]).await;
    post(&sides.person, &format!("lots/{other}/dismiss"), &json!({ "reason": "later" })).await.expect(200);
    let all = received(&receiver);
    let events: Vec<&str> = all.iter().map(|(_, body)| body["event"].as_str().unwrap()).collect();
    let expected = [
        "decision.requested",
        "decision.requested",
        "decision.answered",
        "decision.requested",
        "decision.dismissed",
    ];
    assert_eq!(events, expected);
    assert_eq!(all[0].1["id"], all[1].1["id"], "the same notice, sent again");
    assert_eq!((&all[2].1["said"], &all[4].1["said"]), (&json!("yes"), &json!("later")));
    assert!(all[1].1["url"].as_str().unwrap().ends_with(&format!("/inbox/lots/{lot}")));
    assert!(
        all.iter()
            .all(|(head, _)| head.contains("x-prevet-signature: t=")
                && head.contains("x-prevet-delivery: ntc_"))
    );
    assert!(!served.log().contains(&receiver.url()), "the address may be a secret");
}

#[tokio::test]
async fn a_webhook_that_is_gone_stops_nobody() {
    let receiver = ScriptedModel::in_turn(vec![Reply::Status(404, None)]);
    let served = served(&receiver, &[("PREVET_NOTICE_FORMAT", "slack")]).await;
    let sides = Sides::of(&served);
    let decision = sides.decide("Do we use Kafka?", "yes").await;
    assert!(decision.starts_with("dec_"));
    let all = received(&receiver);
    assert_eq!(all.len(), 2, "a refusal is final");
    assert!(all[0].1["text"].as_str().unwrap().starts_with("*A decision is needed*\nDo we use Kafka?"));
}
