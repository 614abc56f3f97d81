//! What would change: a list of steps, decided from the facts alone.

use std::fmt;
use std::path::PathBuf;

use super::{Facts, HookError};

mod install;
mod remove;
#[cfg(test)]
mod tests;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// `prevet init`
    Install,
    /// `prevet init --remove`
    Remove,
}

/// One step. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Writes a file that is ours, with this mode, in place of whatever is there.
    Write {
        /// The file.
        path: PathBuf,
        /// Its contents.
        contents: Vec<u8>,
        /// Its mode, on Unix.
        mode: u32,
    },
    /// Changes a file that belongs to somebody else; its mode stays.
    Edit {
        /// The file.
        path: PathBuf,
        /// Its new contents.
        contents: Vec<u8>,
    },
    /// Renames a file; mode, link and contents stay.
    Move {
        /// From here.
        from: PathBuf,
        /// To here.
        to: PathBuf,
    },
    /// Makes a file of ours executable again.
    MakeExecutable {
        /// The file.
        path: PathBuf,
    },
    /// Deletes a file of ours.
    Delete {
        /// The file.
        path: PathBuf,
    },
    /// Nothing is done; the user is told this.
    Tell(String),
}

/// The steps, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Whether carrying it out would change anything on disk.
    pub fn changes_anything(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step, Step::Tell(_)))
    }

    fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn tell(&mut self, text: impl Into<String>) {
        self.steps.push(Step::Tell(text.into()));
    }
}

/// Decides what `action` takes. A second plan after the first was carried out changes nothing.
pub fn plan(facts: &Facts, action: Action) -> Result<Plan, HookError> {
    match action {
        Action::Install => install::plan(facts),
        Action::Remove => remove::plan(facts),
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write { path, .. } => write!(f, "write {}", path.display()),
            Self::Edit { path, .. } => write!(f, "edit {}", path.display()),
            Self::Move { from, to } => write!(f, "rename {} to {}", from.display(), to.display()),
            Self::MakeExecutable { path } => write!(f, "make {} executable", path.display()),
            Self::Delete { path } => write!(f, "delete {}", path.display()),
            Self::Tell(text) => f.write_str(text),
        }
    }
}
