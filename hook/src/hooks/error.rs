//! What can go wrong with the hook.

use std::io;
use std::path::PathBuf;

use prevet_domain::kind::Kind;

/// Why the hook could not be put in place or taken away.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// The hooks directory is a file, or `/dev/null`.
    #[error(
        "{path} is where git looks for hooks, and it is no directory; set core.hooksPath to a directory or unset it"
    )]
    HooksDirIsNoDirectory {
        /// The path.
        path: PathBuf,
    },
    /// The hook is a directory.
    #[error("{path} is a directory, so git can run no hook there; move it away and run `prevet init` again")]
    HookIsDirectory {
        /// The path.
        path: PathBuf,
    },
    /// The begin line of our block is there, its end line is not.
    #[error(
        "the block of prevet in {path} has lost its last line; take out what is left of it and run `prevet init` again"
    )]
    BrokenBlock {
        /// The file.
        path: PathBuf,
    },
    /// A file is too large to be a hook that can be edited.
    #[error("{path} is larger than {limit_bytes} bytes and is left alone; call prevet from it yourself")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit_bytes: u64,
    },
    /// The path of the binary cannot stand in a shell script.
    #[error(
        "the path of prevet, {path:?}, cannot be written into a hook; install it under a path that is text"
    )]
    BinaryPath {
        /// The path.
        path: PathBuf,
    },
    /// A file could not be read.
    #[error("could not read {path}; check that you may read it")]
    Read {
        /// What was read.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file could not be changed.
    #[error("could not {what} {path}; check that you may write to its directory")]
    Write {
        /// The verb.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl HookError {
    /// The class of this failure.
    pub fn kind(&self) -> Kind {
        match self {
            Self::HooksDirIsNoDirectory { .. }
            | Self::HookIsDirectory { .. }
            | Self::BrokenBlock { .. }
            | Self::BinaryPath { .. } => Kind::Invalid,
            Self::TooLarge { .. } => Kind::TooLarge,
            Self::Read { source, .. } | Self::Write { source, .. } => kind_of_io(source),
        }
    }
}

fn kind_of_io(source: &io::Error) -> Kind {
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Kind::Denied,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Kind::Missing,
        _ => Kind::Internal,
    }
}
