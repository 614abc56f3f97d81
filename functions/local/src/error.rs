//! Why the embedded server does not run.

use std::io;
use std::path::PathBuf;

use prevet_app::error::AppError;
use prevet_domain::kind::Kind;
use prevet_emulator::EmulatorError;

/// Why the embedded server does not run.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// A file or folder of the data folder.
    #[error("{action} {} failed", .path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Another process has the folder.
    #[error(
        "the data folder {} is in use by another prevet for more than {waited_seconds} s; \
         wait for it, or give another folder with --data", .folder.display()
    )]
    Locked {
        /// Which folder.
        folder: PathBuf,
        /// How long this process waited.
        waited_seconds: u64,
    },
    /// The keys file is damaged.
    #[error("{} is damaged; remove it to get new keys", .path.display())]
    DamagedKeys {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The address cannot be listened on.
    #[error("{address} cannot be listened on")]
    Listen {
        /// Which.
        address: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The stores.
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
    /// A use case.
    #[error(transparent)]
    App(#[from] AppError),
    /// The environment.
    #[error(transparent)]
    Config(#[from] prevet_routes::ConfigError),
}

impl LocalError {
    /// What it means to the caller.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::File { .. } | Self::Listen { .. } | Self::DamagedKeys { .. } | Self::Config(_) => {
                Kind::Invalid
            }
            Self::Locked { .. } => Kind::Busy,
            Self::Emulator(_) => Kind::Unavailable,
            Self::App(error) => error.kind(),
        }
    }
}
