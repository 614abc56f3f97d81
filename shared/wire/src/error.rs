//! The one shape of a failure, over HTTP and as a tool's result.

use prevet_domain::kind::Kind;
use serde::{Deserialize, Serialize};

/// `{"error": text, "code": CODE}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ErrorBody {
    /// What was tried, on what, and what can be done.
    pub error: String,
    /// A stable word for programs.
    pub code: String,
}

impl ErrorBody {
    /// With the code of `kind`.
    pub fn of_kind(kind: Kind, error: impl Into<String>) -> Self {
        Self { error: error.into(), code: kind.tool_code().to_owned() }
    }
}
