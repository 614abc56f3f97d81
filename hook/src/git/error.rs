//! What can go wrong between the repository and us.

use std::io;
use std::path::PathBuf;

use prevet_domain::kind::Kind;

/// Why git could not say what it was asked. Each message names what was tried, on what, and the way out.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no `git` to run.
    #[error("cannot run `git`: install it, or put it on PATH")]
    NoGit(#[source] io::Error),
    /// Neither the folder nor one above it is a repository, or git refuses it.
    #[error("{} is not in a git repository that can be used: {message}", folder.display())]
    NotARepository {
        /// Where it was looked for.
        folder: PathBuf,
        /// What git says.
        message: String,
    },
    /// A git that does not know the options that are needed.
    #[error("this git is too old: 2.31 or newer is needed")]
    OldGit,
    /// A bare repository, or a folder inside `.git`.
    #[error("{} has no work tree here: run this in a checkout of it", git_dir.display())]
    NoWorkTree {
        /// The repository.
        git_dir: PathBuf,
    },
    /// A revision that the repository does not have.
    #[error("there is no revision {revision:?} in this repository: check the name, or run `git fetch`")]
    UnknownRevision {
        /// As it was asked for.
        revision: String,
    },
    /// Two commits without a common ancestor in what is here.
    #[error("no merge base with {with} (shallow clone?): run `git fetch --unshallow`")]
    NoMergeBase {
        /// The other side.
        with: String,
    },
    /// A command ended with an error.
    #[error("`{command}` failed: {message}")]
    Failed {
        /// The command, without its settings.
        command: String,
        /// What it printed last, credentials masked.
        message: String,
    },
    /// A command did not end.
    #[error("`{command}` did not end within {seconds} seconds and was stopped")]
    TimedOut {
        /// The command, without its settings.
        command: String,
        /// The bound.
        seconds: u64,
    },
    /// More output than we are ready to hold.
    #[error("`{command}` printed more than {limit_bytes} bytes: review a smaller range")]
    TooLarge {
        /// The command, without its settings.
        command: String,
        /// The bound.
        limit_bytes: usize,
    },
    /// Git names changed files and shows no change: something hides the text.
    #[error(
        "git shows no text for changes against {base} though it lists changed files ({example}, …): \
         look for a diff driver or a `diff.*` setting that hides them"
    )]
    HiddenChanges {
        /// What was compared with.
        base: String,
        /// One of the files.
        example: String,
    },
    /// A line on the pre-push hook's standard input that git does not write.
    #[error("the pre-push hook got a line that is not `<ref> <id> <ref> <id>`: {line:?}")]
    PushLine {
        /// The line, escaped.
        line: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

impl GitError {
    /// What it means to the caller.
    pub fn kind(&self) -> Kind {
        match self {
            Self::NoGit(_) | Self::OldGit | Self::NotARepository { .. } | Self::UnknownRevision { .. } => {
                Kind::Missing
            }
            Self::NoWorkTree { .. } | Self::PushLine { .. } => Kind::Invalid,
            Self::TooLarge { .. } => Kind::TooLarge,
            Self::NoMergeBase { .. } | Self::HiddenChanges { .. } => Kind::Conflict,
            Self::TimedOut { .. } => Kind::Unavailable,
            Self::Failed { .. } | Self::File { .. } => Kind::Internal,
        }
    }
}

/// Says on what a file operation failed.
pub(super) fn on_file<T>(
    result: io::Result<T>,
    action: &'static str,
    path: &std::path::Path,
) -> Result<T, GitError> {
    result.map_err(|source| GitError::File { action, path: path.to_owned(), source })
}
