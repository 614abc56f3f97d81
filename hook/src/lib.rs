//! What runs on the developer's machine: the `prevet` command.
//!
//! [`git`] captures the change, [`client`] speaks to the server, [`report`] renders what came back, [`hooks`]
//! installs the pre-push hook, [`review`] runs review rounds, [`stdio`] is the MCP server for coding agents and
//! [`connect`] registers it with them, and each verb has a file under [`commands`].

pub mod asking;
pub mod cli;
pub mod client;
pub mod commands;
pub mod config;
pub mod connect;
pub mod connection;
pub mod console;
pub mod context;
pub mod error;
pub mod git;
pub mod hooks;
pub mod inspection;
pub mod report;
pub mod review;
pub mod stdio;
pub mod submission;
