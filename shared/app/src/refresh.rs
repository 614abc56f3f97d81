//! Changed files as they are after a change, from the repository's provider: as of the base, with the diff applied. For
//! uploads that bring no context.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream;
use prevet_analysis::{convention, secrets};
use prevet_domain::change::{Change, FileChange, FileKind, post_image};
use prevet_domain::ids::{RepositoryName, TenantKey};
use prevet_domain::session::{Session, Upload};
use serde::{Deserialize, Serialize};

use crate::error::AppError;
use crate::ports::{IntegrationLookup, Storage};
use crate::provider::{Blob, Provider, ProviderError};
use crate::{App, digest};

/// The longest that the provider is waited for in one call.
const REFRESH_SECONDS_MAX: u64 = 25;
/// Files of one change that are fetched.
const FILES_MAX: usize = 300;
/// One file; GitHub gives larger ones in another way.
const FILE_BYTES_MAX: usize = 1 << 20;
/// All files of one change.
const FILES_BYTES_MAX: u64 = 24 << 20;
/// Requests that are open at once.
const OPEN_MAX: usize = 6;
/// Files that a reason names.
const NAMED_MAX: usize = 5;
/// The mode of a symbolic link.
const LINK_MODE: u32 = 0o120_000;

/// How the files after the change were come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefreshStatus {
    /// From the provider, all of them.
    Provider,
    /// From the provider, but for some.
    Partial,
    /// The diff does not apply to some files of the base.
    PatchFailed,
    /// The provider has no such base.
    BaseNotFound,
    /// The provider gave none.
    ProviderFailed,
}

impl RefreshStatus {
    /// The word for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Partial => "partial",
            Self::PatchFailed => "patch_failed",
            Self::BaseNotFound => "base_not_found",
            Self::ProviderFailed => "provider_failed",
        }
    }
}

/// What came of asking the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refresh {
    /// In a word.
    pub status: RefreshStatus,
    /// In a line.
    pub reason: String,
    /// Whether the next call may have more.
    pub may_pass: bool,
}

/// Files after the change, secrets masked, and what to say of them.
#[derive(Debug)]
pub(crate) struct Refreshed {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) refresh: Refresh,
}

/// What one file came to.
enum Had {
    Text(Vec<u8>),
    DoesNotApply,
    Not { reason: String, may_pass: bool },
}

/// A file of the change, and its text before.
type Before = (usize, Result<Bytes, Had>);

/// The repository at its provider.
struct Source {
    provider: Arc<dyn Provider>,
    tenant: TenantKey,
    repository: RepositoryName,
}

impl Source {
    /// Where the content is kept: apart for each tenant, since who may read it differs.
    fn key(&self, blob: &Blob) -> String {
        let provider = self.provider.name();
        let parts = ["blob", &provider, self.tenant.as_str(), self.repository.as_str(), &blob.id];
        digest(&parts.map(str::as_bytes))
    }
}

impl<S: Storage> App<S> {
    /// The changed files after the change; `None` where no provider has the repository, or no base is known. Nothing here
    /// is an error of the call: what could not be had is said, and the diff is read by itself.
    pub(crate) async fn refresh(
        &self,
        session: &Session,
        upload: &Upload,
        change: &Change,
    ) -> Result<Option<Refreshed>, AppError> {
        let (Some(provider), Some(base)) = (&self.provider, &upload.base) else { return Ok(None) };
        let tenant = session.identity.tenant.clone();
        let found = self.storage.integration(&tenant, &session.identity.repository).await?;
        let IntegrationLookup::One(integration) = found else { return Ok(None) };
        let source = Source { provider: Arc::clone(provider), tenant, repository: integration.full_name };
        let wanted: Vec<usize> = (0..change.files.len()).filter(|at| is_wanted(&change.files[*at])).collect();
        let paths: Vec<String> = wanted.iter().filter_map(|at| path_before(&change.files[*at])).collect();
        let work = async {
            let blobs = if paths.is_empty() {
                BTreeMap::new()
            } else {
                source.provider.blobs(&source.repository, base, &paths).await?
            };
            Ok(self.texts_before(&source, change, &wanted, &blobs).await)
        };
        let bound = Duration::from_secs(REFRESH_SECONDS_MAX);
        let before = tokio::time::timeout(bound, work).await.unwrap_or_else(|_| Err(too_slow()));
        let before = match before {
            Ok(before) => before,
            Err(error) => return Ok(Some(none(&source, &error))),
        };
        let change = change.clone();
        let apply = move || apply(&change, before, source.provider.name().as_str());
        Ok(Some(tokio::task::spawn_blocking(apply).await.map_err(|_| AppError::EngineDied)?))
    }

    async fn texts_before(
        &self,
        source: &Source,
        change: &Change,
        wanted: &[usize],
        blobs: &BTreeMap<String, Blob>,
    ) -> Vec<Before> {
        let (mut left, mut open) = (FILES_BYTES_MAX, Vec::new());
        for at in wanted {
            let file = &change.files[*at];
            let blob = path_before(file).and_then(|path| blobs.get(&path));
            let affordable = blob.is_none_or(|blob| blob.bytes <= left);
            left = left.saturating_sub(blob.map_or(0, |blob| blob.bytes));
            let beyond = open.len() >= FILES_MAX || !affordable;
            let one: Pin<Box<dyn Future<Output = Before> + Send + '_>> =
                Box::pin(async move { (*at, self.text_before(source, file, blob, beyond).await) });
            open.push(one);
        }
        stream::iter(open).buffered(OPEN_MAX).collect().await
    }

    async fn text_before(
        &self,
        source: &Source,
        file: &FileChange,
        blob: Option<&Blob>,
        beyond: bool,
    ) -> Result<Bytes, Had> {
        let not = |reason: String| Err(Had::Not { reason, may_pass: false });
        if file.kind == FileKind::Added {
            return Ok(Bytes::new());
        }
        let Some(blob) = blob else { return Err(Had::DoesNotApply) };
        if blob.bytes > FILE_BYTES_MAX as u64 {
            return not(format!("{} bytes; the limit is {FILE_BYTES_MAX}", blob.bytes));
        }
        if beyond {
            return not(format!("beyond {FILES_MAX} files or {FILES_BYTES_MAX} bytes"));
        }
        let key = source.key(blob);
        // A store that fails only costs the fetch.
        if let Ok(Some(kept)) = self.storage.body(&key).await {
            return Ok(kept);
        }
        let content = source.provider.content(&source.repository, &blob.id, FILE_BYTES_MAX).await;
        let content =
            content.map_err(|error| Had::Not { reason: error.to_string(), may_pass: error.may_pass() })?;
        drop(self.storage.put_body(&key, content.to_vec()).await);
        Ok(content)
    }
}

fn too_slow() -> ProviderError {
    let reason = format!("it did not give the files within {REFRESH_SECONDS_MAX} s");
    ProviderError::Failed { reason, kind: prevet_domain::kind::Kind::Unavailable }
}

/// What is no text of ours is read from the diff, or not at all.
fn is_wanted(file: &FileChange) -> bool {
    let link = file.new_mode.or(file.old_mode) == Some(LINK_MODE);
    let by_convention = file.new_path.as_ref().is_none_or(|path| convention::by_name(path).is_some());
    !link && !file.is_submodule() && !by_convention && !file.hunks().is_empty()
}

/// Where the base has the file. A path that is not UTF-8 is in no answer of a provider.
fn path_before(file: &FileChange) -> Option<String> {
    let path = file.old_path.as_ref().filter(|_| file.kind != FileKind::Added)?;
    String::from_utf8(path.as_bytes().to_vec()).ok()
}

fn none(source: &Source, error: &ProviderError) -> Refreshed {
    let status = match error {
        ProviderError::BaseNotFound(_) => RefreshStatus::BaseNotFound,
        ProviderError::Failed { .. } => RefreshStatus::ProviderFailed,
    };
    let reason = format!("{}: {error}; the change was read from the diff alone", source.provider.name());
    Refreshed { files: BTreeMap::new(), refresh: Refresh { status, reason, may_pass: error.may_pass() } }
}

fn apply(change: &Change, before: Vec<Before>, provider: &str) -> Refreshed {
    let (mut files, mut failed, mut missing, mut may_pass) = (BTreeMap::new(), Vec::new(), Vec::new(), false);
    for (at, text) in before {
        let file = &change.files[at];
        let path = file.shown_path();
        match text.map_or_else(|had| had, |text| applied(file, &text)) {
            Had::Text(text) => drop(files.insert(path, text)),
            Had::DoesNotApply => failed.push(path),
            Had::Not { reason, may_pass: passes } => {
                may_pass |= passes;
                missing.push(format!("{path} ({reason})"));
            }
        }
    }
    let status = match (failed.is_empty(), missing.is_empty()) {
        (false, _) => RefreshStatus::PatchFailed,
        (true, false) => RefreshStatus::Partial,
        (true, true) => RefreshStatus::Provider,
    };
    let mut reason = format!("{} file(s) as of the base from {provider}, with the diff applied", files.len());
    say(&mut reason, "the diff does not apply to the base in", &failed);
    say(&mut reason, "not had:", &missing);
    Refreshed { files, refresh: Refresh { status, reason, may_pass } }
}

fn applied(file: &FileChange, before: &[u8]) -> Had {
    match post_image(file, before) {
        Ok(after) => Had::Text(secrets::mask(&after).into_owned()),
        Err(_) => Had::DoesNotApply,
    }
}

fn say(reason: &mut String, what: &str, files: &[String]) {
    if files.is_empty() {
        return;
    }
    let more = files.len().saturating_sub(NAMED_MAX);
    let named = files.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = write!(reason, "; {what} {named}{more}: only the diff was read there");
}
