//! The functions' environment, read once.

use std::env;

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
}

/// A variable that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {0} is not set; the template in infra/ sets it for the functions")]
pub struct ConfigError(&'static str);

impl Config {
    /// Reads the environment.
    #[expect(clippy::disallowed_methods, reason = "the one place where the functions read their environment")]
    pub fn from_env() -> Result<Self, ConfigError> {
        let optional = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        Ok(Self {
            table: optional("PREVET_TABLE").ok_or(ConfigError("PREVET_TABLE"))?,
            bucket: optional("PREVET_BUCKET").ok_or(ConfigError("PREVET_BUCKET"))?,
            public_url: optional("PREVET_PUBLIC_URL").map(|url| url.trim_end_matches('/').to_owned()),
            path_style: optional("AWS_ENDPOINT_URL").or_else(|| optional("AWS_ENDPOINT_URL_S3")).is_some(),
        })
    }
}

/// The level of `PREVET_LOG`: `off`, `error`, `warn`, `info`, `debug` or `trace`; `info` for anything else.
#[expect(clippy::disallowed_methods, reason = "the one place where the functions read their environment")]
pub(crate) fn log_level() -> &'static str {
    let named = env::var("PREVET_LOG").unwrap_or_default().to_ascii_lowercase();
    ["off", "error", "warn", "info", "debug", "trace"]
        .into_iter()
        .find(|level| *level == named)
        .unwrap_or("info")
}
