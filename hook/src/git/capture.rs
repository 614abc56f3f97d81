//! The patch of a change: the work tree against a commit, or one commit against another.

use prevet_domain::path::escape;

use super::command::{Git, Output};
use super::index_copy::IndexCopy;
use super::presentation::{NEUTRAL_OPTIONS, NEUTRAL_SETTINGS};
use super::{GitError, Repository};

/// How many files that git cannot read are left out before the capture is given up.
const UNREADABLE_FILES_MAX: usize = 64;

/// A captured change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The patch as git prints it when nobody has configured it; empty where nothing changed.
    pub patch: Vec<u8>,
    /// What git could not read, and so is not in the patch.
    pub left_out: Vec<LeftOut>,
}

/// A path that is missing in a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The path from the repository's root, escaped; a pattern where git names no single file.
    pub path: String,
    /// Why, as far as git says.
    pub reason: String,
}

impl LeftOut {
    /// An untracked path that `git add` refused, with what it said of it.
    pub(super) fn refused(path: &[u8], messages: &[String]) -> Self {
        let path = escape(path);
        let about = messages.iter().find(|line| line.contains(path.trim_end_matches('/')));
        let reason = about.map_or("git cannot add it", |line| line.trim_start_matches("error: ")).to_owned();
        Self { path, reason }
    }
}

impl Repository {
    /// The work tree, untracked files included, against `base`: what `git add --intent-to-add . && git diff
    /// BASE` prints under an unconfigured git. The user's index is only read.
    pub fn capture_work_tree(&self, base: &str) -> Result<Captured, GitError> {
        self.work_tree()?;
        let base = self.object_id(base)?;
        let index = IndexCopy::make(self)?;
        let mut left_out = index.intend_to_add_all()?;
        let patch = patch_of_readable(&index, &base, &mut left_out)?;
        if patch.is_empty() {
            let names = index.git().args(["diff", "--name-only", "--no-ext-diff", "-z", &base, "--"]);
            nothing_hidden(names.arg(".").args(left_out.iter().map(exclusion)), &base)?;
        }
        Ok(Captured { patch, left_out })
    }

    /// Commit `id` against `base`, as committed, whatever `HEAD` and the work tree hold. Which files count as
    /// text is read as of `base`, so that a change cannot hide itself behind an attribute.
    pub fn capture_commits(&self, base: &str, id: &str) -> Result<Captured, GitError> {
        let (base, id) = (self.object_id(base)?, self.object_id(id)?);
        let diff = |options: &[&str]| {
            let git = self.with_attributes_of(self.git().settings(NEUTRAL_SETTINGS), &base)?;
            Ok::<_, GitError>(git.arg("diff").args(options).args([&base, &id]).arg("--"))
        };
        let patch = diff(NEUTRAL_OPTIONS)?.read()?;
        if patch.is_empty() {
            nothing_hidden(diff(&["--name-only", "--no-ext-diff", "-z"])?, &base)?;
        }
        Ok(Captured { patch, left_out: Vec::new() })
    }
}

/// The diff; where a file stops it, the diff without that file.
fn patch_of_readable(
    index: &IndexCopy<'_>,
    base: &str,
    left_out: &mut Vec<LeftOut>,
) -> Result<Vec<u8>, GitError> {
    let mut excluded: Vec<LeftOut> = Vec::new();
    loop {
        let git = index.git().arg("diff").args(NEUTRAL_OPTIONS).args([base, "--"]);
        let output =
            if excluded.is_empty() { git } else { git.arg(".").args(excluded.iter().map(exclusion)) }
                .run()?;
        if output.status.success() {
            left_out.append(&mut excluded);
            return Ok(output.stdout);
        }
        match stumbling_block(&output) {
            Some(block) if excluded.len() < UNREADABLE_FILES_MAX && !excluded.contains(&block) => {
                excluded.push(block);
            }
            _ => return Err(output.failure()),
        }
    }
}

/// What made `git diff` give up: a file that it cannot hash, or a filter that does not work.
fn stumbling_block(output: &Output) -> Option<LeftOut> {
    let messages = output.messages();
    let fatal = messages.iter().find_map(|line| line.strip_prefix("fatal: "))?;
    if let Some(path) = fatal.strip_prefix("cannot hash ") {
        let about = messages.iter().find(|line| line.starts_with("error: ") && line.contains(path));
        let reason = about.map_or("git cannot read it", |line| line.trim_start_matches("error: ")).to_owned();
        return Some(LeftOut { path: path.to_owned(), reason });
    }
    let (_, filter) = fatal.strip_suffix("' failed")?.rsplit_once(": clean filter '")?;
    let reason = format!("the clean filter '{filter}', which is required, failed");
    Some(LeftOut { path: format!("{FILTER_MAGIC}{filter}"), reason })
}

/// Stands before a filter's name where all files behind the filter are left out.
const FILTER_MAGIC: &str = "attr:filter=";

fn exclusion(left_out: &LeftOut) -> String {
    match left_out.path.strip_prefix(FILTER_MAGIC) {
        Some(filter) => format!(":(exclude,top,attr:filter={filter})"),
        None => format!(":(exclude,top,literal){}", left_out.path),
    }
}

/// An empty patch is only believed if git names no changed file either.
fn nothing_hidden(names: Git, base: &str) -> Result<(), GitError> {
    let names = names.read()?;
    match names.split(|byte| *byte == 0).next() {
        Some(name) if !name.is_empty() => {
            Err(GitError::HiddenChanges { base: base.to_owned(), example: escape(name) })
        }
        _ => Ok(()),
    }
}
