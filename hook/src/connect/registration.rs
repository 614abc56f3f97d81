//! The two servers, as each agent wants them written.

use std::path::Path;

use serde_json::{Value, json};

use super::document::Entry;
use super::{ConnectError, Harness};

/// The server of the review rounds.
const ROUNDS: &str = "cross-review";
/// The server of inspection and decisions.
const SERVER: &str = "prevet";
/// Both.
pub const NAMES: [&str; 2] = [ROUNDS, SERVER];

/// How long `review_wait` waits where the call does not say.
const REVIEW_WAIT_SECONDS: u64 = 270;
/// A wait of that, and what surrounds it.
const ROUNDS_TIMEOUT_SECONDS: u64 = 300;
/// An inspection may take 300 s, a decision 55 s.
const SERVER_TIMEOUT_SECONDS: u64 = 330;
const STARTUP_TIMEOUT_SECONDS: u64 = 30;

const KEY_HEADER: &str = "X-Product-API-Key";
const KEY_VARIABLE: &str = "PREVET_API_KEY";

/// Codex starts servers with next to nothing of its environment.
const SERVER_VARIABLES: &[&str] = &[
    "PREVET_API_URL",
    KEY_VARIABLE,
    "PREVET_TENANT_KEY",
    "PREVET_WORKSPACE_ID",
    "PREVET_THREAD_ID",
    "PREVET_WORKSTREAM_ID",
    "PREVET_DATA_DIR",
    "PREVET_TIMEOUT_SECONDS",
    "PREVET_MODEL",
    "PREVET_MODEL_URL",
    "PREVET_MODEL_API_KEY",
    "PREVET_GITHUB_TOKEN",
    "PREVET_GITHUB_API_URL",
    "PREVET_JIRA_URL",
    "PREVET_JIRA_EMAIL",
    "PREVET_JIRA_TOKEN",
    "PREVET_JIRA_PROJECTS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "GIT_CONFIG_GLOBAL",
    "HTTPS_PROXY",
    "NO_PROXY",
];
const ROUNDS_VARIABLES: &[&str] = &[
    "CODEX_HOME",
    "OPENAI_API_KEY",
    "CODEX_API_KEY",
    "PREVET_REVIEW_STALL_SECONDS",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "HTTPS_PROXY",
    "NO_PROXY",
];

/// What is to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The binary, as text.
    pub binary: String,
    /// The server's URL in place of the binary, for what the server has.
    pub http: Option<HttpServer>,
}

/// A server by its URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpServer {
    /// Its URL.
    pub url: String,
    /// The key, where it does not come from `PREVET_API_KEY`.
    pub api_key: Option<String>,
}

/// A registered server, as it was found in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// Started as a process.
    Stdio {
        /// The program and its arguments.
        command: Vec<String>,
        /// Its variables on top of what there is.
        variables: Vec<(String, String)>,
    },
    /// By HTTP.
    Http {
        /// The URL.
        url: String,
    },
}

impl Registration {
    /// With the binary at that path.
    pub fn new(binary: &Path, http: Option<HttpServer>) -> Result<Self, ConnectError> {
        let text = binary.to_str().map(str::to_owned);
        let binary = text.ok_or_else(|| ConnectError::BinaryPath { path: binary.to_owned() })?;
        Ok(Self { binary, http })
    }

    /// The entries. `reviewer_variables` are those that the reviewer's own configuration takes its keys from.
    pub fn entries(&self, harness: Harness, reviewer_variables: &[String]) -> Vec<Entry> {
        let rounds = Stdio {
            binary: &self.binary,
            only: "review",
            wait: Some(REVIEW_WAIT_SECONDS),
            timeout_seconds: ROUNDS_TIMEOUT_SECONDS,
            variables: ROUNDS_VARIABLES
                .iter()
                .copied()
                .chain(reviewer_variables.iter().map(String::as_str))
                .collect(),
        };
        let server = Stdio {
            binary: &self.binary,
            only: "server",
            wait: None,
            timeout_seconds: SERVER_TIMEOUT_SECONDS,
            variables: SERVER_VARIABLES.to_vec(),
        };
        let server = match &self.http {
            Some(http) => http.entry(harness),
            None => server.entry(harness),
        };
        vec![(ROUNDS.to_owned(), rounds.entry(harness)), (SERVER.to_owned(), server)]
    }
}

/// Whether an entry is one that we write: it starts `prevet mcp --only …`, or sends our key's header.
pub fn is_ours(entry: &Entry) -> bool {
    let sends_key = ["headers", "http_headers", "env_http_headers"]
        .into_iter()
        .any(|name| entry.1.get(name).is_some_and(|headers| headers.get(KEY_HEADER).is_some()));
    match Server::of(entry).map(|server| server.transport) {
        Some(Transport::Stdio { command, .. }) => ["review", "server"]
            .iter()
            .any(|only| command.ends_with(&["mcp", "--only", *only].map(str::to_owned))),
        Some(Transport::Http { .. }) => sends_key,
        None => false,
    }
}

struct Stdio<'a> {
    binary: &'a str,
    only: &'static str,
    wait: Option<u64>,
    timeout_seconds: u64,
    variables: Vec<&'a str>,
}

impl Stdio<'_> {
    fn entry(&self, harness: Harness) -> Value {
        let arguments = json!(["mcp", "--only", self.only]);
        let wait = self.wait.map(|seconds| ("REVIEW_WAIT_DEFAULT_S".to_owned(), seconds.to_string().into()));
        let environment = Value::Object(wait.into_iter().collect());
        let (binary, milliseconds) = (self.binary, self.timeout_seconds * 1000);
        match harness {
            Harness::ClaudeCode => json!({
                "type": "stdio", "command": binary, "args": arguments, "env": environment, "timeout": milliseconds,
            }),
            Harness::Codex => json!({
                "command": binary, "args": arguments, "env": environment, "env_vars": self.variables,
                "startup_timeout_sec": STARTUP_TIMEOUT_SECONDS, "tool_timeout_sec": self.timeout_seconds,
            }),
            Harness::Cursor => json!({ "command": binary, "args": arguments, "env": environment }),
            Harness::Opencode => json!({
                "type": "local", "command": [binary, "mcp", "--only", self.only], "environment": environment,
                "enabled": true, "timeout": milliseconds,
            }),
            Harness::Gemini => json!({
                "command": binary, "args": arguments, "env": environment, "timeout": milliseconds,
            }),
        }
    }
}

impl HttpServer {
    fn entry(&self, harness: Harness) -> Value {
        let (url, milliseconds) = (&self.url, SERVER_TIMEOUT_SECONDS * 1000);
        let key = self.api_key.clone().unwrap_or_else(|| match harness {
            Harness::ClaudeCode => format!("${{{KEY_VARIABLE}}}"),
            Harness::Cursor => format!("${{env:{KEY_VARIABLE}}}"),
            Harness::Opencode => format!("{{env:{KEY_VARIABLE}}}"),
            Harness::Codex | Harness::Gemini => format!("${KEY_VARIABLE}"),
        });
        let headers = json!({ KEY_HEADER: key });
        match harness {
            Harness::ClaudeCode | Harness::Gemini => {
                json!({ "type": "http", "url": url, "headers": headers, "timeout": milliseconds })
            }
            Harness::Codex => {
                let (name, headers) = match &self.api_key {
                    Some(key) => ("http_headers", json!({ KEY_HEADER: key })),
                    None => ("env_http_headers", json!({ KEY_HEADER: KEY_VARIABLE })),
                };
                json!({
                    "url": url, name: headers, "startup_timeout_sec": STARTUP_TIMEOUT_SECONDS,
                    "tool_timeout_sec": SERVER_TIMEOUT_SECONDS,
                })
            }
            Harness::Cursor => json!({ "url": url, "headers": headers }),
            Harness::Opencode => json!({
                "type": "remote", "url": url, "headers": headers, "enabled": true, "timeout": milliseconds,
            }),
        }
    }
}

impl Server {
    /// Reads an entry, whichever agent's it is.
    pub fn of((name, entry): &Entry) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(url) = entry.get("url").and_then(text) {
            return Some(Self { name: name.clone(), transport: Transport::Http { url } });
        }
        let command = entry.get("command")?;
        let program = command.as_str().map(|program| vec![program.to_owned()]);
        let listed =
            |value: &Value| value.as_array().map(|list| list.iter().filter_map(text).collect::<Vec<_>>());
        let mut command = program.or_else(|| listed(command))?;
        command.extend(entry.get("args").and_then(listed).unwrap_or_default());
        let variables = entry.get("env").or_else(|| entry.get("environment")).and_then(Value::as_object);
        let variables = variables.into_iter().flatten();
        let variables = variables.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect();
        Some(Self { name: name.clone(), transport: Transport::Stdio { command, variables } })
    }
}
