//! The functions' environment, read once.

use std::env;
use std::str::FromStr;

use prevet_llm::settings::{ModelSettings, SettingsError as ModelSettingsError};
use prevet_upstream::{
    GitHubSettings, JiraSettings, NoticeSettings, NoticeSettingsError, Settings as TicketSettings,
    SettingsError as TicketSettingsError,
};

/// The longest that one question to the model may take, where nothing else is said.
const MODEL_TIMEOUT_SECONDS: u64 = 120;
/// The tokens of one question, where nothing else is said: what any current model takes.
const MODEL_INPUT_TOKENS: usize = 24_000;
/// With fewer, not even the instructions fit.
const MODEL_INPUT_TOKENS_MIN: usize = 2_500;

/// What a function is told by its environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// `PREVET_TABLE`: the DynamoDB table.
    pub table: String,
    /// `PREVET_BUCKET`: the S3 bucket.
    pub bucket: String,
    /// `PREVET_PUBLIC_URL`: `https://host` under which the server is reached.
    pub public_url: Option<String>,
    /// Whether `AWS_ENDPOINT_URL` or `AWS_ENDPOINT_URL_S3` name an emulator, which wants buckets in the path.
    pub path_style: bool,
    /// The model, where `PREVET_MODEL` names one.
    pub model: Option<ModelSettings>,
    /// `PREVET_GITHUB_API_URL`, `PREVET_GITHUB_TOKEN`, `PREVET_JIRA_URL`, `PREVET_JIRA_EMAIL`, `PREVET_JIRA_TOKEN` and
    /// `PREVET_JIRA_PROJECTS`: where tickets are kept.
    pub tickets: TicketSettings,
    /// Where notices go, where `PREVET_NOTICE_URL` says.
    pub notices: Option<NoticeSettings>,
}

/// A variable that is missing, or that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not set.
    #[error("the environment variable {0} is not set; the template in infra/ sets it for the functions")]
    Missing(&'static str),
    /// Not what it should be.
    #[error("the environment variable {name} is not {expected}")]
    Unusable {
        /// Its name.
        name: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// No model that can be asked.
    #[error(transparent)]
    Model(#[from] ModelSettingsError),
    /// Where tickets are kept is not said in a way that can be used.
    #[error(transparent)]
    Tickets(#[from] TicketSettingsError),
    /// Where notices go is not said in a way that can be used.
    #[error(transparent)]
    Notices(#[from] NoticeSettingsError),
}

impl Config {
    /// Reads the environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        let public_url = optional("PREVET_PUBLIC_URL").map(|url| url.trim_end_matches('/').to_owned());
        Ok(Self {
            notices: notice_settings_from_env(public_url.as_deref())?,
            table: optional("PREVET_TABLE").ok_or(ConfigError::Missing("PREVET_TABLE"))?,
            bucket: optional("PREVET_BUCKET").ok_or(ConfigError::Missing("PREVET_BUCKET"))?,
            public_url,
            path_style: optional("AWS_ENDPOINT_URL").or_else(|| optional("AWS_ENDPOINT_URL_S3")).is_some(),
            model: model_from_env()?,
            tickets: ticket_settings_from_env()?,
        })
    }
}

/// The level of `PREVET_LOG`: `off`, `error`, `warn`, `info`, `debug` or `trace`; `info` for anything else.
pub(crate) fn log_level() -> &'static str {
    let named = optional("PREVET_LOG").unwrap_or_default().to_ascii_lowercase();
    ["off", "error", "warn", "info", "debug", "trace"]
        .into_iter()
        .find(|level| *level == named)
        .unwrap_or("info")
}

/// The model of the environment: `PREVET_MODEL` and the variables beside it. None where that is not set.
///
/// `PREVET_MODEL_URL`, `PREVET_MODEL_API_KEY`, `PREVET_MODEL_TIMEOUT_SECONDS`, `PREVET_MODEL_INPUT_TOKENS`,
/// `PREVET_MODEL_USD_PER_MILLION_INPUT` and `_OUTPUT`, `PREVET_MODEL_TOKENS_PER_DAY`, `PREVET_MODEL_USD_PER_DAY`.
pub fn model_from_env() -> Result<Option<ModelSettings>, ConfigError> {
    let Some(model) = optional("PREVET_MODEL") else { return Ok(None) };
    let input_tokens_max = number("PREVET_MODEL_INPUT_TOKENS")?.unwrap_or(MODEL_INPUT_TOKENS);
    if input_tokens_max < MODEL_INPUT_TOKENS_MIN {
        let expected = "at least 2500: with fewer tokens not even the instructions fit";
        return Err(ConfigError::Unusable { name: "PREVET_MODEL_INPUT_TOKENS", expected });
    }
    Ok(Some(ModelSettings {
        model,
        url: optional("PREVET_MODEL_URL"),
        api_key: optional("PREVET_MODEL_API_KEY"),
        timeout_seconds: number("PREVET_MODEL_TIMEOUT_SECONDS")?.unwrap_or(MODEL_TIMEOUT_SECONDS),
        input_tokens_max,
        usd_per_million_input: money("PREVET_MODEL_USD_PER_MILLION_INPUT")?.unwrap_or(0.0),
        usd_per_million_output: money("PREVET_MODEL_USD_PER_MILLION_OUTPUT")?.unwrap_or(0.0),
        tokens_per_day: number("PREVET_MODEL_TOKENS_PER_DAY")?,
        usd_per_day: money("PREVET_MODEL_USD_PER_DAY")?,
    }))
}

#[expect(clippy::disallowed_methods, reason = "the one place where the functions read their environment")]
fn optional(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn number<T: FromStr>(name: &'static str) -> Result<Option<T>, ConfigError> {
    let unusable = |_| ConfigError::Unusable { name, expected: "a whole number" };
    optional(name).map(|text| text.trim().parse().map_err(unusable)).transpose()
}

fn money(name: &'static str) -> Result<Option<f64>, ConfigError> {
    let parse = |text: String| text.trim().parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0);
    let unusable = ConfigError::Unusable { name, expected: "an amount of US dollars" };
    optional(name).map(|text| parse(text).ok_or(unusable)).transpose()
}

/// Where notices go, as the environment says: `PREVET_NOTICE_URL`, `PREVET_NOTICE_SECRET` (signs them) and
/// `PREVET_NOTICE_FORMAT` (`json`, `slack`, `teams`). None where no address is set.
pub fn notice_settings_from_env(public_url: Option<&str>) -> Result<Option<NoticeSettings>, ConfigError> {
    let Some(url) = optional("PREVET_NOTICE_URL") else { return Ok(None) };
    let inbox_url = public_url.map(|base| format!("{base}/inbox"));
    let (secret, format) = (optional("PREVET_NOTICE_SECRET"), optional("PREVET_NOTICE_FORMAT"));
    Ok(Some(NoticeSettings::new(&url, secret, format.as_deref(), inbox_url)?))
}

/// Where tickets are kept, as the environment says; for a server that has its storage from elsewhere.
pub fn ticket_settings_from_env() -> Result<TicketSettings, ConfigError> {
    let api = optional("PREVET_GITHUB_API_URL");
    let github = GitHubSettings::new(api.as_deref(), optional("PREVET_GITHUB_TOKEN"))?;
    let projects = optional("PREVET_JIRA_PROJECTS");
    let jira = optional("PREVET_JIRA_URL").map(|url| {
        let (email, token) = (optional("PREVET_JIRA_EMAIL"), optional("PREVET_JIRA_TOKEN"));
        JiraSettings::new(&url, email, token, projects.as_deref())
    });
    Ok(TicketSettings { github, jira: jira.transpose()? })
}
