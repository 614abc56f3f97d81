//! The verbs, a file each. Each ends in an exit code: 0 passed the gate, 1 findings at or above it, 2 usage or
//! configuration, 3 not reviewed or incomplete.

#[cfg(feature = "embedded")]
mod admin;
mod ask;
mod check;
mod connect;
pub(crate) mod decision;
#[cfg(feature = "embedded")]
mod demo;
mod describe;
pub(crate) mod diff;
mod doctor;
mod init;
pub(crate) mod inspect;
mod login;
mod mcp;
mod people;
mod pre_push;
mod review;
#[cfg(feature = "embedded")]
mod serve;

use crate::cli::{Command, Hook};
use crate::config::Config;
use crate::error::CommandError;

/// Runs one command to its exit code.
pub async fn run(command: Command, config: &Config) -> Result<u8, CommandError> {
    match command {
        Command::Init(arguments) => init::run(config, &arguments),
        Command::Diff(arguments) => diff::run(config, &arguments).await,
        Command::Inspect(arguments) => inspect::run(config, &arguments).await,
        Command::Decision { verb } => decision::run(config, &verb).await,
        Command::Inbox(arguments) => people::inbox(config, &arguments).await,
        Command::Answer(arguments) => people::answer(config, arguments).await,
        Command::Dismiss(arguments) => people::dismiss(config, arguments).await,
        Command::Why { decision } => people::why(config, &decision).await,
        Command::Correct(arguments) => people::correct(config, arguments).await,
        Command::Describe(arguments) => describe::run(config, &arguments).await,
        Command::Ask(arguments) => ask::run(config, &arguments).await,
        Command::Check(arguments) => check::run(config, &arguments).await,
        Command::Hook { hook: Hook::PrePush { remote, .. } } => pre_push::run(config, &remote).await,
        Command::Review { verb } => review::run(config, &verb).await,
        Command::ReviewRunner { directory, reviewer } => {
            review::run_round(config, &directory, &reviewer).await
        }
        Command::Mcp(arguments) => mcp::run(config, &arguments).await,
        Command::Connect(arguments) => connect::run(config, &arguments).await,
        #[cfg(feature = "embedded")]
        Command::Serve(arguments) => serve::run(config, &arguments).await,
        Command::Login(arguments) => login::login(config, &arguments).await,
        Command::Logout => login::logout(config),
        Command::Doctor(arguments) => doctor::run(config, arguments.model).await,
        #[cfg(feature = "embedded")]
        Command::Admin(arguments) => admin::run(arguments).await,
        #[cfg(feature = "embedded")]
        Command::Demo => demo::run(config),
    }
}
