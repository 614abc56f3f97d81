//! A call without a session: the work tree's change is captured and uploaded first.

use std::path::PathBuf;

use prevet_domain::finding::{Profile, ReportType};
use prevet_domain::kind::Kind;
use prevet_domain::policy::Policy;
use prevet_domain::verdict::Verdict;
use prevet_wire::error::ErrorBody;
use prevet_wire::inspect::NotReviewedRecord;
use prevet_wire::session::{SessionRequest, SessionResponse};
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::progress::Progress;
use super::remote::Remote;
use super::{failure, schema, whereabouts};
use crate::client::{Client, Handed};
use crate::config::Config;
use crate::error::CommandError;
use crate::git::{GitEnvironment, LeftOut, Repository};
use crate::inspection::{self, ATTEMPTS_MAX, BinarySecrets, pause};
use crate::submission::{self, Capture, NOTHING_CHANGED, Purpose, Submission};

/// Captures, uploads and calls.
pub async fn call(
    remote: &Remote,
    tool: &Tool,
    mut arguments: JsonObject,
    context: &RequestContext<RoleServer>,
    progress: &Progress,
) -> Result<Handed, CommandError> {
    let missing = schema::missing(tool, &arguments);
    if !missing.is_empty() {
        let text = format!("{}: these parameters are missing: {}", tool.name, missing.join(", "));
        return Err(CommandError::usage(text));
    }
    let named = schema::take_folder(&mut arguments);
    let folder = whereabouts::folder(named, &remote.config().cwd, context).await?;
    let place = Place { folder, config: remote.config().clone() };
    progress.step("opening a session");
    let client = remote.client().await?;
    let request = place.session_request(client.tenant_key()).await?;
    let session = client.open_session(&request).await?;
    progress.step("capturing the change");
    match place.capture(session, schema::purpose(tool)).await? {
        Capture::Change(submission) => submit(&client, &tool.name, arguments, *submission, progress).await,
        Capture::Nothing(note) => {
            let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
            let body = ErrorBody { error: format!("{NOTHING_CHANGED}{note}"), code: "NO_DIFF".to_owned() };
            Ok(Handed::Result(failure::result(tool, &body)))
        }
    }
}

async fn submit(
    client: &Client,
    name: &str,
    arguments: JsonObject,
    submission: Submission,
    progress: &Progress,
) -> Result<Handed, CommandError> {
    let wants_secrets = wants_secrets(&arguments);
    let arguments = with_session(arguments, &submission.session.session_id, submission.upload.diff_sha256());
    let mut attempt = 1;
    loop {
        progress.step("uploading the change");
        client.upload(&submission.session.session_id, &submission.upload).await?;
        let handed = client.hand_on(name, arguments.clone(), progress.listener()).await?;
        match handed {
            // Another call of the same developer replaced the session's diff in between.
            Handed::Result(result) if is_busy(&result) && attempt < ATTEMPTS_MAX => pause(attempt).await,
            Handed::Result(result) => {
                let result = match submission.binary {
                    Some((binary, policy)) if wants_secrets => with_binary(result, binary, &policy)?,
                    _ => result,
                };
                let result = with_left_out(result, &submission.left_out);
                return Ok(Handed::Result(with_note(result, submission.note)));
            }
            refused @ Handed::Refused(_) => return Ok(refused),
        }
        attempt += 1;
    }
}

/// Whether secrets are asked for, and this is the first page of the answer, which has those that are found here.
fn wants_secrets(arguments: &JsonObject) -> bool {
    let context = arguments.get("context");
    if context.and_then(|it| it.get("cursor")).is_some_and(|cursor| !cursor.is_null()) {
        return false;
    }
    if let Some(types) = context.and_then(|it| it.get("report_types")).and_then(Value::as_array) {
        return types.iter().any(|it| it == ReportType::Secret.as_str());
    }
    let profile = arguments.get("profile").and_then(Value::as_str).unwrap_or_default();
    Profile::parse(profile).report_types().contains(&ReportType::Secret)
}

fn with_session(mut arguments: JsonObject, session_id: &str, diff_sha256: &str) -> JsonObject {
    arguments.insert("session_id".to_owned(), session_id.into());
    let context = arguments.entry("context").or_insert(Value::Null);
    if context.is_null() {
        *context = json!({});
    }
    // Anything else is wrong, and the server says so.
    if let Value::Object(context) = context {
        context.insert("diff_sha256".to_owned(), diff_sha256.into());
    }
    arguments
}

fn is_busy(result: &CallToolResult) -> bool {
    let text = result.content.first().and_then(|block| block.as_text()).map(|block| block.text.as_str());
    let body = text.and_then(|text| serde_json::from_str::<ErrorBody>(text).ok());
    result.is_error == Some(true) && body.is_some_and(|body| body.code == Kind::Busy.tool_code())
}

/// An inspection has what was found here in files of which the server saw no text.
fn with_binary(
    mut result: CallToolResult,
    binary: BinarySecrets,
    policy: &Policy,
) -> Result<CallToolResult, CommandError> {
    match result.structured_content.take() {
        Some(value) if value.get("findings").is_some() && result.is_error != Some(true) => {
            let value = inspection::with_binary_secrets(value, binary, policy)?;
            Ok(CallToolResult::structured(value))
        }
        other => {
            result.structured_content = other;
            Ok(result)
        }
    }
}

/// What was not looked at for want of a base is said in the result: nobody reads this program's standard error.
fn with_note(result: CallToolResult, note: Option<&str>) -> CallToolResult {
    let failed = result.is_error == Some(true);
    match (result.structured_content.clone(), note.filter(|_| !failed)) {
        (Some(mut value), Some(note)) if value.get("findings").is_some() => {
            inspection::note_in(&mut value, note);
            CallToolResult::structured(value)
        }
        _ => result,
    }
}

/// What git could not capture was not read either.
fn with_left_out(result: CallToolResult, left_out: &[LeftOut]) -> CallToolResult {
    let failed = result.is_error == Some(true);
    let (Some(mut value), false) = (result.structured_content.clone(), left_out.is_empty() || failed) else {
        return result;
    };
    let said = value["verdict"].as_str();
    let verdicts = [Verdict::Approve, Verdict::RequestChanges, Verdict::Incomplete, Verdict::Error];
    if let Some(verdict) = verdicts.into_iter().find(|it| Some(it.as_str()) == said) {
        value["verdict"] = verdict.worst(Verdict::Incomplete).as_str().into();
    }
    if !value["degraded"].is_object() {
        value["degraded"] = json!({ "cause": "git could not capture all of the change", "not_reviewed": [] });
    }
    if let Some(parts) = value["degraded"]["not_reviewed"].as_array_mut() {
        parts.extend(left_out.iter().map(|part| {
            let reason = format!("not captured: {}", part.reason);
            json!(NotReviewedRecord { file: part.path.clone(), line: None, reason, by_convention: false })
        }));
    }
    CallToolResult::structured(value)
}

/// Where the change is. Git runs on a thread of its own: it waits for programs and for disks.
struct Place {
    folder: PathBuf,
    config: Config,
}

impl Place {
    async fn session_request(&self, tenant_key: &str) -> Result<SessionRequest, CommandError> {
        let (git, tenant_key) = (self.git(), tenant_key.to_owned());
        aside(move || submission::session_request(&discover(&git)?, &tenant_key)).await
    }

    async fn capture(&self, session: SessionResponse, purpose: Purpose) -> Result<Capture, CommandError> {
        let git = self.git();
        aside(move || submission::capture(&discover(&git)?, session, None, purpose)).await
    }

    fn git(&self) -> GitEnvironment {
        GitEnvironment::new(&self.folder, self.config.temp_dir())
    }
}

fn discover(git: &GitEnvironment) -> Result<Repository, CommandError> {
    // The caller chose the folder: whatever is wrong with it is for the caller to mend.
    Repository::discover(git)
        .map_err(|error| CommandError::usage(format!("working_dir: {}", crate::error::chain(&error))))
}

async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CommandError> + Send + 'static,
) -> Result<T, CommandError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(CommandError::new(Kind::Internal, format!("capturing the change broke off: {error}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_and_the_diff_are_named() {
        let check = |arguments: Value, expected: Value| {
            let Value::Object(arguments) = arguments else { unreachable!() };
            assert_eq!(Value::Object(with_session(arguments, "S", "D")), expected);
        };
        check(json!({}), json!({ "session_id": "S", "context": { "diff_sha256": "D" } }));
        check(
            json!({ "session_id": "", "context": { "pr_title": "t", "diff_sha256": "x" } }),
            json!({ "session_id": "S", "context": { "pr_title": "t", "diff_sha256": "D" } }),
        );
        check(json!({ "context": "no object" }), json!({ "context": "no object", "session_id": "S" }));
    }

    #[test]
    fn secrets_are_for_those_who_ask_for_them() {
        let check = |arguments: Value, expected: bool| {
            let Value::Object(arguments) = arguments else { unreachable!() };
            assert_eq!(wants_secrets(&arguments), expected, "{arguments:?}");
        };
        check(json!({}), false);
        check(json!({ "profile": "review" }), true);
        check(json!({ "profile": "security", "context": { "cursor": null } }), true);
        check(json!({ "profile": "review", "context": { "cursor": "c" } }), false);
        check(json!({ "profile": "review", "context": { "report_types": ["BUG_REPORT"] } }), false);
        check(json!({ "context": { "report_types": ["SECRET_REPORT"] } }), true);
    }

    #[test]
    fn what_it_was_compared_with_is_told() {
        let check = |value: Value, note: Option<&str>, expected: Value| {
            let result = with_note(CallToolResult::structured(value), note);
            assert_eq!(result.structured_content.unwrap()["degraded"], expected);
        };
        let plain = json!({ "verdict": "approve", "findings": [] });
        check(plain.clone(), None, Value::Null);
        check(plain, Some("n"), json!({ "cause": "n", "not_reviewed": [] }));
        let degraded = json!({ "findings": [], "degraded": { "cause": "c", "not_reviewed": [1] } });
        check(degraded, Some("n"), json!({ "cause": "c; n", "not_reviewed": [1] }));
        check(json!({ "description": "d" }), Some("n"), Value::Null);
    }

    #[test]
    fn what_was_not_captured_is_never_approved() {
        let left_out = [LeftOut { path: "a".to_owned(), reason: "unreadable".to_owned() }];
        let check = |value: Value, verdict: &str, parts: usize| {
            let result = with_left_out(CallToolResult::structured(value), &left_out);
            let value = result.structured_content.unwrap();
            assert_eq!(value["verdict"], verdict);
            assert_eq!(value["degraded"]["not_reviewed"].as_array().unwrap().len(), parts);
            let text = result.content[0].as_text().unwrap().text.clone();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        };
        check(json!({ "verdict": "approve" }), "incomplete", 1);
        check(json!({ "verdict": "request_changes" }), "request_changes", 1);
        check(
            json!({ "verdict": "incomplete", "degraded": { "cause": "c", "not_reviewed": [{ "file": "b", "reason": "r" }] } }),
            "incomplete",
            2,
        );
        let whole = CallToolResult::structured(json!({ "verdict": "approve" }));
        assert_eq!(with_left_out(whole.clone(), &[]), whole);
    }
}
