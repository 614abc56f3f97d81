//! Tickets of GitHub, GitHub Enterprise and Jira, and files of the first two. Only the hosts of the configuration are ever called, whatever
//! the address of a ticket says.

mod contents;
mod fetch;
mod github;
mod jira;
mod markup;
mod settings;
mod webhook;

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use prevet_app::provider::{Blob, Fetch, Provider};
use prevet_app::tickets::{Fetched, TicketError, TicketReference, Tickets};
use prevet_domain::ids::{RepositoryName, Revision, TenantKey};
use prevet_domain::kind::Kind;

use self::contents::Hosted;
pub use self::settings::{GitHubSettings, JiraLogin, JiraSettings, Secret, Settings, SettingsError};
pub use self::webhook::{NoticeSettings, NoticeSettingsError, Webhook};

/// How long a connection may take to stand.
const CONNECT_TIMEOUT_SECONDS: u64 = 5;
/// How long one answer may take, redirects included.
const ANSWER_TIMEOUT_SECONDS: u64 = 15;
/// The most of a ticket's description that is kept.
const BODY_BYTES_MAX: usize = 200_000;

/// Where tickets are kept.
#[derive(Debug)]
pub struct Upstream {
    http: reqwest::Client,
    settings: Settings,
}

impl Upstream {
    /// As `settings` say.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(CONNECT_TIMEOUT_SECONDS))
            .timeout(Duration::from_secs(ANSWER_TIMEOUT_SECONDS))
            // Redirects are followed by hand: within the host, and never with the token to another.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("prevet/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|_| SettingsError::NoClient)?;
        Ok(Self { http, settings })
    }
}

impl Upstream {
    /// Whether files may be read from it: a token or an address is set.
    pub fn is_provider(&self) -> bool {
        self.settings.github.is_set()
    }

    fn hosted<'a>(&'a self, repository: &'a RepositoryName) -> Hosted<'a> {
        Hosted { http: &self.http, settings: &self.settings.github, repository }
    }
}

impl Provider for Upstream {
    fn name(&self) -> String {
        self.settings.github.api.host_str().unwrap_or_default().to_owned()
    }

    fn blobs<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a Revision,
        paths: &'a [String],
    ) -> Fetch<'a, BTreeMap<String, Blob>> {
        Box::pin(async move { self.hosted(repository).blobs(commit, paths).await })
    }

    fn content<'a>(
        &'a self,
        repository: &'a RepositoryName,
        id: &'a str,
        bytes_max: usize,
    ) -> Fetch<'a, Bytes> {
        Box::pin(async move { self.hosted(repository).content(id, bytes_max).await })
    }
}

impl Tickets for Upstream {
    fn fetch<'a>(&'a self, _tenant: &'a TenantKey, reference: &'a TicketReference) -> Fetched<'a> {
        Box::pin(async move {
            match reference {
                TicketReference::GitHub { host, repository, number } => {
                    github::issue(&self.http, &self.settings.github, host.as_deref(), repository, *number)
                        .await
                }
                TicketReference::Jira { site, key } => match &self.settings.jira {
                    Some(jira) => jira::issue(&self.http, jira, site.as_deref(), key).await,
                    None => {
                        Err(refused(key, Kind::Invalid, "no Jira is configured: PREVET_JIRA_URL sets one"))
                    }
                },
            }
        })
    }

    fn projects(&self) -> &[String] {
        self.settings.jira.as_ref().map(|jira| jira.projects.as_slice()).unwrap_or_default()
    }
}

fn refused(name: &str, kind: Kind, reason: impl Into<String>) -> TicketError {
    TicketError { name: name.to_owned(), reason: reason.into(), kind }
}

/// `text` without more than [`BODY_BYTES_MAX`], which is said at its end.
fn bounded(mut text: String) -> String {
    if text.len() > BODY_BYTES_MAX {
        text.truncate(text.floor_char_boundary(BODY_BYTES_MAX));
        text.push_str("\n\n[the description goes on; the rest was left out]");
    }
    text
}
