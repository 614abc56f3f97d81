//! The work tree's change through `describe_change`, `ask` or `check_task`.

use prevet_domain::kind::Kind;
use prevet_wire::error::ErrorBody;
use prevet_wire::session::SessionResponse;
use prevet_wire::tool::ToolContext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cli::{AnswerFormat, Asked};
use crate::client::Client;
use crate::commands::diff::connect;
use crate::config::Config;
use crate::console::{self, Progress};
use crate::error::CommandError;
use crate::git::Repository;
use crate::report::escape;
use crate::submission::{Capture, NOTHING_CHANGED, Purpose, Submission, capture, session_request};

/// A tool, and what it is called with once the session is known.
pub struct Tool<'a, Parameters> {
    /// Its name.
    pub name: &'static str,
    /// What is shown while it runs.
    pub step: &'static str,
    /// Its parameters.
    pub parameters: &'a dyn Fn(&SessionResponse, ToolContext) -> Result<Parameters, CommandError>,
}

/// The tool's result as it came, and as it was read; `None` where nothing has changed.
pub async fn run<Parameters: Serialize, Answer: DeserializeOwned>(
    config: &Config,
    asked: &Asked,
    tool: &Tool<'_, Parameters>,
) -> Result<Option<(Value, Answer)>, CommandError> {
    let repository = Repository::discover(&config.git())?;
    let (connection, client) = connect(config).await?;
    let outcome = call(&client, &repository, asked, tool).await;
    connection.close().await;
    let Some(raw) = outcome? else { return Ok(None) };
    let answer = serde_json::from_value(raw.clone()).map_err(|error| {
        CommandError::new(Kind::Unavailable, format!("the server's result cannot be read: {error}"))
    })?;
    Ok(Some((raw, answer)))
}

async fn call<Parameters: Serialize>(
    client: &Client,
    repository: &Repository,
    asked: &Asked,
    tool: &Tool<'_, Parameters>,
) -> Result<Option<Value>, CommandError> {
    let progress = Progress::start("opening a session");
    let session = client.open_session(&session_request(repository, client.tenant_key())?).await?;
    progress.step("capturing the change");
    let captured = capture(repository, session, asked.base.as_deref(), Purpose::Reading)?;
    let Capture::Change(submission) = captured else { return Ok(None) };
    let Submission { session, upload, .. } = *submission;
    client.upload(&session.session_id, &upload).await?;
    progress.step(tool.step);
    let context =
        ToolContext { diff_sha256: Some(upload.diff_sha256().to_owned()), ..ToolContext::default() };
    let parameters = (tool.parameters)(&session, context)?;
    client.call(tool.name, &parameters, &progress).await.map(Some)
}

/// Prints Markdown, or the result as it is.
pub fn print(asked: &Asked, raw: &Value, markdown: &str, notes: &[String]) -> Result<(), CommandError> {
    for note in notes {
        console::say(note);
    }
    match asked.format {
        AnswerFormat::Text => console::data(format!("{}\n", escape::lines(markdown.trim_end())).as_bytes()),
        AnswerFormat::Json => console::json(raw),
    }
}

/// Nothing has changed: a program that reads the output gets a document all the same, which claims nothing.
pub fn nothing(asked: &Asked, exit_code: u8) -> Result<u8, CommandError> {
    console::say(NOTHING_CHANGED);
    if asked.format == AnswerFormat::Json {
        console::json(&ErrorBody { error: NOTHING_CHANGED.to_owned(), code: "NO_DIFF".to_owned() })?;
    }
    Ok(exit_code)
}

/// What went otherwise than assumed, in a line each.
pub fn notes(
    context_refresh: Option<prevet_wire::inspect::Deviation>,
    degraded: Option<prevet_wire::inspect::Degraded>,
) -> Vec<String> {
    let context = context_refresh.map(|it| format!("context: {}", it.reason));
    let unread = degraded.map(|it| format!("not everything was read: {}", it.cause));
    context.into_iter().chain(unread).collect()
}
