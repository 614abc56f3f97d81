//! What is reported: the domain's findings with what only the machine of the developer knows about them.

use std::ops::RangeInclusive;

use prevet_domain::finding::{Finding, ReportType, Severity, Suppressed};
use prevet_domain::verdict::{Cause, NotReviewed, Verdict};
use serde_json::Value;

/// The result of an inspection.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// What it comes to.
    pub verdict: Verdict,
    /// The profile as run.
    pub profile: String,
    /// The session.
    pub session_id: String,
    /// The findings that are not suppressed.
    pub findings: Vec<ReportedFinding>,
    /// The ones that an ignore comment took out.
    pub suppressed: Vec<Suppressed>,
    /// Earlier findings that are gone.
    pub fixed: Vec<Fixed>,
    /// What did not run as assumed.
    pub degraded: Option<Degraded>,
    /// Further remarks for a person, a line each.
    pub notes: Vec<String>,
    /// The tool's result as it came, for [`super::json`].
    pub raw: Value,
}

/// A finding, and where it is seen from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedFinding {
    /// The finding.
    pub finding: Finding,
    /// Whether it stands in the work tree and not in what is pushed.
    pub uncommitted: bool,
    /// The short id of a commit in the pushed range whose own diff holds a secret that the end state no longer
    /// has.
    pub commit: Option<String>,
}

/// An earlier finding that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// What did not run as assumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degraded {
    /// Why, in one line.
    pub cause: String,
    /// What was not read.
    pub not_reviewed: Vec<NotReviewed>,
}

/// Gives the text of a file's lines after the change.
///
/// Secrets in it must be masked already; on top of that no line is shown on which a secret was found.
pub trait SourceLines {
    /// The lines, without the last line end; none if they are not at hand.
    fn lines(&self, file: &str, lines: RangeInclusive<u32>) -> Option<String>;
}

/// No source at hand: frames show the evidence.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSource;

impl SourceLines for NoSource {
    fn lines(&self, _: &str, _: RangeInclusive<u32>) -> Option<String> {
        None
    }
}

impl<F: Fn(&str, RangeInclusive<u32>) -> Option<String>> SourceLines for F {
    fn lines(&self, file: &str, lines: RangeInclusive<u32>) -> Option<String> {
        self(file, lines)
    }
}

impl ReportedFinding {
    /// A finding in what is pushed.
    pub fn new(finding: Finding) -> Self {
        Self { finding, uncommitted: false, commit: None }
    }

    /// Its lines; none for one on the whole file.
    pub fn lines(&self) -> Option<RangeInclusive<u32>> {
        let first = self.finding.line?;
        Some(first..=self.finding.end_line.unwrap_or(first).max(first))
    }

    /// The replacement for its lines. For a secret there is none to show: it could quote the secret.
    pub fn fix(&self) -> Option<&str> {
        self.finding.fix.as_deref().filter(|_| !self.is_secret() && self.finding.line.is_some())
    }

    pub(super) fn is_secret(&self) -> bool {
        self.finding.report_type == ReportType::Secret
    }

    /// `src/a.py:3`, not escaped.
    pub(super) fn place(&self) -> String {
        place(&self.finding.file, self.finding.line)
    }
}

impl Inspection {
    /// The findings, worst first; those in what is pushed before those that are not.
    pub(super) fn worst_first(&self) -> Vec<&ReportedFinding> {
        let mut findings: Vec<_> = self.findings.iter().collect();
        findings.sort_by(|one, other| {
            let rank = |it: &ReportedFinding| (it.finding.severity, !it.uncommitted, it.finding.confidence);
            let place = |it: &'_ ReportedFinding| (it.finding.file.clone(), it.finding.line);
            rank(other).cmp(&rank(one)).then_with(|| place(one).cmp(&place(other)))
        });
        findings
    }

    /// How many there are of each severity, worst first, those of which there are none left out.
    pub(super) fn counts(&self) -> Vec<(Severity, usize)> {
        let count = |severity| self.findings.iter().filter(|one| one.finding.severity == severity).count();
        Severity::ALL
            .into_iter()
            .map(|severity| (severity, count(severity)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// What was not read for this cause, by reason, in the order in which the reasons come up.
    pub(super) fn not_reviewed(&self, cause: Cause) -> Vec<(&str, Vec<&NotReviewed>)> {
        let mut by_reason: Vec<(&str, Vec<&NotReviewed>)> = Vec::new();
        let parts = self.degraded.iter().flat_map(|degraded| &degraded.not_reviewed);
        for part in parts.filter(|part| part.cause == cause) {
            match by_reason.iter_mut().find(|(reason, _)| *reason == part.reason) {
                Some((_, parts)) => parts.push(part),
                None => by_reason.push((&part.reason, vec![part])),
            }
        }
        by_reason
    }

    /// The verdict in a sentence.
    pub(super) fn headline(&self) -> String {
        let counts = self.counts();
        let counted = counts.iter().map(|(severity, count)| format!("{count} {severity}"));
        let counted = counted.collect::<Vec<_>>().join(", ");
        let counted = if counted.is_empty() { "no findings" } else { &counted };
        let remark = match self.verdict {
            Verdict::Approve | Verdict::RequestChanges => "",
            Verdict::Incomplete => "; part of the change was not read",
            Verdict::Error => "; nothing was read",
        };
        format!("{}: {counted}{remark}", self.verdict.as_str())
    }
}

pub(super) fn place(file: &str, line: Option<u32>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}
