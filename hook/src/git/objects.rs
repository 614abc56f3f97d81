//! Looking up revisions and objects.

use super::command::Git;
use super::{GitError, Repository};

/// The first git with `--attr-source`.
const ATTRIBUTE_SOURCE_VERSION: (u32, u32) = (2, 41);

impl Repository {
    /// The id of the object that `revision` names, which is never read as an option.
    pub(super) fn object_id(&self, revision: &str) -> Result<String, GitError> {
        self.verified(&format!("{revision}^{{object}}"), revision)
    }

    /// The commit that `revision` names.
    pub fn commit_id(&self, revision: &str) -> Result<String, GitError> {
        self.verified(&format!("{revision}^{{commit}}"), revision)
    }

    /// The id of what `revision` names as a base: a commit, tags peeled; else a tree, such as the empty one.
    pub fn base_id(&self, revision: &str) -> Result<String, GitError> {
        match self.commit_id(revision) {
            Err(GitError::UnknownRevision { .. }) => self.object_id(revision),
            found => found,
        }
    }

    fn verified(&self, expression: &str, revision: &str) -> Result<String, GitError> {
        let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", expression];
        let found = self.git().args(asked).line()?;
        found.ok_or_else(|| GitError::UnknownRevision { revision: revision.to_owned() })
    }

    /// The tree without entries, as this repository's hash names it.
    pub(super) fn empty_tree(&self) -> Result<String, GitError> {
        let id = self.git().args(["hash-object", "-t", "tree", "--stdin"]).input(Vec::new()).read()?;
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }

    /// Whether a reference of this full name exists.
    pub(super) fn reference_exists(&self, name: &str) -> Result<bool, GitError> {
        let found = self.with_library(|library| library.find_reference(name)?.resolve().map(|_| ()));
        if let Some(found) = found {
            return Ok(found.is_ok());
        }
        Ok(self.git().args(["rev-parse", "--verify", "--quiet", "--end-of-options", name]).line()?.is_some())
    }

    /// The reference that a symbolic reference points to.
    pub(super) fn symbolic_target(&self, name: &str) -> Result<Option<String>, GitError> {
        let found = self.with_library(|library| -> Result<Option<String>, git2::Error> {
            Ok(library.find_reference(name)?.symbolic_target()?.map(str::to_owned))
        });
        if let Some(found) = found {
            return Ok(found.unwrap_or_default());
        }
        self.git().args(["symbolic-ref", "--quiet", name]).line()
    }

    /// Asks libgit2; `None` where it cannot open this repository.
    pub(super) fn with_library<T>(&self, ask: impl FnOnce(&git2::Repository) -> T) -> Option<T> {
        let library = self.library.as_ref()?.lock().ok()?;
        Some(ask(&library))
    }

    /// Reads attributes as of `revision`, where git can.
    pub(super) fn with_attributes_of(&self, git: Git, revision: &str) -> Result<Git, GitError> {
        if self.git_version()? >= ATTRIBUTE_SOURCE_VERSION {
            Ok(git.quietly(format!("--attr-source={revision}")))
        } else {
            Ok(git)
        }
    }
}
