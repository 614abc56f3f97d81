//! The verdict: computed from findings and coverage, never taken from prose.

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Suppressed};
use crate::policy::{Gate, NewIgnores};

/// What an inspection comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All was read and nothing reaches the gate.
    Approve,
    /// Something reaches the gate.
    RequestChanges,
    /// Part of the change was not read, and nothing in the rest reaches the gate.
    Incomplete,
    /// Nothing was read.
    Error,
}

impl Verdict {
    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::RequestChanges => "request_changes",
            Self::Incomplete => "incomplete",
            Self::Error => "error",
        }
    }

    /// The exit code of the binary: 0 passed, 1 findings at the gate, 3 not reviewed or incomplete.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Approve => 0,
            Self::RequestChanges => 1,
            Self::Incomplete | Self::Error => 3,
        }
    }

    /// The worse of two, as for several refs of one push: findings before gaps before clean.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        let rank = |verdict: Self| match verdict {
            Self::Approve => 0,
            Self::Incomplete => 1,
            Self::Error => 2,
            Self::RequestChanges => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// Why a part of the change was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// By a convention or the policy: generated, vendored, lock file, binary, excluded. Not a gap.
    Convention,
    /// Something that ought to have been read was not.
    Gap,
}

/// A part of the change that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotReviewed {
    /// The file.
    pub file: String,
    /// The hunk's first new line, where only a part of the file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Why, for a person.
    pub reason: String,
    /// Whether it counts as a gap.
    pub cause: Cause,
}

/// What was read and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Files that were read whole.
    pub reviewed_files: usize,
    /// Everything else.
    pub not_reviewed: Vec<NotReviewed>,
}

impl Coverage {
    /// The parts that ought to have been read.
    pub fn gaps(&self) -> impl Iterator<Item = &NotReviewed> {
        self.not_reviewed.iter().filter(|part| part.cause == Cause::Gap)
    }
}

/// The verdict of an inspection. A suppressed finding holds the gate only where the policy blocks new ignores
/// and the change itself added the comment.
pub fn decide(
    gate: Gate,
    new_ignores: NewIgnores,
    findings: &[Finding],
    suppressed: &[(Finding, Suppressed)],
    coverage: &Coverage,
) -> Verdict {
    let blocked = |(_, entry): &&(Finding, Suppressed)| entry.new && new_ignores == NewIgnores::Block;
    let held = suppressed.iter().filter(blocked).map(|(finding, _)| finding);
    if gate.reached_by_any(findings.iter().chain(held)) {
        return Verdict::RequestChanges;
    }
    match (coverage.gaps().next(), coverage.reviewed_files) {
        (None, _) => Verdict::Approve,
        (Some(_), 0) => Verdict::Error,
        (Some(_), _) => Verdict::Incomplete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(cause: Cause) -> NotReviewed {
        NotReviewed { file: "a".into(), line: None, reason: "r".into(), cause }
    }

    #[test]
    fn coverage_decides_where_findings_do_not() {
        let check = |reviewed_files, parts: Vec<NotReviewed>, expected| {
            let coverage = Coverage { reviewed_files, not_reviewed: parts };
            assert_eq!(decide(Gate::default(), NewIgnores::Allow, &[], &[], &coverage), expected);
        };
        check(3, vec![], Verdict::Approve);
        check(0, vec![gap(Cause::Convention)], Verdict::Approve);
        check(1, vec![gap(Cause::Gap)], Verdict::Incomplete);
        check(0, vec![gap(Cause::Gap), gap(Cause::Convention)], Verdict::Error);
    }

    #[test]
    fn worst_of_two() {
        assert_eq!(Verdict::Error.worst(Verdict::RequestChanges), Verdict::RequestChanges);
        assert_eq!(Verdict::Incomplete.worst(Verdict::Approve), Verdict::Incomplete);
        assert_eq!(Verdict::Approve.worst(Verdict::Approve), Verdict::Approve);
    }
}
