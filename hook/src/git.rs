//! The repository: its changes, its commits, its files. The only place that runs `git` or names git2.
//!
//! The patch text comes from the `git` program, since no library prints what git prints; so does whatever
//! depends on the user's configuration or on how git walks history. git2 reads references and blobs, without a
//! process for each; where libgit2 cannot open a repository (SHA-256, reftable, partial clones) `git` does
//! that as well. Nothing in the repository is written, but for a missing branch that is fetched.

mod about;
mod base;
mod cache_tree;
mod capture;
mod combined;
mod command;
mod commits;
mod content;
mod environment;
mod error;
mod index_copy;
mod index_file;
mod listing;
mod objects;
mod patch_reader;
mod presentation;
mod private;
mod push;
mod push_facts;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

pub use self::about::Settings;
pub use self::base::{Base, BaseSource};
pub use self::capture::{Captured, LeftOut};
pub use self::commits::{CommitPatch, CommitPatches};
pub use self::content::AttributeValue;
pub use self::environment::GitEnvironment;
pub use self::error::GitError;
pub use self::listing::CommittedFile;
pub use self::private::remove_private_folders;
pub use self::push::{
    BaseChoice, Decision, NothingToReview, PushFacts, PushLine, PushPlan, PushReview, decide,
    parse_push_lines,
};

use self::command::{Git, message};
use self::index_file::ObjectFormat;

/// A repository that was found, with every path absolute.
pub struct Repository {
    environment: GitEnvironment,
    git_dir: PathBuf,
    work_tree: Option<PathBuf>,
    index: PathBuf,
    objects: PathBuf,
    format: ObjectFormat,
    library: Option<Mutex<git2::Repository>>,
    settings: OnceLock<Settings>,
    git_version: OnceLock<(u32, u32)>,
}

impl Repository {
    /// Finds the repository that git would find from `environment`.
    pub fn discover(environment: &GitEnvironment) -> Result<Self, GitError> {
        let mut git = Git::new(environment, &environment.cwd);
        for (name, value) in
            [("GIT_DIR", &environment.git_dir), ("GIT_WORK_TREE", &environment.git_work_tree)]
        {
            if let Some(value) = value {
                git = git.env(name, value);
            }
        }
        let asked = ["--git-dir", "--git-path", "index", "--git-path", "objects", "--show-object-format"];
        // Last, because it fails where there is no work tree, after the other answers.
        let output =
            git.args(["rev-parse", "--path-format=absolute"]).args(asked).arg("--show-toplevel").run()?;
        // An unknown option is echoed as if it were a revision.
        if output.stdout.starts_with(b"--path-format") {
            return Err(GitError::OldGit);
        }
        Self::from_answers(environment, &output.stdout).ok_or_else(|| GitError::NotARepository {
            folder: environment.cwd.clone(),
            message: message(&output.stderr),
        })
    }

    fn from_answers(environment: &GitEnvironment, answers: &[u8]) -> Option<Self> {
        let mut lines = answers.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut path = || lines.next().map(path_of);
        let (git_dir, index, objects) = (path()?, path()?, path()?);
        let format = match lines.next()? {
            b"sha1" => ObjectFormat::Sha1,
            b"sha256" => ObjectFormat::Sha256,
            _ => return None,
        };
        let library = git2::Repository::open(&git_dir).ok().map(Mutex::new);
        Some(Self {
            environment: environment.clone(),
            git_dir,
            work_tree: lines.next().map(path_of),
            index,
            objects,
            format,
            library,
            settings: OnceLock::new(),
            git_version: OnceLock::new(),
        })
    }

    /// The root of the checkout.
    pub fn work_tree(&self) -> Result<&Path, GitError> {
        self.work_tree.as_deref().ok_or_else(|| GitError::NoWorkTree { git_dir: self.git_dir.clone() })
    }

    /// The folder that holds this checkout's `HEAD`: `.git`, or a linked worktree's or submodule's own.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// A command on this repository, run from its root.
    fn git(&self) -> Git {
        let git = Git::new(&self.environment, self.work_tree.as_deref().unwrap_or(&self.git_dir))
            .env("GIT_DIR", self.git_dir.as_os_str());
        match &self.work_tree {
            Some(work_tree) => git.env("GIT_WORK_TREE", work_tree.as_os_str()),
            None => git,
        }
    }
}

const _: () = {
    // Captures run on threads of their own.
    const fn shared<T: Send + Sync>() {}
    shared::<Repository>();
};

/// Bytes that git printed, as a path.
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A path's bytes, as git takes them.
fn bytes_of(path: &Path) -> &[u8] {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes()
}
