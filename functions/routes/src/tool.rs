//! What `describe_change`, `ask` and `check_task` have in common at the edge.

use prevet_app::error::AppError;
use prevet_app::reading::{self, Call, Unread};
use prevet_domain::ids::SessionId;
use prevet_domain::limits::FREE_TEXT_BYTES_MAX;
use prevet_wire::inspect::{Degraded, Deviation, NotReviewedRecord};
use prevet_wire::tool::ToolContext;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::Failure;

/// Parts that were not read which one result names; the rest are counted.
const UNREAD_MAX: usize = 120;

/// The parameters of `tool`.
pub fn parameters<T: DeserializeOwned>(tool: &str, arguments: Value) -> Result<T, Failure> {
    serde_json::from_value(arguments)
        .map_err(|error| Failure::invalid(format!("the parameters of {tool} are not right: {error}")))
}

/// What each of the calls says.
pub fn call(session_id: &str, intent: String, context: Option<ToolContext>) -> Result<Call, Failure> {
    let context = context.unwrap_or_default();
    let call = Call {
        // An id that is none is unknown as well.
        session_id: SessionId::parse(session_id).map_err(|_| AppError::UnknownSession)?,
        intent,
        pr_title: context.pr_title.unwrap_or_default(),
        pr_description: context.pr_description.unwrap_or_default(),
        expected_diff_sha256: context.diff_sha256,
    };
    within("intent", &call.intent)?;
    within("context.pr_title", &call.pr_title)?;
    within("context.pr_description", &call.pr_description)?;
    Ok(call)
}

/// A text that is not too long.
pub fn within(name: &str, text: &str) -> Result<(), Failure> {
    if text.len() <= FREE_TEXT_BYTES_MAX {
        return Ok(());
    }
    Err(Failure::invalid(format!("{name} has {} bytes; the limit is {FREE_TEXT_BYTES_MAX}", text.len())))
}

/// A text that is not too long, and says something.
pub fn filled(name: &str, text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(Failure::invalid(format!("{name} is empty")));
    }
    within(name, text)
}

/// As the wire has it.
pub fn deviation(it: reading::Deviation) -> Deviation {
    Deviation { status: it.status.to_owned(), reason: it.reason }
}

/// As the wire has it.
pub fn degraded(unread: Unread) -> Degraded {
    let more = unread.files.len().saturating_sub(UNREAD_MAX);
    let named = unread.files.into_iter().take(UNREAD_MAX);
    let mut not_reviewed: Vec<_> = named
        .map(|(file, reason)| NotReviewedRecord { file, line: None, reason, by_convention: false })
        .collect();
    if more > 0 {
        let reason = format!("{more} more, not named here");
        not_reviewed.push(NotReviewedRecord {
            file: "*".to_owned(),
            line: None,
            reason,
            by_convention: false,
        });
    }
    Degraded { cause: unread.cause, not_reviewed }
}
