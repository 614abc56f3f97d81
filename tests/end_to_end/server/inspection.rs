//! `inspect_diff`: the result's fields, one after the other.

use prevet_testkit::server::{Client, Multipart, patch};
use serde_json::{Value, json};

use crate::{BUG, CLEAN, HOLE, SMALL_BUG, each, names, serve, token};

const ALWAYS: [&str; 4] = ["findings", "profile", "session_id", "verdict"];

/// Uploads the file with itself as its context.
async fn with_context(client: &Client, repo: &str, path: &str, text: &str) -> String {
    let id = client.open(repo).await;
    let parts =
        Multipart::diff(patch::added(path, text)).part("context", patch::pack(&[(path, text)]).to_string());
    client.upload_parts(&id, &parts).await.expect(200);
    id
}

fn sorted(mut texts: Vec<&str>) -> Vec<&str> {
    texts.sort_unstable();
    texts
}

#[tokio::test]
async fn a_clean_result_has_nothing_but_the_four_fields() {
    let served = serve().await;
    let id = with_context(&served.client, "widgets", "a.py", CLEAN).await;
    let result = served.client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(sorted(names(&result)), ALWAYS);
    assert_eq!(
        result,
        json!({ "verdict": "approve", "findings": [], "profile": "inspect", "session_id": id })
    );
}

#[tokio::test]
async fn findings_bring_counts_and_nothing_else() {
    let served = serve().await;
    let id = with_context(&served.client, "widgets", "a.py", BUG).await;
    let result = served.client.inspect(&json!({ "session_id": id })).await;
    let mut expected = [&ALWAYS[..], &["counts"]].concat();
    expected.sort_unstable();
    assert_eq!(sorted(names(&result)), expected);
    assert_eq!(result["verdict"], "request_changes");
    let counts = json!({
        "total": 1, "by_severity": { "high": 1 }, "by_report_type": { "BUG_REPORT": 1 }, "new": 1, "persisting": 0,
    });
    assert_eq!(result["counts"], counts);
}

#[tokio::test]
async fn a_diff_alone_is_said_to_be_one() {
    let served = serve().await;
    let id = served.client.open_with("widgets", patch::replaced("a.py", CLEAN, BUG)).await;
    let result = served.client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(result["context_refresh"]["status"], "diff_only");
    assert_eq!(result["compiler_check"]["status"], "skipped");
    assert_eq!(result["verdict"], "request_changes");
    // Some files, not all.
    let both = [patch::replaced("a.py", CLEAN, BUG), patch::replaced("b.py", CLEAN, SMALL_BUG)].concat();
    let parts = Multipart::diff(both).part("context", patch::pack(&[("a.py", BUG)]).to_string());
    served.client.upload_parts(&id, &parts).await.expect(200);
    let result = served.client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(result["context_refresh"]["status"], "partial");
    assert!(result["context_refresh"]["reason"].as_str().unwrap().contains("1 file"), "{result}");
}

#[tokio::test]
async fn the_verdict_comes_of_findings_and_coverage() {
    let served = serve().await;
    let unmerged =
        "diff --cc c.py\nindex 1,2..3\n--- a/c.py\n+++ b/c.py\n@@@ -1,1 -1,1 +1,5 @@@\n++<<<<<<< HEAD\n";
    let binary = "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n";
    let unmerged_and = |other: &str| format!("{}{unmerged}", patch::added("a.py", other));
    let cases = [
        (patch::added("a.py", CLEAN), "approve"),
        (patch::added("a.py", SMALL_BUG), "approve"),
        (patch::added("a.py", BUG), "request_changes"),
        (unmerged_and(CLEAN), "incomplete"),
        (unmerged_and(BUG), "request_changes"),
        (unmerged.to_owned(), "error"),
        (binary.to_owned(), "approve"),
        (patch::added("yarn.lock", "x\n"), "approve"),
    ];
    for (at, (diff, verdict)) in cases.into_iter().enumerate() {
        let id = served.client.open_with(&format!("r{at}"), &diff).await;
        let result = served.client.inspect(&json!({ "session_id": id })).await;
        assert_eq!(result["verdict"], verdict, "{diff}");
    }
}

#[tokio::test]
async fn what_was_not_read_is_named() {
    let served = serve().await;
    let unmerged =
        "diff --cc c.py\nindex 1,2..3\n--- a/c.py\n+++ b/c.py\n@@@ -1,1 -1,1 +1,5 @@@\n++<<<<<<< HEAD\n";
    let diff = [&patch::added("yarn.lock", "x\n"), unmerged, &patch::added("a.py", CLEAN)].concat();
    let id = served.client.open_with("widgets", diff).await;
    let degraded = served.client.inspect(&json!({ "session_id": id })).await["degraded"].clone();
    assert!(degraded["cause"].as_str().unwrap().contains("1 part"), "{degraded}");
    // The gap comes first; what is left out by convention follows.
    let named = degraded["not_reviewed"].as_array().unwrap();
    assert_eq!(named[0], json!({ "file": "c.py", "reason": "unresolved merge conflict" }));
    assert_eq!(named[1], json!({ "file": "yarn.lock", "reason": "lock file", "by_convention": true }));
    assert_eq!(named.len(), 2);
}

#[tokio::test]
async fn profiles_choose_report_types() {
    let served = serve().await;
    let text = format!("{HOLE}\n\n{BUG}KEY = \"{}\"\n", token());
    let id = with_context(&served.client, "widgets", "a.py", &text).await;
    let types = async |arguments: Value| {
        let result = served.client.inspect(&arguments).await;
        let mut types = each(&result, "report_type");
        types.sort();
        types.dedup();
        (result["profile"].as_str().unwrap().to_owned(), types.join(" "))
    };
    let (bugs, security) = ("BUG_REPORT".to_owned(), "SECRET_REPORT SECURITY_REPORT".to_owned());
    let all = format!("{bugs} {security}");
    let cases = [
        (json!({}), "inspect", &bugs),
        (json!({ "profile": "inspect" }), "inspect", &bugs),
        (json!({ "profile": "security" }), "security", &security),
        (json!({ "profile": "review" }), "review", &all),
        (json!({ "profile": "everything" }), "inspect", &bugs),
        (json!({ "profile": "REVIEW" }), "inspect", &bugs),
        (json!({ "profile": "" }), "inspect", &bugs),
    ];
    for (mut arguments, profile, expected) in cases {
        arguments["session_id"] = json!(id);
        assert_eq!(types(arguments.clone()).await, (profile.to_owned(), expected.clone()), "{arguments}");
    }
    let override_of = |types: Value| json!({ "session_id": id, "context": { "report_types": types } });
    assert_eq!(types(override_of(json!(["SECURITY_REPORT"]))).await.1, "SECURITY_REPORT");
    assert_eq!(types(override_of(json!(["SECRET_REPORT", "SECRET_REPORT"]))).await.1, "SECRET_REPORT");
    assert_eq!(
        types(override_of(json!(["MCP_REPORT", "LLM_SECURITY_REPORT", "AIAGENT_SECURITY_REPORT"]))).await.1,
        ""
    );
}

#[tokio::test]
async fn bad_parameters_are_tool_errors_that_name_them() {
    let served = serve().await;
    let id = served.client.open_with("widgets", patch::added("a.py", CLEAN)).await;
    let cases: [(Value, &[&str]); 16] = [
        (json!({}), &["session_id", "missing"]),
        (json!({ "session_id": 5 }), &["session_id", "string"]),
        (json!({ "session_id": null }), &["session_id"]),
        (json!({ "session_id": id, "intent": 5 }), &["intent", "string"]),
        (json!({ "session_id": id, "intent": "x".repeat(70_000) }), &["70000", "65536"]),
        (json!({ "session_id": id, "profile": [] }), &["profile", "string"]),
        (json!({ "session_id": id, "context": "x" }), &["context"]),
        (json!({ "session_id": id, "context": [] }), &["context"]),
        (json!({ "session_id": id, "context": { "pr_title": 1 } }), &["context.pr_title", "string"]),
        (json!({ "session_id": id, "context": { "pr_description": {} } }), &["context.pr_description"]),
        (json!({ "session_id": id, "context": { "review_config": 5 } }), &["context.review_config", "list"]),
        (json!({ "session_id": id, "context": { "review_config": [5] } }), &["context.review_config"]),
        (json!({ "session_id": id, "context": { "report_types": "BUG_REPORT" } }), &["context.report_types"]),
        (
            json!({ "session_id": id, "context": { "report_types": ["BUGS"] } }),
            &["report_types", "BUGS", "BUG_REPORT"],
        ),
        (json!({ "session_id": id, "context": { "report_types": [] } }), &["report_types", "empty"]),
        (json!({ "session_id": id, "context": { "cursor": "zzz" } }), &["cursor"]),
    ];
    for (arguments, words) in cases {
        served.client.inspect_answer(&arguments).await.expect_tool_error("INVALID_INPUT", words);
    }
    for unknown in ["", "nope", "../x", &"a".repeat(52), &"a".repeat(5000)] {
        let answer = served.client.inspect_answer(&json!({ "session_id": unknown })).await;
        answer.expect_tool_error("UNKNOWN_SESSION", &["POST /session"]);
    }
}

#[tokio::test]
async fn context_extras_are_taken() {
    let served = serve().await;
    let id = with_context(&served.client, "widgets", "a.py", BUG).await;
    let plain = served.client.inspect(&json!({ "session_id": id })).await;
    let contexts = [
        json!(null),
        json!({}),
        json!({ "pr_title": "Check roles", "pr_description": "Only owners and admins." }),
        json!({ "review_config": "No print." }),
        json!({ "review_config": ["No print.", "No eval."] }),
        json!({ "pr_title": null, "report_types": null, "review_config": null, "cursor": null }),
        json!({ "something_new": 5 }),
    ];
    for context in contexts {
        let result = served.client.inspect(&json!({ "session_id": id, "context": context })).await;
        assert_eq!(each(&result, "id"), each(&plain, "id"), "{context}");
    }
}

#[tokio::test]
async fn a_second_identical_call_is_cached() {
    let served = serve().await;
    let id = with_context(&served.client, "widgets", "a.py", BUG).await;
    let cached = async |arguments: Value| served.client.inspect(&arguments).await["cached"] == true;
    let plain = json!({ "session_id": id });
    assert!(!cached(plain.clone()).await);
    assert!(cached(plain.clone()).await);
    let others = [
        json!({ "session_id": id, "profile": "review" }),
        json!({ "session_id": id, "intent": "mended it" }),
        json!({ "session_id": id, "context": { "review_config": "No print." } }),
        json!({ "session_id": id, "context": { "report_types": ["SECRET_REPORT"] } }),
    ];
    for other in others {
        assert!(!cached(other.clone()).await, "{other}");
        assert!(cached(other).await);
    }
    served.client.upload(&id, patch::added("a.py", BUG)).await.expect(200);
    assert!(!cached(plain.clone()).await, "without its context it is another inspection");
    served.client.upload(&id, patch::added("a.py", SMALL_BUG)).await.expect(200);
    assert!(!cached(plain).await);
}

#[tokio::test]
async fn the_diff_that_is_meant_can_be_stated() {
    let served = serve().await;
    let id = served.client.open_with("widgets", patch::added("a.py", CLEAN)).await;
    let meant = json!({ "session_id": id, "context": { "diff_sha256": "0".repeat(64) } });
    served.client.inspect_answer(&meant).await.expect_tool_error("BUSY", &["replaced", "upload again"]);
}

#[tokio::test]
async fn the_policy_travels_with_the_upload() {
    let served = serve().await;
    let client = &served.client;
    let verdict = async |repo: &str, path: &str, text: &str, policy: &str| {
        let id = client.open(repo).await;
        let mut pack = patch::pack(&[(path, text)]);
        pack["policy"] = json!(policy);
        let parts = Multipart::diff(patch::added(path, text)).part("context", pack.to_string());
        client.upload_parts(&id, &parts).await.expect(200);
        client.inspect(&json!({ "session_id": id, "profile": "review" })).await
    };
    assert_eq!(verdict("r1", "a.py", BUG, "gate = \"never\"").await["verdict"], "approve");
    assert_eq!(verdict("r2", "a.py", SMALL_BUG, "gate = \"medium\"").await["verdict"], "request_changes");
    let off = "[rules]\n\"python.or-with-constant\" = \"off\"";
    assert_eq!(verdict("r3", "a.py", BUG, off).await["findings"], json!([]));
    let low = "[rules]\n\"python.or-with-constant\" = \"low\"";
    assert_eq!(verdict("r4", "a.py", BUG, low).await["findings"][0]["severity"], "low");
    let excluded = verdict("r5", "gen/a.py", BUG, "exclude = [\"gen/**\"]").await;
    assert_eq!((&excluded["verdict"], &excluded["findings"]), (&json!("approve"), &json!([])));
    assert_eq!(excluded["degraded"]["not_reviewed"][0]["reason"], "excluded by the policy");
    // Secrets are looked for in what is excluded, and stop from medium on whatever the gate.
    let text = format!("KEY = \"{}\"\n", token());
    let secret = verdict("r6", "gen/a.py", &text, "gate = \"critical\"\nexclude = [\"gen/**\"]").await;
    assert_eq!(
        (&secret["verdict"], secret["findings"].as_array().unwrap().len()),
        (&json!("request_changes"), 1)
    );
}
