//! `prevet inspect`: the work tree's change through the server, and a report.

use std::ops::RangeInclusive;

use prevet_domain::kind::Kind;
use prevet_domain::policy::{Gate, Policy};
use prevet_domain::verdict::{Cause, Verdict};
use prevet_wire::error::ErrorBody;
use prevet_wire::policy_file;

use super::diff::connect;
use crate::cli::{Inspect, OutputFormat};
use crate::client::Client;
use crate::config::Config;
use crate::console::{self, Progress};
use crate::context::After;
use crate::error::CommandError;
use crate::git::{BaseSource, Captured, Repository};
use crate::inspection::{self, Question, Subject, masked_lines};
use crate::report::{self, Format, Inspection};

const NOTHING_CHANGED: &str = "nothing has changed: there is nothing to inspect";

/// Inspects and prints.
pub async fn run(config: &Config, arguments: &Inspect) -> Result<u8, CommandError> {
    let gate =
        arguments.fail_on.as_deref().map(policy_file::gate).transpose().map_err(CommandError::usage)?;
    let repository = Repository::discover(&config.git())?;
    let (connection, client) = connect(config).await?;
    let outcome = inspect(&client, &repository, arguments).await;
    connection.close().await;
    let Some((inspection, policy)) = outcome? else { return nothing(arguments.format) };
    print(config, &repository, arguments, &inspection)?;
    Ok(exit_code(&inspection, gate, &policy))
}

async fn inspect(
    client: &Client,
    repository: &Repository,
    arguments: &Inspect,
) -> Result<Option<(Inspection, Policy)>, CommandError> {
    let progress = Progress::start("opening a session");
    let (branch, head) = (repository.branch_name()?, repository.head()?);
    let session = inspection::open_session(client, repository, &branch, head.as_deref()).await?;
    progress.step("capturing the change");
    let (base, note) = match &arguments.base {
        Some(base) => (repository.base_id(base)?, None),
        None => base(repository, &session)?,
    };
    let policy = inspection::policy(repository, &base)?;
    let captured = repository.capture_work_tree(&base)?;
    tell_left_out(&captured);
    if captured.patch.is_empty() && !captured.left_out.is_empty() {
        let text = "nothing of the change could be captured (see above): nothing was inspected";
        return Err(CommandError::new(Kind::Unavailable, text));
    }
    if captured.patch.is_empty() {
        return Ok(None);
    }
    progress.step("inspecting the change");
    let subject = Subject { patch: captured.patch, base: &base, after: After::WorkTree };
    let question = Question { profile: arguments.profile.clone(), intent: arguments.intent.clone() };
    let mut inspection =
        inspection::run(client, repository, &session.session_id, subject, &question, &progress).await?;
    if let Some(note) = note {
        inspection::note_in(&mut inspection.raw, note);
    }
    Ok(Some((inspection, policy)))
}

/// No change is no error. A program that reads the output gets a document all the same, which claims nothing.
fn nothing(format: OutputFormat) -> Result<u8, CommandError> {
    console::say(NOTHING_CHANGED);
    match format {
        OutputFormat::Text | OutputFormat::Markdown => {}
        OutputFormat::Json => {
            let (error, code) = (NOTHING_CHANGED.to_owned(), "NO_DIFF".to_owned());
            console::json(&ErrorBody { error, code })?;
        }
        OutputFormat::Sarif => console::data(report::sarif::nothing().as_bytes())?,
    }
    Ok(0)
}

/// What is told where nothing is known to compare commits with.
pub const ONLY_UNCOMMITTED: &str =
    "no remote branch to compare with is known: only uncommitted work is inspected, against HEAD";

/// What the work tree is compared with where the caller names nothing, and what is to be told of it.
pub fn base(
    repository: &Repository,
    session: &prevet_wire::session::SessionResponse,
) -> Result<(String, Option<&'static str>), CommandError> {
    let target = inspection::target_branch(session)?;
    let base = repository.work_tree_base(target.as_ref(), None)?;
    let note = (base.source == BaseSource::Head).then_some(ONLY_UNCOMMITTED);
    if let Some(note) = note {
        console::say(note);
    }
    Ok((base.commit, note))
}

/// Says what git could not capture.
pub fn tell_left_out(captured: &Captured) {
    for left_out in &captured.left_out {
        console::say(&format!("not captured: {}: {}", left_out.path, left_out.reason));
    }
}

fn print(
    config: &Config,
    repository: &Repository,
    arguments: &Inspect,
    inspection: &Inspection,
) -> Result<(), CommandError> {
    let format = match arguments.format {
        OutputFormat::Text => Format::Text(console::colour_of_stdout(config)),
        OutputFormat::Json => Format::Json,
        OutputFormat::Sarif => Format::Sarif,
        OutputFormat::Markdown => Format::Markdown,
    };
    let source =
        |file: &str, lines: RangeInclusive<u32>| masked_lines(repository, After::WorkTree, file, lines);
    console::data(report::render(inspection, format, &source).as_bytes())
}

/// The verdict's exit code; with a gate of the caller's own, the one that follows from that.
fn exit_code(inspection: &Inspection, gate: Option<Gate>, policy: &Policy) -> u8 {
    let Some(gate) = gate else { return inspection.verdict.exit_code() };
    let reaches = |gate: Gate| gate.reached_by_any(inspection.findings.iter().map(|it| &it.finding));
    // Then an ignore that the policy does not accept stands behind the verdict. How severe it is, is not known.
    let held = inspection.verdict == Verdict::RequestChanges && !reaches(policy.gate);
    if reaches(gate) || (held && gate != Gate::Never) {
        return Verdict::RequestChanges.exit_code();
    }
    let parts = inspection.degraded.iter().flat_map(|it| &it.not_reviewed);
    let gap = parts.into_iter().any(|part| part.cause == Cause::Gap);
    let unread = matches!(inspection.verdict, Verdict::Incomplete | Verdict::Error);
    if gap || unread { Verdict::Incomplete.exit_code() } else { Verdict::Approve.exit_code() }
}
