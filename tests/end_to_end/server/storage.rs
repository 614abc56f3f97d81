//! What requests cost in storage calls, stores that fail, and a second emulator.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use prevet_testkit::server::{Assembled, Client, Ministack, Multipart, Parts, patch};
use serde_json::json;

use crate::{BUG, CLEAN, each};

#[tokio::test]
async fn a_resume_costs_two_calls() {
    let server = Assembled::start().await;
    server.client.open("widgets").await;
    let first = server.take_calls();
    assert!(first.len() <= 3, "{first:?}");
    server.client.open("widgets").await;
    let calls = server.take_calls();
    assert!(calls.len() <= 2, "{calls:?}");
}

#[tokio::test]
async fn an_upload_costs_three_calls() {
    let server = Assembled::start().await;
    let id = server.client.open("widgets").await;
    server.take_calls();
    let diff = patch::added("a.py", BUG);
    let context = patch::pack(&[("a.py", BUG)]).to_string();
    for parts in
        [Multipart::diff(&diff), Multipart::diff(&diff), Multipart::diff(&diff).part("context", context)]
    {
        server.client.upload_parts(&id, &parts).await.expect(200);
        let calls = server.take_calls();
        assert!(calls.len() <= 3, "{calls:?}");
    }
}

#[tokio::test]
async fn a_cached_inspection_costs_three_calls() {
    let server = Assembled::start().await;
    let id = server.client.open_with("widgets", patch::added("a.py", BUG)).await;
    let other = server.client.open_with("gadgets", patch::added("a.py", CLEAN)).await;
    for arguments in [json!({ "session_id": id }), json!({ "session_id": other })] {
        server.client.inspect(&arguments).await;
        server.take_calls();
        assert_eq!(server.client.inspect(&arguments).await["cached"], true);
        let calls = server.take_calls();
        // One of them checks the key.
        assert!(calls.len() <= 3, "{calls:?}");
    }
}

#[tokio::test]
async fn a_cached_inspection_after_another_diff_costs_three_calls() {
    let server = Assembled::start().await;
    let id = server.client.open("widgets").await;
    let keyless = server.client.with_key(None);
    for text in [BUG, CLEAN, BUG, CLEAN] {
        server.client.upload(&id, patch::added("a.py", text)).await.expect(200);
        server.take_calls();
        let result = keyless.inspect(&json!({ "session_id": id })).await;
        let calls = server.take_calls();
        assert!(result["cached"].is_null() || calls.len() <= 3, "{calls:?}");
    }
}

#[tokio::test]
async fn what_is_refused_early_costs_nothing() {
    let server = Assembled::start().await;
    let client = &server.client;
    let keyless = client.with_key(None);
    keyless.session(&client.session_body("widgets")).await.expect(401);
    keyless.upload("aaaa", "").await.expect(401);
    client.session(&json!({})).await.expect(400);
    keyless.inspect_answer(&json!({})).await.expect_tool_error("INVALID_INPUT", &[]);
    assert_eq!(server.take_calls(), Vec::<String>::new());
}

#[tokio::test]
async fn a_store_that_fails_loses_nothing() {
    let server = Assembled::start().await;
    let client = server.client.with_key(None);
    let id = server.client.open_with("widgets", patch::added("a.py", BUG)).await;
    let before = client.inspect(&json!({ "session_id": id })).await;
    let next = patch::added("a.py", CLEAN);
    server.s3().set_broken(true);
    server.client.upload(&id, &next).await.expect_error(503, "BUSY", &["try again"]);
    server.s3().set_broken(false);
    server.dynamodb().set_broken(true);
    server.client.upload(&id, &next).await.expect_error(503, "BUSY", &["try again"]);
    server.client.session(&server.client.session_body("widgets")).await.expect_error(
        503,
        "BUSY",
        &["try again"],
    );
    client.inspect_answer(&json!({ "session_id": id })).await.expect_tool_error("BUSY", &["try again"]);
    server.dynamodb().set_broken(false);
    assert_eq!(each(&client.inspect(&json!({ "session_id": id })).await, "id"), each(&before, "id"));
    server.client.upload(&id, &next).await.expect(200);
    assert_eq!(client.inspect(&json!({ "session_id": id })).await["verdict"], "approve");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_stores_hold() {
    round_trip(&Assembled::start().await.client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_emulator_holds() {
    let Some(parts) = Parts::from_env("the round trip on ministack") else { return };
    let ministack = Ministack::start(&parts).await;
    round_trip(&Assembled::on(&ministack.stores).await.client).await;
    // Table and bucket are there already.
    round_trip(&Assembled::on(&ministack.stores).await.client).await;
}

/// Session, upload and report, with forty first calls at once.
async fn round_trip(client: &Client) {
    let body = client.session_body("widgets");
    let answers = join_all((0..40).map(|_| client.session(&body))).await;
    let ids: BTreeSet<String> =
        answers.iter().map(|answer| answer.expect(200)["session_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1);
    let id = ids.first().unwrap();
    let uploads = (0..10).map(|at| patch::added(&format!("file_{at}.py"), BUG)).collect::<Vec<_>>();
    for answer in join_all(uploads.iter().map(|diff| client.upload(id, diff))).await {
        answer.expect(200);
    }
    let first = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(each(&first, "status"), ["new"]);
    let again = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!((&again["cached"], each(&again, "status")), (&json!(true), vec!["persisting".to_owned()]));
    assert_eq!(each(&again, "id"), each(&first, "id"));
    client.upload(id, patch::added("a.py", CLEAN)).await.expect(200);
    assert_eq!(client.upload(id, patch::added("a.py", CLEAN)).await.expect(200)["diff_unchanged"], true);
    let clean = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!((&clean["verdict"], clean["fixed"].as_array().map(Vec::len)), (&json!("approve"), Some(1)));
    large_report(client).await;
}

/// A report that does not fit into the table goes to the bucket, and comes back.
async fn large_report(client: &Client) {
    let text: String = (0..1_900)
        .map(|at| format!("{}\n\n", BUG.replace("role", &format!("role_{at}_{}", noise(at)))))
        .collect();
    let id = client.open_with("large", patch::added("a.py", &text)).await;
    for cached in [json!(null), json!(true)] {
        let result = client.inspect(&json!({ "session_id": id })).await;
        assert_eq!((&result["counts"]["total"], &result["cached"]), (&json!(1_900), &cached));
    }
}

/// Letters that do not compress.
fn noise(seed: usize) -> String {
    let mut state = seed as u64 * 2 + 1;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap_or_default())
    };
    (0..200).map(|_| letter()).collect()
}
