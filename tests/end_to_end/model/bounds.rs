//! Large changes and small limits: parts, and the end of the budget.

use std::fmt::Write as _;

use prevet_testkit::scripted_model::{Asked, Reply, ScriptedModel};
use prevet_testkit::server::patch;
use serde_json::{Value, json};

use crate::process::Process;
use crate::{CODE, each, finding, inspect, not_reviewed};

const FLAW: &str = "ratio = total / len(no_items_at_all)";
const HUNKS: usize = 100;
const LINES_PER_HUNK: usize = 30;

/// 3,000 changed lines in 100 hunks of one file; the flaw is in the last one.
fn large() -> String {
    let mut text =
        "diff --git a/big.py b/big.py\nindex 1111111..2222222 100644\n--- a/big.py\n+++ b/big.py\n"
            .to_owned();
    for hunk in 0..HUNKS {
        let (old, new) = (hunk * 100 + 1, hunk * (100 + LINES_PER_HUNK) + 1);
        let _ = writeln!(text, "@@ -{old} +{new},{} @@ def group():\n before_{hunk} = 1", LINES_PER_HUNK + 1);
        for line in 0..LINES_PER_HUNK {
            let last = hunk + 1 == HUNKS && line + 1 == LINES_PER_HUNK;
            let code =
                if last { FLAW.to_owned() } else { format!("value_{hunk}_{line} = compute({hunk}, {line})") };
            let _ = writeln!(text, "+{code}");
        }
    }
    text
}

/// Finds the flaw where it is shown.
fn finds(asked: &Asked) -> Reply {
    if asked.is_test() || !asked.user.contains(FLAW) {
        return Reply::nothing();
    }
    Reply::json(&json!({ "findings": [finding("big.py", FLAW, "high", "Division by zero")] }))
}

/// Every changed line was sent, whole and once.
fn all_lines_once(model: &ScriptedModel) {
    let sent: String = model.asked().iter().filter(|it| !it.is_test()).map(|it| it.user.as_str()).collect();
    for line in large().lines().filter(|line| line.starts_with('+') && !line.starts_with("+++")) {
        let ending = format!(" + {}\n", &line[1..]);
        assert_eq!(sent.matches(&ending).count(), 1, "{line}");
    }
}

#[tokio::test]
async fn every_part_of_a_large_change_is_asked_about() {
    let model = ScriptedModel::start(finds);
    let server = Process::start(&model, &[("PREVET_MODEL_INPUT_TOKENS", "4000")]).await;
    let result = inspect(&server, "r", large()).await;
    assert_eq!(result["verdict"], "request_changes", "{result}");
    let number = (HUNKS - 1) * (100 + LINES_PER_HUNK) + 1 + LINES_PER_HUNK;
    assert_eq!(result["findings"][0]["line"], json!(number));
    assert!(not_reviewed(&result).iter().all(|it| !it.2.contains("model")), "{result}");
    assert!(model.asked().len() > 10);
    assert!(model.asked().iter().all(|asked| asked.system.len() + asked.user.len() <= 12_000));
    all_lines_once(&model);
}

#[tokio::test]
async fn one_large_hunk_is_cut_between_lines() {
    let model = ScriptedModel::start(finds);
    let server = Process::start(&model, &[("PREVET_MODEL_INPUT_TOKENS", "4000")]).await;
    let lines: String = (0..3_000).map(|at| format!("value_{at} = compute({at})\n")).collect();
    let result = inspect(&server, "r", patch::added("big.py", &format!("{lines}{FLAW}\n"))).await;
    assert_eq!(
        (&result["verdict"], &result["findings"][0]["line"]),
        (&json!("request_changes"), &json!(3_001))
    );
}

#[tokio::test]
async fn the_intent_comes_first() {
    let model = ScriptedModel::start(finds);
    let server = Process::start(&model, &[("PREVET_MODEL_INPUT_TOKENS", "3000")]).await;
    let names = ["one", "two", "three", "four", "five", "six", "seven", "last"];
    let file = |name: &str| {
        let lines: String = (0..120).map(|at| format!("{name}_{at} = compute({at})\n")).collect();
        patch::added(&format!("{name}.py"), &lines)
    };
    let id = server.client.open_with("r", names.map(file).concat()).await;
    let intent = "mended the check in last.py";
    server.client.inspect(&json!({ "session_id": id, "intent": intent })).await;
    let first = model.asked().into_iter().take(4).any(|asked| asked.user.contains("file: last.py"));
    assert!(first, "{:?}", model.asked().first());
    assert!(model.asked().len() > 4, "{}", model.asked().len());
}

async fn until_the_budget_ends(settings: &[(&str, &str)], policy: &str) -> (Value, usize) {
    let model = ScriptedModel::start(finds);
    let small = [("PREVET_MODEL_INPUT_TOKENS", "4000")];
    let server = Process::start(&model, &[&small, settings].concat()).await;
    let id = server.client.open("r").await;
    let pack = json!({ "version": 1, "policy": policy, "files": [] }).to_string();
    let parts = prevet_testkit::server::Multipart::diff(large()).part("context", pack);
    server.client.upload_parts(&id, &parts).await.expect(200);
    let result = server.client.inspect(&json!({ "session_id": id })).await;
    (result, model.asked().len())
}

/// 1,100 tokens are used by an answered question, and up to 10,000 are set aside by one that is open.
#[tokio::test]
async fn the_end_of_the_budget_is_named() {
    let (result, asked) = until_the_budget_ends(&[("PREVET_MODEL_TOKENS_PER_DAY", "20000")], "").await;
    assert_eq!(result["verdict"], "incomplete", "{result}");
    assert!((1..40).contains(&asked), "{asked}");
    let gaps = not_reviewed(&result);
    assert!(gaps.iter().any(|it| it.0 == "big.py" && it.1.is_some() && it.2.contains("20000 tokens a day")));
    assert!(each(&result, "title").is_empty());
}

#[tokio::test]
async fn the_policy_lowers_the_budget() {
    let prices = [
        ("PREVET_MODEL_USD_PER_MILLION_INPUT", "10"),
        ("PREVET_MODEL_USD_PER_MILLION_OUTPUT", "10"),
        ("PREVET_MODEL_USD_PER_DAY", "1000"),
    ];
    let (result, asked) = until_the_budget_ends(&prices, "[model]\nbudget_usd_per_day = 0.15\n").await;
    assert_eq!(result["verdict"], "incomplete", "{result}");
    assert!((1..40).contains(&asked), "{asked}");
    assert!(not_reviewed(&result).iter().any(|it| it.2.contains("0.15 USD a day")), "{result}");
}

#[tokio::test]
async fn a_day_is_one_budget_for_all_sessions() {
    let model = ScriptedModel::start(|_| Reply::nothing());
    let server = Process::start(&model, &[("PREVET_MODEL_TOKENS_PER_DAY", "9000")]).await;
    let mut verdicts = Vec::new();
    for repo in ["a", "b", "c"] {
        let result = inspect(&server, repo, patch::added("a.py", CODE)).await;
        verdicts.push(result["verdict"].as_str().unwrap().to_owned());
    }
    assert_eq!(verdicts, ["approve", "approve", "incomplete"]);
}
