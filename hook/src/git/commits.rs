//! Every commit of a range with its patch: one `git log` for all, one part of a patch in memory at a time.

use std::io::{BufReader, Read};
use std::process::{Child, ChildStdout};
use std::thread::{self, JoinHandle};

use super::capture::LeftOut;
use super::command::{self, Git};
use super::patch_reader::{COMMIT_MARK, PatchReader};
use super::presentation::{NEUTRAL_OPTIONS, NEUTRAL_SETTINGS};
use super::{GitError, Repository};

/// What is kept of `git log`'s messages.
const MESSAGE_BYTES_MAX: u64 = 64 << 10;
/// `--cc` shows of a merge what no parent has; `--text` shows every file, whatever attributes call it.
const LOG_OPTIONS: &[&str] =
    &["--reverse", "--root", "--cc", "--text", "--no-notes", "--no-mailmap", "--no-show-signature"];

/// What one commit changes, or a part of that: whole files, together within the limit that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitPatch {
    /// The commit.
    pub commit: String,
    /// The patch of some of its files. Files count as text whatever their attributes and bytes. Of a merge it
    /// shows what none of its parents has.
    pub patch: Vec<u8>,
    /// Files whose patch alone is over the limit, or whose text git does not show.
    pub left_out: Vec<LeftOut>,
}

impl CommitPatch {
    pub(super) fn is_empty(&self) -> bool {
        self.patch.is_empty() && self.left_out.is_empty()
    }
}

/// The patches of a range, parents before children; commits that change nothing are left out. Dropping it ends
/// git.
pub struct CommitPatches {
    child: Child,
    reader: PatchReader<BufReader<ChildStdout>>,
    messages: Option<JoinHandle<Vec<u8>>>,
    command: String,
    ended: bool,
}

impl Repository {
    /// Each commit that is reachable from `id` and not from `base`, in parts of at most `limit_bytes`.
    /// `base` may be a tree, such as the empty one: then the range is every commit behind `id`.
    pub fn commit_patches(
        &self,
        base: &str,
        id: &str,
        limit_bytes: usize,
    ) -> Result<CommitPatches, GitError> {
        let id = self.commit_id(id)?;
        let excluded = match self.commit_id(base) {
            Err(GitError::UnknownRevision { .. }) => self.object_id(base).map(|_| None)?,
            found => found.map(Some)?,
        };
        let git = self.with_attributes_of(self.git().settings(NEUTRAL_SETTINGS), &self.empty_tree()?)?;
        let format = format!("--format=tformat:{COMMIT_MARK}%H");
        let git =
            git.arg("log").all_quietly(NEUTRAL_OPTIONS).all_quietly(LOG_OPTIONS).quietly(format).arg(id);
        let git = excluded.into_iter().fold(git, |git, base| git.args(["--not", &base]));
        CommitPatches::start(git.arg("--"), limit_bytes)
    }
}

impl CommitPatches {
    fn start(git: Git, limit_bytes: usize) -> Result<Self, GitError> {
        let command = git.shown().to_owned();
        let mut child = git.spawn()?;
        let stderr = child.stderr.take();
        let messages = thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut stderr) = stderr {
                let _ = stderr.by_ref().take(MESSAGE_BYTES_MAX).read_to_end(&mut bytes);
                let _ = std::io::copy(&mut stderr, &mut std::io::sink());
            }
            bytes
        });
        let Some(stdout) = child.stdout.take() else {
            command::stop(&mut child);
            return Err(GitError::Failed { command, message: "it has no output".into() });
        };
        let reader = PatchReader::new(BufReader::new(stdout), limit_bytes);
        Ok(Self { child, reader, messages: Some(messages), command, ended: false })
    }

    /// Nothing more comes: all is well only if git says so too.
    fn finish(&mut self) -> Option<Result<CommitPatch, GitError>> {
        self.ended = true;
        let status = self.child.wait();
        if status.is_ok_and(|status| status.success()) {
            return None;
        }
        let stderr = self.messages.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Some(Err(self.failure(command::message(&stderr))))
    }

    fn failure(&self, message: String) -> GitError {
        GitError::Failed { command: self.command.clone(), message }
    }
}

impl Iterator for CommitPatches {
    type Item = Result<CommitPatch, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match self.reader.next_part() {
            Ok(Some(part)) => Some(Ok(part)),
            Ok(None) => self.finish(),
            Err(error) => {
                self.ended = true;
                Some(Err(self.failure(error.to_string())))
            }
        }
    }
}

impl Drop for CommitPatches {
    fn drop(&mut self) {
        command::stop(&mut self.child);
    }
}
