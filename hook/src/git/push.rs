//! What a push asks to be reviewed: the hook's lines, and a decision for each of them from facts.

use std::fmt;

use prevet_domain::path::escape;

use super::GitError;

/// One reference of a push, as git tells the pre-push hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushLine {
    /// What is pushed, as it was named here: a reference, `HEAD@{1 day ago}`, `(delete)`.
    pub local_ref: String,
    /// Its object; `None` for a deletion.
    pub local_id: Option<String>,
    /// The reference on the other side.
    pub remote_ref: String,
    /// What it is there now; `None` if it is not there. This repository may not have it.
    pub remote_id: Option<String>,
}

/// What to review of a push, and what not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushPlan {
    /// One review for each distinct pair of base and commit.
    pub reviews: Vec<PushReview>,
    /// References without one.
    pub skipped: Vec<(String, NothingToReview)>,
}

/// One range of commits to review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushReview {
    /// The references on the other side that it is pushed to.
    pub refs: Vec<String>,
    /// A commit; or the empty tree, where nothing of it is known to be there already.
    pub base: String,
    /// The commit that is pushed, tags peeled.
    pub oid: String,
    /// How the base was chosen.
    pub choice: BaseChoice,
    /// Whether it is what is checked out.
    pub is_head: bool,
}

/// How the base of a push was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseChoice {
    /// As it should be: the merge base with the target branch, or what the target branch itself has so far.
    Regular,
    /// There is no merge base here: what the remote has under this name.
    RemoteTip,
    /// There is no merge base here: where the commits end that the remote's branches have.
    Boundary,
    /// There is no merge base here, and nothing that the remote has is known: everything counts as new.
    Nothing,
}

impl fmt::Display for BaseChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Regular => "compared with the target branch",
            Self::RemoteTip => {
                "no merge base with the target branch (shallow clone? fetch first): \
                 compared with what the remote has under this name"
            }
            Self::Boundary => {
                "no merge base with the target branch (shallow clone? fetch first): \
                 compared with the newest commit that a branch of the remote has"
            }
            Self::Nothing => {
                "nothing that the remote has is known here (if the remote was rewritten, fetch first): \
                 everything that is pushed counts as new"
            }
        })
    }
}

/// Why a reference needs no review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NothingToReview {
    /// It is deleted.
    Deleted,
    /// Neither a branch nor a tag.
    OtherReference,
    /// It names no commit.
    NoCommit,
    /// Everything in it is on the branch it is compared with, or in another review of this push.
    AlreadyThere,
}

impl fmt::Display for NothingToReview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deleted => "is deleted",
            Self::OtherReference => "is neither a branch nor a tag",
            Self::NoCommit => "names no commit",
            Self::AlreadyThere => "brings no commit that is not there already",
        })
    }
}

/// What was looked up for one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushFacts {
    /// The commit behind what is pushed.
    pub commit: Option<String>,
    /// Whether the remote's own object is a commit that is here.
    pub remote_commit: Option<String>,
    /// Whether it is the target branch itself that is pushed to.
    pub is_target: bool,
    /// The merge base of the target branch and the commit.
    pub merge_base: Option<String>,
    /// Where the commits end that the remote's branches do not have, looked up if nothing else is known.
    pub boundary: Option<String>,
    /// The repository's empty tree.
    pub empty_tree: String,
}

/// What to do about one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Nothing.
    Skip(NothingToReview),
    /// Review `base..commit`.
    Review {
        /// What it is compared with.
        base: String,
        /// What is pushed.
        commit: String,
        /// How the base was chosen.
        choice: BaseChoice,
    },
}

/// Chooses the base. A remote's object that is not here is never used, and no commit is compared with itself.
pub fn decide(line: &PushLine, facts: &PushFacts) -> Decision {
    if let Some(reason) = skipped_unseen(line) {
        return Decision::Skip(reason);
    }
    let Some(commit) = facts.commit.clone() else {
        return Decision::Skip(NothingToReview::NoCommit);
    };
    let there = &facts.remote_commit;
    let candidates = [
        (there.as_ref().filter(|_| facts.is_target), BaseChoice::Regular),
        (facts.merge_base.as_ref(), BaseChoice::Regular),
        (there.as_ref(), BaseChoice::RemoteTip),
        (facts.boundary.as_ref(), BaseChoice::Boundary),
    ];
    let chosen = candidates.into_iter().find_map(|(base, choice)| Some((base?, choice)));
    let (base, choice) = chosen.unwrap_or((&facts.empty_tree, BaseChoice::Nothing));
    if *base == commit {
        return Decision::Skip(NothingToReview::AlreadyThere);
    }
    Decision::Review { base: base.clone(), commit, choice }
}

/// What the line alone shows to need no review.
pub(super) fn skipped_unseen(line: &PushLine) -> Option<NothingToReview> {
    if line.local_id.is_none() {
        return Some(NothingToReview::Deleted);
    }
    let counts = ["refs/heads/", "refs/tags/"].iter().any(|kind| line.remote_ref.starts_with(kind));
    (!counts).then_some(NothingToReview::OtherReference)
}

/// Reads the hook's standard input: `<local ref> <local id> <remote ref> <remote id>` a line, cut from the right
/// because a local reference may hold spaces.
pub fn parse_push_lines(stdin: &[u8]) -> Result<Vec<PushLine>, GitError> {
    let lines = stdin.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| parse_line(line).ok_or_else(|| GitError::PushLine { line: escape(line) })).collect()
}

fn parse_line(line: &[u8]) -> Option<PushLine> {
    let text = String::from_utf8_lossy(line);
    let mut fields = text.rsplitn(4, ' ');
    let (remote_id, remote_ref) = (fields.next().filter(is_object_id)?, fields.next()?);
    let (local_id, local_ref) = (fields.next().filter(is_object_id)?, fields.next()?);
    Some(PushLine {
        local_ref: local_ref.into(),
        local_id: unless_null(local_id),
        remote_ref: remote_ref.into(),
        remote_id: unless_null(remote_id),
    })
}

fn is_object_id(text: &&str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit()) && matches!(text.len(), 40 | 64)
}

/// All zeros stand for no object.
fn unless_null(id: &str) -> Option<String> {
    id.bytes().any(|byte| byte != b'0').then(|| id.to_owned())
}

#[cfg(test)]
mod tests;
