//! What `describe_change`, `ask` and `check_task` have in common: a session's change, read.

use std::collections::BTreeMap;

use prevet_analysis::prompt::masked::{MaskedChange, masked};
use prevet_analysis::prompt::surroundings::Surroundings;
use prevet_analysis::structure::{self, FileOutline};
use prevet_domain::change::Change;
use prevet_domain::ids::SessionId;
use prevet_domain::limits::SESSION_IDLE_SECONDS;
use prevet_domain::session::Session;

use crate::App;
use crate::error::AppError;
use crate::inspection::{Context, DecodeBody, read_body, usable_upload};
use crate::ports::Storage;
use crate::refresh::Refresh;
use crate::usage::micro_usd;

/// What each of the three calls says.
#[derive(Debug, Clone)]
pub struct Call {
    /// The session.
    pub session_id: SessionId,
    /// What was just changed, or asked for.
    pub intent: String,
    /// The pull request's title.
    pub pr_title: String,
    /// The pull request's description.
    pub pr_description: String,
    /// The diff that the caller means, by its SHA-256.
    pub expected_diff_sha256: Option<String>,
}

/// Something that went otherwise than assumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// A word for programs.
    pub status: &'static str,
    /// What it means.
    pub reason: String,
}

/// What was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Why, in one line.
    pub cause: String,
    /// The files.
    pub files: Vec<(String, String)>,
}

/// A session's change, read.
#[derive(Debug)]
pub struct Reading {
    /// The session.
    pub session: Session,
    /// The change.
    pub change: Change,
    /// The change as a model may see it.
    pub masked: MaskedChange,
    /// What the policy lets the model cost a day, in millionths of a US dollar.
    pub budget_micro_usd: Option<u64>,
    /// Files after the change that the caller sent, by shown path, secrets masked.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What stands around the change.
    pub surroundings: Surroundings,
    /// What the structure of each file's change shows.
    pub outlines: Vec<FileOutline>,
    has_context: bool,
    refresh: Option<Refresh>,
}

impl<S: Storage> App<S> {
    /// Two storage calls.
    pub(crate) async fn read(&self, call: &Call, decode: DecodeBody) -> Result<Reading, AppError> {
        let expires_at = self.now() + SESSION_IDLE_SECONDS;
        let session = self.storage.use_session(&call.session_id, self.now(), expires_at).await?;
        let session = session.ok_or(AppError::UnknownSession)?;
        let upload = usable_upload(&session, call.expected_diff_sha256.as_deref())?;
        let gone = AppError::NoDiff("the session's diff is no longer kept; upload it again");
        let body = self.storage.body(&upload.object_key).await?.ok_or(gone)?;
        // Parsing computes for as long as it takes: other calls must not wait behind it.
        let read = tokio::task::spawn_blocking(move || read_body(&body, decode));
        let (change, mut context) = read.await.map_err(|_| AppError::EngineDied)??;
        let mut refresh = None;
        if context.is_none()
            && let Some(refreshed) = self.refresh(&session, &upload, &change).await?
        {
            context = Some(Context { files: refreshed.files, ..Context::default() });
            refresh = Some(refreshed.refresh);
        }
        let asks = self.model.is_some();
        let read = tokio::task::spawn_blocking(move || reading(session, change, context, refresh, asks));
        read.await.map_err(|_| AppError::EngineDied)
    }
}

fn reading(
    session: Session,
    change: Change,
    context: Option<Context>,
    refresh: Option<Refresh>,
    asks: bool,
) -> Reading {
    let has_context = context.is_some();
    let Context { policy, files, related, .. } = context.unwrap_or_default();
    let budget_micro_usd = policy.budget_usd_per_day.map(micro_usd);
    let outlines = structure::outline(&change, &files);
    let masked = masked(&change, |_| true);
    // Only a model is shown them.
    let surroundings =
        if asks { Surroundings::of(&change, &files, &related, |_| true) } else { Surroundings::default() };
    Reading { session, change, masked, budget_micro_usd, files, surroundings, outlines, has_context, refresh }
}

impl Reading {
    /// The files whose lines were read.
    pub fn files_visited(&self) -> Vec<String> {
        let read = self.outlines.iter().filter(|it| it.unreadable.is_none());
        read.map(|it| it.path.clone()).collect()
    }

    /// How the files after the change were come by, when not whole from the caller's context.
    pub fn context_refresh(&self) -> Option<Deviation> {
        if let Some(refresh) = &self.refresh {
            return Some(Deviation { status: refresh.status.as_str(), reason: refresh.reason.clone() });
        }
        if !self.has_context {
            let reason = "no context was uploaded: only the diff itself was read".to_owned();
            return Some(Deviation { status: "diff_only", reason });
        }
        let fragments = self.outlines.iter().filter(|it| it.fragment && it.unreadable.is_none()).count();
        let reason = format!("of {fragments} file(s) only the diff was read");
        (fragments > 0).then_some(Deviation { status: "partial", reason })
    }
}
