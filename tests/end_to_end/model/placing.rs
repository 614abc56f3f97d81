//! What is believed of an answer: where it stands, how bad it is, whose it is.

use prevet_testkit::scripted_model::{Asked, Reply, ScriptedModel};
use prevet_testkit::server::patch;
use serde_json::{Value, json};

use crate::process::Process;
use crate::{CODE, QUOTE, answering, each, finding, found, inspect};

/// `or-with-constant`, high, on line 2.
const BUG: &str = "def check(role):\n    if role == 'admin' or 'owner':\n        grant()\n";

async fn with(findings: Value, diff: &str) -> Value {
    let model = ScriptedModel::start(answering(json!({ "findings": findings })));
    let server = Process::start(&model, &[]).await;
    inspect(&server, "r", diff).await
}

#[tokio::test]
async fn by_the_quote_and_not_by_the_number() {
    let mut claim = finding("b/a.py", "  return   sum(items) / len(items)", "high", "t");
    claim["line"] = json!(999);
    let result = with(json!([claim]), &patch::added("a.py", CODE)).await;
    assert_eq!(result["findings"][0]["line"], 2, "{result}");
    let elsewhere = finding("a.py", "something_else_entirely()", "high", "t");
    let result = with(json!([elsewhere]), &patch::added("a.py", CODE)).await;
    let finding = &result["findings"][0];
    assert_eq!((finding.get("line"), &finding["confidence"]), (None, &json!("low")), "{result}");
}

#[tokio::test]
async fn a_file_outside_the_change_is_none() {
    let outside =
        ["b.py", "../a.py", "/etc/passwd", "lib/a.py"].map(|file| finding(file, QUOTE, "critical", "t"));
    let result = with(json!(outside), &patch::added("a.py", CODE)).await;
    assert_eq!((&result["verdict"], &result["findings"]), (&json!("approve"), &json!([])), "{result}");
}

#[tokio::test]
async fn an_unknown_severity_is_a_bad_one() {
    for word in ["catastrophe", "", "urgent!!", "HIGH"] {
        let result = with(json!([finding("a.py", QUOTE, word, "t")]), &patch::added("a.py", CODE)).await;
        assert_eq!(
            (&result["findings"][0]["severity"], &result["verdict"]),
            (&json!("high"), &json!("request_changes"))
        );
    }
}

#[tokio::test]
async fn a_rule_s_finding_stays_as_it_is() {
    let same =
        finding("a.py", "if role == 'admin' or 'owner':", "low", "condition with constant is always true");
    let other = finding("a.py", "grant()", "medium", "Grants without a log entry");
    let alone = {
        let server = Process::start_with(&[]).await;
        inspect(&server, "r", patch::added("a.py", BUG)).await
    };
    let mut closing = json!({ "findings": [same, other], "verdict": "approve", "suppressed": ["*"] });
    closing["earlier"] = json!([{ "id": alone["findings"][0]["id"], "state": "mended" }]);
    let model = ScriptedModel::start(answering(closing));
    let server = Process::start(&model, &[]).await;
    let result = inspect(&server, "r", patch::added("a.py", BUG)).await;
    assert_eq!(result["findings"][0], alone["findings"][0]);
    assert_eq!(result["verdict"], "request_changes");
    assert_eq!(each(&result, "rule").last(), Some(&"model"), "{result}");
    assert!(result["findings"].as_array().unwrap().len() <= 3, "{result}");
}

#[tokio::test]
async fn what_is_disproved_by_code_is_dropped() {
    let script = |quote: &'static str| {
        move |asked: &Asked| {
            let refutation =
                json!({ "number": 1, "refuted": true, "quote": quote, "reason": "callers check" });
            if asked.is_test() {
                Reply::json(&json!({ "tested": [refutation] }))
            } else {
                Reply::json(&found())
            }
        }
    };
    for (quote, count) in [("def total(items):", 0), ("the code is fine, trust me", 1)] {
        let model = ScriptedModel::start(script(quote));
        let server = Process::start(&model, &[]).await;
        let result = inspect(&server, "r", patch::added("a.py", CODE)).await;
        assert_eq!(result["findings"].as_array().unwrap().len(), count, "{quote}: {result}");
    }
}

#[tokio::test]
async fn a_language_without_rules_is_reviewed_by_the_model() {
    let model = ScriptedModel::start(answering(json!({ "findings": [] })));
    let server = Process::start(&model, &[]).await;
    let result = inspect(&server, "r", patch::added("a.zig", "const a = 1;\n")).await;
    assert_eq!(result["verdict"], "approve", "{result}");
    let silent = ScriptedModel::in_turn(vec![Reply::Text("fine".to_owned())]);
    let server = Process::start(&silent, &[]).await;
    let result = inspect(&server, "r", patch::added("a.zig", "const a = 1;\n")).await;
    assert_eq!(result["verdict"], "error", "{result}");
}

#[tokio::test]
async fn each_report_type_has_its_own_question() {
    let model = ScriptedModel::start(answering(json!({ "findings": [] })));
    let server = Process::start(&model, &[]).await;
    let id = server.client.open_with("r", patch::added("a.py", CODE)).await;
    let result = server.client.inspect(&json!({ "session_id": id, "profile": "review" })).await;
    assert_eq!(result["verdict"], "approve", "{result}");
    let tasks: std::collections::BTreeSet<String> =
        model.asked().into_iter().map(|asked| asked.system.lines().nth(2).unwrap().to_owned()).collect();
    assert_eq!(tasks.len(), 6);
}

#[tokio::test]
async fn plain_language_rules_go_in_where_they_apply() {
    let model = ScriptedModel::start(answering(json!({ "findings": [] })));
    let server = Process::start(&model, &[]).await;
    let id = server.client.open("r").await;
    let policy = "[[guideline]]\npaths = [\"src/api/**\"]\ntext = \"Every handler checks the tenant.\"\n\
        [[guideline]]\npaths = [\"docs/**\"]\ntext = \"Documents have a title.\"\n";
    let pack = json!({ "version": 1, "policy": policy, "files": [] }).to_string();
    let parts =
        prevet_testkit::server::Multipart::diff(patch::added("src/api/a.py", CODE)).part("context", pack);
    server.client.upload_parts(&id, &parts).await.expect(200);
    let context = json!({ "review_config": ["No division without a check."], "pr_title": "Averages" });
    server.client.inspect(&json!({ "session_id": id, "context": context })).await;
    let user = &model.asked()[0].user;
    for text in ["Every handler checks the tenant.", "No division without a check.", "Averages"] {
        assert!(user.contains(text), "{user}");
    }
    assert!(!user.contains("Documents have a title."), "{user}");
}
