//! Many at once, and a server that is killed.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use prevet_testkit::server::{Client, patch};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{BUG, each, serve};

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A diff that is found out by its finding's file.
fn numbered(at: usize) -> String {
    patch::added(&format!("file_{at}.py"), BUG)
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_first_calls_make_one_session() {
    let served = serve().await;
    let body = served.client.session_body("widgets");
    let answers = join_all((0..50).map(|_| served.client.session(&body))).await;
    let ids: BTreeSet<String> =
        answers.iter().map(|answer| answer.expect(200)["session_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1);
    let made = answers.iter().filter(|answer| answer.json()["resumed"] == false).count();
    assert_eq!(made, 1, "one call made it");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_uploads_at_once_leave_one_of_them_whole() {
    let served = serve().await;
    let client = &served.client;
    for round in 0..5 {
        let id = client.open(&format!("r{round}")).await;
        let diffs: Vec<String> = (0..10).map(numbered).collect();
        for answer in join_all(diffs.iter().map(|diff| client.upload(&id, diff))).await {
            answer.expect(200);
        }
        assert_eq!(holding(client, &id, &diffs).await.len(), 1, "round {round}");
    }
}

/// Which of the diffs the session holds: the one that can be meant, and whose findings come back.
async fn holding(client: &Client, id: &str, diffs: &[String]) -> Vec<usize> {
    let mut held = Vec::new();
    for (at, diff) in diffs.iter().enumerate() {
        let arguments = json!({ "session_id": id, "context": { "diff_sha256": sha256(diff) } });
        let answer = client.inspect_answer(&arguments).await;
        if answer.message()["result"]["isError"] == true {
            answer.expect_tool_error("BUSY", &["replaced"]);
            continue;
        }
        assert_eq!(each(&answer.tool(), "file"), [format!("file_{at}.py")]);
        held.push(at);
    }
    held
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_inspections_at_once_agree() {
    let served = serve().await;
    let client = &served.client;
    let id =
        client.open_with("widgets", patch::added("a.py", &format!("{BUG}\n\n{}", crate::SMALL_BUG))).await;
    let arguments = json!({ "session_id": id, "profile": "review" });
    let results = join_all((0..20).map(|_| client.inspect(&arguments))).await;
    let ids: BTreeSet<Vec<String>> = results.iter().map(|result| each(result, "id")).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(ids.first().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_and_inspections_at_once_never_mix() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", numbered(0)).await;
    let uploads = (0..20).map(|at| async move {
        client.upload(&id_of(client).await, numbered(at)).await.expect(200);
        None
    });
    let inspections = (0..20).map(|_| async { Some(client.inspect(&json!({ "session_id": id })).await) });
    let (_, results): (Vec<Option<()>>, _) =
        futures_util::future::join(join_all(uploads), join_all(inspections)).await;
    for result in results.into_iter().flatten() {
        assert_eq!(result["findings"].as_array().unwrap().len(), 1, "{result}");
    }
}

async fn id_of(client: &Client) -> String {
    client.open("widgets").await
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_of_uploads() {
    let mut served = serve().await;
    let sizes = [200, 3_000];
    let diffs: Vec<String> =
        (0..8).map(|at| patch::added(&format!("file_{at}.py"), &BUG.repeat(sizes[at % 2]))).collect();
    let first = numbered(0);
    let id = served.client.open_with("widgets", &first).await;
    for round in 0..4 {
        let client = served.client.clone();
        let (id_now, sent) = (id.clone(), diffs.clone());
        let uploads = tokio::spawn(async move {
            join_all(sent.iter().map(|diff| {
                let upload =
                    client.upload_request(&id_now, prevet_testkit::server::Multipart::diff(diff).whole());
                // Some of them never get an answer.
                async move { upload.send().await.is_ok_and(|answer| answer.status().is_success()) }
            }))
            .await
        });
        // Killed once the first body of this round is on the disk, or all were taken.
        let known = served.objects().len();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while served.objects().len() == known
            && !uploads.is_finished()
            && std::time::Instant::now() < deadline
        {
            tokio::task::yield_now().await;
        }
        served = served.kill_and_restart().await;
        uploads.await.unwrap();
        assert_eq!(served.client.open("widgets").await, id, "round {round}: the session or its key is lost");
        let whole: Vec<String> = diffs.iter().chain([&first]).map(|diff| sha256(diff)).collect();
        let mut held = 0;
        for meant in whole {
            let arguments = json!({ "session_id": id, "context": { "diff_sha256": meant } });
            let answer = served.client.inspect_answer(&arguments).await;
            if answer.message()["result"]["isError"] == true {
                answer.expect_tool_error("BUSY", &["replaced"]);
            } else {
                held += 1;
            }
        }
        assert_eq!(held, 1, "round {round}: neither the old diff nor a new one");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_of_first_calls() {
    let served = serve().await;
    let client = served.client.clone();
    let key = client.api_key.clone();
    let body = client.session_body("widgets");
    let calls = tokio::spawn(async move {
        let calls =
            (0..50).map(|_| client.request("POST", &format!("{}/session", client.url)).json(&body).send());
        let mut ids = BTreeSet::new();
        for answer in join_all(calls).await.into_iter().flatten() {
            if let Ok(text) = answer.text().await {
                let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                ids.extend(value["session_id"].as_str().map(str::to_owned));
            }
        }
        ids
    });
    let served = served.kill_and_restart().await;
    let given = calls.await.unwrap();
    assert_eq!(served.client.api_key, key, "the key is lost");
    let id = served.client.open("widgets").await;
    assert!(given.is_empty() || given == BTreeSet::from([id.clone()]), "{given:?} and {id}");
    served.client.upload(&id, numbered(1)).await.expect(200);
    assert_eq!(served.client.inspect(&json!({ "session_id": id })).await["verdict"], "request_changes");
}
