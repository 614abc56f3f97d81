//! `prevet hook pre-push`: what is about to be pushed, judged by what is pushed.

use std::io::Read;
use std::ops::RangeInclusive;

use prevet_domain::finding::Finding;
use prevet_domain::kind::Kind;
use prevet_domain::policy::{OnError, Policy};
use prevet_domain::verdict::{Cause, Verdict};

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
    let lines = match read_lines() {
        Ok(lines) => lines,
        Err(error) => return Ok(not_reviewed(&error, OnError::Allow)),
    };
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
    let mut tally = Tally::default();
    for review in plan.reviews.iter().take(REVIEWS_MAX) {
        tell_base(review);
        match review_and_show(config, client, repository, review, progress).await {
            Ok(verdict) => tally.verdict = tally.verdict.worst(verdict),
            // With one range there is nothing else to say than why.
            Err(error) if plan.reviews.len() == 1 => return Err(error),
            Err(error) => tally.fail(repository, review, &error),
        }
        tally.weigh(repository, review);
    }
    for review in plan.reviews.iter().skip(REVIEWS_MAX) {
        let text = format!("a push is reviewed in {REVIEWS_MAX} ranges of commits at most");
        tally.fail(repository, review, &CommandError::new(Kind::TooLarge, text));
    }
    Ok(conclude(tally.verdict, tally.on_error))
}

/// What the ranges of one push come to together.
struct Tally {
    verdict: Verdict,
    on_error: OnError,
}

impl Default for Tally {
    fn default() -> Self {
        Self { verdict: Verdict::Approve, on_error: OnError::Allow }
    }
}

impl Tally {
    /// A range that could not be reviewed: the others still count.
    fn fail(&mut self, repository: &Repository, review: &PushReview, error: &CommandError) {
        console::say(&format!("{}: not reviewed: {error}", review.refs.join(", ")));
        self.verdict = self.verdict.worst(Verdict::Error);
        self.weigh(repository, review);
    }

    /// The strictest policy of the push holds.
    fn weigh(&mut self, repository: &Repository, review: &PushReview) {
        let policy = inspection::policy(repository, &review.base);
        if policy.is_ok_and(|policy| policy.on_error == OnError::Block) {
            self.on_error = OnError::Block;
        }
    }
}

async fn review_and_show(
    config: &Config,
    client: &Client,
    repository: &Repository,
    review: &PushReview,
    progress: &Progress,
) -> Result<Verdict, CommandError> {
    let policy = inspection::policy(repository, &review.base)?;
    let Some(inspection) = review_one(client, repository, review, &policy, progress).await? else {
        return Ok(Verdict::Approve);
    };
    progress.step("writing the report");
    show(config, repository, review, &inspection);
    Ok(inspection.verdict)
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
    progress.step("capturing the change");
    // The work tree goes first, so that what is pushed is what the session holds in the end.
    let uncommitted = uncommitted(client, repository, review, branch, progress).await;
    let session = inspection::open_session(client, repository, branch, Some(&review.oid)).await?;
    let captured = repository.capture_commits(&review.base, &review.oid)?;
    tell_left_out(&captured);
    progress.step("inspecting what is pushed");
    let mut inspection = if captured.patch.is_empty() {
        None
    } else {
        let subject =
            Subject { patch: captured.patch, base: &review.base, after: After::Commit(&review.oid) };
        Some(inspection::run(client, repository, &session.session_id, subject, &question(), progress).await?)
    };
    if !captured.left_out.is_empty() {
        let inspection = inspection.get_or_insert_with(|| empty(&session.session_id));
        inspection::add_left_out(inspection, &captured.left_out);
    }
    progress.step("looking for secrets in each commit");
    let history = inspection::history_secrets(repository, review, policy, inspection.as_ref())?;
    if !history.findings.is_empty() || !history.unread.is_empty() {
        let inspection = inspection.get_or_insert_with(|| empty(&session.session_id));
        add_history(inspection, history, policy);
    }
    if !matches!(uncommitted, Ok(None)) {
        let inspection = inspection.get_or_insert_with(|| empty(&session.session_id));
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
    branch: &str,
    progress: &Progress,
) -> Result<Option<Inspection>, CommandError> {
    if !review.is_head || repository.work_tree().is_err() || !repository.is_dirty()? {
        return Ok(None);
    }
    let captured = repository.capture_work_tree(&review.base)?;
    if captured.patch.is_empty() && captured.left_out.is_empty() {
        return Ok(None);
    }
    // A history of its own: what is not pushed is neither new nor mended in what is.
    let own_branch = format!("{branch}+uncommitted");
    let session = inspection::open_session(client, repository, &own_branch, Some(&review.oid)).await?;
    let mut inspection = if captured.patch.is_empty() {
        empty(&session.session_id)
    } else {
        let subject = Subject { patch: captured.patch, base: &review.base, after: After::WorkTree };
        inspection::run(client, repository, &session.session_id, subject, &question(), progress).await?
    };
    inspection::add_left_out(&mut inspection, &captured.left_out);
    Ok(Some(inspection))
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

/// Findings that stand only in the work tree are shown; they count where the policy says so, and so does what of it
/// was not read.
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
            if policy.gate_uncommitted {
                inspection.verdict = inspection.verdict.worst(Verdict::Incomplete);
            }
            return;
        }
    };
    let pushed: Vec<&Finding> = inspection.findings.iter().map(|it| &it.finding).collect();
    let is_new = |it: &ReportedFinding| !pushed.iter().any(|finding| finding.id == it.finding.id);
    let only_here: Vec<ReportedFinding> = uncommitted.findings.into_iter().filter(is_new).collect();
    let reached = policy.gate.reached_by_any(only_here.iter().map(|it| &it.finding));
    if policy.gate_uncommitted {
        let unread = matches!(uncommitted.verdict, Verdict::Incomplete | Verdict::Error);
        let own = if unread { Verdict::Incomplete } else { Verdict::Approve };
        inspection.verdict = inspection.verdict.worst(if reached { Verdict::RequestChanges } else { own });
    }
    inspection.findings.extend(only_here.into_iter().map(|it| ReportedFinding { uncommitted: true, ..it }));
    if let Some(degraded) = uncommitted.degraded {
        let gaps = degraded.not_reviewed.iter().filter(|part| part.cause == Cause::Gap);
        let named: Vec<String> = gaps.map(|part| format!("{} ({})", part.file, part.reason)).collect();
        if !named.is_empty() {
            inspection.notes.push(format!("uncommitted and not read: {}", named.join(", ")));
        }
    }
}

fn short_id(id: &str) -> &str {
    id.get(..SHORT_ID_CHARACTERS).unwrap_or(id)
}

fn show(config: &Config, repository: &Repository, review: &PushReview, inspection: &Inspection) {
    let nothing_to_say = inspection.verdict == Verdict::Approve
        && inspection.findings.is_empty()
        && inspection.notes.is_empty()
        && inspection.suppressed.is_empty()
        && inspection.degraded.is_none();
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
