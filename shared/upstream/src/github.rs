//! Issues of GitHub and GitHub Enterprise, over the REST API.

use prevet_app::tickets::{Ticket, TicketError};
use prevet_domain::kind::Kind;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap};
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;

use crate::fetch::{self, FetchError, come_back};
use crate::settings::GitHubSettings;
use crate::{bounded, markup, refused};

/// The version of the API that this is written for.
const API_VERSION: &str = "2022-11-28";
/// What is asked for where nothing else is.
pub const ACCEPTED: &str = "application/vnd.github+json";

/// An issue as the API gives it: what is used of it.
#[derive(Debug, Deserialize)]
struct Issue {
    title: String,
    body: Option<String>,
    state: String,
    html_url: String,
    pull_request: Option<Value>,
}

/// Fetches an issue.
pub async fn issue(
    http: &Client,
    settings: &GitHubSettings,
    host: Option<&str>,
    repository: &str,
    number: u64,
) -> Result<Ticket, TicketError> {
    let name = format!("{repository}#{number}");
    if let Some(host) = host.filter(|host| !settings.serves(host)) {
        let reason = format!(
            "{host} is not the GitHub that is configured (PREVET_GITHUB_API_URL), so it was not called"
        );
        return Err(refused(&name, Kind::Denied, reason));
    }
    let url = address(settings, repository, number)
        .ok_or_else(|| refused(&name, Kind::Invalid, "PREVET_GITHUB_API_URL takes no path"))?;
    let answer = fetch::json(http, url, |request| dressed(request, settings, ACCEPTED)).await;
    let value = answer.map_err(|error| explained(&name, settings, error))?;
    let issue: Issue = serde_json::from_value(value)
        .map_err(|_| refused(&name, Kind::Unavailable, "GitHub's answer is not an issue"))?;
    ticket(&name, issue)
}

fn address(settings: &GitHubSettings, repository: &str, number: u64) -> Option<Url> {
    let (owner, name) = repository.split_once('/')?;
    let mut url = settings.api.clone();
    url.set_query(None);
    url.path_segments_mut().ok()?.pop_if_empty().extend([
        "repos",
        owner,
        name,
        "issues",
        &number.to_string(),
    ]);
    Some(url)
}

/// A request with who asks, and for what.
pub fn dressed(request: RequestBuilder, settings: &GitHubSettings, accepted: &str) -> RequestBuilder {
    let request = request.header(ACCEPT, accepted).header("x-github-api-version", API_VERSION);
    match &settings.token {
        Some(token) => request.header(AUTHORIZATION, format!("Bearer {}", token.reveal())),
        None => request,
    }
}

fn ticket(name: &str, issue: Issue) -> Result<Ticket, TicketError> {
    if issue.pull_request.is_some() {
        return Err(refused(name, Kind::Invalid, "it is a pull request and not an issue"));
    }
    Ok(Ticket {
        name: name.to_owned(),
        title: issue.title,
        body: bounded(markup::of_markdown(&issue.body.unwrap_or_default())),
        closed: issue.state == "closed",
        url: issue.html_url,
    })
}

/// The host's refusal in words.
pub fn explained(name: &str, settings: &GitHubSettings, error: FetchError) -> TicketError {
    let (status, headers) = match error {
        FetchError::Broken { kind, reason } => return refused(name, kind, reason),
        FetchError::Status { status, headers } => (status, headers),
    };
    let reason = match status {
        StatusCode::NOT_FOUND if settings.token.is_none() => {
            "GitHub does not show it: it does not exist, or it is private, and no PREVET_GITHUB_TOKEN is set"
                .to_owned()
        }
        StatusCode::NOT_FOUND => {
            "GitHub does not show it: it does not exist, or PREVET_GITHUB_TOKEN may not read it".to_owned()
        }
        StatusCode::GONE => "it was deleted, or is switched off there".to_owned(),
        StatusCode::UNAUTHORIZED => {
            "GitHub refuses PREVET_GITHUB_TOKEN: it is wrong or has expired".to_owned()
        }
        StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS if is_limit(status, &headers) => {
            format!("GitHub's limit of calls is reached{}", come_back(&headers))
        }
        StatusCode::FORBIDDEN => "GitHub forbids it to PREVET_GITHUB_TOKEN".to_owned(),
        status => format!("GitHub answered {}", status.as_u16()),
    };
    let kind = if is_limit(status, &headers) { Kind::Busy } else { Kind::from_http_status(status.as_u16()) };
    refused(name, kind, reason)
}

fn is_limit(status: StatusCode, headers: &HeaderMap) -> bool {
    let spent = headers.get("x-ratelimit-remaining").is_some_and(|value| value.as_bytes() == b"0");
    let limited = spent || headers.contains_key(reqwest::header::RETRY_AFTER);
    status == StatusCode::TOO_MANY_REQUESTS || (status == StatusCode::FORBIDDEN && limited)
}
