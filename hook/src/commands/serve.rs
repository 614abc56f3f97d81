//! `prevet serve`: the whole server on this machine.

use std::sync::Arc;

use prevet_domain::kind::Kind;
use prevet_local::{LocalServer, Presence};
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::Serve;
use crate::config::Config;
use crate::connection::data_dir;
use crate::console;
use crate::error::CommandError;
use crate::review::Board;

/// What is printed once the server is ready.
#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    inbox_url: &'a str,
    tenant_key: &'a str,
    agent_key: &'a str,
    human_key: &'a str,
}

/// Serves until SIGTERM or Ctrl-C.
pub async fn run(config: &Config, arguments: &Serve) -> Result<u8, CommandError> {
    prevet_local::start_logging();
    let broken =
        |error: std::io::Error| CommandError::new(Kind::Internal, format!("waiting for signals: {error}"));
    // Registered first: a signal that comes while the server starts must not be lost.
    let mut terminate = signal(SignalKind::terminate()).map_err(broken)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(broken)?;
    let folder = match &arguments.data {
        Some(folder) => folder.clone(),
        None => data_dir(config)?,
    };
    if !arguments.addr.ip().is_loopback() {
        console::say(&format!(
            "{} can be reached from other machines, over plain http: put TLS in front of it",
            arguments.addr
        ));
    }
    let dashboard = Presence::Dashboard(Arc::new(Board::new(config.rounds()?, folder.clone())));
    let another = async || prevet_local::reachable(&folder).await.is_some();
    let Some(server) = LocalServer::start(arguments.addr, &folder, dashboard, another).await? else {
        let text = format!("{} is in use by a server that runs already", folder.display());
        return Err(CommandError::new(Kind::Busy, text));
    };
    console::json(&Ready {
        url: &server.url,
        inbox_url: &server.inbox_url,
        tenant_key: &server.keys.tenant_key,
        agent_key: &server.keys.agent_key,
        human_key: &server.keys.human_key,
    })?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    server.stop().await;
    Ok(0)
}
