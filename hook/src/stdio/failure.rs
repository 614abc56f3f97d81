//! Failures as results of tools.

use prevet_wire::error::ErrorBody;
use rmcp::model::{CallToolResult, ContentBlock, Tool};
use serde_json::{Value, json};

use crate::error::CommandError;

/// `{"error", "code"}` with `isError`. A tool whose results have a `status` says `error` there too.
pub fn of(tool: &Tool, error: &CommandError) -> CallToolResult {
    let body = ErrorBody::of_kind(error.kind, error.message.clone());
    result(tool, &body)
}

/// The same with a narrower code.
pub fn result(tool: &Tool, body: &ErrorBody) -> CallToolResult {
    let mut value = json!({ "error": body.error, "code": body.code });
    if has_status(tool) {
        value["status"] = "error".into();
    }
    text(&value)
}

fn has_status(tool: &Tool) -> bool {
    let properties = tool.output_schema.as_ref().and_then(|schema| schema.get("properties"));
    properties.is_some_and(|properties| properties.get("status").is_some())
}

/// An error as a result, its JSON as text.
pub fn text(value: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(value.to_string())])
}

/// What nobody reads.
pub fn cancelled(name: &str) -> CallToolResult {
    text(&json!({ "error": format!("{name} was cancelled by the client"), "code": "CANCELLED" }))
}
