//! One bounded GET that stays on its host.

use bytes::Bytes;
use futures_util::StreamExt as _;
use prevet_domain::kind::Kind;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use serde_json::Value;

/// The largest answer that is read: a description of the permitted size, escaped, and all that goes with it.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// A moved repository and a moved issue, and one more.
const REDIRECTS_MAX: usize = 3;

/// Why there is no answer to read.
#[derive(Debug)]
pub enum FetchError {
    /// An answer other than 200.
    Status { status: StatusCode, headers: Box<HeaderMap> },
    /// Nothing that can be used.
    Broken { kind: Kind, reason: String },
}

fn broken(kind: Kind, reason: impl Into<String>) -> FetchError {
    FetchError::Broken { kind, reason: reason.into() }
}

/// The JSON at `url`. Redirects are followed within scheme, host and port.
pub async fn json(
    http: &Client,
    url: Url,
    dress: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<Value, FetchError> {
    json_within(http, url, dress, ANSWER_BYTES_MAX).await
}

/// [`json`] with another bound.
pub async fn json_within(
    http: &Client,
    url: Url,
    dress: impl Fn(RequestBuilder) -> RequestBuilder,
    bytes_max: usize,
) -> Result<Value, FetchError> {
    let response = get(http, url, dress).await?;
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.contains("json") {
        let reason =
            "the host answered with a page and not with data (a sign-in page, or no API at that address)";
        return Err(broken(Kind::Unavailable, reason));
    }
    let body = read(response, bytes_max).await?;
    serde_json::from_slice(&body).map_err(|_| broken(Kind::Unavailable, "the host's answer is not JSON"))
}

/// The bytes at `url`, whatever they are.
pub async fn bytes(
    http: &Client,
    url: Url,
    dress: impl Fn(RequestBuilder) -> RequestBuilder,
    bytes_max: usize,
) -> Result<Bytes, FetchError> {
    Ok(read(get(http, url, dress).await?, bytes_max).await?.into())
}

/// The answer to a request, if it is one.
async fn get(
    http: &Client,
    url: Url,
    dress: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<Response, FetchError> {
    let mut at = url;
    for _ in 0..=REDIRECTS_MAX {
        let response = dress(http.get(at.clone())).send().await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        if status == StatusCode::OK {
            return Ok(response);
        }
        if !status.is_redirection() {
            return Err(FetchError::Status { status, headers: Box::new(response.headers().clone()) });
        }
        let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = target.and_then(|value| at.join(value).ok());
        let target =
            target.ok_or_else(|| broken(Kind::Unavailable, "it was moved, and not said where to"))?;
        if target.origin() != at.origin() {
            let host = target.host_str().unwrap_or_default();
            let reason =
                format!("its address leads to {host}, which is not called: it is not the configured host");
            return Err(broken(Kind::Denied, reason));
        }
        at = target;
    }
    Err(broken(Kind::Unavailable, format!("its address leads on more than {REDIRECTS_MAX} times")))
}

/// The address may hold what nobody should read in a log, so it is left out.
fn unreachable(error: &reqwest::Error) -> FetchError {
    let reason = if error.is_timeout() {
        "the host did not answer in time"
    } else if error.is_connect() {
        "the host cannot be reached"
    } else {
        "the connection broke off"
    };
    broken(Kind::Unavailable, reason)
}

async fn read(response: Response, bytes_max: usize) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(|error| unreachable(&error))?);
        if body.len() > bytes_max {
            return Err(broken(Kind::TooLarge, format!("its data is larger than {bytes_max} bytes")));
        }
    }
    Ok(body)
}

/// When a host asks to come back, in words.
pub fn come_back(headers: &HeaderMap) -> String {
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = seconds.filter(|value| value.len() <= 40);
    seconds.map(|value| format!("; it asks to come back in {value} s")).unwrap_or_default()
}
