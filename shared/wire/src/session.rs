//! `POST /session` and `POST /upload/{session_id}`.

use serde::{Deserialize, Serialize};

/// The body of `POST /session`. Fields that are not named here (the legacy `language`) are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRequest {
    /// The repository's name.
    pub repo: String,
    /// The current branch.
    pub branch: String,
    /// `git rev-parse HEAD`.
    pub head: String,
    /// The tenant.
    pub tenant_key: String,
    /// Scopes the session, so that two developers do not share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_name: Option<String>,
}

/// What `POST /session` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionResponse {
    /// The session's id.
    pub session_id: String,
    /// Whether it was there before.
    pub resumed: bool,
    /// The branch to review against; empty where the repository is not integrated.
    pub target_branch: String,
    /// `owner/name`; the name as sent where the repository is not integrated.
    pub repo_full: String,
    /// Why there is no target branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_branch_error: Option<String>,
    /// Where to connect the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integration_url: Option<String>,
    /// The task that was checked last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_task: Option<PriorTask>,
}

/// A task that was checked before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorTask {
    /// Its words.
    pub task_description: String,
    /// Where they came from.
    pub task_source: String,
}

/// What `POST /upload/{session_id}` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadResponse {
    /// The session's id.
    pub session_id: String,
    /// Whether the bytes are those of the last upload and what was cached for them is still there.
    pub diff_unchanged: bool,
}
