//! `POST /upload/{session_id}`

use prevet_testkit::server::{Multipart, patch};
use serde_json::json;

use crate::{BUG, CLEAN, serve};

const UNKNOWN: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

#[tokio::test]
async fn replaces_the_diff() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    for (text, verdict) in [(CLEAN, "approve"), (BUG, "request_changes"), (CLEAN, "approve")] {
        let answer = client.upload(&id, patch::added("a.py", text)).await.expect(200);
        assert_eq!(answer, json!({ "session_id": id, "diff_unchanged": false }));
        assert_eq!(client.inspect(&json!({ "session_id": id })).await["verdict"], verdict);
    }
}

#[tokio::test]
async fn survives_a_branch_switch() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("a.py", BUG)).await;
    let mut body = client.session_body("widgets");
    body["branch"] = json!("another");
    body["head"] = json!("2".repeat(40));
    assert_eq!(client.session(&body).await.expect(200)["session_id"].as_str(), Some(id.as_str()));
    assert_eq!(client.inspect(&json!({ "session_id": id })).await["verdict"], "request_changes");
}

#[tokio::test]
async fn unchanged_means_the_same_bytes_and_still_there() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let diff = patch::added("a.py", CLEAN);
    let unchanged = async |parts: Multipart| {
        let answer = client.upload_parts(&id, &parts).await.expect(200);
        answer["diff_unchanged"].as_bool().unwrap()
    };
    let plain = || Multipart::diff(&diff);
    let with =
        |text: &str| plain().part("context", patch::pack(&[("a.py", CLEAN), ("b.py", text)]).to_string());
    assert!(!unchanged(plain()).await);
    assert!(unchanged(plain()).await);
    assert!(!unchanged(with("x = 1\n")).await, "another context");
    assert!(unchanged(with("x = 1\n")).await);
    assert!(!unchanged(with("x = 2\n")).await, "another file in the context");
    assert!(!unchanged(plain()).await, "no context any more");
    assert!(!unchanged(Multipart::diff(diff.trim_end())).await, "one byte less");
    for object in served.objects() {
        std::fs::remove_file(object).unwrap();
    }
    assert!(!unchanged(Multipart::diff(diff.trim_end())).await, "what was kept is gone");
    assert_eq!(client.inspect(&json!({ "session_id": id })).await["verdict"], "approve");
}

#[tokio::test]
async fn a_diff_whose_body_is_gone_is_asked_for_again() {
    let served = serve().await;
    let id = served.client.open_with("widgets", patch::added("a.py", CLEAN)).await;
    for object in served.objects() {
        std::fs::remove_file(object).unwrap();
    }
    let answer = served.client.inspect_answer(&json!({ "session_id": id })).await;
    answer.expect_tool_error("NO_DIFF", &["upload it again"]);
}

#[tokio::test]
async fn unknown_sessions_are_404() {
    let served = serve().await;
    let long = "a".repeat(300);
    for id in [UNKNOWN, "nope", "..%2f..%2fetc", "%00", "a%20b", &long] {
        served.client.upload(id, "").await.expect_error(404, "UNKNOWN_SESSION", &["POST /session"]);
    }
}

#[tokio::test]
async fn the_base_may_be_left_out_and_may_not_be_garbage() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    for base in ["", " ", "HEAD", "abc123", &"f".repeat(40), &"f".repeat(64)] {
        client
            .upload_parts(&id, &Multipart::default().part("file", "").part("base_sha", base))
            .await
            .expect(200);
    }
    client.upload_parts(&id, &Multipart::default().part("file", "")).await.expect(200);
    for base in ["-x", "--output=/tmp/x", "HEAD~1", "a b", "../x", "\0", "é", &"f".repeat(65)] {
        let parts = Multipart::default().part("file", "").part("base_sha", base);
        client.upload_parts(&id, &parts).await.expect_error(400, "INVALID_INPUT", &["base_sha"]);
    }
}

#[tokio::test]
async fn an_empty_diff_is_kept_and_is_nothing_to_inspect() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let answer = client.inspect_answer(&json!({ "session_id": id })).await;
    answer.expect_tool_error("NO_DIFF", &["/upload/"]);
    client.upload(&id, "").await.expect(200);
    let answer = client.inspect_answer(&json!({ "session_id": id })).await;
    answer.expect_tool_error("NO_DIFF", &["empty"]);
}

#[tokio::test]
async fn a_context_that_does_not_fit_is_refused_and_the_old_upload_stays() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("a.py", BUG)).await;
    let before = client.inspect(&json!({ "session_id": id })).await;
    let diff = patch::added("b.py", CLEAN);
    let wrong: [(String, &[&str]); 7] = [
        (patch::pack(&[("b.py", "something = else\n")]).to_string(), &["does not apply", "b.py", "line 1"]),
        (patch::pack(&[("b.py", "def add(a, b):\n")]).to_string(), &["does not apply", "line 2"]),
        ("{}".to_owned(), &["context", "version"]),
        ("nonsense".to_owned(), &["context"]),
        (json!({ "version": 99 }).to_string(), &["version 99"]),
        (json!({ "version": 1, "files": [5] }).to_string(), &["context", "files[0]"]),
        (json!({ "version": 1, "policy": "gate = 5" }).to_string(), &[".prevet.toml", "gate"]),
    ];
    for (context, words) in wrong {
        let parts = Multipart::diff(&diff).part("context", context);
        client.upload_parts(&id, &parts).await.expect_error(400, "INVALID_INPUT", words);
    }
    let after = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!((&after["cached"], &after["verdict"]), (&json!(true), &before["verdict"]));
    assert_eq!(crate::each(&after, "id"), crate::each(&before, "id"));
}
