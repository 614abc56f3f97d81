//! What can go wrong with an agent's configuration.

use std::io;
use std::path::PathBuf;

use prevet_domain::kind::Kind;

/// Why an agent could not be connected.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nothing says where its files are.
    #[error("neither {variables} says where {harness} keeps its configuration")]
    NoHome {
        /// The agent.
        harness: &'static str,
        /// The variables.
        variables: &'static str,
    },
    /// The configuration is not what its name says.
    #[error("{path} cannot be read ({problem}); mend it and try again: nothing was changed")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// Too large.
    #[error("{path} is larger than {limit_bytes} bytes and is left alone")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit_bytes: u64,
    },
    /// Somebody wrote at the same moment.
    #[error("{path} was changed by another program in between; run the command again")]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// The path of the binary is no text.
    #[error(
        "the path of prevet, {path:?}, cannot be written into a configuration; install it under a path that is text"
    )]
    BinaryPath {
        /// The path.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("could not {what} {path}")]
    File {
        /// The verb.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl ConnectError {
    /// The class of this failure.
    pub fn kind(&self) -> Kind {
        match self {
            Self::NoHome { .. } | Self::Unreadable { .. } | Self::BinaryPath { .. } => Kind::Invalid,
            Self::TooLarge { .. } => Kind::TooLarge,
            Self::ChangedMeanwhile { .. } => Kind::Conflict,
            Self::File { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Kind::Denied,
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Kind::Missing,
                _ => Kind::Internal,
            },
        }
    }
}
