//! `describe_change`

use prevet_wire::describe::{DescribeParameters, DescribeResult};
use serde_json::Value;

use crate::failure::Failure;
use crate::{Service, pack, tool};

/// What clients are told.
pub const DESCRIPTION: &str = "Describes the diff that was uploaded for a session, in Markdown: a paragraph under \
    `# Change Description` and the weightiest changes as a list; one line for a trivial change. intent: the user's \
    original task request, verbatim. Without a model on the server it says what the structure of the change shows, and \
    eval_summary says so. It judges nothing: inspect_diff does.";

/// Runs the tool.
pub async fn call(service: &Service, arguments: Value) -> Result<DescribeResult, Failure> {
    let parameters: DescribeParameters = tool::parameters("describe_change", arguments)?;
    let session_id = parameters.session_id;
    let call = tool::call(&session_id, parameters.intent, parameters.context)?;
    let described = service.app.describe_change(call, pack::decode).await?;
    Ok(DescribeResult {
        description: described.description,
        files_visited: described.files_visited,
        eval_summary: described.eval_summary,
        session_id,
        context_refresh: described.context_refresh.map(tool::deviation),
        degraded: described.degraded.map(tool::degraded),
    })
}
