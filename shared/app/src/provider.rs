//! The port to where a repository's files are kept.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use prevet_domain::ids::{RepositoryName, Revision};
use prevet_domain::kind::Kind;

/// The content of a file, by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Git's id of it.
    pub id: String,
    /// Its size.
    pub bytes: u64,
}

/// Why files cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The repository is there, and has no such commit.
    #[error("{0}")]
    BaseNotFound(String),
    /// Anything else.
    #[error("{reason}")]
    Failed {
        /// Why, and what to do.
        reason: String,
        /// What it means.
        kind: Kind,
    },
}

impl ProviderError {
    /// Whether the next call may have them.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Failed { kind: Kind::Busy | Kind::Unavailable, .. })
    }
}

/// A future answer.
pub type Fetch<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// Where repositories are kept.
pub trait Provider: Debug + Send + Sync {
    /// Which one, so that what is kept of two never mixes.
    fn name(&self) -> String;

    /// The contents that `commit` has at `paths`; what it does not have is left out.
    fn blobs<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a Revision,
        paths: &'a [String],
    ) -> Fetch<'a, BTreeMap<String, Blob>>;

    /// A content of at most `bytes_max`.
    fn content<'a>(
        &'a self,
        repository: &'a RepositoryName,
        id: &'a str,
        bytes_max: usize,
    ) -> Fetch<'a, Bytes>;
}
