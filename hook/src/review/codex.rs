//! The Codex CLI: `codex exec`, its arguments and its event stream. Tried with 0.171.0, of which the names of events
//! and items are; `exec resume --json` is there from 0.80.0 on.

use prevet_domain::review::stream::{Activity, ReviewerEvent};
use serde_json::Value;

use super::reviewer::Order;

/// The oldest version with `exec resume --json`.
pub(super) const OLDEST_VERSION: (u64, u64) = (0, 80);
/// A reviewer with the review tools could have itself reviewed, without end. A server that is not configured needs a
/// command to be valid even when it is off.
const WITHOUT_REVIEW_TOOLS: [&str; 2] =
    ["mcp_servers.cross-review.command=\"prevet\"", "mcp_servers.cross-review.enabled=false"];
/// What is shown of a command or a message.
const ACTIVITY_CHARACTERS_MAX: usize = 300;

/// `codex exec …`, or `codex exec resume …` on a thread. The sandbox is read-only either way: resume has no `-s`.
pub(super) fn arguments(order: &Order<'_>) -> Vec<String> {
    let mut arguments: Vec<String> = match order.thread {
        None => ["exec", "--json", "-s", "read-only"].map(str::to_owned).to_vec(),
        Some(_) => {
            ["exec", "resume", "--json", "-c", "sandbox_mode=\"read-only\""].map(str::to_owned).to_vec()
        }
    };
    for setting in WITHOUT_REVIEW_TOOLS {
        arguments.extend(["-c".to_owned(), setting.to_owned()]);
    }
    arguments.extend(["-c".to_owned(), format!("model_reasoning_effort=\"{}\"", order.effort)]);
    if let Some(model) = order.model {
        arguments.extend(["-m".to_owned(), model.to_owned()]);
    }
    arguments.extend(order.thread.map(str::to_owned));
    arguments.push("-".to_owned());
    arguments
}

/// A line of `--json` output. A top-level `error` is a warning: only `turn.failed` ends a turn.
pub(super) fn event(line: &[u8]) -> Option<ReviewerEvent> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(match value.get("type")?.as_str()? {
        "thread.started" => ReviewerEvent::Thread(text("/thread_id")).with_name()?,
        "turn.completed" => ReviewerEvent::TurnCompleted,
        "turn.failed" => ReviewerEvent::TurnFailed(text("/error/message")),
        "error" => ReviewerEvent::Warning(text("/message")),
        "item.started" => {
            ReviewerEvent::Started { id: text("/item/id"), activity: activity(value.get("item")?) }
        }
        "item.completed" => item(value.get("item")?, text("/item/id")),
        _ => ReviewerEvent::Other,
    })
}

trait Named: Sized {
    fn with_name(self) -> Option<Self>;
}

impl Named for ReviewerEvent {
    /// A thread without an id is none.
    fn with_name(self) -> Option<Self> {
        let nameless = matches!(&self, Self::Thread(id) if id.is_empty());
        (!nameless).then_some(self)
    }
}

fn item(item: &Value, id: String) -> ReviewerEvent {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match item.get("type").and_then(Value::as_str) {
        Some("agent_message") => ReviewerEvent::Message(text("text")),
        Some("error") => ReviewerEvent::Warning(text("message")),
        _ => ReviewerEvent::Finished { id, activity: activity(item) },
    }
}

fn activity(item: &Value) -> Activity {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (kind, shown) = match item.get("type").and_then(Value::as_str).unwrap_or_default() {
        "command_execution" => ("command", text("command")),
        "mcp_tool_call" => ("tool", format!("{}/{}", text("server"), text("tool"))),
        "web_search" => ("search", text("query")),
        "reasoning" => ("reasoning", text("text")),
        "file_change" => ("file_change", "a change of files".to_owned()),
        other => ("other", other.to_owned()),
    };
    Activity { kind, text: shorten(&shown), failed: text("status") == "failed" }
}

/// On one line, cut to a bound.
pub(super) fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(ACTIVITY_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_is_read_only() {
        let order = Order { model: Some("m"), effort: "high", thread: None };
        let first = arguments(&order).join(" ");
        let without =
            "-c mcp_servers.cross-review.command=\"prevet\" -c mcp_servers.cross-review.enabled=false";
        assert_eq!(
            first,
            format!("exec --json -s read-only {without} -c model_reasoning_effort=\"high\" -m m -")
        );
        let next = arguments(&Order { model: None, thread: Some("t-1"), ..order }).join(" ");
        assert_eq!(
            next,
            format!(
                "exec resume --json -c sandbox_mode=\"read-only\" {without} -c model_reasoning_effort=\"high\" t-1 -"
            )
        );
    }

    #[test]
    fn events() {
        use ReviewerEvent::{Finished, Message, Other, Started, Thread, TurnCompleted, TurnFailed, Warning};
        let check = |line: &str, expected: Option<ReviewerEvent>| {
            assert_eq!(event(line.as_bytes()), expected, "{line}");
        };
        let command = |failed| Activity { kind: "command", text: "ls -l".into(), failed };
        check(r#"{"type":"thread.started","thread_id":"x"}"#, Some(Thread("x".into())));
        check(r#"{"type":"thread.started"}"#, None);
        check(r#"{"type":"turn.started"}"#, Some(Other));
        check(
            r#"{"type":"item.started","item":{"id":"i","type":"command_execution","command":"ls\n -l","status":"in_progress"}}"#,
            Some(Started { id: "i".into(), activity: command(false) }),
        );
        check(
            r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"ls -l","status":"failed"}}"#,
            Some(Finished { id: "i".into(), activity: command(true) }),
        );
        check(
            r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"m"}}"#,
            Some(Message("m".into())),
        );
        check(
            r#"{"type":"item.completed","item":{"id":"i","type":"error","message":"w"}}"#,
            Some(Warning("w".into())),
        );
        check(r#"{"type":"error","message":"Reconnecting"}"#, Some(Warning("Reconnecting".into())));
        check(r#"{"type":"turn.failed","error":{"message":"429"}}"#, Some(TurnFailed("429".into())));
        check(r#"{"type":"turn.completed","usage":{}}"#, Some(TurnCompleted));
        check(r#"{"type":"from.the.future"}"#, Some(Other));
        for garbage in ["", "null", "[]", "{}", "{\"type\":3}", "Segmentation fault", "\u{0}"] {
            check(garbage, None);
        }
    }
}
