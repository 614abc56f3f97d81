//! The one error of commands: a kind, a message, and what the reader can do.

use std::error::Error;
use std::fmt;

use prevet_domain::kind::Kind;

use crate::git::GitError;
use crate::hooks::HookError;
use crate::review::ReviewError;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub struct CommandError {
    /// What it means: decides the exit code.
    pub kind: Kind,
    /// What was tried, on what, and why it failed, on one line.
    pub message: String,
}

impl CommandError {
    /// Of that kind and message.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What the user has to change.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// An error and its causes, on one line.
    pub fn of(kind: Kind, error: &dyn Error) -> Self {
        Self::new(kind, chain(error))
    }
}

/// An error and its causes, on one line, without saying anything twice.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = cause.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for CommandError {}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        Self::of(error.kind(), &error)
    }
}

impl From<HookError> for CommandError {
    fn from(error: HookError) -> Self {
        Self::of(error.kind(), &error)
    }
}

impl From<ReviewError> for CommandError {
    fn from(error: ReviewError) -> Self {
        Self::new(error.kind(), error.message)
    }
}

#[cfg(feature = "embedded")]
impl From<prevet_local::LocalError> for CommandError {
    fn from(error: prevet_local::LocalError) -> Self {
        Self::of(error.kind(), &error)
    }
}
