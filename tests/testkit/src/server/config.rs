//! The environment that tests are run in.

use std::env;
use std::path::{Path, PathBuf};

/// The real programs that `tests/run --bring-parts` installs.
#[derive(Debug, Clone)]
pub struct Parts {
    folder: PathBuf,
}

impl Parts {
    /// Where `PREVET_TEST_PARTS` says; `None`, said aloud, where it says nothing or `PREVET_TEST_OFFLINE` is set.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the server's tests read their environment"
    )]
    pub fn from_env(left_out: &str) -> Option<Self> {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let folder = set("PREVET_TEST_PARTS").filter(|_| set("PREVET_TEST_OFFLINE").is_none());
        if folder.is_none() {
            eprintln!("left out: {left_out} (tests/run brings what it needs and sets PREVET_TEST_PARTS)");
        }
        folder.map(|folder| Self { folder: PathBuf::from(folder) })
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of an npm package.
    pub fn package(&self, name: &str) -> PathBuf {
        self.folder.join("node/node_modules").join(name)
    }

    /// The program of that name.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }
}
