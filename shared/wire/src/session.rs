//! `POST /session` and `POST /upload/{session_id}`.

use serde::{Deserialize, Serialize};

use crate::json::{self, JsonError};

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

/// The JSON body of `POST /upload/{session_id}`, for an upload that does not fit in one request
/// ([`prevet_domain::limits::REQUEST_BODY_BYTES_MAX`]): first a place is asked for, then the body is put there, then the
/// server is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum LargeUpload {
    /// Asks for a place.
    Place {
        /// How many bytes will be put there, exactly.
        body_bytes: u64,
    },
    /// What an upload's body is otherwise, with its headers, has been put there.
    Placed {
        /// The place, as it was given.
        place: String,
        /// The body's `Content-Type`: `multipart/form-data` with its boundary.
        content_type: String,
        /// The body's `Content-Encoding`, where it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        content_encoding: Option<String>,
    },
}

impl LargeUpload {
    /// Reads a step; what is wrong is said of its field.
    pub fn parse(json: &[u8]) -> Result<Self, JsonError> {
        let step: Step = json::object(json)?;
        match step.step {
            StepName::Place => json::object(json).map(|PlaceStep { body_bytes }| Self::Place { body_bytes }),
            StepName::Placed => json::object(json).map(|it: PlacedStep| Self::Placed {
                place: it.place,
                content_type: it.content_type,
                content_encoding: it.content_encoding,
            }),
        }
    }
}

#[derive(Deserialize)]
struct Step {
    step: StepName,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepName {
    Place,
    Placed,
}

#[derive(Deserialize)]
struct PlaceStep {
    body_bytes: u64,
}

#[derive(Deserialize)]
struct PlacedStep {
    place: String,
    content_type: String,
    #[serde(default)]
    content_encoding: Option<String>,
}

/// A place for a body: it takes one `PUT` of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceResponse {
    /// The session's id.
    pub session_id: String,
    /// The place, for [`LargeUpload::Placed`].
    pub place: String,
    /// Where the body is put, without any key: the address is the permission.
    pub url: String,
    /// The headers that the `PUT` has to carry.
    pub headers: std::collections::BTreeMap<String, String>,
    /// For how long, in seconds.
    pub expires_in_seconds: u64,
}

/// What `POST /upload/{session_id}` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadResponse {
    /// The session's id.
    pub session_id: String,
    /// Whether the bytes are those of the last upload and what was cached for them is still there.
    pub diff_unchanged: bool,
}
