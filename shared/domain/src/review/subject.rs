//! What is reviewed, and what the caller has to say about it.

use std::fmt;

/// The four skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skill {
    /// A plan.
    Plan,
    /// An implementation.
    Impl,
    /// A question, thought through by both sides.
    Think,
    /// A pull request, reviewed by both sides.
    Pr,
}

impl Skill {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Plan, Self::Impl, Self::Think, Self::Pr];

    /// The name in parameters, files and the session's folder.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "review-plan",
            Self::Impl => "review-impl",
            Self::Think => "review-think",
            Self::Pr => "review-pr",
        }
    }

    /// The skill of that name; names are exact.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|skill| skill.as_str() == name)
    }

    /// Whether the caller is the reviewer's peer: both form a view, and the reviewer's verdict is advice.
    pub const fn is_peer(self) -> bool {
        matches!(self, Self::Think | Self::Pr)
    }
}

impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which state of the implementation is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// What is not committed.
    WorkingTree,
    /// The commits since the base branch.
    Branch,
}

impl Mode {
    /// The name in parameters and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WorkingTree => "working-tree",
            Self::Branch => "branch",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::WorkingTree, Self::Branch].into_iter().find(|mode| mode.as_str() == name)
    }
}

/// A skill, with its mode where it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A plan.
    Plan,
    /// An implementation.
    Impl(Mode),
    /// A question.
    Think,
    /// A pull request.
    Pr,
}

/// Why a skill and a mode are no subject.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// Not one of the four.
    #[error("{0:?} is not a skill: use review-plan, review-impl, review-think or review-pr")]
    UnknownSkill(String),
    /// review-impl without a mode.
    #[error(
        "review-impl needs a mode: working-tree (what is not committed) or branch (since the base branch)"
    )]
    NoMode,
    /// A mode that does not exist.
    #[error("{0:?} is not a mode of review-impl: use working-tree or branch")]
    UnknownMode(String),
    /// A mode for a skill without modes.
    #[error("{0} has no modes: leave mode out")]
    UnwantedMode(Skill),
}

impl Subject {
    /// Checks the two words of a call; an empty mode is none.
    pub fn parse(skill: &str, mode: Option<&str>) -> Result<Self, SubjectError> {
        let known = Skill::parse(skill).ok_or_else(|| SubjectError::UnknownSkill(skill.to_owned()))?;
        let mode = mode.filter(|mode| !mode.is_empty());
        match (known, mode) {
            (Skill::Impl, None) => Err(SubjectError::NoMode),
            (Skill::Impl, Some(mode)) => {
                Mode::parse(mode).map(Self::Impl).ok_or_else(|| SubjectError::UnknownMode(mode.to_owned()))
            }
            (_, Some(_)) => Err(SubjectError::UnwantedMode(known)),
            (Skill::Plan, None) => Ok(Self::Plan),
            (Skill::Think, None) => Ok(Self::Think),
            (Skill::Pr, None) => Ok(Self::Pr),
        }
    }

    /// The skill.
    pub const fn skill(self) -> Skill {
        match self {
            Self::Plan => Skill::Plan,
            Self::Impl(_) => Skill::Impl,
            Self::Think => Skill::Think,
            Self::Pr => Skill::Pr,
        }
    }

    /// The mode, where the skill has one.
    pub const fn mode(self) -> Option<Mode> {
        match self {
            Self::Impl(mode) => Some(mode),
            _ => None,
        }
    }

    /// Every placeholder of a round: the first, or one of those that follow.
    pub const fn placeholders(self, phase: Phase) -> &'static [Placeholder] {
        use Need::{Optional, Required};
        match (self, phase) {
            (Self::Plan, Phase::First) => &[
                ("PLAN_PATH", Required),
                ("USER_REQUEST", Required),
                ("SESSION_CONTEXT", Optional),
                ("ACCEPTANCE_CRITERIA", Optional),
            ],
            (Self::Impl(Mode::WorkingTree), Phase::First) => {
                &[("USER_REQUEST", Required), ("SESSION_CONTEXT", Optional), ("BASE_BRANCH", Optional)]
            }
            (Self::Impl(Mode::Branch), Phase::First) => {
                &[("USER_REQUEST", Required), ("SESSION_CONTEXT", Optional), ("BASE_BRANCH", Required)]
            }
            (Self::Think, Phase::First) => &[
                ("QUESTION", Required),
                ("PROJECT_CONTEXT", Optional),
                ("RELEVANT_FILES", Optional),
                ("CONSTRAINTS", Optional),
            ],
            (Self::Pr, Phase::First) => &[
                ("PR_TITLE", Required),
                ("PR_DESCRIPTION", Optional),
                ("BASE_BRANCH", Required),
                ("COMMIT_COUNT", Optional),
                ("COMMIT_LIST", Optional),
            ],
            (Self::Plan | Self::Impl(_), Phase::Next) => {
                &[("FIXED_ITEMS", Need::OneOf), ("DISPUTED_ITEMS", Need::OneOf)]
            }
            (Self::Think | Self::Pr, Phase::Next) => &[
                ("AGREED_POINTS", Need::OneOf),
                ("DISAGREED_POINTS", Need::OneOf),
                ("NEW_FINDINGS", Need::OneOf),
            ],
        }
    }
}

/// A placeholder's name, and whether a round goes without it.
pub type Placeholder = (&'static str, Need);

/// Whether a round goes without a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It does not.
    Required,
    /// It does.
    Optional,
    /// One of those of this need has to be there.
    OneOf,
}

/// Which of the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Round 1.
    First,
    /// Round 2 and those after it.
    Next,
}

/// Whether a skill has a placeholder of that name, in whichever round.
pub fn is_placeholder(name: &str) -> bool {
    let subjects = [Subject::Plan, Subject::Impl(Mode::Branch), Subject::Think, Subject::Pr];
    let rounds = subjects
        .iter()
        .flat_map(|subject| [Phase::First, Phase::Next].map(|phase| subject.placeholders(phase)));
    rounds.flatten().any(|(known, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_and_modes() {
        let check = |skill: &str, mode: Option<&str>, expected: Result<Subject, SubjectError>| {
            assert_eq!(Subject::parse(skill, mode), expected, "{skill} {mode:?}");
        };
        check("review-plan", None, Ok(Subject::Plan));
        check("review-impl", Some("branch"), Ok(Subject::Impl(Mode::Branch)));
        check("review-impl", Some("working-tree"), Ok(Subject::Impl(Mode::WorkingTree)));
        check("review-think", Some(""), Ok(Subject::Think));
        check("review-pr", None, Ok(Subject::Pr));
        check("review-impl", None, Err(SubjectError::NoMode));
        check("review-impl", Some("worktree"), Err(SubjectError::UnknownMode("worktree".into())));
        check("review-plan", Some("branch"), Err(SubjectError::UnwantedMode(Skill::Plan)));
        check("Review-Plan", None, Err(SubjectError::UnknownSkill("Review-Plan".into())));
        check("", None, Err(SubjectError::UnknownSkill(String::new())));
    }
}
