//! `prevet mcp`: the stdio MCP server.

use crate::cli::Mcp;
use crate::config::Config;
use crate::error::CommandError;
use crate::stdio;

/// Serves until the client is gone.
pub async fn run(config: &Config, arguments: &Mcp) -> Result<u8, CommandError> {
    stdio::serve(config, arguments.only).await.map(|()| 0)
}
