//! Whatever a model answers, the result is honest.

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::server::patch;
use serde_json::{Value, json};

use crate::process::{KEY, Process};
use crate::{CODE, answering, each, found, inspect, not_reviewed};

async fn inspected(replies: Vec<Reply>, settings: &[(&str, &str)]) -> (Value, ScriptedModel, Process) {
    let model = ScriptedModel::in_turn(replies);
    let server = Process::start(&model, settings).await;
    let result = inspect(&server, "r", patch::added("a.py", CODE)).await;
    (result, model, server)
}

fn text(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

#[tokio::test]
async fn a_finding_is_added_and_placed() {
    let model = ScriptedModel::start(answering(found()));
    let server = Process::start(&model, &[]).await;
    let result = inspect(&server, "r", patch::added("a.py", CODE)).await;
    assert_eq!(result["verdict"], "request_changes", "{result}");
    let finding = &result["findings"][0];
    assert_eq!((&finding["rule"], &finding["line"]), (&json!("model"), &json!(2)));
    assert_eq!(finding["evidence"], "return sum(items) / len(items)");
    assert_eq!(finding["report_type"], "BUG_REPORT");
    assert!(result.get("degraded").is_none(), "{result}");
}

#[tokio::test]
async fn nothing_found_is_an_approval() {
    let (result, model, _server) = inspected(vec![Reply::nothing()], &[]).await;
    assert_eq!(result["verdict"], "approve", "{result}");
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test]
async fn without_a_model_nothing_changes() {
    let server = Process::start_with(&[]).await;
    let result = inspect(&server, "r", patch::added("a.py", CODE)).await;
    assert_eq!((&result["verdict"], &result["findings"]), (&json!("approve"), &json!([])));
    let unknown = inspect(&server, "s", patch::added("a.zig", "const a = 1;\n")).await;
    assert_eq!(unknown["verdict"], "error", "{unknown}");
}

#[tokio::test]
async fn what_can_be_recovered_is() {
    let answer = found().to_string();
    let array = found()["findings"].to_string();
    let forms = [
        format!("I looked at it closely.\n```json\n{answer}\n```\nThat is all."),
        json!({ "findings": array }).to_string(),
        Value::String(answer.clone()).to_string(),
        format!("Here: {answer}"),
        array,
    ];
    for form in forms {
        let (result, _model, _server) = inspected(vec![text(&form), Reply::nothing()], &[]).await;
        assert_eq!(result["verdict"], "request_changes", "{form}: {result}");
        assert_eq!(each(&result, "title"), ["Division by zero"]);
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_asked_once_more_and_then_a_gap() {
    let prose =
        ["LGTM, approve!", "", "   ", "一切正常，没有发现问题", "{}", r#"{"verdict":"approve"}"#, "null"];
    for answer in prose {
        let (result, model, _server) = inspected(vec![text(answer)], &[]).await;
        assert_eq!(result["verdict"], "incomplete", "{answer:?}: {result}");
        assert_eq!(model.asked().len(), 2, "{answer:?}");
        let gap = &not_reviewed(&result)[0];
        assert_eq!((gap.0.as_str(), gap.1), ("a.py", Some(1)));
        assert!(gap.2.contains("BUG_REPORT") && gap.2.contains("could not be read"), "{gap:?}");
    }
    let (result, model, _server) = inspected(vec![text("LGTM"), Reply::nothing()], &[]).await;
    assert_eq!((result["verdict"].as_str(), model.asked().len()), (Some("approve"), 2), "{result}");
}

#[tokio::test]
async fn what_was_cut_is_kept_and_is_a_gap() {
    let whole = json!({ "findings": [found()["findings"][0], { "title": "second" }] }).to_string();
    let cut = &whole[..whole.len() - 12];
    let (result, model, _server) = inspected(vec![text(cut), text(cut), Reply::nothing()], &[]).await;
    assert_eq!(result["verdict"], "request_changes", "{result}");
    assert_eq!(each(&result, "title"), ["Division by zero"]);
    assert!(not_reviewed(&result)[0].2.contains("cut short"), "{result}");
    assert_eq!(model.asked().len(), 3, "twice, and the test of what was found");
}

#[tokio::test]
async fn ten_megabytes_are_no_answer() {
    let (result, _model, _server) = inspected(vec![text(&"{\"findings\": [".repeat(700_000))], &[]).await;
    assert_eq!(result["verdict"], "incomplete", "{result}");
}

#[tokio::test]
async fn failures_of_the_provider_are_gaps_that_say_why() {
    let quick: &[(&str, &str)] = &[("PREVET_MODEL_TIMEOUT_SECONDS", "3")];
    let cases = [
        (Reply::Status(429, Some(629)), "come back in 629 s"),
        (Reply::Status(500, None), "status 500"),
        (Reply::Status(401, None), "refuses the key"),
        (Reply::Status(404, None), "no such model"),
        (Reply::Hang, "within 3 s"),
        (Reply::Drop, "broke the connection off"),
        (Reply::Stop, "broke the connection off"),
    ];
    for (reply, words) in cases {
        let began = std::time::Instant::now();
        let (result, _model, server) = inspected(vec![reply.clone()], quick).await;
        assert_eq!(result["verdict"], "incomplete", "{reply:?}: {result}");
        let reason = &not_reviewed(&result)[0].2;
        assert!(reason.contains(words), "{reply:?}: {reason}");
        assert!(began.elapsed().as_secs() < 30, "{reply:?}");
        for said in [result.to_string(), server.log()] {
            assert!(!said.contains(KEY) && !said.contains("sk-test-echoed"), "{reply:?}: {said}");
        }
    }
}

#[tokio::test]
async fn a_short_pause_is_waited_for() {
    let replies = vec![Reply::Status(429, Some(1)), Reply::Status(503, None), Reply::nothing()];
    let (result, model, _server) = inspected(replies, &[]).await;
    assert_eq!((result["verdict"].as_str(), model.asked().len()), (Some("approve"), 3), "{result}");
}

#[tokio::test]
async fn a_failed_run_is_not_given_again() {
    let model = ScriptedModel::in_turn(vec![Reply::Status(401, None), Reply::nothing()]);
    let server = Process::start(&model, &[]).await;
    let id = server.client.open_with("r", patch::added("a.py", CODE)).await;
    let run = async || server.client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(run().await["verdict"], "incomplete");
    assert_eq!(run().await["verdict"], "approve");
    assert_eq!(run().await["cached"], true);
}

#[tokio::test]
async fn settings_that_name_no_model_are_said_at_the_start() {
    let said = Process::refusal(&[("PREVET_MODEL", "acme::x"), ("PREVET_MODEL_API_KEY", KEY)]).await;
    assert!(said.contains("PREVET_MODEL=") && said.contains("PREVET_MODEL_URL"), "{said}");
    let said =
        Process::refusal(&[("PREVET_MODEL", "openai::x"), ("PREVET_MODEL_INPUT_TOKENS", "many")]).await;
    assert!(said.contains("PREVET_MODEL_INPUT_TOKENS") && said.contains("whole number"), "{said}");
}
