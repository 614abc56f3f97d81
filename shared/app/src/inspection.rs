//! `inspect_diff`: from a session's upload to a report.

mod history;
mod model_review;
mod refuting;
mod report;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use prevet_analysis::inspect::{ENGINE_VERSION, Report, Request, inspect};
use prevet_analysis::prompt::PROMPT_VERSION;
use prevet_analysis::secrets;
use prevet_domain::change::{self, Change, FileChange, verify_post_image};
use prevet_domain::finding::{Profile, ReportType};
use prevet_domain::ids::SessionId;
use prevet_domain::limits::SESSION_IDLE_SECONDS;
use prevet_domain::policy::Policy;
use prevet_domain::session::{Session, Upload};

pub use prevet_analysis::graph::{Excerpt, Related};

pub use self::history::{History, Remembered};
pub use self::report::{Inspection, ModelNotes, Run, StoredReport, VERSION as REPORT_VERSION};
use crate::error::AppError;
use crate::ports::Storage;
use crate::progress::Progress;
use crate::{App, digest};

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct InspectDiff {
    /// The session.
    pub session_id: SessionId,
    /// The profile.
    pub profile: Profile,
    /// Report types in place of the profile's.
    pub report_types: Option<Vec<ReportType>>,
    /// What was just changed.
    pub intent: String,
    /// Plain-language rules of this call.
    pub guidelines: Vec<String>,
    /// For a further page: whether the first one changed the branch's history.
    pub continues: Option<bool>,
    /// The pull request's title.
    pub title: String,
    /// The pull request's description.
    pub description: String,
    /// The diff that the caller means, by its SHA-256.
    pub expected_diff_sha256: Option<String>,
}

/// One inspection that was not made before.
pub(crate) struct Work<'a> {
    pub(crate) call: &'a InspectDiff,
    pub(crate) session: &'a Session,
    pub(crate) history: &'a History,
    pub(crate) progress: &'a Progress,
}

/// An upload, decoded.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// The diff.
    pub diff: Bytes,
    /// What was sent beside it; none for an upload of the diff alone.
    pub context: Option<Context>,
}

/// What the caller's context pack says.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The policy as of the base.
    pub policy: Policy,
    /// Changed files after the change by their shown path, secrets masked.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Paths that the base's attributes leave out, and the word for it.
    pub left_out: BTreeMap<String, &'static str>,
    /// Other files' lines that define what the change calls or use what it touches, the most relevant first.
    pub related: Vec<Related>,
}

/// Reads an upload's object; the format is the wire's.
pub type DecodeBody = fn(&Bytes) -> Result<Contents, String>;

impl<S: Storage> App<S> {
    /// Inspects the session's diff. Three storage calls at most when the report is there already.
    pub async fn inspect_diff(
        &self,
        call: InspectDiff,
        decode: DecodeBody,
        progress: &Progress,
    ) -> Result<Inspection, AppError> {
        let expires_at = self.now() + SESSION_IDLE_SECONDS;
        let session = self.storage.use_session(&call.session_id, self.now(), expires_at).await?;
        let session = session.ok_or(AppError::UnknownSession)?;
        let upload = usable_upload(&session, call.expected_diff_sha256.as_deref())?;
        let key = self.report_key(&call, &upload);
        let (stored, history) = self.storage.look_up_report(&session.id, &key, &session.branch).await?;
        // What the model could not answer then, it may answer now.
        let stored = stored.filter(|report| report.is_settled() || call.continues.is_some());
        let cached = stored.is_some();
        let report = if let Some(report) = stored {
            report
        } else {
            let work = Work { call: &call, session: &session, history: &history, progress };
            self.run(&work, &upload, &key, decode).await?
        };
        let types = asked_for(&call);
        let (history, changed) = match call.continues {
            Some(true) => (history.previous(), true),
            Some(false) => (history, false),
            None => {
                let next = history.after(&report, &types);
                let changed = next.findings != history.findings;
                if changed {
                    self.storage.put_history(&session.id, &session.branch, &next, expires_at).await?;
                }
                (history, changed)
            }
        };
        let run = Run { profile: call.profile, cached, changed_history: changed, report_key: key };
        Ok(Inspection::new(&session, run, report, &history, &types))
    }

    async fn run(
        &self,
        work: &Work<'_>,
        upload: &Upload,
        key: &str,
        decode: DecodeBody,
    ) -> Result<StoredReport, AppError> {
        let gone = AppError::NoDiff("the session's diff is no longer kept; upload it again");
        let body = self.storage.body(&upload.object_key).await?.ok_or(gone)?;
        let types = asked_for(work.call);
        // Parsing and the engine compute for as long as it takes: other calls must not wait behind them.
        let read = tokio::task::spawn_blocking(move || read_body(&body, decode));
        let (change, mut context) = read.await.map_err(|_| AppError::EngineDied)??;
        let mut refresh = None;
        if context.is_none()
            && let Some(refreshed) = self.refresh(work.session, upload, &change).await?
        {
            context = Some(Context { files: refreshed.files, ..Context::default() });
            refresh = Some(refreshed.refresh);
        }
        let engine = tokio::task::spawn_blocking(move || inspect_contents(change, context, &types));
        let mut inspected = engine.await.map_err(|_| AppError::EngineDied)?;
        let notes = match &self.model {
            None => None,
            Some(model) => Some(self.review(Arc::clone(model), work, &mut inspected).await?),
        };
        let Inspected { change, report, context, has_context } = inspected;
        let mut report = StoredReport::new(report, &context.policy, has_context);
        report.model = notes;
        report.refresh = refresh;
        let expires_at = self.now() + SESSION_IDLE_SECONDS;
        self.storage.put_report(&work.session.id, key, &report, expires_at).await?;
        let files: Vec<String> = change.files.iter().map(FileChange::shown_path).collect();
        let tenant = &work.session.identity.tenant;
        if let Err(error) = self.storage.note_file_changes(tenant, &files, self.now()).await {
            // The report stands; what was decided about these files looks fresher than it is.
            tracing::warn!(%error, "changes of files are not noted");
        }
        Ok(report)
    }

    /// What a report depends on, and nothing else.
    fn report_key(&self, call: &InspectDiff, upload: &Upload) -> String {
        let types: Vec<&str> = asked_for(call).into_iter().map(ReportType::as_str).collect();
        let (types, guidelines) = (types.join(","), call.guidelines.join("\0"));
        let context = upload.context_sha256.as_deref().unwrap_or("-");
        let mut parts = vec![
            ENGINE_VERSION,
            &upload.diff_sha256,
            context,
            call.profile.as_str(),
            &types,
            &call.intent,
            &guidelines,
        ];
        let base =
            upload.base.as_ref().filter(|_| upload.context_sha256.is_none() && self.provider.is_some());
        if let Some(base) = base {
            parts.extend(["provider", base.as_str()]);
        }
        let model = self.model.as_ref().map(|model| model.name());
        if let Some(model) = &model {
            parts.extend([model, PROMPT_VERSION, &call.title, &call.description]);
        }
        digest(&parts.into_iter().map(str::as_bytes).collect::<Vec<_>>())
    }
}

fn asked_for(call: &InspectDiff) -> Vec<ReportType> {
    call.report_types.clone().unwrap_or_else(|| call.profile.report_types())
}

/// The upload that a call is about.
pub(crate) fn usable_upload(
    session: &Session,
    expected_diff_sha256: Option<&str>,
) -> Result<Upload, AppError> {
    let none =
        AppError::NoDiff("no diff was uploaded for this session: POST it to /upload/{session_id} first");
    let upload = session.upload.clone().ok_or(none)?;
    if upload.diff_bytes == 0 {
        return Err(AppError::NoDiff("the uploaded diff is empty: there is nothing to inspect"));
    }
    if expected_diff_sha256.is_some_and(|expected| expected != upload.diff_sha256) {
        return Err(AppError::DiffReplaced);
    }
    Ok(upload)
}

/// What the rules came to, and what they looked at.
struct Inspected {
    change: Change,
    context: Context,
    has_context: bool,
    report: Report,
}

impl Inspected {
    fn request<'a>(&'a self, types: &'a [ReportType]) -> Request<'a> {
        Request {
            change: &self.change,
            files: &self.context.files,
            left_out: &self.context.left_out,
            policy: &self.context.policy,
            report_types: types,
        }
    }
}

/// An upload's change, and what was sent beside it.
pub(crate) fn read_body(body: &Bytes, decode: DecodeBody) -> Result<(Change, Option<Context>), AppError> {
    let contents = decode(body).map_err(AppError::Input)?;
    Ok((change::parse(&contents.diff)?, contents.context))
}

fn inspect_contents(change: Change, context: Option<Context>, types: &[ReportType]) -> Inspected {
    let has_context = context.is_some();
    let context = context.unwrap_or_default();
    let mut inspected = Inspected { change, context, has_context, report: Report::default() };
    inspected.report = inspect(&inspected.request(types));
    inspected
}

/// Whether the diff is a patch, and the context's files are those that it leads to.
pub fn verify_contents(contents: &Contents) -> Result<(), AppError> {
    let change = change::parse(&contents.diff)?;
    let Some(context) = &contents.context else { return Ok(()) };
    for file in &change.files {
        if let Some(text) = context.files.get(&file.shown_path()) {
            verify_post_image(file, text, secrets::is_masked)?;
        }
    }
    Ok(())
}
