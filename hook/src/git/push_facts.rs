//! Looks up what decides about a push, and puts the decisions together.

use std::collections::HashMap;

use prevet_domain::ids::Branch;

use super::base::Compared;
use super::push::{Decision, PushFacts, PushLine, PushPlan, PushReview, decide, skipped_unseen};
use super::{GitError, NothingToReview, Repository};

/// What holds for every line of a push.
struct Push<'a> {
    repository: &'a Repository,
    /// The remote's name, if it has one here.
    remote: Option<String>,
    /// The branch to compare with.
    compared: Option<Compared>,
    commits: HashMap<String, Option<String>>,
    empty_tree: String,
}

impl Repository {
    /// What to review of a push to `remote`: the hook's first argument, a remote's name or an address.
    pub fn plan_push(
        &self,
        remote: &str,
        lines: &[PushLine],
        target: Option<&Branch>,
    ) -> Result<PushPlan, GitError> {
        let mut plan = PushPlan::default();
        if lines.iter().all(|line| skipped_unseen(line).is_some()) {
            plan.skipped = skipped(lines);
            return Ok(plan);
        }
        let push = Push::look_up(self, remote, lines, target)?;
        let head = self.head()?;
        for line in lines {
            match decide(line, &push.facts(line)?) {
                Decision::Skip(reason) => plan.skipped.push((line.remote_ref.clone(), reason)),
                Decision::Review { base, commit, choice } => {
                    let (is_head, refs) = (head.as_ref() == Some(&commit), vec![line.remote_ref.clone()]);
                    plan.add(PushReview { refs, base, oid: commit, choice, is_head });
                }
            }
        }
        self.drop_covered_tags(&mut plan)?;
        Ok(plan)
    }

    /// The configured remote of this name or at this address.
    pub fn remote_name(&self, name_or_url: &str) -> Result<Option<String>, GitError> {
        let settings = self.settings()?;
        let known = ["url", "pushurl"]
            .iter()
            .any(|key| settings.get(&format!("remote.{name_or_url}.{key}")).is_some());
        if known {
            return Ok(Some(name_or_url.to_owned()));
        }
        Ok(settings.remotes_at(name_or_url).first().map(|name| (*name).to_owned()))
    }

    /// A tag inside another review's range is read there.
    fn drop_covered_tags(&self, plan: &mut PushPlan) -> Result<(), GitError> {
        let only_tags = |review: &PushReview| review.refs.iter().all(|name| name.starts_with("refs/tags/"));
        for at in (0..plan.reviews.len()).rev() {
            let review = &plan.reviews[at];
            if !only_tags(review) {
                continue;
            }
            let mut others =
                plan.reviews.iter().filter(|other| other.base == review.base && *other != review);
            let covered = others.try_fold(false, |covered, other| {
                Ok::<_, GitError>(covered || self.is_ancestor(&review.oid, &other.oid)?)
            })?;
            if covered {
                let dropped = plan.reviews.remove(at);
                let reason = NothingToReview::AlreadyThere;
                plan.skipped.extend(dropped.refs.into_iter().map(|name| (name, reason)));
            }
        }
        Ok(())
    }

    fn is_ancestor(&self, one: &str, other: &str) -> Result<bool, GitError> {
        Ok(self.git().args(["merge-base", "--is-ancestor", one, other]).run()?.status.success())
    }
}

impl PushPlan {
    fn add(&mut self, review: PushReview) {
        let known = self.reviews.iter_mut().find(|at| (&at.base, &at.oid) == (&review.base, &review.oid));
        match known {
            Some(known) => known.refs.extend(review.refs),
            None => self.reviews.push(review),
        }
    }
}

impl<'a> Push<'a> {
    fn look_up(
        repository: &'a Repository,
        remote: &str,
        lines: &[PushLine],
        target: Option<&Branch>,
    ) -> Result<Self, GitError> {
        let remote = repository.remote_name(remote)?;
        let compared = repository.branch_to_compare(target, remote.as_deref())?;
        let ids = lines.iter().flat_map(|line| [&line.local_id, &line.remote_id]).flatten();
        let commits = repository.peel(ids)?;
        Ok(Self { repository, remote, compared, commits, empty_tree: repository.empty_tree()? })
    }

    fn facts(&self, line: &PushLine) -> Result<PushFacts, GitError> {
        let peeled = |id: &Option<String>| id.as_ref().and_then(|id| self.commits.get(id)?.clone());
        let (commit, remote_commit) = (peeled(&line.local_id), peeled(&line.remote_id));
        let merge_base = match (&commit, &self.compared) {
            (Some(commit), Some(compared)) => self.repository.merge_base(&compared.reference(), commit)?,
            _ => None,
        };
        let is_target = self.compared.as_ref().is_some_and(|compared| {
            let branch = line.remote_ref.strip_prefix("refs/heads/");
            branch == Some(&compared.branch) && self.remote.as_ref() == Some(&compared.remote)
        });
        let boundary = match &commit {
            Some(commit) if merge_base.is_none() && remote_commit.is_none() => self.boundary(commit)?,
            _ => None,
        };
        let empty_tree = self.empty_tree.clone();
        Ok(PushFacts { commit, remote_commit, is_target, merge_base, boundary, empty_tree })
    }

    /// The newest commit behind `commit` that one of the remote's branches has; itself if they have it.
    fn boundary(&self, commit: &str) -> Result<Option<String>, GitError> {
        let Some(remote) = &self.remote else { return Ok(None) };
        let git = self.repository.git().args(["rev-list", "--boundary", commit, "--not"]);
        let listed = git.arg(format!("--remotes={}", without_globs(remote))).read()?;
        let text = String::from_utf8_lossy(&listed);
        Ok(text.lines().find_map(|line| line.strip_prefix('-')).map(str::to_owned))
    }
}

impl Repository {
    /// The commits behind objects, all asked of one process; `None` for what is no commit or not here.
    fn peel<'i>(
        &self,
        ids: impl Iterator<Item = &'i String> + Clone,
    ) -> Result<HashMap<String, Option<String>>, GitError> {
        let asked: Vec<u8> = ids
            .clone()
            .flat_map(|id| {
                format!(
                    "{id}^{{commit}}
"
                )
                .into_bytes()
            })
            .collect();
        let git = self.git().env("GIT_NO_LAZY_FETCH", "1").args(["cat-file", "--batch-check=%(objectname)"]);
        let answers = git.input(asked).read()?;
        let text = String::from_utf8_lossy(&answers);
        let commit = |line: &str| (!line.contains(' ')).then(|| line.to_owned());
        Ok(ids.cloned().zip(text.lines().map(commit)).collect())
    }
}

fn skipped(lines: &[PushLine]) -> Vec<(String, NothingToReview)> {
    let each = |line: &PushLine| Some((line.remote_ref.clone(), skipped_unseen(line)?));
    lines.iter().filter_map(each).collect()
}

fn without_globs(name: &str) -> String {
    name.chars().map(|c| if "*?[\\".contains(c) { '?' } else { c }).collect()
}
