//! What a provider's refusal means. Its text is not kept: some repeat the key in it.

use std::time::Duration;

use genai::webc;
use prevet_app::model::ModelError;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// An attempt that gave no answer.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// Asking again would change nothing.
    Final(ModelError),
    /// Asking again may help.
    Again {
        /// What is said if it does not.
        error: ModelError,
        /// When, where the provider says so.
        retry_after: Option<Duration>,
    },
}

/// Sorts a failure.
pub(crate) fn classify(error: &genai::Error) -> Attempt {
    match error {
        genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
            of_call(webc_error)
        }
        genai::Error::HttpError { status, headers, .. } => of_status(*status, headers),
        genai::Error::ChatResponseGeneration { .. } | genai::Error::NoChatResponse { .. } => {
            again("the provider's answer has not the form that it should have")
        }
        genai::Error::Resolver { .. } | genai::Error::RequiresApiKey { .. } => {
            failed("there are no usable credentials for the provider")
        }
        _ => failed("the request could not be made"),
    }
}

fn of_call(error: &webc::Error) -> Attempt {
    match error {
        webc::Error::ResponseFailedStatus { status, headers, .. } => of_status(*status, headers),
        webc::Error::Reqwest(error) if error.is_connect() => again("the provider cannot be reached"),
        webc::Error::Reqwest(_) => again("the provider broke the connection off"),
        _ => again("the provider's answer is not JSON"),
    }
}

fn of_status(status: StatusCode, headers: &HeaderMap) -> Attempt {
    let retry_after = retry_after(headers);
    match status.as_u16() {
        429 | 503 | 529 => {
            let retry_after_seconds = retry_after.map(|it| it.as_secs());
            Attempt::Again { error: ModelError::Busy { retry_after_seconds }, retry_after }
        }
        401 | 403 => failed(&format!("the provider refuses the key (status {})", status.as_u16())),
        404 => failed("the provider knows no such model or address (status 404)"),
        413 => failed("the question is too large for the provider (status 413)"),
        500..=599 | 408 | 409 => Attempt::Again {
            error: ModelError::Failed(format!("the provider answered with status {}", status.as_u16())),
            retry_after,
        },
        other => failed(&format!("the provider answered with status {other}")),
    }
}

/// Seconds; a date is not worth the clock that it would need.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

fn failed(reason: &str) -> Attempt {
    Attempt::Final(ModelError::Failed(reason.to_owned()))
}

fn again(reason: &str) -> Attempt {
    Attempt::Again { error: ModelError::Failed(reason.to_owned()), retry_after: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        let check = |status: u16, header: Option<&str>, expected: ModelError, repeats: bool| {
            let mut headers = HeaderMap::new();
            if let Some(value) = header {
                headers.insert(RETRY_AFTER, value.parse().unwrap());
            }
            let (error, again) = match of_status(StatusCode::from_u16(status).unwrap(), &headers) {
                Attempt::Final(error) => (error, false),
                Attempt::Again { error, .. } => (error, true),
            };
            assert_eq!((error, again), (expected, repeats), "{status}");
        };
        check(429, Some("629"), ModelError::Busy { retry_after_seconds: Some(629) }, true);
        check(429, None, ModelError::Busy { retry_after_seconds: None }, true);
        check(500, None, ModelError::Failed("the provider answered with status 500".into()), true);
        check(401, None, ModelError::Failed("the provider refuses the key (status 401)".into()), false);
        check(400, None, ModelError::Failed("the provider answered with status 400".into()), false);
    }
}
