//! Results that would be too long for one answer.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prevet_testkit::server::{Client, patch};
use serde_json::{Value, json};

use crate::{BUG, each, serve};

/// What one result may hold, at four bytes a token.
const RESULT_BYTES_MAX: usize = 20_000 * 4;
const PAGES_MAX: usize = 60;

fn many(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        let _ = write!(text, "{}\n\n", BUG.replace("role", &format!("role_{at}")));
    }
    text
}

/// Every page of a result.
async fn pages(client: &Client, id: &str) -> Vec<Value> {
    let mut arguments = json!({ "session_id": id });
    let mut pages = Vec::new();
    loop {
        let page = client.inspect(&arguments).await;
        assert!(page.to_string().len() <= RESULT_BYTES_MAX, "page {} is too long", pages.len());
        let cursor = page["more"]["cursor"].clone();
        pages.push(page);
        assert!(pages.len() <= PAGES_MAX, "the pages have no end");
        if cursor.is_null() {
            return pages;
        }
        arguments["context"] = json!({ "cursor": cursor });
    }
}

#[tokio::test]
async fn all_findings_come_once_over_all_pages() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("a.py", &many(600))).await;
    let pages = pages(client, &id).await;
    assert!(pages.len() > 1, "one page");
    let all: Vec<String> = pages.iter().flat_map(|page| each(page, "id")).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 600);
    assert_eq!(all.len(), 600);
    let mut left = 600;
    for page in &pages {
        assert_eq!(page["counts"]["total"], 600, "counts are of all pages");
        left -= page["findings"].as_array().unwrap().len();
        let remaining = page["more"]["remaining"].as_u64().unwrap_or_default();
        assert_eq!(remaining, left as u64);
    }
    assert!(pages[0]["more"]["instruction"].as_str().unwrap().contains("context.cursor"));
}

#[tokio::test]
async fn all_pages_speak_of_the_same_run() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("b.py", BUG)).await;
    client.inspect(&json!({ "session_id": id })).await;
    client.upload(&id, patch::added("a.py", &many(300))).await.expect(200);
    for page in pages(client, &id).await {
        assert_eq!((&page["counts"]["new"], &page["counts"]["persisting"]), (&json!(300), &json!(0)));
        assert!(each(&page, "status").iter().all(|status| status == "new"));
        assert_eq!(page["fixed"].as_array().map(Vec::len), Some(1));
    }
    // A second run is another matter.
    for page in pages(client, &id).await {
        assert_eq!((&page["counts"]["new"], page.get("fixed")), (&json!(0), None));
    }
}

#[tokio::test]
async fn a_cursor_of_another_diff_is_refused() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("a.py", &many(300))).await;
    let cursor = client.inspect(&json!({ "session_id": id })).await["more"]["cursor"].clone();
    let again = json!({ "session_id": id, "context": { "cursor": cursor } });
    client.inspect(&again).await;
    client.upload(&id, patch::added("a.py", &many(299))).await.expect(200);
    client.inspect_answer(&again).await.expect_tool_error("INVALID_INPUT", &["cursor", "call without it"]);
    for cursor in
        ["", ".", "0.0", "zz.5", &format!("{}.-1", &again["context"]["cursor"].as_str().unwrap()[..16])]
    {
        let arguments = json!({ "session_id": id, "context": { "cursor": cursor } });
        client.inspect_answer(&arguments).await.expect_tool_error("INVALID_INPUT", &["cursor"]);
    }
}

#[tokio::test]
async fn long_lists_beside_the_findings_are_bounded_too() {
    let served = serve().await;
    let client = &served.client;
    // Ignored findings.
    let mut ignored = String::new();
    for at in 0..600 {
        let comment =
            format!("    # prevet: ignore python.or-with-constant {}\n    if", "because ".repeat(30));
        let _ =
            write!(ignored, "{}\n\n", BUG.replace("role", &format!("role_{at}")).replace("    if", &comment));
    }
    let id = client.open_with("r1", patch::added("a.py", &ignored)).await;
    let result = client.inspect(&json!({ "session_id": id })).await;
    assert!(result.to_string().len() <= RESULT_BYTES_MAX, "{}", result.to_string().len());
    assert_eq!(result["counts"]["suppressed_total"], 600);
    // Long names that were not read.
    let mut diff = String::new();
    for at in 0..300 {
        let folder = "folder/".repeat(500);
        let _ = write!(
            diff,
            "diff --git a/{folder}{at} b/{folder}{at}\nindex 1..2 100644\nBinary files a/x and b/x differ\n"
        );
    }
    let id = client.open_with("r2", diff).await;
    let result = client.inspect(&json!({ "session_id": id })).await;
    assert!(result.to_string().len() <= RESULT_BYTES_MAX, "{}", result.to_string().len());
    assert!(result["degraded"].to_string().contains("not named here"));
}

#[tokio::test]
async fn findings_beyond_the_limit_are_said_to_be_missing() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("a.py", &many(2_100))).await;
    let result = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(result["counts"]["total"], 2_000);
    assert!(result["degraded"]["not_reviewed"][0]["reason"].as_str().unwrap().contains("2100 findings"));
}
