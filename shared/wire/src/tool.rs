//! What `describe_change`, `ask` and `check_task` have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The optional extras of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolContext {
    /// The pull request's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_title: Option<String>,
    /// The pull request's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_description: Option<String>,
    /// SHA-256 (hexadecimal) of the diff that the caller means; another one in the session is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_sha256: Option<String>,
}
