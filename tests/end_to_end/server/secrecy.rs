//! What must not be seen: keys, secrets in a diff, session ids in logs.

use prevet_testkit::server::{Multipart, patch};
use serde_json::json;

use crate::{serve, token};

#[tokio::test]
async fn a_secret_in_a_diff_is_in_no_answer_and_no_log() {
    let served = serve().await;
    let client = served.client.clone();
    let (secret, id) = (token(), client.open("widgets").await);
    let text = format!("import os\n\nTOKEN = \"{secret}\"\n");
    let diff = patch::added("settings.py", &text);
    let mut said = vec![client.upload(&id, &diff).await.text];
    let result = client.inspect(&json!({ "session_id": id, "profile": "review" })).await;
    assert_eq!(result["verdict"], "request_changes");
    assert_eq!(result["findings"][0]["report_type"], "SECRET_REPORT");
    let evidence = result["findings"][0]["evidence"].as_str().unwrap();
    assert!(evidence.starts_with("TOKEN = ") && evidence.contains("mask"), "{evidence}");
    said.push(result.to_string());
    // Where a request is refused, what it held is not repeated.
    let cut = format!("{}\n+TOKEN = \"{secret}\"\n", diff.trim_end());
    let pack = patch::pack(&[("settings.py", &text.replace("TOKEN", "OTHER"))]).to_string();
    let wrong = [
        Multipart::diff(&cut),
        Multipart::diff(&secret),
        Multipart::diff(diff.replace("+1,3", "+1,9")),
        Multipart::diff(&diff).part("context", &pack),
        Multipart::diff(&diff).part("context", json!({ "version": secret }).to_string()),
        Multipart::diff(&diff).part("context", json!({ "version": 1, "files": secret }).to_string()),
        Multipart::diff(&diff).part("context", json!({ "version": 1, "policy": secret }).to_string()),
        Multipart::diff(&diff)
            .part("context", json!({ "version": 1, "policy": format!("gate = \"{secret}\"") }).to_string()),
    ];
    for parts in wrong {
        let answer = client.upload_parts(&id, &parts).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        said.push(answer.text);
    }
    let mut body = client.session_body("widgets");
    body["repo"] = json!([secret]);
    said.push(client.session(&body).await.text);
    for arguments in [json!({ "session_id": id, "context": secret }), json!({ "session_id": [secret] })] {
        said.push(client.inspect_answer(&arguments).await.text);
    }
    let (code, log) = served.terminate().await;
    assert_eq!(code, Some(0));
    said.push(log);
    for text in said {
        assert!(!text.contains(&secret), "the secret is in {}", around(&text, &secret));
    }
}

#[tokio::test]
async fn keys_are_in_no_answer_no_log_and_not_in_the_table() {
    let served = serve().await;
    let key = served.client.api_key.clone().unwrap();
    let id = served.client.open_with("widgets", patch::added("a.py", crate::BUG)).await;
    served.client.inspect(&json!({ "session_id": id })).await;
    let wrong = served.client.with_key(Some("pvk_agent_wrong-but-long-enough"));
    let refused = wrong.upload(&id, "").await.text;
    assert!(!refused.contains("wrong-but-long"), "{refused}");
    let data = served.data();
    for file in ["dynamodb.sqlite", "dynamodb.sqlite-wal"] {
        let bytes = std::fs::read(data.join(file)).unwrap_or_default();
        assert!(!contains(&bytes, key.as_bytes()), "the key is in {file}");
    }
    let (_, log) = served.terminate().await;
    assert!(!log.contains(&key), "{}", around(&log, &key));
    assert!(!log.contains("wrong-but-long"), "{}", around(&log, "wrong-but-long"));
    assert!(!log.contains(&id), "the capability is in {}", around(&log, &id));
}

#[tokio::test]
async fn files_with_keys_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let served = serve().await;
    for name in ["keys.json", "store.json", "server.json", "."] {
        let mode = std::fs::metadata(served.data().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{name} has mode {mode:o}");
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// A little of the text before the word, for a message that does not repeat it.
fn around(text: &str, word: &str) -> String {
    let at = text.find(word).unwrap_or_default();
    let start = text[..at].char_indices().rev().nth(300).map_or(0, |(at, _)| at);
    text[start..at].to_owned()
}
