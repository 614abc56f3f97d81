//! `prevet`: parsing, and errors to exit codes.

use std::process::ExitCode;

use clap::Parser;
use prevet::cli::Arguments;
use prevet::commands;
use prevet::config::Config;
use prevet::console;
use prevet::error::CommandError;
use prevet_domain::kind::Kind;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let config = Config::from_env();
    let outcome = run(arguments, &config);
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            console::say(&error.to_string());
            ExitCode::from(error.kind.exit_code())
        }
    }
}

fn run(arguments: Arguments, config: &Config) -> Result<u8, CommandError> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| CommandError::of(Kind::Internal, &error))?;
    if !arguments.command.ends_itself_on_signals() {
        runtime.spawn(clean_up_on_signal());
    }
    let outcome = runtime.block_on(commands::run(arguments.command, config));
    // A read of standard input that still waits cannot be called back, and would be waited for.
    runtime.shutdown_background();
    outcome
}

/// A signal drops nothing, so what lies in the temporary folder is removed here.
async fn clean_up_on_signal() {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    let code = tokio::select! {
        _ = interrupt.recv() => 130,
        _ = terminate.recv() => 143,
    };
    prevet::git::remove_private_folders();
    std::process::exit(code);
}
