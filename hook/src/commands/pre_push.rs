//! `prevet hook pre-push`: what is about to be pushed, judged by what is pushed.

use std::io::Read;
use std::ops::RangeInclusive;

use prevet_domain::finding::Finding;
use prevet_domain::kind::Kind;
use prevet_domain::policy::{OnError, Policy};
use prevet_domain::verdict::Verdict;

use super::diff::connect;
use super::inspect::tell_left_out;
use crate::client::Client;
use crate::config::Config;
use crate::console::{self, Progress};
use crate::context::After;
use crate::error::CommandError;
use crate::git::{BaseChoice, PushLine, PushPlan, PushReview, Repository, parse_push_lines};
use crate::inspection::{self, HistorySecrets, Question, Subject, masked_lines};
use crate::report::{self, Degraded, Format, Inspection, ReportedFinding};

/// Lines of one push: a mirror of a large repository has some ten thousand references.
const STDIN_BYTES_MAX: u64 = 64 << 20;
/// Ranges that one push is reviewed in.
const REVIEWS_MAX: usize = 64;
/// What is shown of a commit's id.
const SHORT_ID_CHARACTERS: usize = 10;
/// The exit code that stops a push which was not reviewed, where the policy says so.
const NOT_REVIEWED: u8 = 3;

/// Reviews a push; 0 lets it go on.
pub async fn run(config: &Config, remote: &str) -> Result<u8, CommandError> {
    let lines = read_lines()?;
    if lines.iter().all(|line| line.local_id.is_none()) {
        return Ok(0);
    }
    let repository = match Repository::discover(&config.git()) {
        Ok(repository) => repository,
        Err(error) => return Ok(not_reviewed(&error.into(), OnError::Allow)),
    };
    match review(config, &repository, remote, &lines).await {
        Ok(code) => Ok(code),
        Err(error) => Ok(not_reviewed(&error, on_error(&repository, remote, &lines))),
    }
}

fn read_lines() -> Result<Vec<PushLine>, CommandError> {
    let mut stdin = Vec::new();
    let read = std::io::stdin().lock().take(STDIN_BYTES_MAX).read_to_end(&mut stdin);
    read.map_err(|error| {
        CommandError::new(Kind::Internal, format!("reading what git says is pushed: {error}"))
    })?;
    Ok(parse_push_lines(&stdin)?)
}

/// One line: why nothing was reviewed, and what becomes of the push.
fn not_reviewed(error: &CommandError, on_error: OnError) -> u8 {
    match on_error {
        OnError::Allow => {
            console::say(&format!("not reviewed: {error}; the push goes on"));
            0
        }
        OnError::Block => {
            console::say(&format!(
                "not reviewed: {error}; the push is stopped, as on_error = \"block\" in .prevet.toml says"
            ));
            NOT_REVIEWED
        }
    }
}

/// What the base's policy says of a push that cannot be reviewed. If even that cannot be told, the push goes on.
fn on_error(repository: &Repository, remote: &str, lines: &[PushLine]) -> OnError {
    let plan = repository.plan_push(remote, lines, None).unwrap_or_default();
    let policies = plan.reviews.iter().filter_map(|review| inspection::policy(repository, &review.base).ok());
    let block = policies.into_iter().any(|policy| policy.on_error == OnError::Block);
    if block { OnError::Block } else { OnError::Allow }
}

async fn review(
    config: &Config,
    repository: &Repository,
    remote: &str,
    lines: &[PushLine],
) -> Result<u8, CommandError> {
    // What needs no review needs no server either.
    if repository.plan_push(remote, lines, None)?.reviews.is_empty()
        && lines.iter().all(|line| !is_branch_or_tag(line))
    {
        return Ok(0);
    }
    let progress = Progress::start("opening a session");
    let (connection, client) = connect(config).await?;
    let outcome = review_all(config, &client, repository, remote, lines, &progress).await;
    connection.close().await;
    drop(progress);
    outcome
}

fn is_branch_or_tag(line: &PushLine) -> bool {
    line.remote_ref.starts_with("refs/heads/") || line.remote_ref.starts_with("refs/tags/")
}

async fn review_all(
    config: &Config,
    client: &Client,
    repository: &Repository,
    remote: &str,
    lines: &[PushLine],
    progress: &Progress,
) -> Result<u8, CommandError> {
    let head = repository.head()?;
    let session =
        inspection::open_session(client, repository, &repository.branch_name()?, head.as_deref()).await?;
    let target = inspection::target_branch(&session)?;
    let plan: PushPlan = repository.plan_push(remote, lines, target.as_ref())?;
    if plan.reviews.len() > REVIEWS_MAX {
        let text = format!(
            "the push has {} ranges of commits, more than {REVIEWS_MAX}; push fewer references at once",
            plan.reviews.len()
        );
        return Err(CommandError::new(Kind::TooLarge, text));
    }
    let mut verdict = Verdict::Approve;
    let mut on_error = OnError::Allow;
    for review in &plan.reviews {
        tell_base(review);
        let policy = inspection::policy(repository, &review.base)?;
        let reviewed = review_one(client, repository, review, &policy, progress).await?;
        if policy.on_error == OnError::Block {
            on_error = OnError::Block;
        }
        if let Some(inspection) = reviewed {
            progress.step("writing the report");
            show(config, repository, review, &inspection);
            verdict = verdict.worst(inspection.verdict);
        }
    }
    Ok(conclude(verdict, on_error))
}

/// A base that is not the usual one is named: more or less may be shown than the push brings.
fn tell_base(review: &PushReview) {
    if review.choice != BaseChoice::Regular {
        console::say(&format!("{}: {}", review.refs.join(", "), review.choice));
    }
}

/// The last line, and the exit code.
fn conclude(verdict: Verdict, on_error: OnError) -> u8 {
    match verdict {
        Verdict::Approve => 0,
        Verdict::RequestChanges => {
            console::say(
                "the push is stopped: mend the findings, or ignore one with `prevet: ignore <rule> <reason>` (git push --no-verify skips the review)",
            );
            1
        }
        Verdict::Incomplete | Verdict::Error => {
            let error = CommandError::new(Kind::Unavailable, "part of the push was not read (see above)");
            not_reviewed(&error, on_error)
        }
    }
}

/// One range of commits; `None` where it changes nothing and hides nothing.
async fn review_one(
    client: &Client,
    repository: &Repository,
    review: &PushReview,
    policy: &Policy,
    progress: &Progress,
) -> Result<Option<Inspection>, CommandError> {
    let branch = review.refs.first().map_or("HEAD", |name| short_name(name));
    let session = inspection::open_session(client, repository, branch, Some(&review.oid)).await?;
    progress.step("capturing the change");
    // The work tree goes first, so that what is pushed is what the session holds in the end.
    let uncommitted = uncommitted(client, repository, review, &session.session_id).await;
    let captured = repository.capture_commits(&review.base, &review.oid)?;
    tell_left_out(&captured);
    progress.step("inspecting what is pushed");
    let mut inspection = if captured.patch.is_empty() {
        None
    } else {
        let subject =
            Subject { patch: captured.patch, base: &review.base, after: After::Commit(&review.oid) };
        Some(inspection::run(client, repository, &session.session_id, subject, &question()).await?)
    };
    progress.step("looking for secrets in each commit");
    let history = inspection::history_secrets(repository, review, policy, inspection.as_ref())?;
    if !history.findings.is_empty() || !history.unread.is_empty() {
        let inspection = inspection.get_or_insert_with(|| empty(&session.session_id));
        add_history(inspection, history, policy);
    }
    if let Some(inspection) = &mut inspection {
        add_uncommitted(inspection, uncommitted, policy);
    }
    Ok(inspection)
}

fn question() -> Question {
    Question { profile: "review".to_owned(), intent: String::new() }
}

fn short_name(reference: &str) -> &str {
    reference
        .strip_prefix("refs/heads/")
        .or_else(|| reference.strip_prefix("refs/tags/"))
        .unwrap_or(reference)
}

/// What of the work tree is not pushed, where the pushed commit is checked out.
async fn uncommitted(
    client: &Client,
    repository: &Repository,
    review: &PushReview,
    session_id: &str,
) -> Result<Option<Inspection>, CommandError> {
    if !review.is_head || repository.work_tree().is_err() || !repository.is_dirty()? {
        return Ok(None);
    }
    let captured = repository.capture_work_tree(&review.base)?;
    if captured.patch.is_empty() {
        return Ok(None);
    }
    let subject = Subject { patch: captured.patch, base: &review.base, after: After::WorkTree };
    inspection::run(client, repository, session_id, subject, &question()).await.map(Some)
}

fn empty(session_id: &str) -> Inspection {
    Inspection {
        verdict: Verdict::Approve,
        profile: "review".to_owned(),
        session_id: session_id.to_owned(),
        findings: Vec::new(),
        suppressed: Vec::new(),
        fixed: Vec::new(),
        degraded: None,
        notes: Vec::new(),
        raw: serde_json::Value::Null,
    }
}

/// Secrets that only a commit in between has: they are pushed all the same.
fn add_history(inspection: &mut Inspection, history: HistorySecrets, policy: &Policy) {
    let HistorySecrets { findings, unread } = history;
    if policy.gate.reached_by_any(findings.iter().map(|it| &it.finding)) {
        inspection.verdict = Verdict::RequestChanges;
    }
    inspection.findings.extend(findings);
    if !unread.is_empty() {
        inspection.verdict = inspection.verdict.worst(Verdict::Incomplete);
        let cause = "secrets could not be looked for in every commit".to_owned();
        let degraded =
            inspection.degraded.get_or_insert_with(|| Degraded { cause, not_reviewed: Vec::new() });
        degraded.not_reviewed.extend(unread);
    }
}

/// Findings that stand only in the work tree are shown; they count where the policy says so.
fn add_uncommitted(
    inspection: &mut Inspection,
    uncommitted: Result<Option<Inspection>, CommandError>,
    policy: &Policy,
) {
    let uncommitted = match uncommitted {
        Ok(Some(uncommitted)) => uncommitted,
        Ok(None) => return,
        Err(error) => {
            inspection.notes.push(format!("what is not committed was not inspected: {error}"));
            return;
        }
    };
    let pushed: Vec<&Finding> = inspection.findings.iter().map(|it| &it.finding).collect();
    let is_new = |it: &ReportedFinding| !pushed.iter().any(|finding| finding.id == it.finding.id);
    let only_here: Vec<ReportedFinding> = uncommitted.findings.into_iter().filter(is_new).collect();
    let reached = policy.gate.reached_by_any(only_here.iter().map(|it| &it.finding));
    if policy.gate_uncommitted && reached {
        inspection.verdict = Verdict::RequestChanges;
    }
    inspection.findings.extend(only_here.into_iter().map(|it| ReportedFinding { uncommitted: true, ..it }));
}

fn short_id(id: &str) -> &str {
    id.get(..SHORT_ID_CHARACTERS).unwrap_or(id)
}

fn show(config: &Config, repository: &Repository, review: &PushReview, inspection: &Inspection) {
    let nothing_to_say = inspection.verdict == Verdict::Approve
        && inspection.findings.is_empty()
        && inspection.notes.is_empty()
        && inspection.suppressed.is_empty();
    if nothing_to_say {
        console::say(&format!("{}: reviewed, nothing found", review.refs.join(", ")));
        return;
    }
    // A push may have several ranges: the report says which one it is about.
    console::say(&format!("{} against {}:", review.refs.join(", "), short_id(&review.base)));
    let source = |file: &str, lines: RangeInclusive<u32>| {
        masked_lines(repository, After::Commit(&review.oid), file, lines.clone())
            .or_else(|| masked_lines(repository, After::WorkTree, file, lines))
    };
    console::show(&report::render(inspection, Format::Text(console::colour_of_stderr(config)), &source));
}
