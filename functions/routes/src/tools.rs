//! The tools at `/mcp`: what clients are told of each, and which function answers.

use std::sync::Arc;

use prevet_app::progress::Progress;
use prevet_domain::kind::Kind;
use prevet_wire::ask::{AskParameters, AskResult};
use prevet_wire::check_task::{CheckParameters, CheckResult};
use prevet_wire::describe::{DescribeParameters, DescribeResult};
use prevet_wire::inspect::{InspectParameters, InspectResult};
use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::{Service, ask_tool, check_tool, describe_tool, inspect_tool};

/// Every tool.
pub fn all() -> Vec<Tool> {
    vec![
        tool::<InspectParameters, InspectResult>(
            "inspect_diff",
            "Inspect the uploaded diff",
            inspect_tool::DESCRIPTION,
            false,
        ),
        tool::<DescribeParameters, DescribeResult>(
            "describe_change",
            "Describe the uploaded diff",
            describe_tool::DESCRIPTION,
            false,
        ),
        tool::<AskParameters, AskResult>("ask", "Ask about the uploaded diff", ask_tool::DESCRIPTION, false),
        tool::<CheckParameters, CheckResult>(
            "check_task",
            "Check the uploaded diff against a task",
            check_tool::DESCRIPTION,
            true,
        ),
    ]
}

/// What is being done while a tool runs; `None` for a name that no tool has.
pub fn step(name: &str) -> Option<&'static str> {
    Some(match name {
        "inspect_diff" => "inspecting the diff",
        "describe_change" => "describing the diff",
        "ask" => "reading the diff for the question",
        "check_task" => "checking the diff against the task",
        _ => return None,
    })
}

/// Runs the tool of that name.
pub async fn call(
    service: &Service,
    name: &str,
    arguments: Value,
    progress: Progress,
) -> Result<Value, Failure> {
    match name {
        "describe_change" => value(&describe_tool::call(service, arguments).await?),
        "check_task" => value(&check_tool::call(service, arguments).await?),
        "ask" => value(&ask_tool::call(service, arguments).await?),
        _ => value(&inspect_tool::call(service, arguments, &progress).await?),
    }
}

fn value(result: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(result).map_err(|error| {
        let (status, code) = (axum::http::StatusCode::INTERNAL_SERVER_ERROR, Kind::Internal.tool_code());
        Failure::new(status, code, format!("the result cannot be written: {error}"))
    })
}

/// None of the tools changes anything of the caller's; one that reads tickets reaches beyond the server.
fn tool<Parameters: JsonSchema + 'static, Answer: JsonSchema + 'static>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    open_world: bool,
) -> Tool {
    let annotations = ToolAnnotations::with_title(title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(open_world);
    described::<Parameters, Answer>(name, description, annotations)
}

/// A tool with the schemas of its parameters and its result.
pub fn described<Parameters: JsonSchema + 'static, Answer: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    let mut tool = Tool::new(name, description, Arc::new(serde_json::Map::new()))
        .with_input_schema::<Parameters>()
        .with_output_schema::<Answer>()
        .with_annotations(annotations);
    tool.output_schema = tool.output_schema.map(|schema| Arc::new(prevet_wire::schema::plain(&schema)));
    tool
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some clients cut longer ones.
    const DESCRIPTION_CHARACTERS_MAX: usize = 2_048;

    #[test]
    fn every_tool_is_described_and_answered() {
        for tool in all() {
            let description = tool.description.unwrap_or_default();
            assert!((80..DESCRIPTION_CHARACTERS_MAX).contains(&description.chars().count()), "{}", tool.name);
            assert!(step(&tool.name).is_some(), "{}", tool.name);
        }
    }
}
