//! The programs that can review. Each says how it is called and what its events mean; the rest is the same for all.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use prevet_domain::review::stream::ReviewerEvent;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use super::codex;
use super::error::{Code, ReviewError};

/// How long a program may take to say its version.
const VERSION_SECONDS_MAX: u64 = 10;
const VERSION_BYTES_MAX: u64 = 4 << 10;

/// A program that can review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reviewer {
    /// The Codex CLI.
    #[default]
    Codex,
}

/// What a round's command is made from.
#[derive(Debug, Clone, Copy)]
pub struct Order<'o> {
    /// The model, where one is set.
    pub model: Option<&'o str>,
    /// The reasoning effort.
    pub effort: &'o str,
    /// The thread to go on with; none in the first round.
    pub thread: Option<&'o str>,
}

impl Reviewer {
    /// The reviewer of that name.
    pub fn parse(name: &str) -> Option<Self> {
        (name == Self::Codex.as_str()).then_some(Self::Codex)
    }

    /// Its name, and its program's.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Codex => "codex",
        }
    }

    /// The arguments of a round. The prompt comes on standard input: an argument would be too short for some, and
    /// every user of the machine can read it.
    pub fn arguments(self, order: &Order<'_>) -> Vec<String> {
        match self {
            Self::Codex => codex::arguments(order),
        }
    }

    /// What a line of its output means; none where it is no event.
    pub fn event(self, line: &[u8]) -> Option<ReviewerEvent> {
        match self {
            Self::Codex => codex::event(line),
        }
    }

    /// The oldest version that understands [`Self::arguments`].
    const fn oldest(self) -> (u64, u64) {
        match self {
            Self::Codex => codex::OLDEST_VERSION,
        }
    }

    /// Finds its program, and checks that it is new enough. One that does not say its version is believed.
    pub async fn find(self, search_path: Option<&OsStr>) -> Result<PathBuf, ReviewError> {
        let name = self.as_str();
        let program = search_path.and_then(|path| find_program(name, path)).ok_or_else(|| {
            let text = format!(
                "the {name} CLI is not in PATH: install it (`npm install -g @openai/codex`) and log in"
            );
            ReviewError::new(Code::ReviewerNotFound, text)
        })?;
        match version(&program).await {
            Some(found) if found < self.oldest() => {
                let ((major, minor), (found_major, found_minor)) = (self.oldest(), found);
                let text = format!(
                    "{} is version {found_major}.{found_minor}, and {major}.{minor} or newer is needed: update it",
                    program.display()
                );
                Err(ReviewError::new(Code::LaunchFailed, text))
            }
            _ => Ok(program),
        }
    }
}

fn find_program(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    let folders = std::env::split_paths(search_path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

async fn version(program: &Path) -> Option<(u64, u64)> {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    withhold(&mut command);
    let mut child = command.spawn().ok()?;
    let mut text = String::new();
    let mut output = child.stdout.take()?.take(VERSION_BYTES_MAX);
    timeout(Duration::from_secs(VERSION_SECONDS_MAX), output.read_to_string(&mut text)).await.ok()?.ok()?;
    parse_version(&text)
}

/// `codex-cli 0.171.0` → (0, 171)
fn parse_version(text: &str) -> Option<(u64, u64)> {
    text.split_whitespace().find_map(|word| {
        let mut numbers = word.trim_start_matches('v').split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    })
}

/// What a reviewer does not get: what ties a process to one repository, and would lead one that is started from a git
/// hook astray, and our own keys and the server's, which no model is to see.
const WITHHELD_VARIABLES: [&str; 15] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "PREVET_API_KEY",
    "PREVET_TENANT_KEY",
    "PREVET_WORKSPACE_ID",
    "PREVET_MODEL_API_KEY",
    "PREVET_GITHUB_TOKEN",
    "PREVET_JIRA_TOKEN",
    "PREVET_NOTICE_SECRET",
];

/// Takes from a reviewer's environment what it is not to get.
pub(super) fn withhold(command: &mut Command) {
    for name in WITHHELD_VARIABLES {
        command.env_remove(name);
    }
}

/// The arguments as the system takes them.
pub(super) fn os(arguments: Vec<String>) -> impl Iterator<Item = OsString> {
    arguments.into_iter().map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let check =
            |text: &str, expected: Option<(u64, u64)>| assert_eq!(parse_version(text), expected, "{text}");
        check("codex-cli 0.171.0\n", Some((0, 171)));
        check("v1.2.3-alpha", Some((1, 2)));
        check("codex 12", None);
        check("", None);
    }
}
