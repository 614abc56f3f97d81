//! `prevet decision`: what agents do, for those without MCP. The tool's result goes to standard output as it is.

use std::time::{Duration, Instant};

use prevet_domain::kind::Kind;
use prevet_wire::decisions::{LookupParameters, OptionInput, RequestParameters, ShareParameters};
use prevet_wire::error::ErrorBody;
use serde::Serialize;
use serde_json::Value;

use crate::cli::DecisionVerb;
use crate::client::{About, Client, kind_of_code};
use crate::config::Config;
use crate::connection::{Connection, Who, configured};
use crate::console::{self, Progress};
use crate::error::CommandError;
use crate::git::Repository;

/// Does it and prints the result.
pub async fn run(config: &Config, verb: &DecisionVerb) -> Result<u8, CommandError> {
    let (result, is_error) = match verb {
        DecisionVerb::Lookup { query, concepts, files, limit } => {
            let parameters = LookupParameters {
                query: query.clone(),
                concepts: some(concepts),
                files: some(files),
                limit: limit.map(f64::from),
            };
            once(config, "lookup_decision", &parameters).await?
        }
        DecisionVerb::Request { question, options, recommendation, concepts, files, wait } => {
            let options: Vec<OptionInput> = options.iter().cloned().map(OptionInput::Text).collect();
            let parameters = RequestParameters {
                question: question.clone(),
                options: Some(options).filter(|options| !options.is_empty()),
                recommendation: recommendation.clone(),
                concepts: some(concepts),
                files: some(files),
                wait_seconds: *wait,
            };
            request(config, parameters).await?
        }
        DecisionVerb::Share { kind, body, concepts } => {
            let parameters =
                ShareParameters { kind: kind.clone(), body: body.clone(), concepts: some(concepts) };
            once(config, "share_context", &parameters).await?
        }
    };
    console::json(&result)?;
    if !is_error {
        return Ok(0);
    }
    let body: ErrorBody = serde_json::from_value(result)
        .map_err(|_| CommandError::new(Kind::Internal, "the server's error is not what it should be"))?;
    Err(CommandError::new(kind_of_code(&body.code), format!("{} ({})", body.error, body.code)))
}

fn some(list: &[String]) -> Option<Vec<String>> {
    (!list.is_empty()).then(|| list.to_vec())
}

/// Where requests come from: the thread of the environment, and the repository that the command was started in.
pub fn about(config: &Config) -> About {
    let repository = Repository::discover(&config.git()).ok();
    let repository = repository.and_then(|repository| repository.repository_name().ok());
    About { thread: config.thread.clone(), repository }
}

async fn once(
    config: &Config,
    tool: &'static str,
    parameters: &impl Serialize,
) -> Result<(Value, bool), CommandError> {
    call(config, tool, parameters, 0, &Progress::start("asking the server")).await
}

async fn call(
    config: &Config,
    tool: &'static str,
    parameters: &impl Serialize,
    wait_seconds: u64,
    progress: &Progress,
) -> Result<(Value, bool), CommandError> {
    let connection = Connection::open_for_decisions(config, Who::Agent).await?;
    let outcome = match Client::new(connection.endpoint.clone(), config.waits()?) {
        Ok(client) => client.about(about(config)).decision(tool, parameters, wait_seconds, progress).await,
        Err(error) => Err(error),
    };
    connection.close().await;
    outcome
}

/// Asks and waits. Where the server is another command's on this machine and ends with it, the wait goes on at the next
/// one: the request is kept.
async fn request(config: &Config, mut parameters: RequestParameters) -> Result<(Value, bool), CommandError> {
    let progress = Progress::start("waiting for a person's answer");
    let started = Instant::now();
    let window = Duration::from_secs(u64::from(parameters.wait_seconds()));
    loop {
        let left = window.saturating_sub(started.elapsed());
        parameters.wait_seconds = Some(left.as_secs_f64());
        match call(config, "request_decision", &parameters, left.as_secs(), &progress).await {
            Err(error)
                if error.kind == Kind::Unavailable && !left.is_zero() && configured(config)?.is_none() => {}
            outcome => return outcome,
        }
    }
}
