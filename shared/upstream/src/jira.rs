//! Issues of Jira Cloud (REST version 3) and of Jira Server and Data Center (version 2).

use prevet_app::tickets::{Ticket, TicketError};
use prevet_domain::kind::Kind;
use reqwest::header::ACCEPT;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde_json::Value;

use crate::fetch::{self, FetchError, come_back};
use crate::settings::{JiraLogin, JiraSettings};
use crate::{bounded, markup, refused};

const FIELDS: &str = "summary,description,status";

/// Fetches an issue. Version 3 is asked first; a server that has none answers 404 and is asked by version 2.
pub async fn issue(
    http: &Client,
    settings: &JiraSettings,
    site: Option<&str>,
    key: &str,
) -> Result<Ticket, TicketError> {
    let host = settings.url.host_str().unwrap_or_default();
    let own =
        |site: &str| site == host || settings.url.port().is_some_and(|port| site == format!("{host}:{port}"));
    if let Some(foreign) = site.filter(|site| !own(site)) {
        let reason =
            format!("{foreign} is not the Jira that is configured (PREVET_JIRA_URL), so it was not called");
        return Err(refused(key, Kind::Denied, reason));
    }
    let mut last = None;
    for version in ["3", "2"] {
        let url = address(settings, version, key)
            .ok_or_else(|| refused(key, Kind::Invalid, "PREVET_JIRA_URL takes no path"))?;
        match fetch::json(http, url, |request| dressed(request, settings)).await {
            Ok(value) => return ticket(settings, key, &value),
            Err(FetchError::Status { status, headers }) if status == StatusCode::NOT_FOUND => {
                last = Some(FetchError::Status { status, headers });
            }
            Err(error) => return Err(explained(key, settings, error)),
        }
    }
    Err(last.map_or_else(
        || refused(key, Kind::Internal, "Jira was not asked"),
        |error| explained(key, settings, error),
    ))
}

fn address(settings: &JiraSettings, version: &str, key: &str) -> Option<Url> {
    let mut url = settings.url.clone();
    url.path_segments_mut().ok()?.pop_if_empty().extend(["rest", "api", version, "issue", key]);
    url.set_query(Some(&format!("fields={FIELDS}")));
    Some(url)
}

fn dressed(request: RequestBuilder, settings: &JiraSettings) -> RequestBuilder {
    let request = request.header(ACCEPT, "application/json");
    match &settings.login {
        Some(JiraLogin::Account { email, token }) => request.basic_auth(email, Some(token.reveal())),
        Some(JiraLogin::Personal(token)) => request.bearer_auth(token.reveal()),
        None => request,
    }
}

fn ticket(settings: &JiraSettings, key: &str, value: &Value) -> Result<Ticket, TicketError> {
    let fields = value.get("fields").and_then(Value::as_object);
    let title = fields.and_then(|it| it.get("summary")).and_then(Value::as_str);
    let (Some(fields), Some(title)) = (fields, title) else {
        return Err(refused(key, Kind::Unavailable, "Jira's answer is not an issue"));
    };
    // A moved issue is answered under its new key.
    let name = value.get("key").and_then(Value::as_str).unwrap_or(key);
    let body = match fields.get("description") {
        Some(Value::String(text)) => markup::of_wiki(text),
        Some(document @ Value::Object(_)) => markup::of_document(document),
        _ => String::new(),
    };
    let category = value.pointer("/fields/status/statusCategory/key").and_then(Value::as_str);
    let mut url = settings.url.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["browse", name]);
    }
    Ok(Ticket {
        name: name.to_owned(),
        title: title.to_owned(),
        body: bounded(body),
        closed: category == Some("done"),
        url: url.to_string(),
    })
}

fn explained(key: &str, settings: &JiraSettings, error: FetchError) -> TicketError {
    let (status, headers) = match error {
        FetchError::Broken { kind, reason } => return refused(key, kind, reason),
        FetchError::Status { status, headers } => (status, headers),
    };
    let reason = match status {
        StatusCode::NOT_FOUND if settings.login.is_none() => {
            "Jira does not show it: it does not exist, or no PREVET_JIRA_TOKEN is set".to_owned()
        }
        StatusCode::NOT_FOUND => {
            "Jira does not show it: it does not exist, or the account of PREVET_JIRA_TOKEN may not read it".to_owned()
        }
        StatusCode::GONE => "it was deleted".to_owned(),
        StatusCode::UNAUTHORIZED => {
            "Jira refuses the login: PREVET_JIRA_EMAIL and PREVET_JIRA_TOKEN (Cloud), or PREVET_JIRA_TOKEN alone".to_owned()
        }
        StatusCode::FORBIDDEN => "Jira forbids it to the account of PREVET_JIRA_TOKEN".to_owned(),
        StatusCode::TOO_MANY_REQUESTS => format!("Jira's limit of calls is reached{}", come_back(&headers)),
        status => format!("Jira answered {}", status.as_u16()),
    };
    refused(key, Kind::from_http_status(status.as_u16()), reason)
}
