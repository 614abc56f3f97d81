//! Speaking to what was registered, as the agent will.

use std::process::Stdio;
use std::time::Duration;

use rmcp::ServiceExt;
use tokio::process::Command;

use super::{Server, Transport};
use crate::client::Client;
use crate::config::Config;
use crate::connection::configured;
use crate::error::{CommandError, chain};

/// A program starts, and a server answers, in less than that.
const HANDSHAKE_SECONDS_MAX: u64 = 20;

/// The tools that the server names, or what is wrong, in a line.
pub async fn handshake(server: &Server, config: &Config) -> Result<Vec<String>, String> {
    let limit = Duration::from_secs(HANDSHAKE_SECONDS_MAX);
    let listed = async {
        match &server.transport {
            Transport::Stdio { command, variables } => start(command, variables).await,
            Transport::Http { .. } => ask(config).await,
        }
    };
    let listed = tokio::time::timeout(limit, listed).await;
    listed.unwrap_or_else(|_| Err(format!("no answer within {HANDSHAKE_SECONDS_MAX} s")))
}

/// What the configured server says, which a server of ours does not need for naming its tools.
pub async fn reach(config: &Config) -> Result<(), String> {
    match configured(config).map_err(|error| error.message)? {
        Some(_) => ask(config).await.map(|_| ()),
        None => Ok(()),
    }
}

async fn ask(config: &Config) -> Result<Vec<String>, String> {
    let message = |error: CommandError| error.message;
    let endpoint = configured(config).map_err(message)?.ok_or("no server is set: `prevet login` sets one")?;
    let client = Client::new(endpoint, config.waits().map_err(message)?).map_err(message)?;
    let tools = client.list_tools(HANDSHAKE_SECONDS_MAX).await.map_err(message)?;
    Ok(tools.into_iter().map(|tool| tool.name.into_owned()).collect())
}

async fn start(command: &[String], variables: &[(String, String)]) -> Result<Vec<String>, String> {
    let (program, arguments) = command.split_first().ok_or("it has no command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{program} does not start: {error}"))?;
    let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
        return Err(format!("{program} has no standard input and output"));
    };
    let broken = |error: &dyn std::error::Error| format!("{program} broke off: {}", chain(error));
    let service = ().serve((output, input)).await.map_err(|error| broken(&error))?;
    let tools = service.list_all_tools().await.map_err(|error| broken(&error))?;
    let _ = service.cancel().await;
    // It ends with its standard input; if not, it is ended here.
    let _ = child.wait().await;
    Ok(tools.into_iter().map(|tool| tool.name.into_owned()).collect())
}
