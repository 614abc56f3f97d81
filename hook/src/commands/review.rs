//! `prevet review`: the four tools of the review rounds and a look at what there is, JSON on standard output.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use prevet_domain::limits::REVIEW_INPUT_BYTES_MAX;
use prevet_wire::review::{BeginParameters, EndParameters, ReplyParameters, WaitParameters};
use serde::Serialize;

use crate::cli::{Review, ReviewBegin};
use crate::config::Config;
use crate::console::{self, Progress};
use crate::error::CommandError;
use crate::review::{Code, ReviewError, SystemClock, run_round as run_to_end};

/// Does it, and prints the tool's result, or its error as the tool's result is.
pub async fn run(config: &Config, verb: &Review) -> Result<u8, CommandError> {
    match verb {
        Review::Begin(arguments) => print(begin(config, arguments).await),
        Review::Wait { session, max_wait_seconds } => {
            let call = WaitParameters {
                session_dir: absolute(config, session),
                max_wait_seconds: *max_wait_seconds,
            };
            let progress = Progress::start("waiting for the reviewer");
            let result = async { config.rounds()?.wait(&call).await }.await;
            drop(progress);
            print(result)
        }
        Review::Reply { session, input, model, effort } => print(
            async {
                let call = ReplyParameters {
                    session_dir: absolute(config, session),
                    input: read_input(input)?,
                    model: model.clone(),
                    effort: effort.clone(),
                };
                config.rounds()?.reply(&call).await
            }
            .await,
        ),
        Review::End { session, outcome } => {
            let call = EndParameters { session_dir: absolute(config, session), outcome: outcome.clone() };
            let result = async { config.rounds()?.end(&call).await }.await;
            let failed = result.as_ref().is_ok_and(|result| result.error.is_some());
            let code = print(result)?;
            Ok(if failed { prevet_domain::kind::Kind::Internal.exit_code() } else { code })
        }
        Review::Status { session } => print(
            async {
                let rounds = config.rounds()?;
                match session {
                    Some(session) => rounds.status(absolute(config, session).as_ref()).await,
                    None => rounds.status_of_all(&config.cwd).await,
                }
            }
            .await,
        ),
    }
}

/// Watches over the last round of a session.
pub async fn run_round(config: &Config, directory: &Path, reviewer: &Path) -> Result<u8, CommandError> {
    let silence = config.review_silence();
    let ended = match silence {
        Ok(silence) => run_to_end(directory, reviewer, silence, &SystemClock).await,
        Err(error) => Err(error),
    };
    ended.map(|()| 0).map_err(|error| CommandError::of(error.kind(), &error))
}

async fn begin(
    config: &Config,
    arguments: &ReviewBegin,
) -> Result<prevet_wire::review::BeginResult, ReviewError> {
    let call = BeginParameters {
        skill: arguments.skill.clone(),
        mode: arguments.mode.clone(),
        input: read_input(&arguments.input)?,
        working_dir: absolute(config, arguments.working_dir.as_deref().unwrap_or(Path::new(""))),
        model: arguments.model.clone(),
        effort: arguments.effort.clone(),
        timeout_seconds: arguments.timeout_seconds,
        reviewer: arguments.reviewer.clone(),
    };
    config.review_silence()?;
    config.rounds()?.begin(&call).await
}

fn print(result: Result<impl Serialize, ReviewError>) -> Result<u8, CommandError> {
    match result {
        Ok(result) => console::json(&result).map(|()| 0),
        Err(error) => console::json(&error.body()).map(|()| error.kind().exit_code()),
    }
}

/// As the tools want it: they know no current directory.
fn absolute(config: &Config, path: &Path) -> String {
    config.cwd.join(path).display().to_string()
}

fn read_input(file: &Path) -> Result<String, ReviewError> {
    let failed = |error: io::Error| {
        let text = format!("input cannot be read from {}: {error}", file.display());
        ReviewError::new(Code::InvalidInput, text)
    };
    let limit = u64::try_from(REVIEW_INPUT_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let mut text = String::new();
    if file.as_os_str() == "-" {
        io::stdin().lock().take(limit).read_to_string(&mut text).map_err(failed)?;
    } else {
        File::open(file).and_then(|file| file.take(limit).read_to_string(&mut text)).map_err(failed)?;
    }
    Ok(text)
}
