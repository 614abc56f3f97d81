//! What a change is compared with.

use prevet_domain::ids::Branch;

use super::{GitError, Repository};

/// How long fetching a missing target branch may take.
const FETCH_TIMEOUT_SECONDS: u64 = 30;
/// The remote that a clone makes.
const DEFAULT_REMOTE: &str = "origin";
/// What a remote's default branch is called where the clone does not know.
const USUAL_BRANCHES: [&str; 2] = ["main", "master"];

/// A base for the work tree, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// A commit's id; the empty tree's before the first commit.
    pub commit: String,
    /// How it was found.
    pub source: BaseSource,
}

/// Where a base comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseSource {
    /// The merge base with the integration's target branch; the tracking reference's full name.
    TargetBranch(String),
    /// The merge base with the remote's default branch; the tracking reference's full name.
    RemoteDefault(String),
    /// `HEAD`, since no remote's branch is known: only uncommitted work is compared.
    Head,
    /// Nothing is committed yet.
    NoCommits,
}

/// A remote's branch, as it was last seen.
pub(super) struct Compared {
    pub remote: String,
    pub branch: String,
    is_default: bool,
}

impl Compared {
    /// The tracking reference.
    pub(super) fn reference(&self) -> String {
        format!("refs/remotes/{}/{}", self.remote, self.branch)
    }
}

impl Repository {
    /// The best common ancestor of two commits, as `git merge-base` picks it.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let output = self.git().args(["merge-base", "--end-of-options", one, other]).run()?;
        match output.status.code() {
            Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())),
            Some(1) => Ok(None),
            _ => Err(output.failure()),
        }
    }

    /// The base of the work tree: the merge base of `HEAD` with the target branch (fetched if it is not here),
    /// else with the default branch of `remote`, else `HEAD` itself.
    pub fn work_tree_base(&self, target: Option<&Branch>, remote: Option<&str>) -> Result<Base, GitError> {
        let Some(head) = self.head()? else {
            return Ok(Base { commit: self.empty_tree()?, source: BaseSource::NoCommits });
        };
        let Some(compared) = self.branch_to_compare(target, remote)? else {
            return Ok(Base { commit: head, source: BaseSource::Head });
        };
        let reference = compared.reference();
        match self.merge_base(&reference, &head)? {
            Some(commit) if compared.is_default => {
                Ok(Base { commit, source: BaseSource::RemoteDefault(reference) })
            }
            Some(commit) => Ok(Base { commit, source: BaseSource::TargetBranch(reference) }),
            None => Err(GitError::NoMergeBase { with: format!("{}/{}", compared.remote, compared.branch) }),
        }
    }

    /// The remote's branch to compare with, or `None` where none is known.
    pub(super) fn branch_to_compare(
        &self,
        target: Option<&Branch>,
        remote: Option<&str>,
    ) -> Result<Option<Compared>, GitError> {
        let remotes = self.remotes_to_ask(remote)?;
        if let Some(target) = target {
            for remote in &remotes {
                let compared =
                    Compared { remote: remote.clone(), branch: target.to_string(), is_default: false };
                if self.reference_exists(&compared.reference())? || self.fetch(remote, target)? {
                    return Ok(Some(compared));
                }
            }
        }
        for remote in remotes {
            if let Some(branch) = self.default_branch(&remote)? {
                return Ok(Some(Compared { remote, branch, is_default: true }));
            }
        }
        Ok(None)
    }

    /// The remote in question first, then the one that a clone makes: who pushes to a fork still compares with
    /// where the fork comes from. Then the only one that there is.
    fn remotes_to_ask(&self, remote: Option<&str>) -> Result<Vec<String>, GitError> {
        let configured = self.settings()?.remotes();
        let only = configured.first().filter(|_| configured.len() == 1).copied();
        let mut remotes: Vec<String> = Vec::new();
        for name in [remote, Some(DEFAULT_REMOTE), only].into_iter().flatten() {
            // The name of a branch is safe on a command line, and so is such a name of a remote.
            if Branch::parse(name).is_ok() && !remotes.iter().any(|known| known == name) {
                remotes.push(name.to_owned());
            }
        }
        Ok(remotes)
    }

    /// What `refs/remotes/<remote>/HEAD` points to, else the usual names.
    fn default_branch(&self, remote: &str) -> Result<Option<String>, GitError> {
        let prefix = format!("refs/remotes/{remote}/");
        let pointed = self.symbolic_target(&format!("{prefix}HEAD"))?;
        let usual = USUAL_BRANCHES.iter().map(|branch| format!("{prefix}{branch}"));
        for reference in pointed.into_iter().chain(usual) {
            if self.reference_exists(&reference)? {
                return Ok(reference.strip_prefix(&prefix).map(str::to_owned));
            }
        }
        Ok(None)
    }

    /// Brings the branch here; false where the remote does not have it, or is not there or not reached in time.
    fn fetch(&self, remote: &str, branch: &Branch) -> Result<bool, GitError> {
        if self.settings()?.get(&format!("remote.{remote}.url")).is_none() {
            return Ok(false);
        }
        let what = format!("+refs/heads/{branch}:refs/remotes/{remote}/{branch}");
        let options = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
        let fetched = self
            .git()
            .settings(["gc.auto=0", "maintenance.auto=false"])
            .args(options)
            .args(["--end-of-options", remote, &what])
            .timeout_seconds(FETCH_TIMEOUT_SECONDS)
            .run();
        match fetched {
            Ok(output) => Ok(output.status.success()),
            Err(GitError::TimedOut { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
