//! `$XDG_CONFIG_HOME/prevet/config.toml`: the user's own file.

use serde::{Deserialize, Serialize};

use crate::policy_file::{PolicyError, ReviewTable, one_line};

/// The user's file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserConfig {
    /// The server, where one is set.
    pub server: Option<ServerTable>,
    /// Settings of the review rounds.
    #[serde(default)]
    pub review: ReviewTable,
}

/// `[server]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerTable {
    /// The base URL, `https://host/mcp`.
    pub url: String,
    /// The tenant's key.
    pub tenant_key: String,
    /// The file that holds the API key, mode 0600; beside this file where it is relative.
    pub key_file: String,
}

/// Reads the user's file; `file` is what errors call it.
pub fn parse(file: &str, text: &str) -> Result<UserConfig, PolicyError> {
    toml::from_str(text).map_err(|error| PolicyError { file: file.to_owned(), problem: one_line(&error) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_refuses() {
        let text = "[server]\nurl = \"https://h/mcp\"\ntenant_key = \"t\"\nkey_file = \"key\"\n[review]\neffort = \"low\"\n";
        let config = parse("config.toml", text).unwrap();
        assert_eq!(config.server.unwrap().url, "https://h/mcp");
        assert_eq!(config.review.effort.as_deref(), Some("low"));
        let error = parse("config.toml", "[server]\nurl = 1\n").unwrap_err().to_string();
        assert!(error.contains("config.toml") && error.contains("url"), "{error}");
        assert!(parse("config.toml", "colour = true").unwrap_err().to_string().contains("colour"));
    }
}
