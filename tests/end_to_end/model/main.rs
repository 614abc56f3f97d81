//! The model's part of an inspection, through the real server, over a scripted model at the HTTP edge.

#![expect(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod answers;
mod bounds;
mod history;
mod injection;
mod masking;
mod placing;
mod process;
mod setup;

use prevet_testkit::scripted_model::{Asked, Reply};
use serde_json::{Value, json};

use self::process::Process;

/// No rule has anything to say to it.
const CODE: &str = "def total(items):\n    return sum(items) / len(items)\n";
const QUOTE: &str = "return sum(items) / len(items)";

/// A finding as the form asks for it.
fn finding(file: &str, quote: &str, severity: &str, title: &str) -> Value {
    json!({
        "file": file, "quote": quote, "severity": severity, "confidence": "high", "title": title,
        "message": "An empty list divides by zero."
    })
}

/// The finding in [`CODE`], as `a.py`.
fn found() -> Value {
    json!({ "findings": [finding("a.py", QUOTE, "high", "Division by zero")] })
}

/// Answers a review with `answer`, and disproves nothing.
fn answering(answer: Value) -> impl Fn(&Asked) -> Reply + Send + Sync + 'static {
    move |asked| if asked.is_test() { Reply::nothing() } else { Reply::json(&answer) }
}

/// One field of each finding.
fn each<'a>(result: &'a Value, field: &str) -> Vec<&'a str> {
    let findings = result["findings"].as_array().expect("no findings");
    findings.iter().map(|it| it[field].as_str().unwrap_or_default()).collect()
}

/// File, line and reason of what was not reviewed.
fn not_reviewed(result: &Value) -> Vec<(String, Option<u64>, String)> {
    let parts = result["degraded"]["not_reviewed"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    parts.iter().map(|it| (text(&it["file"]), it["line"].as_u64(), text(&it["reason"]))).collect()
}

/// Uploads `diff` to a session of its own and inspects it.
async fn inspect(server: &Process, repo: &str, diff: impl AsRef<[u8]>) -> Value {
    let id = server.client.open_with(repo, diff).await;
    server.client.inspect(&json!({ "session_id": id })).await
}
