//! What a use case can end in, other than its result.

use prevet_domain::change::{ImageError, ParseError};
use prevet_domain::ids::NameError;
use prevet_domain::kind::Kind;
use prevet_domain::session::AccessError;

use crate::check_task::TaskError;
use crate::decisions::DecisionError;
use crate::model::ModelError;

/// A use case's failure.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The key, or what it may do.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A name that is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A parameter that cannot be used.
    #[error("{0}")]
    Input(String),
    /// No such session, or one that ended.
    #[error("no such session (a session ends 30 days after its last use): call POST /session first")]
    UnknownSession,
    /// Nothing was uploaded, or an empty diff.
    #[error("{0}")]
    NoDiff(&'static str),
    /// The uploaded text is no patch.
    #[error("the uploaded file is not a diff that can be read: {0}")]
    Patch(#[from] ParseError),
    /// Diff and context do not belong together.
    #[error("{0}; capture the diff and the files again, together")]
    Image(#[from] ImageError),
    /// The session holds another diff than the caller means.
    #[error(
        "the session's diff was replaced by another upload in the meantime; upload again and repeat the call"
    )]
    DiffReplaced,
    /// A part is larger than its limit.
    #[error("{what} has {bytes} bytes; the limit is {limit_bytes}")]
    TooLarge {
        /// Which part.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The most it may have.
        limit_bytes: usize,
    },
    /// Something of that name is there already, or is not there.
    #[error("{0}")]
    Conflict(String),
    /// What is named is not there.
    #[error("{0}")]
    Missing(String),
    /// What is asked for, or answered, cannot be.
    #[error(transparent)]
    Decision(#[from] DecisionError),
    /// The tool needs a model, and none is configured.
    #[error(
        "{0} needs a model, and none is configured: set PREVET_MODEL and its provider's key for the server (the README \
         says how), or use inspect_diff and describe_change, which work without one"
    )]
    NoModel(&'static str),
    /// The task of `check_task` cannot be made out.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The model gave no answer that can be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The system gave no random bytes.
    #[error("the system gave no random bytes")]
    NoRandomness,
    /// The engine died.
    #[error("the inspection ended unexpectedly; this is a defect of Prevet")]
    EngineDied,
}

/// Storage's failure, without what it was asked to keep.
#[derive(Debug, thiserror::Error)]
#[error("{action} failed")]
pub struct StorageError {
    /// What was tried.
    pub action: &'static str,
    /// Whether asking again may help.
    pub transient: bool,
    /// Why.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

impl AppError {
    /// What it means to the caller.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Access(AccessError::NoKey | AccessError::BadKey) => Kind::Unauthenticated,
            Self::Access(AccessError::OtherTenant | AccessError::NoProduct(_) | AccessError::NotAPerson) => {
                Kind::Denied
            }
            Self::Patch(ParseError::TooLarge { .. }) | Self::TooLarge { .. } => Kind::TooLarge,
            Self::Name(_) | Self::Input(_) | Self::NoDiff(_) | Self::Image(_) | Self::Patch(_) => {
                Kind::Invalid
            }
            Self::Decision(error) => error.kind(),
            Self::UnknownSession | Self::Missing(_) => Kind::Missing,
            Self::DiffReplaced | Self::Conflict(_) => Kind::Conflict,
            Self::Storage(_) => Kind::Unavailable,
            Self::NoModel(_) | Self::Task(_) => Kind::Invalid,
            Self::Model(error) => error.kind(),
            Self::NoRandomness | Self::EngineDied => Kind::Internal,
        }
    }

    /// The tool error's code.
    pub const fn tool_code(&self) -> &'static str {
        match self {
            Self::UnknownSession => "UNKNOWN_SESSION",
            Self::NoDiff(_) => "NO_DIFF",
            Self::DiffReplaced => "BUSY",
            Self::NoModel(_) => "MODEL_NOT_CONFIGURED",
            Self::Task(TaskError::TooMany(_)) => "INVALID_INPUT",
            Self::Task(_) => "TICKET_UNRESOLVED",
            other => other.kind().tool_code(),
        }
    }
}
