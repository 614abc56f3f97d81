//! The tools of the review rounds, which run on this machine.

use std::sync::Arc;

use prevet_wire::review::{
    BeginParameters, BeginResult, EndParameters, EndResult, ReplyParameters, ReplyResult, WaitParameters,
    WaitResult,
};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::failure;
use crate::config::Config;
use crate::review::{Code, ReviewError};

const BEGIN: &str = "Starts a review in rounds by a second model, which reads the repository on its own, read-only. Returns \
    session_dir, round 1 and status running; then call review_wait. skill: review-plan (a plan before it is carried \
    out), review-impl (a change; mode is needed), review-think (a question that two think through) or review-pr (a \
    branch as a pull request). input: Markdown with the placeholder values, each under `## NAME`. For review-think and \
    review-pr the result has analysis_prompt: write your own analysis from it before you read the reviewer's.";
const WAIT: &str = "Waits for the current round of a review and says what to do next: next is running (call review_wait \
    again), respond (fix what is right, rebut what is not, then review_reply), cross_check (compare with your own \
    analysis, then review_reply, or review_end with an outcome), done (review_end), ask_user (ask the user) or stopped \
    (the round ended without a usable review; next_reason says why). review has the verdict and the issues, ledger what \
    became of each issue over the rounds. Waiting changes nothing: it can be called again, and from another process.";
const REPLY: &str = "Sends the next round of a review to the same reviewer. input: FIXED_ITEMS and DISPUTED_ITEMS (review-plan, \
    review-impl) or AGREED_POINTS, DISAGREED_POINTS and NEW_FINDINGS (review-think, review-pr), each under `## NAME`, naming \
    the issues as ISSUE-N. Then call review_wait. While a round runs, this is an error with the code ROUND_STILL_RUNNING.";
const END: &str = "Ends a review: finalizes it when it can, and stops the reviewer. outcome: consensus or stalemate, for \
    review-think and review-pr; the other two take the verdict from their last round. finalized: false is a normal result: \
    the review was stopped before its end.";

/// The tools.
pub fn tools() -> Vec<Tool> {
    vec![
        tool::<BeginParameters, BeginResult>("review_begin", "Begin a review", BEGIN, false),
        tool::<WaitParameters, WaitResult>("review_wait", "Wait for the review's round", WAIT, true),
        tool::<ReplyParameters, ReplyResult>("review_reply", "Send the next round", REPLY, false),
        tool::<EndParameters, EndResult>("review_end", "End a review", END, false),
    ]
}

/// Whether one of them has that name.
pub fn is_one(name: &str) -> bool {
    matches!(name, "review_begin" | "review_wait" | "review_reply" | "review_end")
}

/// Runs the one of that name.
pub async fn call(config: &Config, name: &str, arguments: JsonObject) -> CallToolResult {
    match run(config, name, arguments).await {
        Ok(value) => {
            // Ending that failed to finalize is told along with what was done all the same.
            let failed = name == "review_end" && value.get("error").is_some();
            let mut result = CallToolResult::structured(value);
            result.is_error = Some(failed);
            result
        }
        Err(error) => {
            let body = error.body();
            failure::text(&json!({ "error": body.error, "code": body.code }))
        }
    }
}

async fn run(config: &Config, name: &str, arguments: JsonObject) -> Result<Value, ReviewError> {
    let rounds = config.rounds()?;
    match name {
        "review_begin" => value(&rounds.begin(&parameters(name, arguments)?).await?),
        "review_wait" => value(&rounds.wait(&parameters(name, arguments)?).await?),
        "review_reply" => value(&rounds.reply(&parameters(name, arguments)?).await?),
        _ => value(&rounds.end(&parameters(name, arguments)?).await?),
    }
}

fn parameters<T: DeserializeOwned>(name: &str, arguments: JsonObject) -> Result<T, ReviewError> {
    prevet_wire::json::from_value(Value::Object(arguments)).map_err(|error| {
        ReviewError::new(Code::InvalidInput, format!("the parameters of {name} are not right: {error}"))
    })
}

fn value(result: &impl Serialize) -> Result<Value, ReviewError> {
    serde_json::to_value(result)
        .map_err(|error| ReviewError::new(Code::IoError, format!("the result cannot be written: {error}")))
}

/// None destroys anything, and the reviewer reads the repository only; but each begun round is another one.
fn tool<Parameters: JsonSchema + 'static, Answer: JsonSchema + 'static>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    read_only: bool,
) -> Tool {
    let annotations = ToolAnnotations::with_title(title)
        .read_only(read_only)
        .destructive(false)
        .idempotent(read_only || name == "review_end")
        .open_world(false);
    let mut tool = Tool::new(name, description, Arc::new(serde_json::Map::new()))
        .with_input_schema::<Parameters>()
        .with_output_schema::<Answer>()
        .with_annotations(annotations);
    tool.output_schema = tool.output_schema.map(|schema| Arc::new(prevet_wire::schema::plain(&schema)));
    tool.input_schema = Arc::new(prevet_wire::schema::plain(&tool.input_schema));
    tool
}
