//! Which hosts may be called, and with what.

use std::fmt;

use reqwest::Url;

/// The API of github.com.
const GITHUB_API: &str = "https://api.github.com";

/// A token; never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Of that text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// Where tickets are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// GitHub or GitHub Enterprise.
    pub github: GitHubSettings,
    /// Jira, where there is one.
    pub jira: Option<JiraSettings>,
}

/// GitHub or GitHub Enterprise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHubSettings {
    pub(crate) api: Url,
    pub(crate) token: Option<Secret>,
}

/// One Jira site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JiraSettings {
    pub(crate) url: Url,
    pub(crate) login: Option<JiraLogin>,
    /// The only projects whose keys count; any where none is named.
    pub projects: Vec<String>,
}

/// How Jira knows us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JiraLogin {
    /// Jira Cloud: an account's address and its API token.
    Account {
        /// The address.
        email: String,
        /// The token.
        token: Secret,
    },
    /// Jira Server and Data Center: a personal access token.
    Personal(Secret),
}

/// Settings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Not an address that a token may be sent to.
    #[error("{0} is not an https address (plain http is taken for this machine only)")]
    Address(&'static str),
    /// TLS could not be set up.
    #[error("the HTTP client cannot be made")]
    NoClient,
}

impl GitHubSettings {
    /// `api` is `https://HOST/api/v3` for GitHub Enterprise; github.com's where it is not set.
    pub fn new(api: Option<&str>, token: Option<String>) -> Result<Self, SettingsError> {
        let api = address(api.unwrap_or(GITHUB_API), "PREVET_GITHUB_API_URL")?;
        Ok(Self { api, token: token.map(Secret::new) })
    }

    /// Whether somebody set a token or an address: github.com is not asked for files by itself.
    pub(crate) fn is_set(&self) -> bool {
        self.token.is_some() || Url::parse(GITHUB_API).is_ok_and(|it| it != self.api)
    }

    /// Whether an issue's address at `host` is one of this GitHub.
    pub(crate) fn serves(&self, host: &str) -> bool {
        let api = self.api.host_str().unwrap_or_default();
        let with_port = self.api.port().map(|port| format!("{api}:{port}"));
        host == api || with_port.as_deref() == Some(host) || api.strip_prefix("api.") == Some(host)
    }
}

impl JiraSettings {
    /// The site at `url`; several `projects` are parted by commas.
    pub fn new(
        url: &str,
        email: Option<String>,
        token: Option<String>,
        projects: Option<&str>,
    ) -> Result<Self, SettingsError> {
        let url = address(url, "PREVET_JIRA_URL")?;
        let login = token.map(Secret::new).map(|token| match email {
            Some(email) => JiraLogin::Account { email, token },
            None => JiraLogin::Personal(token),
        });
        let projects = projects.unwrap_or_default().split(',').map(str::trim).filter(|it| !it.is_empty());
        Ok(Self { url, login, projects: projects.map(str::to_uppercase).collect() })
    }
}

/// A token goes over TLS, or does not leave this machine.
fn address(text: &str, name: &'static str) -> Result<Url, SettingsError> {
    let url: Url = text.trim().parse().map_err(|_| SettingsError::Address(name))?;
    let host = url.host_str().ok_or(SettingsError::Address(name))?;
    let bare = host.trim_matches(['[', ']']);
    let loopback = host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|it| it.is_loopback());
    let plain = url.username().is_empty() && url.password().is_none();
    if plain && (url.scheme() == "https" || (url.scheme() == "http" && loopback)) {
        return Ok(url);
    }
    Err(SettingsError::Address(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |text: &str, good: bool| assert_eq!(address(text, "X").is_ok(), good, "{text}");
        check("https://ghe.acme.example/api/v3", true);
        check("http://127.0.0.1:8080", true);
        check("http://ghe.acme.example", false);
        check("http://127.0.0.1.evil.example", false);
        check("https://user:word@ghe.acme.example", false);
        check("file:///etc/passwd", false);
        check("ghe.acme.example", false);
    }

    #[test]
    fn hosts() {
        let check = |api: Option<&str>, host: &str, expected| {
            assert_eq!(GitHubSettings::new(api, None).unwrap().serves(host), expected, "{api:?} {host}");
        };
        check(None, "github.com", true);
        check(None, "ghe.acme.example", false);
        check(Some("https://ghe.acme.example/api/v3"), "ghe.acme.example", true);
        check(Some("https://ghe.acme.example/api/v3"), "evil.example", false);
        check(Some("https://ghe.acme.example/api/v3"), "github.com", false);
        check(Some("https://api.acme.ghe.com"), "acme.ghe.com", true);
    }

    #[test]
    fn a_token_is_not_shown() {
        let jira =
            JiraSettings::new("https://j.example", None, Some("abc".into()), Some("ops, Web")).unwrap();
        assert!(!format!("{jira:?}").contains("abc"));
        assert_eq!(jira.projects, ["OPS", "WEB"]);
    }
}
