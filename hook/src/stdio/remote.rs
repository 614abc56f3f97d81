//! The server behind this one: the configured one, or the embedded one, which starts with the first call that needs
//! it and ends with this process.

use prevet_domain::kind::Kind;
use rmcp::model::{JsonObject, Tool};
use tokio::sync::{Mutex, OnceCell};

use super::progress::Progress;
use super::schema;
use crate::client::{About, Client, Handed};
use crate::commands::decision;
use crate::config::Config;
use crate::connection::{Connection, Who, configured};
use crate::console;
use crate::error::CommandError;

/// Clients wait for the list when they start, and not for long.
const LIST_SECONDS_MAX: u64 = 8;

/// The server.
pub struct Remote {
    config: Config,
    is_configured: bool,
    /// The server of this process, once it runs.
    own: Mutex<Option<Connection>>,
    known: Mutex<Vec<Tool>>,
    about: OnceCell<About>,
}

impl Remote {
    /// A configuration that cannot be used is said at once.
    pub fn new(config: &Config) -> Result<Self, CommandError> {
        let is_configured = configured(config)?.is_some();
        config.waits()?;
        #[cfg(not(feature = "embedded"))]
        if !is_configured {
            return Err(crate::connection::none_is_set());
        }
        let (own, known, about) = (Mutex::default(), Mutex::default(), OnceCell::new());
        Ok(Self { config: config.clone(), is_configured, own, known, about })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A client of the server, which runs then.
    pub async fn client(&self) -> Result<Client, CommandError> {
        let mut own = self.own.lock().await;
        let endpoint = if let Some(connection) = &*own {
            connection.endpoint.clone()
        } else {
            let connection = open(self.config.clone()).await?;
            let endpoint = connection.endpoint.clone();
            // Another process's server may end before this one does, and is looked for anew each time.
            *own = connection.is_embedded().then_some(connection);
            endpoint
        };
        let client = Client::new(endpoint, self.config.waits()?)?;
        let about = self.about.get_or_init(|| about(self.config.clone())).await;
        Ok(client.about(about.clone()))
    }

    /// The server's tools, as clients see them here. Where it cannot be asked, those of the server that this binary
    /// carries: a call then says what is wrong.
    pub async fn tools(&self) -> Result<Vec<Tool>, CommandError> {
        let listed = self.listed().await?;
        self.known.lock().await.clone_from(&listed);
        Ok(listed.into_iter().map(schema::adapted).collect())
    }

    async fn listed(&self) -> Result<Vec<Tool>, CommandError> {
        if !self.is_configured {
            return built_in();
        }
        let listed = async { self.client().await?.list_tools(LIST_SECONDS_MAX).await }.await;
        listed.or_else(|error| {
            let built_in = built_in()?;
            console::say(&format!("{error}; the tools are listed all the same"));
            Ok(built_in)
        })
    }

    /// A tool by its name, as the server has it.
    pub async fn tool(&self, name: &str) -> Option<Tool> {
        let find = |tools: &[Tool]| tools.iter().find(|tool| tool.name == name).cloned();
        if let Some(tool) = find(&self.known.lock().await) {
            return Some(tool);
        }
        let listed = self.listed().await.ok()?;
        let found = find(&listed);
        *self.known.lock().await = listed;
        found
    }

    /// Hands a call on.
    pub async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        progress: &Progress,
    ) -> Result<Handed, CommandError> {
        self.client().await?.hand_on(name, arguments, progress.listener()).await
    }

    /// Ends what was started.
    pub async fn close(&self) {
        if let Some(connection) = self.own.lock().await.take() {
            connection.close().await;
        }
    }
}

/// What requests for decisions say of where they come from. Without a thread in the environment, this process is one.
async fn about(config: Config) -> About {
    // Git waits for a program.
    let asked = tokio::task::spawn_blocking(move || decision::about(&config)).await;
    let mut about = asked.unwrap_or_default();
    let own = || format!("session-{}-{}", std::process::id(), jiff::Timestamp::now().as_second());
    about.thread.get_or_insert_with(own);
    about
}

/// On a thread of its own: starting the embedded server is no future that may move between threads.
async fn open(config: Config) -> Result<Connection, CommandError> {
    let runtime = tokio::runtime::Handle::current();
    let opened = tokio::task::spawn_blocking(move || {
        runtime.block_on(Connection::open_for_decisions(&config, Who::Agent))
    })
    .await;
    opened.unwrap_or_else(|error| {
        Err(CommandError::new(Kind::Internal, format!("starting the embedded server broke off: {error}")))
    })
}

#[cfg(feature = "embedded")]
#[expect(clippy::unnecessary_wraps, reason = "the same to callers, whether a server is embedded or not")]
fn built_in() -> Result<Vec<Tool>, CommandError> {
    Ok(prevet_local::tools())
}

#[cfg(not(feature = "embedded"))]
fn built_in() -> Result<Vec<Tool>, CommandError> {
    Err(CommandError::new(
        Kind::Unavailable,
        "the server cannot be asked for its tools; `prevet doctor` says what is wrong",
    ))
}
