//! Uploads that do not fit in one request: a place is asked for, the body put there, and the server told of it.

use prevet_testkit::server::{Assembled, Client, Ministack, Multipart, Parts, patch};
use serde_json::{Value, json};

use crate::{BUG, serve};

/// Over the limit of one request.
fn large_diff() -> String {
    let filler = format!("{}\n", "x".repeat(99)).repeat(50_000);
    [patch::added("filler.txt", &filler), patch::added("a.py", BUG)].concat()
}

async fn step(client: &Client, id: &str, body: Value) -> prevet_testkit::server::Answer {
    let call = client.request("POST", &format!("{}/upload/{id}", client.url)).json(&body);
    client.send(call).await
}

async fn place(client: &Client, id: &str, bytes: usize) -> Value {
    step(client, id, json!({ "step": "place", "body_bytes": bytes })).await.expect(200)
}

/// Whether the body was taken. One that is refused may be cut off while it is still being sent.
async fn put(client: &Client, place: &Value, body: Vec<u8>) -> bool {
    let mut call = client.with_key(None).request("PUT", place["url"].as_str().unwrap());
    for (name, value) in place["headers"].as_object().unwrap() {
        call = call.header(name, value.as_str().unwrap());
    }
    call.body(body).send().await.is_ok_and(|answer| answer.status() == 200)
}

fn placed(place: &Value) -> Value {
    json!({ "step": "placed", "place": place["place"], "content_type": Multipart::content_type() })
}

#[tokio::test]
async fn a_large_diff_is_put_and_inspected() {
    let served = serve().await;
    put_and_inspected(&served.client).await;
    let kept = served.objects();
    assert!(kept.iter().all(|it| !it.to_string_lossy().contains("placed-")), "{kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_emulator_takes_it_too() {
    let Some(parts) = Parts::from_env("large uploads on ministack") else { return };
    let ministack = Ministack::start(&parts).await;
    put_and_inspected(&Assembled::on(&ministack.stores).await.client).await;
}

async fn put_and_inspected(client: &Client) {
    let id = client.open("widgets").await;
    let diff = large_diff();
    let body = Multipart::diff(&diff).whole();
    for unchanged in [false, true] {
        let place = place(client, &id, body.len()).await;
        assert_eq!((&place["session_id"], &place["expires_in_seconds"]), (&json!(id), &json!(900)));
        assert!(put(client, &place, body.clone()).await, "{place}");
        let answer = step(client, &id, placed(&place)).await.expect(200);
        assert_eq!(answer, json!({ "session_id": id, "diff_unchanged": unchanged }));
        // A place is good for once.
        step(client, &id, placed(&place)).await.expect_error(404, "NOT_FOUND", &["place"]);
    }
    let result = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(result["verdict"], "request_changes", "{result}");
}

#[tokio::test]
async fn a_place_is_its_sessions_and_of_its_size() {
    let served = serve().await;
    let client = &served.client;
    let (id, other) = (client.open("widgets").await, client.open("gadgets").await);
    let body = Multipart::diff(large_diff()).whole();
    let at = place(client, &id, body.len()).await;
    let mut shorter = at.clone();
    shorter["headers"]["content-length"] = json!((body.len() - 1).to_string());
    assert!(!put(client, &shorter, body[1..].to_vec()).await, "another length");
    let mut elsewhere = at.clone();
    elsewhere["url"] = json!(at["url"].as_str().unwrap().replace("placed-", "placed-0"));
    assert!(!put(client, &elsewhere, body.clone()).await, "another object");
    step(client, &id, placed(&at)).await.expect_error(404, "NOT_FOUND", &["place"]);
    assert!(put(client, &at, body.clone()).await);
    step(client, &other, placed(&at)).await.expect_error(404, "NOT_FOUND", &["place"]);
    // Whatever is put there is held to what holds for any upload.
    let mut wrong = placed(&at);
    wrong["content_encoding"] = json!("zstd");
    step(client, &id, wrong).await.expect_error(400, "INVALID_INPUT", &["zstd"]);
    let stranger = client.with_key(Some("pvk_agent_nobody"));
    step(&stranger, &id, json!({ "step": "place", "body_bytes": 9 })).await.expect_error(
        401,
        "UNAUTHENTICATED",
        &[],
    );
}

#[tokio::test]
async fn what_is_no_step_is_said() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let too_large = json!({ "step": "place", "body_bytes": 200_u64 << 20 });
    step(client, &id, too_large).await.expect_error(413, "TOO_LARGE", &["100728832"]);
    for (body, words) in [
        (json!({}), "step"),
        (json!({ "step": "jump" }), "jump"),
        (json!({ "step": "place" }), "body_bytes"),
        (json!({ "step": "place", "body_bytes": -1 }), "body_bytes"),
        (json!({ "step": "placed", "place": "x" }), "content_type"),
        (json!({ "step": "placed", "place": "x", "content_type": "a\nb" }), "content_type"),
    ] {
        step(client, &id, body.clone()).await.expect_error(400, "INVALID_INPUT", &[words]);
    }
}
