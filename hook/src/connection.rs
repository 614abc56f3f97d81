//! Which server a command speaks to: the environment's, the user's, or one that is embedded.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use prevet_domain::kind::Kind;
use prevet_wire::user_config::{self, UserConfig};

use crate::config::Config;
use crate::error::CommandError;

/// A server, and what it takes to use it.
#[derive(Clone)]
pub struct Endpoint {
    /// The base URL, ending in `/mcp`.
    pub url: String,
    /// The tenant.
    pub tenant_key: String,
    /// The API key.
    pub api_key: String,
}

/// An endpoint, and the embedded server behind it where there is one.
pub struct Connection {
    /// The server.
    pub endpoint: Endpoint,
    #[cfg(feature = "embedded")]
    embedded: Option<prevet_local::LocalServer>,
}

/// Whose key a command uses on this machine's own server. With a server that is configured, it is the key that is
/// configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A program's.
    Agent,
    /// A person's.
    Person,
}

impl Connection {
    /// Finds the server that is configured, or starts the embedded one.
    pub async fn open(config: &Config) -> Result<Self, CommandError> {
        match configured(config)? {
            Some(endpoint) => Ok(Self::to(endpoint)),
            None => Self::embedded(config, Who::Agent, false).await,
        }
    }

    /// The same for decisions: others on this machine use the server that is started, for as long as it runs, since one
    /// side waits for the other.
    pub async fn open_for_decisions(config: &Config, who: Who) -> Result<Self, CommandError> {
        match configured(config)? {
            Some(endpoint) => Ok(Self::to(endpoint)),
            None => Self::embedded(config, who, true).await,
        }
    }

    /// Whether the server is this process's own and ends with it.
    pub const fn is_embedded(&self) -> bool {
        #[cfg(feature = "embedded")]
        return self.embedded.is_some();
        #[cfg(not(feature = "embedded"))]
        return false;
    }

    fn to(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            #[cfg(feature = "embedded")]
            embedded: None,
        }
    }

    #[cfg(feature = "embedded")]
    async fn embedded(config: &Config, who: Who, announced: bool) -> Result<Self, CommandError> {
        use std::net::{Ipv4Addr, SocketAddr};

        use prevet_local::{LocalServer, Presence, reachable};

        let folder = data_dir(config)?;
        if let Some(server) = reachable(&folder).await {
            return Ok(Self::to(running(server, who)));
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let appeared = async || reachable(&folder).await.is_some();
        let presence = if announced { Presence::Announced } else { Presence::Private };
        let Some(server) = LocalServer::start(address, &folder, presence, appeared).await? else {
            let server = reachable(&folder).await.ok_or_else(|| {
                CommandError::new(
                    Kind::Busy,
                    format!("the server on {} just ended; try again", folder.display()),
                )
            })?;
            return Ok(Self::to(running(server, who)));
        };
        let endpoint = Endpoint {
            url: server.url.clone(),
            tenant_key: server.keys.tenant_key.clone(),
            api_key: match who {
                Who::Agent => server.keys.agent_key.clone(),
                Who::Person => server.keys.human_key.clone(),
            },
        };
        Ok(Self { endpoint, embedded: Some(server) })
    }

    #[cfg(not(feature = "embedded"))]
    #[expect(clippy::unused_async, reason = "the same to callers, whether a server is embedded or not")]
    async fn embedded(_config: &Config, _who: Who, _announced: bool) -> Result<Self, CommandError> {
        Err(none_is_set())
    }

    /// Ends what was started.
    #[cfg_attr(
        not(feature = "embedded"),
        expect(clippy::unused_async, reason = "the same to callers, whether a server is embedded or not")
    )]
    pub async fn close(self) {
        #[cfg(feature = "embedded")]
        if let Some(server) = self.embedded {
            server.stop().await;
        }
    }
}

/// Without a server of its own, a build needs one that is set.
#[cfg(not(feature = "embedded"))]
pub fn none_is_set() -> CommandError {
    CommandError::usage(
        "no server is set, and this build has none embedded: `prevet login` sets one, \
         or PREVET_API_URL, PREVET_API_KEY and PREVET_TENANT_KEY",
    )
}

#[cfg(feature = "embedded")]
fn running(server: prevet_local::RunningServer, who: Who) -> Endpoint {
    let api_key = match who {
        Who::Agent => server.agent_key,
        Who::Person => server.human_key,
    };
    Endpoint { url: server.url, tenant_key: server.tenant_key, api_key }
}

/// The embedded server's folder.
pub fn data_dir(config: &Config) -> Result<PathBuf, CommandError> {
    config.data_dir.clone().ok_or_else(|| {
        CommandError::usage("neither PREVET_DATA_DIR nor XDG_DATA_HOME nor HOME says where the embedded server may keep its data")
    })
}

/// The server that the environment or the user's file names.
pub fn configured(config: &Config) -> Result<Option<Endpoint>, CommandError> {
    if let Some(url) = &config.api_url {
        let missing = |name| {
            let text = format!("PREVET_API_URL is set but {name} is not: set it, or use `prevet login`");
            CommandError::usage(text)
        };
        return Ok(Some(Endpoint {
            url: base_url(url)?,
            tenant_key: config.tenant().ok_or_else(|| missing("PREVET_TENANT_KEY"))?,
            api_key: config.api_key.clone().ok_or_else(|| missing("PREVET_API_KEY"))?,
        }));
    }
    let Some(file) = &config.config_file else { return Ok(None) };
    let Some(server) = read_user_config(file)?.server else { return Ok(None) };
    let key_file = file.parent().unwrap_or(Path::new("")).join(&server.key_file);
    let api_key = fs::read_to_string(&key_file).map_err(|error| {
        CommandError::usage(format!(
            "the key of {} cannot be read from {} ({error}); `prevet login` writes it",
            server.url,
            key_file.display()
        ))
    })?;
    Ok(Some(Endpoint {
        url: base_url(&server.url)?,
        tenant_key: config.workspace_id.clone().unwrap_or(server.tenant_key),
        api_key: api_key.trim().to_owned(),
    }))
}

/// The user's own file; its defaults where there is none.
pub fn read_user_config(file: &Path) -> Result<UserConfig, CommandError> {
    match fs::read_to_string(file) {
        Ok(text) => {
            let shown = file.display().to_string();
            user_config::parse(&shown, &text).map_err(|error| CommandError::of(Kind::Invalid, &error))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(UserConfig::default()),
        Err(error) => Err(CommandError::usage(format!("{} cannot be read: {error}", file.display()))),
    }
}

/// A server's URL, with the `/mcp` that base and MCP URL share.
pub fn base_url(text: &str) -> Result<String, CommandError> {
    let refused = |why: &str| CommandError::usage(format!("{text:?} is not a server's URL: {why}"));
    let url: reqwest::Url = text.trim().parse().map_err(|_| refused("it cannot be parsed"))?;
    let host = url.host_str().ok_or_else(|| refused("it has no host"))?;
    match url.scheme() {
        "https" => {}
        "http" if names_this_machine(host) => {}
        "http" => return Err(refused("a key is never sent over plain http to another machine; use https")),
        _ => return Err(refused("it begins with neither https:// nor http://")),
    }
    let bare = url.as_str().trim_end_matches('/');
    Ok(if bare.ends_with("/mcp") { bare.to_owned() } else { format!("{bare}/mcp") })
}

/// Whether a server's URL leads to this machine.
pub fn is_loopback(url: &str) -> bool {
    let url = url.parse::<reqwest::Url>().ok();
    url.as_ref().and_then(reqwest::Url::host_str).is_some_and(names_this_machine)
}

fn names_this_machine(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|it| it.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let check = |text: &str, expected: Result<&str, &str>| match (base_url(text), expected) {
            (Ok(url), Ok(expected)) => assert_eq!(url, expected),
            (Err(error), Err(expected)) => assert!(error.message.contains(expected), "{}", error.message),
            (got, _) => panic!("{text}: {got:?}"),
        };
        check("https://h.example/mcp", Ok("https://h.example/mcp"));
        check("https://h.example/", Ok("https://h.example/mcp"));
        check("https://h.example/v1", Ok("https://h.example/v1/mcp"));
        check("http://127.0.0.1:8080/mcp/", Ok("http://127.0.0.1:8080/mcp"));
        check("http://[::1]:1", Ok("http://[::1]:1/mcp"));
        check("http://h.example", Err("plain http"));
        check("ftp://h.example", Err("neither"));
        check("h.example", Err("parsed"));
    }
}
