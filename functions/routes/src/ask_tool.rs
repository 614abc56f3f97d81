//! `ask`

use prevet_wire::ask::{AskParameters, AskResult};
use serde_json::Value;

use crate::failure::Failure;
use crate::{Service, pack, tool};

/// What clients are told.
pub const DESCRIPTION: &str = "Answers a free-form question about the diff that was uploaded for a session, in Markdown, \
    from the diff and the files around it. question: the user's own words; do not summarise, expand or rewrite them. \
    intent: what was just changed, as context. This is not a review and has no verdict: inspect_diff has. Needs a model \
    on the server; without one the result is an error with the code MODEL_NOT_CONFIGURED.";

/// Runs the tool.
pub async fn call(service: &Service, arguments: Value) -> Result<AskResult, Failure> {
    let parameters: AskParameters = tool::parameters("ask", arguments)?;
    let session_id = parameters.session_id;
    tool::filled("question", &parameters.question)?;
    let call = tool::call(&session_id, parameters.intent, parameters.context)?;
    let answered = service.app.ask(call, &parameters.question, pack::decode).await?;
    Ok(AskResult {
        answer: answered.answer,
        files_visited: answered.files_visited,
        session_id,
        context_refresh: answered.context_refresh.map(tool::deviation),
        degraded: answered.degraded.map(tool::degraded),
    })
}
