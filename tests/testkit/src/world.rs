//! A world of its own for the real binary and the real `git`: nothing of the user's is read or written, and
//! everything that runs in it ends within a bound.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a world that cannot be made or read fails its test"
)]

mod call;
mod conversation;
mod folder;
mod repository;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub use self::call::{Call, Outcome, Running, wait_until};
pub use self::conversation::Conversation;
pub use self::folder::{every_file, snapshot};
pub use self::repository::WorkRepository;

/// A temporary folder with a home, a place for temporary files, repositories and a data folder.
pub struct World {
    folder: TempDir,
    prevet: PathBuf,
}

impl World {
    /// An empty world in which `prevet` is the program at that path.
    pub fn new(prevet: impl Into<PathBuf>) -> Self {
        let folder = tempfile::Builder::new().prefix("prevet-world-").tempdir().unwrap();
        for name in ["home", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, prevet: prevet.into() }
    }

    /// The folder of everything, without symbolic links, as git prints it.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// A path inside it.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    /// Where the embedded server keeps its data.
    pub fn data_dir(&self) -> PathBuf {
        self.path("home/data/prevet")
    }

    /// The user's own configuration file of Prevet.
    pub fn config_file(&self) -> PathBuf {
        self.path("home/config/prevet/config.toml")
    }

    /// The user's own configuration file of git.
    pub fn git_config_file(&self) -> PathBuf {
        self.path("home/gitconfig")
    }

    /// What lies in the folder for temporary files.
    pub fn temporary_files(&self) -> Vec<PathBuf> {
        every_file(&self.path("tmp"))
    }

    /// A call of `program` from `cwd`, with this world's environment and no other.
    pub fn call(&self, program: impl AsRef<Path>, cwd: &Path) -> Call {
        let home = self.path("home");
        Call::new(program.as_ref(), cwd)
            .env("PATH", system_path())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("TMPDIR", self.path("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.git_config_file())
            .env("GIT_TERMINAL_PROMPT", "0")
    }

    /// A call of prevet from the world's root, outside every repository.
    pub fn prevet(&self, arguments: &[&str]) -> Call {
        self.call(&self.prevet, &self.root()).args(arguments)
    }

    /// A call of prevet from `cwd`.
    pub fn prevet_in(&self, cwd: &Path, arguments: &[&str]) -> Call {
        self.call(&self.prevet, cwd).args(arguments)
    }

    /// A call of git from `cwd`.
    pub fn git_in(&self, cwd: &Path, arguments: &[&str]) -> Call {
        self.call("git", cwd).args(arguments)
    }

    /// A repository `name` with one commit on `main`, cloned from and pushed to a bare repository beside it,
    /// `name.git`. No hook is installed.
    pub fn repository(&self, name: &str) -> WorkRepository<'_> {
        let remote = format!("{name}.git");
        self.git_in(&self.root(), &["init", "-q", "--bare", "-b", "main", &remote]).succeeds();
        let repository = self.clone_of(&remote, name, &[]);
        repository.git(&["checkout", "-q", "-b", "main"]);
        repository.write("base.txt", "a\nb\nc\n");
        repository.commit("base");
        repository.git(&["push", "-q", "origin", "HEAD:main"]);
        repository.git(&["remote", "set-head", "origin", "main"]);
        repository
    }

    /// A repository that the test made by itself.
    pub fn existing(&self, name: &str) -> WorkRepository<'_> {
        WorkRepository::at(self, self.path(name))
    }

    /// A clone of the bare repository `remote` of this world.
    pub fn clone_of(&self, remote: &str, name: &str, options: &[&str]) -> WorkRepository<'_> {
        let source = format!("file://{}", self.path(remote).display());
        let arguments = [&["clone", "-q"], options, &[&source, name]].concat();
        self.git_in(&self.root(), &arguments).succeeds();
        let repository = WorkRepository::at(self, self.path(name));
        repository.git(&["config", "user.email", "dev@example.test"]);
        repository.git(&["config", "user.name", "Dev"]);
        repository
    }
}

/// Where programs are found: the only thing that is taken over from outside.
#[expect(clippy::disallowed_methods, reason = "the tests' own environment")]
fn system_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into())
}
