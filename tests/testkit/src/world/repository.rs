//! A repository with a checkout, in a world.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Call, Outcome, World};

/// A repository with a checkout.
pub struct WorkRepository<'w> {
    world: &'w World,
    root: PathBuf,
}

impl<'w> WorkRepository<'w> {
    pub(super) fn at(world: &'w World, root: PathBuf) -> Self {
        Self { world, root }
    }

    /// Another checkout, such as a linked worktree.
    pub fn beside(&self, name: &str) -> WorkRepository<'w> {
        WorkRepository { world: self.world, root: self.world.path(name) }
    }

    /// The checkout's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path inside the checkout.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Runs git, which must succeed; gives what it printed.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_call(arguments).succeeds().text()
    }

    /// A call of git.
    pub fn git_call(&self, arguments: &[&str]) -> Call {
        self.world.git_in(&self.root, arguments)
    }

    /// A call of prevet.
    pub fn prevet(&self, arguments: &[&str]) -> Call {
        self.world.prevet_in(&self.root, arguments)
    }

    /// A call of `git push`.
    pub fn push(&self, arguments: &[&str]) -> Call {
        self.git_call(&[&["push"], arguments].concat())
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Writes a file and commits everything.
    pub fn commit_file(&self, path: &str, content: impl AsRef<[u8]>) {
        self.write(path, content);
        self.commit(path);
    }

    /// The id behind a revision.
    pub fn id(&self, revision: &str) -> String {
        self.git(&["rev-parse", "--verify", revision]).trim().to_owned()
    }

    /// Installs the hook.
    pub fn install_hook(&self) -> Outcome {
        self.prevet(&["init"]).succeeds()
    }

    /// Where the index of this checkout is.
    pub fn index_path(&self) -> PathBuf {
        let printed = self.git(&["rev-parse", "--path-format=absolute", "--git-path", "index"]);
        PathBuf::from(printed.trim_end())
    }

    /// The bytes of the index.
    pub fn index(&self) -> Vec<u8> {
        fs::read(self.index_path()).unwrap()
    }

    /// What the remote has under a reference; none if it has no such reference.
    pub fn on_remote(&self, reference: &str) -> Option<String> {
        let listed = self.git(&["ls-remote", "origin", reference]);
        listed.split_whitespace().next().map(str::to_owned)
    }
}
