//! A finding: its fields, its id, and what becomes of it from run to run.

use prevet_testkit::server::{Client, Multipart, patch};
use serde_json::{Value, json};

use crate::{BUG, CLEAN, HOLE, SMALL_BUG, each, names, serve, token};

async fn run(client: &Client, id: &str, text: &str) -> Value {
    client.upload(id, patch::added("a.py", text)).await.expect(200);
    client.inspect(&json!({ "session_id": id, "profile": "review" })).await
}

#[tokio::test]
async fn it_has_the_contract_s_fields() {
    let served = serve().await;
    let id = served.client.open("widgets").await;
    let text = format!("{HOLE}\n\n{SMALL_BUG}KEY = \"{}\"\n", token());
    let result = run(&served.client, &id, &text).await;
    let findings = result["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 3, "{result}");
    let must = [
        "id",
        "report_type",
        "severity",
        "confidence",
        "file",
        "line",
        "end_line",
        "title",
        "message",
        "rule",
        "evidence",
        "status",
    ];
    let may = ["cwe", "owasp", "fix"];
    for finding in findings {
        for name in must {
            assert!(!finding[name].is_null(), "{finding} lacks {name}");
        }
        for name in names(finding) {
            assert!(must.contains(&name) || may.contains(&name), "{name}");
        }
        assert!(finding.get("cwe").or(finding.get("owasp")).is_some(), "{finding}");
        assert_eq!(finding["file"], "a.py");
        assert!(["high", "medium", "low"].contains(&finding["confidence"].as_str().unwrap()));
    }
    // Worst first, and placed where it stands.
    assert_eq!(each(&result, "severity"), ["critical", "critical", "medium"]);
    let small = &findings[2];
    assert_eq!((&small["line"], &small["evidence"]), (&json!(10), &json!("if role is 'admin':")));
    assert_eq!(small["fix"], "    if role == 'admin':");
}

#[tokio::test]
async fn its_id_survives_moving_and_reformatting() {
    let served = serve().await;
    let client = &served.client;
    let ids = async |repo: &str, path: &str, text: &str| {
        let id = client.open_with(repo, patch::added(path, text)).await;
        each(&client.inspect(&json!({ "session_id": id })).await, "id")
    };
    let plain = ids("r1", "a.py", BUG).await;
    assert_eq!(plain.len(), 1);
    assert_eq!(ids("r2", "a.py", &format!("import os\n\n\n{BUG}")).await, plain, "three lines further down");
    assert_eq!(ids("r3", "a.py", &BUG.replace("role ==", "role  ==")).await, plain, "another space");
    assert_ne!(ids("r4", "b.py", BUG).await, plain, "another file");
    assert_ne!(ids("r5", "a.py", &BUG.replace("owner", "editor")).await, plain, "other code");
    let twice = ids("r6", "a.py", &format!("{BUG}\n\n{}", BUG.replace("check", "check_again"))).await;
    assert_eq!(twice.len(), 2);
    assert_ne!(twice[0], twice[1], "two findings on the same code");
    assert!(twice.contains(&plain[0]));
}

#[tokio::test]
async fn new_persisting_fixed_over_three_runs() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let first = run(client, &id, BUG).await;
    assert_eq!(each(&first, "status"), ["new"]);
    assert_eq!(first.get("fixed"), None);
    let second = run(client, &id, &format!("{BUG}\n\n{SMALL_BUG}")).await;
    assert_eq!(each(&second, "status"), ["persisting", "new"]);
    assert_eq!((&second["counts"]["new"], &second["counts"]["persisting"]), (&json!(1), &json!(1)));
    assert_eq!(second.get("fixed"), None);
    let third = run(client, &id, SMALL_BUG).await;
    assert_eq!(each(&third, "status"), ["persisting"]);
    assert_eq!(third["fixed"], json!([{ "id": each(&first, "id")[0], "title": each(&first, "title")[0] }]));
    let fourth = run(client, &id, CLEAN).await;
    assert_eq!(fourth["fixed"][0]["id"].as_str(), Some(each(&second, "id")[1].as_str()));
    assert_eq!(fourth.get("counts"), None);
    let fifth = run(client, &id, BUG).await;
    assert_eq!(each(&fifth, "status"), ["new"], "gone and come again");
    assert_eq!(each(&fifth, "id"), each(&first, "id"));
}

#[tokio::test]
async fn a_narrower_run_fixes_nothing() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    run(client, &id, &format!("{BUG}\n\n{HOLE}")).await;
    let narrow = client.inspect(&json!({ "session_id": id, "profile": "security" })).await;
    assert_eq!((each(&narrow, "status"), narrow.get("fixed")), (vec!["persisting".to_owned()], None));
    let wide = client.inspect(&json!({ "session_id": id, "profile": "review" })).await;
    assert_eq!(each(&wide, "status"), ["persisting", "persisting"]);
}

#[tokio::test]
async fn what_was_not_read_is_not_fixed() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    run(client, &id, BUG).await;
    let unmerged =
        "diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n@@@ -1,1 -1,1 +1,5 @@@\n++<<<<<<< HEAD\n";
    client.upload(&id, unmerged).await.expect(200);
    let result = client.inspect(&json!({ "session_id": id, "profile": "review" })).await;
    assert_eq!((&result["verdict"], result.get("fixed")), (&json!("error"), None));
    assert_eq!(each(&run(client, &id, BUG).await, "status"), ["persisting"]);
}

#[tokio::test]
async fn branches_have_histories_of_their_own() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    run(client, &id, BUG).await;
    let mut body = client.session_body("widgets");
    body["branch"] = json!("other");
    client.session(&body).await.expect(200);
    let other = run(client, &id, CLEAN).await;
    assert_eq!(other.get("fixed"), None);
    assert_eq!(each(&run(client, &id, BUG).await, "status"), ["new"]);
    client.open("widgets").await;
    assert_eq!(each(&run(client, &id, BUG).await, "status"), ["persisting"]);
}

#[tokio::test]
async fn an_ignored_finding_stays_counted_and_listed() {
    let served = serve().await;
    let client = &served.client;
    let comment = "    # prevet: ignore python.or-with-constant owners are checked above\n    if";
    let text = BUG.replace("    if", comment);
    let inspect = async |repo: &str, policy: &str| {
        let id = client.open(repo).await;
        let mut pack = patch::pack(&[("a.py", &text)]);
        pack["policy"] = json!(policy);
        let parts = Multipart::diff(patch::added("a.py", &text)).part("context", pack.to_string());
        client.upload_parts(&id, &parts).await.expect(200);
        client.inspect(&json!({ "session_id": id })).await
    };
    let allowed = inspect("r1", "").await;
    assert_eq!((&allowed["verdict"], &allowed["findings"]), (&json!("approve"), &json!([])));
    let suppressed = &allowed["counts"]["suppressed"][0];
    assert_eq!(suppressed["reason"], "owners are checked above");
    assert_eq!((&suppressed["new"], &suppressed["line"]), (&json!(true), &json!(3)));
    assert_eq!(inspect("r2", "new_ignores = \"block\"").await["verdict"], "request_changes");
}

#[tokio::test]
async fn evidence_is_masked_and_bounded() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let line = format!("{}; ok = role is 'admin'; key = '{}'\n", "x = 1; ".repeat(10_000), token());
    let result = run(client, &id, &line).await;
    for evidence in each(&result, "evidence") {
        assert!(evidence.chars().count() <= 241, "{}", evidence.len());
        assert!(!evidence.contains(&token()));
    }
}
