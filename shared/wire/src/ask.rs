//! `ask`: parameters and result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::inspect::{Degraded, Deviation};
use crate::tool::ToolContext;

/// The parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskParameters {
    /// Id from `POST /session`.
    pub session_id: String,
    /// The user's question, verbatim: not summarised, expanded or rewritten.
    pub question: String,
    /// What was just changed: context of the question, not its subject.
    #[serde(default)]
    pub intent: String,
    /// Optional extras of this call.
    #[serde(default)]
    pub context: Option<ToolContext>,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskResult {
    /// Markdown.
    pub answer: String,
    /// The files that were read.
    pub files_visited: Vec<String>,
    /// The session.
    pub session_id: String,
    /// How the files after the change were come by, when not whole from the caller's context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_refresh: Option<Deviation>,
    /// What was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<Degraded>,
}
