//! The functions' environment, read once.

use std::env;

use prevet_upstream::{GitHubSettings, JiraSettings, Settings as TicketSettings, SettingsError};

/// What a function is told by its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `PREVET_TABLE`: the DynamoDB table.
    pub table: String,
    /// `PREVET_BUCKET`: the S3 bucket.
    pub bucket: String,
    /// `PREVET_PUBLIC_URL`: `https://host` under which the server is reached.
    pub public_url: Option<String>,
    /// Whether `AWS_ENDPOINT_URL` or `AWS_ENDPOINT_URL_S3` name an emulator, which wants buckets in the path.
    pub path_style: bool,
    /// `PREVET_GITHUB_API_URL`, `PREVET_GITHUB_TOKEN`, `PREVET_JIRA_URL`, `PREVET_JIRA_EMAIL`, `PREVET_JIRA_TOKEN` and
    /// `PREVET_JIRA_PROJECTS`: where tickets are kept.
    pub tickets: TicketSettings,
}

/// Why the environment cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A variable that is missing.
    #[error("the environment variable {0} is not set; the template in infra/ sets it for the functions")]
    Missing(&'static str),
    /// Where tickets are kept is not said in a way that can be used.
    #[error(transparent)]
    Tickets(#[from] SettingsError),
}

impl Config {
    /// Reads the environment.
    #[expect(clippy::disallowed_methods, reason = "the one place where the functions read their environment")]
    pub fn from_env() -> Result<Self, ConfigError> {
        let optional = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        Ok(Self {
            table: optional("PREVET_TABLE").ok_or(ConfigError::Missing("PREVET_TABLE"))?,
            bucket: optional("PREVET_BUCKET").ok_or(ConfigError::Missing("PREVET_BUCKET"))?,
            public_url: optional("PREVET_PUBLIC_URL").map(|url| url.trim_end_matches('/').to_owned()),
            path_style: optional("AWS_ENDPOINT_URL").or_else(|| optional("AWS_ENDPOINT_URL_S3")).is_some(),
            tickets: tickets(&optional)?,
        })
    }
}

/// Reads where tickets are kept; for a server that has its storage from elsewhere.
#[expect(clippy::disallowed_methods, reason = "the one place where the functions read their environment")]
pub fn ticket_settings_from_env() -> Result<TicketSettings, ConfigError> {
    Ok(tickets(&|name| env::var(name).ok().filter(|value| !value.is_empty()))?)
}

fn tickets(optional: &dyn Fn(&str) -> Option<String>) -> Result<TicketSettings, SettingsError> {
    let api = optional("PREVET_GITHUB_API_URL");
    let github = GitHubSettings::new(api.as_deref(), optional("PREVET_GITHUB_TOKEN"))?;
    let projects = optional("PREVET_JIRA_PROJECTS");
    let jira = optional("PREVET_JIRA_URL").map(|url| {
        let (email, token) = (optional("PREVET_JIRA_EMAIL"), optional("PREVET_JIRA_TOKEN"));
        JiraSettings::new(&url, email, token, projects.as_deref())
    });
    Ok(TicketSettings { github, jira: jira.transpose()? })
}
