//! The one place where failures become HTTP.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use prevet_app::error::AppError;
use prevet_domain::kind::Kind;
use prevet_wire::error::ErrorBody;

/// A failure, ready to be sent.
#[derive(Debug, Clone)]
pub struct Failure {
    status: StatusCode,
    body: ErrorBody,
}

impl Failure {
    /// Of that status, code and message. What looks like a secret in the message is masked, whatever it came from.
    pub fn new(status: StatusCode, code: &str, error: impl Into<String>) -> Self {
        let error = prevet_app::masked(&error.into());
        Self { status, body: ErrorBody { error, code: code.to_owned() } }
    }

    /// What the caller sent cannot be used.
    pub fn invalid(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Kind::Invalid.tool_code(), error)
    }

    /// What the caller sent is over a limit, which the message names.
    pub fn too_large(what: &str, limit_bytes: usize) -> Self {
        let error = format!("{what} is larger than {limit_bytes} bytes, which is the limit of one request");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE", error)
    }

    /// Its status and its body.
    pub fn into_parts(self) -> (StatusCode, ErrorBody) {
        (self.status, self.body)
    }

    /// Its body.
    pub fn body(&self) -> &ErrorBody {
        &self.body
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        let kind = error.kind();
        if matches!(kind, Kind::Internal | Kind::Unavailable) {
            tracing::error!(error = chain(&error), "a request failed");
        }
        let status = StatusCode::from_u16(kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let text = match &error {
            // What the store said is for the log; the caller can only come again.
            AppError::Storage(_) => "the server cannot reach its database; try again in a moment".to_owned(),
            _ => error.to_string(),
        };
        let code = if kind == Kind::TooLarge { "TOO_LARGE" } else { error.tool_code() };
        Self::new(status, code, text)
    }
}

/// An error with its causes, on one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(self.body)).into_response()
    }
}
