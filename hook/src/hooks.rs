//! The git pre-push hook: put in place politely, taken away without a trace.
//!
//! [`read`] looks at what is there, [`plan`] decides (pure, a table of tests), [`apply`] carries it out.
//!
//! Where the hook sits depends on who owns the hooks of the repository:
//!
//! - **nobody, or a hook of the user's**: `pre-push` is ours, and what was there is renamed to
//!   [`KEPT_NAME`] and run after us with the same arguments and the same bytes on stdin. We go first because
//!   a hook such as git-lfs's sends content away, which must not happen before the review. A shell hook that
//!   looks at its own name keeps it: a marked block goes in at its top instead.
//! - **husky**: the block goes into the team's own `.husky/pre-push`, never into the generated `.husky/_`.
//! - **another `core.hooksPath` in the work tree**: the same block in the team's hook. Text that can be
//!   committed names no path of this machine: it goes through a launcher in the git directory.
//! - **pre-commit and prek** regenerate `pre-push` and run `pre-push.legacy` before their own: ours is that.
//! - **lefthook** regenerates `pre-push` whenever its configuration changes, so the push is reviewed by a
//!   command in `lefthook-local.yml`; where that file cannot be extended safely, its hook is kept and chained.

use std::path::{Path, PathBuf};

mod apply;
mod block;
mod error;
mod facts;
mod lefthook;
mod owner;
mod plan;
mod script;
#[cfg(unix)]
#[cfg(test)]
mod tests;

pub use apply::apply;
pub use error::HookError;
pub use facts::{Entry, Facts, HookFile, HooksDir, Husky, Place, read};
pub use plan::{Action, Plan, Step, plan};

/// The name under which a hook that was there before is kept, beside ours.
pub const KEPT_NAME: &str = "pre-push.prevet-kept";

const HOOK_NAME: &str = "pre-push";
const LEGACY_NAME: &str = "pre-push.legacy";
/// A hook larger than this is chained but never edited.
const HOOK_BYTES_MAX: u64 = 1 << 20;

/// Where the hook of one repository belongs, as the caller found out from git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSite {
    /// The root of the work tree.
    pub work_tree: PathBuf,
    /// The git directory that all work trees share (`git rev-parse --git-common-dir`), absolute.
    pub git_dir: PathBuf,
    /// The directory that git runs hooks from, absolute, `core.hooksPath` honoured.
    pub hooks_dir: PathBuf,
    /// The value of `core.hooksPath`, if it is set.
    pub hooks_path_configured: Option<PathBuf>,
    /// The absolute path of the running `prevet`.
    pub binary: PathBuf,
}

impl HookSite {
    /// Whether the hooks lie among the files of the project, where they can be committed and reach others.
    pub fn is_shared(&self) -> bool {
        self.hooks_dir.starts_with(&self.work_tree) && !self.hooks_dir.starts_with(&self.git_dir)
    }

    /// Whether the hooks belong to more than this repository.
    fn is_global(&self) -> bool {
        self.hooks_path_configured.is_some()
            && !self.hooks_dir.starts_with(&self.work_tree)
            && !self.hooks_dir.starts_with(&self.git_dir)
    }

    fn launcher(&self) -> PathBuf {
        self.git_dir.join("prevet").join("launch")
    }

    fn default_hooks_dir(&self) -> PathBuf {
        self.git_dir.join("hooks")
    }
}

fn kept_beside(hook: &Path) -> PathBuf {
    hook.with_file_name(KEPT_NAME)
}
