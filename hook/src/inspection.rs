//! One change through the server: session, upload, `inspect_diff`, and what came back.

mod binary;
mod history;

use std::time::Duration;

use bytes::Bytes;
use prevet_analysis::secrets;
use prevet_domain::change::{self, Change};
use prevet_domain::finding::Finding;
use prevet_domain::ids::{Branch, CommitId};
use prevet_domain::kind::Kind;
use prevet_domain::policy::Policy;
use prevet_domain::verdict::{Cause, NotReviewed, Verdict};
use prevet_wire::inspect::{
    Counts, FindingRecord, InspectContext, InspectParameters, InspectResult, NotReviewedRecord,
};
use prevet_wire::policy_file;
use prevet_wire::session::{SessionRequest, SessionResponse};
use serde_json::Value;

pub use self::binary::{BinarySecrets, Sides, secrets as binary_secrets};
pub use self::history::{HistorySecrets, history_secrets};
use crate::client::{Client, Upload};
use crate::console::Progress;
use crate::context::{self, After};
use crate::error::CommandError;
use crate::git::{LeftOut, Repository};
use crate::report::{Degraded, Fixed, Inspection, ReportedFinding};

/// Pages of one result that are fetched.
const PAGES_MAX: usize = 100;
/// How often a diff is uploaded and asked about that another upload replaces in between.
pub const ATTEMPTS_MAX: u32 = 6;
const PAUSE_MILLISECONDS: u64 = 40;
/// Begins what is said of the search for secrets.
const SECRETS_NOTE: &str = "secrets";
/// Stands for "no commit" where a session wants a head.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// What is asked of the server.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The profile.
    pub profile: String,
    /// What was just changed.
    pub intent: String,
}

/// A change, captured.
pub struct Subject<'a> {
    /// The patch.
    pub patch: Vec<u8>,
    /// What it was taken against.
    pub base: &'a str,
    /// Where its files are.
    pub after: After<'a>,
}

/// Opens the session of this repository and developer. `head` and `branch` are those of what is reviewed.
pub async fn open_session(
    client: &Client,
    repository: &Repository,
    branch: &str,
    head: Option<&str>,
) -> Result<SessionResponse, CommandError> {
    client.open_session(&session_request(repository, client.tenant_key(), branch, head)?).await
}

/// What `POST /session` is asked for this repository and developer.
pub fn session_request(
    repository: &Repository,
    tenant_key: &str,
    branch: &str,
    head: Option<&str>,
) -> Result<SessionRequest, CommandError> {
    Ok(SessionRequest {
        repo: repository.repository_name()?,
        branch: branch.to_owned(),
        head: head.unwrap_or(NO_COMMIT).to_owned(),
        tenant_key: tenant_key.to_owned(),
        user_name: repository.user_email()?,
    })
}

/// The integration's target branch, checked before git sees it.
pub fn target_branch(session: &SessionResponse) -> Result<Option<Branch>, CommandError> {
    let named = Some(session.target_branch.as_str()).filter(|name| !name.is_empty());
    named.map(Branch::parse).transpose().map_err(|error| {
        CommandError::new(
            Kind::Unavailable,
            format!("the server named a target branch that is none: {error}"),
        )
    })
}

/// The policy as of `base`.
pub fn policy(repository: &Repository, base: &str) -> Result<Policy, CommandError> {
    let Some(bytes) = repository.policy_at(base)? else { return Ok(Policy::default()) };
    let text = String::from_utf8_lossy(&bytes);
    policy_file::parse(policy_file::FILE_NAME, &text).map_err(|error| CommandError::of(Kind::Invalid, &error))
}

/// Uploads `subject` and has it inspected.
pub async fn run(
    client: &Client,
    repository: &Repository,
    session_id: &str,
    subject: Subject<'_>,
    question: &Question,
    progress: &Progress,
) -> Result<Inspection, CommandError> {
    let patch = Bytes::from(subject.patch);
    let change = parse(&patch)?;
    let pack = context::build(repository, &change, subject.base, subject.after)?;
    let sides = Sides { repository, base: subject.base, after: subject.after };
    let policy = policy(repository, subject.base)?;
    let binary = binary::secrets(sides, &change, &policy)?;
    let upload = Upload::new(&patch, subject.base, &pack)?;
    let mut attempt = 1;
    loop {
        client.upload(session_id, &upload).await?;
        match ask_all(client, session_id, &upload, question, progress).await {
            // Another push of the same developer replaced the session's diff in between.
            Err(error) if error.kind == Kind::Busy && attempt < ATTEMPTS_MAX => pause(attempt).await,
            outcome => return outcome.map(|inspection| with_binary(inspection, binary, &policy)),
        }
        attempt += 1;
    }
}

/// The same for a result as it came: one page of it keeps the counts of all.
pub fn with_binary_secrets(
    raw: Value,
    binary: BinarySecrets,
    policy: &Policy,
) -> Result<Value, CommandError> {
    let counts = raw.get("more").and_then(|_| raw.get("counts")).cloned();
    let mut raw = with_binary(view(read(&raw)?, raw)?, binary, policy).raw;
    if let (Value::Object(fields), Some(counts)) = (&mut raw, counts) {
        fields.insert("counts".to_owned(), counts);
    }
    Ok(raw)
}

/// Says in a result what did not run as assumed.
pub fn note_in(result: &mut Value, note: &str) {
    if !result["degraded"].is_object() {
        result["degraded"] = serde_json::json!({ "cause": note, "not_reviewed": [] });
        return;
    }
    let cause = result["degraded"]["cause"].as_str().unwrap_or_default();
    result["degraded"]["cause"] = format!("{cause}; {note}").into();
}

fn read(raw: &Value) -> Result<InspectResult, CommandError> {
    serde_json::from_value(raw.clone()).map_err(|error| {
        CommandError::new(Kind::Unavailable, format!("the server's result cannot be read: {error}"))
    })
}

/// Adds what was found in files of which the server saw no text, to the raw result too.
fn with_binary(mut inspection: Inspection, binary: BinarySecrets, policy: &Policy) -> Inspection {
    let BinarySecrets { findings, unread } = binary;
    if unread == 0 {
        inspection.notes.retain(|note| !note.starts_with(SECRETS_NOTE));
    }
    if let (Value::Object(raw), 0) = (&mut inspection.raw, unread) {
        raw.remove("secret_scan");
    }
    if findings.is_empty() {
        return inspection;
    }
    if policy.gate.reached_by_any(&findings) {
        inspection.verdict = Verdict::RequestChanges;
    }
    inspection.findings.extend(findings.into_iter().map(ReportedFinding::new));
    inspection.findings.sort_by_key(|it| std::cmp::Reverse(it.finding.severity));
    let all: Vec<Finding> = inspection.findings.iter().map(|it| it.finding.clone()).collect();
    let counts = Counts::of(&all, inspection.suppressed.clone());
    let records: Vec<FindingRecord> = all.into_iter().map(Into::into).collect();
    if let Value::Object(raw) = &mut inspection.raw {
        raw.insert("verdict".to_owned(), inspection.verdict.as_str().into());
        raw.insert("findings".to_owned(), serde_json::json!(records));
        raw.insert("counts".to_owned(), serde_json::json!(counts));
    }
    inspection
}

/// Twice as long each time, and not the same for two processes that get into each other's way.
pub async fn pause(attempt: u32) {
    let own = u64::from(std::process::id()) % PAUSE_MILLISECONDS;
    tokio::time::sleep(Duration::from_millis((PAUSE_MILLISECONDS + own) << attempt)).await;
}

/// The result for what was uploaded, all pages of it.
async fn ask_all(
    client: &Client,
    session_id: &str,
    upload: &Upload,
    question: &Question,
    progress: &Progress,
) -> Result<Inspection, CommandError> {
    let context =
        InspectContext { diff_sha256: Some(upload.diff_sha256().to_owned()), ..InspectContext::default() };
    let mut parameters = InspectParameters {
        session_id: session_id.to_owned(),
        intent: question.intent.clone(),
        profile: question.profile.clone(),
        context: Some(context),
    };
    let (mut raw, mut result) = ask(client, &parameters, progress).await?;
    for _ in 0..PAGES_MAX {
        let Some(more) = result.more.take() else { break };
        if let Some(context) = &mut parameters.context {
            context.cursor = Some(more.cursor);
        }
        let (next_raw, next) = ask(client, &parameters, progress).await?;
        append(&mut raw, &next_raw);
        result.findings.extend(next.findings);
        result.more = next.more;
    }
    view(result, raw)
}

/// Reads a patch that git made.
pub fn parse(patch: &Bytes) -> Result<Change, CommandError> {
    change::parse(patch).map_err(|error| CommandError::of(Kind::Internal, &error))
}

async fn ask(
    client: &Client,
    parameters: &InspectParameters,
    progress: &Progress,
) -> Result<(Value, InspectResult), CommandError> {
    let raw = client.inspect(parameters, progress).await?;
    let result = read(&raw)?;
    Ok((raw, result))
}

/// The findings of a further page go to those of the first.
fn append(raw: &mut Value, next: &Value) {
    if let (Some(Value::Array(all)), Some(Value::Array(more))) =
        (raw.get_mut("findings"), next.get("findings").cloned())
    {
        all.extend(more);
    }
    if let (Value::Object(fields), None) = (raw, next.get("more")) {
        fields.remove("more");
    }
}

fn view(result: InspectResult, raw: Value) -> Result<Inspection, CommandError> {
    let verdicts = [Verdict::Approve, Verdict::RequestChanges, Verdict::Incomplete, Verdict::Error];
    let verdict =
        verdicts.into_iter().find(|verdict| verdict.as_str() == result.verdict).ok_or_else(|| {
            CommandError::new(
                Kind::Unavailable,
                format!("the server gave the verdict {:?}, which is none", result.verdict),
            )
        })?;
    let findings: Result<Vec<Finding>, _> = result.findings.into_iter().map(Finding::try_from).collect();
    let findings = findings.map_err(|error| CommandError::of(Kind::Unavailable, &error))?;
    let deviations = [
        ("context", result.context_refresh),
        (SECRETS_NOTE, result.secret_scan),
        ("parse check", result.compiler_check),
    ];
    let notes = deviations.into_iter().filter_map(|(what, it)| it.map(|it| format!("{what}: {}", it.reason)));
    let part = |it: NotReviewedRecord| NotReviewed {
        cause: if it.by_convention { Cause::Convention } else { Cause::Gap },
        file: it.file,
        line: it.line,
        reason: it.reason,
    };
    Ok(Inspection {
        verdict,
        profile: result.profile,
        session_id: result.session_id,
        findings: findings.into_iter().map(ReportedFinding::new).collect(),
        suppressed: result
            .counts
            .map(|counts| counts.suppressed)
            .unwrap_or_default()
            .into_iter()
            .map(Into::into)
            .collect(),
        fixed: result.fixed.into_iter().map(|it| Fixed { id: it.id, title: it.title }).collect(),
        degraded: result.degraded.map(|it| Degraded {
            cause: it.cause,
            not_reviewed: it.not_reviewed.into_iter().map(part).collect(),
        }),
        notes: notes.collect(),
        raw,
    })
}

/// Adds what git could not capture to what was not read.
pub fn add_left_out(inspection: &mut Inspection, left_out: &[LeftOut]) {
    if left_out.is_empty() {
        return;
    }
    inspection.verdict = inspection.verdict.worst(Verdict::Incomplete);
    let cause = "git could not capture all of the change".to_owned();
    let degraded = inspection.degraded.get_or_insert_with(|| Degraded { cause, not_reviewed: Vec::new() });
    for part in left_out {
        let reason = format!("not captured: {}", part.reason);
        degraded.not_reviewed.push(NotReviewed {
            file: part.path.clone(),
            line: None,
            reason,
            cause: Cause::Gap,
        });
    }
    let records: Vec<NotReviewedRecord> = degraded.not_reviewed.iter().cloned().map(Into::into).collect();
    if let Value::Object(raw) = &mut inspection.raw {
        raw.insert("verdict".to_owned(), inspection.verdict.as_str().into());
        raw.insert(
            "degraded".to_owned(),
            serde_json::json!({ "cause": degraded.cause, "not_reviewed": records }),
        );
    }
}

/// The lines of a file after the change, for code frames, with secrets masked.
pub fn masked_lines(
    repository: &Repository,
    after: After<'_>,
    file: &str,
    lines: std::ops::RangeInclusive<u32>,
) -> Option<String> {
    let path = prevet_domain::path::RepoPath::parse(file.as_bytes()).ok()?;
    let bytes = match after {
        After::Commit(commit) => repository.file_at(commit, &path),
        After::WorkTree => repository.work_tree_file(&path),
    };
    let masked = secrets::mask(&bytes.ok()??).into_owned();
    let text = String::from_utf8_lossy(&masked);
    let (skip, count) = (lines.start().saturating_sub(1) as usize, lines.count());
    let wanted: Vec<&str> = text.lines().skip(skip).take(count).collect();
    (wanted.len() == count).then(|| wanted.join("\n"))
}

/// Whether a text is a full commit id.
pub fn is_commit_id(text: &str) -> bool {
    CommitId::parse(text).is_ok()
}
