//! `prevet mcp`: Model Context Protocol over standard input and output, in both of the protocol's eras.
//!
//! Nothing but the protocol is written to standard output. The tools of the review rounds run here; those of the
//! server are handed on, whatever they are, and those that read a diff get its session by themselves.

mod automatic;
mod failure;
mod progress;
mod remote;
mod rounds;
mod schema;
mod whereabouts;

use std::sync::Arc;

use prevet_domain::kind::Kind;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorCode, ErrorData, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ResultType, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::signal::unix::{SignalKind, signal};

use self::progress::Progress;
use self::remote::Remote;
use crate::client::Handed;
use crate::config::Config;
use crate::error::CommandError;

const INSTRUCTIONS: &str = "Prevet vets a change before it leaves the machine. inspect_diff looks for bugs, security \
    flaws and secrets in what has changed in the repository, describe_change tells what the change does, ask answers a \
    question about it, check_task says whether it does what a task asks; the change is captured and uploaded by the call \
    itself. Everything under degraded, and a verdict other than approve, is worth telling the user. review_begin, \
    review_wait, review_reply and review_end run a review in rounds with a second model: follow `next` of each result.";

/// The families of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Family {
    /// The four of the review rounds.
    Review,
    /// Those of the server.
    Server,
}

/// Serves until standard input ends, SIGTERM or Ctrl-C.
pub async fn serve(config: &Config, only: Option<Family>) -> Result<(), CommandError> {
    let broken =
        |error: std::io::Error| CommandError::new(Kind::Internal, format!("waiting for signals: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(broken)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(broken)?;
    let remote = (only != Some(Family::Review)).then(|| Remote::new(config)).transpose()?;
    let handler = Handler {
        config: Arc::new(config.clone()),
        rounds: only != Some(Family::Server),
        remote: remote.map(Arc::new),
    };
    let outcome = tokio::select! {
        outcome = serve_client(handler.clone()) => outcome,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    };
    if let Some(remote) = handler.remote {
        remote.close().await;
    }
    crate::git::remove_private_folders();
    outcome
}

async fn serve_client(handler: Handler) -> Result<(), CommandError> {
    let failed = |error: &dyn std::error::Error| {
        CommandError::new(Kind::Invalid, format!("the MCP client: {}", crate::error::chain(error)))
    };
    match Box::pin(handler.serve(rmcp::transport::io::stdio_pipes())).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| failed(&error)),
        // It looked and left.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

#[derive(Clone)]
struct Handler {
    config: Arc<Config>,
    rounds: bool,
    remote: Option<Arc<Remote>>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("prevet", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        // The newest version, which begins without a handshake, has none any more.
        if context.peer.peer_info().is_none() {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "ping", None));
        }
        Ok(())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<Tool> = Vec::new();
        if let Some(remote) = &self.remote {
            let listed = remote.tools().await;
            tools.extend(listed.map_err(|error| ErrorData::internal_error(error.message, None))?);
        }
        if self.rounds {
            tools.extend(rounds::tools());
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let progress = Progress::start(&context);
        let arguments = request.arguments.unwrap_or_default();
        let outcome = tokio::select! {
            outcome = self.call(&request.name, arguments, &context, &progress) => outcome,
            // The answer goes nowhere: whoever cancelled does not wait for one.
            () = context.ct.cancelled() => Ok(failure::cancelled(&request.name)),
        };
        progress.end().await;
        outcome.map(CallToolResponse::from)
    }
}

impl Handler {
    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
        progress: &Progress,
    ) -> Result<CallToolResult, ErrorData> {
        if self.rounds && rounds::is_one(name) {
            return Ok(rounds::call(&self.config, name, arguments).await);
        }
        let unknown = || ErrorData::invalid_params(format!("there is no tool named {name:?}"), None);
        let remote = self.remote.as_ref().ok_or_else(unknown)?;
        let Some(tool) = remote.tool(name).await else { return Err(unknown()) };
        let handed = if schema::takes_session(&tool) && !schema::names_session(&arguments) {
            automatic::call(remote, &tool, arguments, context, progress).await
        } else {
            remote.call(name, schema::without_folder(arguments), progress).await
        };
        match handed {
            Ok(Handed::Result(mut result)) => {
                // The server may have spoken an older version, which has no such word.
                result.result_type = Some(ResultType::COMPLETE);
                Ok(result)
            }
            Ok(Handed::Refused(error)) => Err(error),
            Err(error) => Ok(failure::of(&tool, &error)),
        }
    }
}
