//! Where notices go.

use reqwest::Url;

use crate::Secret;

/// The forms of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NoticeFormat {
    /// Our own fields.
    #[default]
    Json,
    /// An incoming webhook of Slack.
    Slack,
    /// A workflow of Teams, which takes an adaptive card.
    Teams,
}

/// Where notices go.
#[derive(Debug, Clone, PartialEq)]
pub struct NoticeSettings {
    pub(super) url: Url,
    pub(super) secret: Option<Secret>,
    pub(super) format: NoticeFormat,
    pub(super) inbox_url: Option<String>,
}

/// Settings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoticeSettingsError {
    /// No address.
    #[error("PREVET_NOTICE_URL is not an http or https address")]
    Url,
    /// No such form.
    #[error("PREVET_NOTICE_FORMAT={0:?} is not one of json, slack, teams")]
    Format(String),
    /// The HTTP client cannot be made.
    #[error("the HTTP client for notices cannot be made")]
    NoClient,
}

impl NoticeSettings {
    /// Of the environment's texts; `inbox_url` is where people answer.
    pub fn new(
        url: &str,
        secret: Option<String>,
        format: Option<&str>,
        inbox_url: Option<String>,
    ) -> Result<Self, NoticeSettingsError> {
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let format = match format {
            None | Some("json") => NoticeFormat::Json,
            Some("slack") => NoticeFormat::Slack,
            Some("teams") => NoticeFormat::Teams,
            Some(other) => return Err(NoticeSettingsError::Format(other.to_owned())),
        };
        let url = url.ok_or(NoticeSettingsError::Url)?;
        Ok(Self { url, secret: secret.map(Secret::new), format, inbox_url })
    }
}
