//! Why a review tool did not do what it was asked.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

use prevet_domain::kind::Kind;
use prevet_domain::review::input::InputError;
use prevet_domain::review::session::Refusal;
use prevet_domain::review::subject::SubjectError;
use prevet_wire::error::ErrorBody;
use prevet_wire::review_files::FileError;

use crate::error::chain;

/// The stable words for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// A settings file is broken.
    ConfigInvalid,
    /// A parameter is missing or wrong.
    InvalidInput,
    /// Not one of the four skills.
    UnknownSkill,
    /// The reviewer's program is not there.
    ReviewerNotFound,
    /// There is no readable session.
    InvalidSession,
    /// The round runs.
    RoundStillRunning,
    /// A template cannot be read.
    TemplateNotFound,
    /// The reviewer could not be started.
    LaunchFailed,
    /// A session's files contradict each other, or it cannot go on.
    SessionBroken,
    /// Reading or writing failed.
    IoError,
}

impl Code {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ConfigInvalid => "CONFIG_INVALID",
            Self::InvalidInput => "INVALID_INPUT",
            Self::UnknownSkill => "UNKNOWN_SKILL",
            Self::ReviewerNotFound => "REVIEWER_NOT_FOUND",
            Self::InvalidSession => "INVALID_SESSION",
            Self::RoundStillRunning => "ROUND_STILL_RUNNING",
            Self::TemplateNotFound => "TEMPLATE_NOT_FOUND",
            Self::LaunchFailed => "LAUNCH_FAILED",
            Self::SessionBroken => "SESSION_BROKEN",
            Self::IoError => "IO_ERROR",
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::ConfigInvalid | Self::InvalidInput | Self::UnknownSkill => Kind::Invalid,
            Self::ReviewerNotFound | Self::InvalidSession | Self::TemplateNotFound => Kind::Missing,
            Self::RoundStillRunning | Self::SessionBroken => Kind::Conflict,
            Self::LaunchFailed => Kind::Unavailable,
            Self::IoError => Kind::Internal,
        }
    }
}

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewError {
    /// For programs.
    pub code: Code,
    /// What was tried, on what, and what can be done.
    pub message: String,
}

impl ReviewError {
    /// With that code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A file operation that failed.
    pub fn io(action: &str, path: &Path, error: &io::Error) -> Self {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ": make room and try again",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                ": the repository under review has to be writable for its session files"
            }
            _ => "",
        };
        Self::new(Code::IoError, format!("cannot {action} {} ({error}){hint}", path.display()))
    }

    /// A session's file that cannot be used.
    pub fn file(code: Code, path: &Path, error: &FileError) -> Self {
        Self::new(code, format!("{} cannot be used: {}", path.display(), chain(error)))
    }

    /// What it means to the caller: decides the exit code.
    pub fn kind(&self) -> Kind {
        self.code.kind()
    }

    /// As tools and verbs show it.
    pub fn body(&self) -> ErrorBody {
        ErrorBody { error: self.message.clone(), code: self.code.as_str().to_owned() }
    }
}

impl fmt::Display for ReviewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ReviewError {}

impl From<SubjectError> for ReviewError {
    fn from(error: SubjectError) -> Self {
        let code = match error {
            SubjectError::UnknownSkill(_) => Code::UnknownSkill,
            _ => Code::InvalidInput,
        };
        Self::new(code, error.to_string())
    }
}

impl From<InputError> for ReviewError {
    fn from(error: InputError) -> Self {
        Self::new(Code::InvalidInput, error.to_string())
    }
}

impl From<Refusal> for ReviewError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::StillRunning => Code::RoundStillRunning,
            Refusal::Ended | Refusal::TooManyRounds => Code::InvalidInput,
            Refusal::NoThread | Refusal::NotRunning => Code::SessionBroken,
        };
        Self::new(code, refusal.to_string())
    }
}
