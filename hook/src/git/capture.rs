//! The patch of a change: the work tree against a commit, or one commit against another.

use prevet_domain::path::escape;

use super::command::Output;
use super::index_copy::IndexCopy;
use super::presentation::{NEUTRAL_OPTIONS, NEUTRAL_SETTINGS};
use super::{GitError, Repository};

/// How many times a diff is tried without what stopped it.
const OBSTACLES_MAX: usize = 64;

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
    /// The path from the repository's root, escaped.
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
        let (index, mut left_out) = IndexCopy::make(self)?;
        let (printed, excluded) = diff_of_readable(&index, &base)?;
        for obstacle in excluded {
            left_out.append(&mut obstacle.left_out(&index, &base)?);
        }
        Ok(Captured { patch: patch_behind_list(printed, &base)?, left_out })
    }

    /// Commit `id` against `base`, as committed, whatever `HEAD` and the work tree hold. Which files count as
    /// text is read as of `base`, so that a change cannot hide itself behind an attribute.
    pub fn capture_commits(&self, base: &str, id: &str) -> Result<Captured, GitError> {
        let (base, id) = (self.object_id(base)?, self.object_id(id)?);
        let git = self.with_attributes_of(self.git().settings(NEUTRAL_SETTINGS), &base)?;
        let diff =
            git.arg("diff").all_quietly(&["--raw"]).all_quietly(NEUTRAL_OPTIONS).args([&base, &id]).arg("--");
        Ok(Captured { patch: patch_behind_list(diff.read()?, &base)?, left_out: Vec::new() })
    }
}

/// What makes `git diff` give up.
#[derive(Debug, PartialEq, Eq)]
enum Obstacle {
    /// A file that it cannot read.
    File(LeftOut),
    /// A required clean filter that fails.
    Filter(String),
}

/// The diff; where something stops it, the diff without that.
fn diff_of_readable(index: &IndexCopy<'_>, base: &str) -> Result<(Vec<u8>, Vec<Obstacle>), GitError> {
    let mut excluded: Vec<Obstacle> = Vec::new();
    loop {
        let mut git =
            index.git().arg("diff").all_quietly(&["--raw"]).all_quietly(NEUTRAL_OPTIONS).args([base, "--"]);
        if !excluded.is_empty() {
            git = git.arg(".").args(excluded.iter().map(Obstacle::exclusion));
        }
        let output = git.run()?;
        if output.status.success() {
            return Ok((output.stdout, excluded));
        }
        match Obstacle::of(&output) {
            Some(obstacle) if excluded.len() < OBSTACLES_MAX && !excluded.contains(&obstacle) => {
                excluded.push(obstacle);
            }
            _ => return Err(output.failure()),
        }
    }
}

impl Obstacle {
    fn of(output: &Output) -> Option<Self> {
        let messages = output.messages();
        let fatal = messages.iter().find_map(|line| line.strip_prefix("fatal: "))?;
        if let Some(path) = fatal.strip_prefix("cannot hash ") {
            let about =
                messages.iter().find_map(|line| line.strip_prefix("error: ").filter(|l| l.contains(path)));
            let reason = about.unwrap_or("git cannot read it").to_owned();
            return Some(Self::File(LeftOut { path: path.to_owned(), reason }));
        }
        let (_, filter) = fatal.strip_suffix("' failed")?.rsplit_once(": clean filter '")?;
        Some(Self::Filter(filter.to_owned()))
    }

    fn exclusion(&self) -> String {
        match self {
            Self::File(left_out) => format!(":(exclude,top,literal){}", left_out.path),
            Self::Filter(name) => format!(":(exclude,top,attr:filter={name})"),
        }
    }

    /// The changed files that are missing for it.
    fn left_out(self, index: &IndexCopy<'_>, base: &str) -> Result<Vec<LeftOut>, GitError> {
        let name = match self {
            Self::File(left_out) => return Ok(vec![left_out]),
            Self::Filter(name) => name,
        };
        let behind = format!(":(top,attr:filter={name})");
        // Lists by `lstat` alone, and so without the filter.
        let listed = index.git().args(["diff-index", "--name-only", "-z", base, "--", &behind]).read()?;
        let reason = format!("the clean filter '{name}', which is required, fails");
        let names = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(names.map(|path| LeftOut { path: escape(path), reason: reason.clone() }).collect())
    }
}

/// What `--raw --patch` prints behind the list of changed files. An empty patch is only believed if the list is
/// empty too.
fn patch_behind_list(mut printed: Vec<u8>, base: &str) -> Result<Vec<u8>, GitError> {
    let mut list_bytes = 0;
    while printed.get(list_bytes) == Some(&b':') {
        let line = &printed[list_bytes..];
        list_bytes += line.iter().position(|byte| *byte == b'\n').map_or(line.len(), |at| at + 1);
    }
    // An empty line stands between the two.
    if printed.len() <= list_bytes + 1 && list_bytes > 0 {
        let first = printed.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let example = escape(first.splitn(2, |byte| *byte == b'\t').last().unwrap_or(first));
        return Err(GitError::HiddenChanges { base: base.to_owned(), example });
    }
    printed.drain(..printed.len().min(list_bytes + 1));
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_patch_needs_an_empty_list() {
        let check = |printed: &str, expected: Result<&str, &str>| {
            let patch = patch_behind_list(printed.into(), "base").map_err(|error| error.to_string());
            match (patch, expected) {
                (Ok(patch), Ok(expected)) => assert_eq!(patch, expected.as_bytes()),
                (Err(message), Err(part)) => assert!(message.contains(part), "{message}"),
                other => panic!("{other:?}"),
            }
        };
        check("", Ok(""));
        check(":1 1 a b M\tx\n\ndiff --git a/x b/x\n", Ok("diff --git a/x b/x\n"));
        check(":1 1 a b M\tx\n:1 1 a b M\ty\n", Err("x, …"));
        check(":1 1 a b M\tx\n\n", Err("lists changed files"));
    }
}
