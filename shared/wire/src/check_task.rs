//! `check_task`: parameters and result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::inspect::{Degraded, Deviation};
use crate::tool::ToolContext;

/// The parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckParameters {
    /// Id from `POST /session`.
    pub session_id: String,
    /// The task: tickets (`[BETA-5225, #42]`, a Jira key, `owner/repo#42`, an issue's URL) or text, verbatim.
    pub task_description: String,
    /// Where the task comes from: `github-issue`, `jira`, `spec` or `user-text`.
    #[serde(default = "user_supplied")]
    pub task_source: String,
    /// A one-line note on this round of edits; on a recheck, which gaps were addressed.
    #[serde(default)]
    pub intent: String,
    /// Optional extras of this call.
    #[serde(default)]
    pub context: Option<ToolContext>,
}

fn user_supplied() -> String {
    "user-supplied".to_owned()
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// Markdown: `# Task Completion Check`, the verdict, the requirements, and the gaps.
    pub report: String,
    /// `DONE`, `PARTIAL` or `NOT DONE`: computed from the requirements.
    pub verdict: String,
    /// Each requirement.
    pub requirements: Vec<RequirementRecord>,
    /// The tickets that the task names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tickets: Vec<TicketRecord>,
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

/// A requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementRecord {
    /// Its words in the task.
    pub requirement: String,
    /// `DONE`, `PARTIAL` or `NOT DONE`.
    pub verdict: String,
    /// Why, where more is to be said than the evidence says.
    pub reason: String,
    /// Where the change shows it.
    pub evidence: Vec<EvidenceRecord>,
}

/// A place in the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRecord {
    /// The file.
    pub file: String,
    /// The line after the change; of a removed line, the one that follows it.
    pub line: u32,
    /// The line's text, secrets masked.
    pub quote: String,
}

/// A ticket that the task names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TicketRecord {
    /// How people name it.
    pub ticket: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where people read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
    /// Why it was not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
