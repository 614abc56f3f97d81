//! Which claims go on: about a file of the change, said once, and not what a rule said already.

use prevet_domain::finding::{Finding, ReportType};
use serde::{Deserialize, Serialize};

use super::claim::Claim;
use super::place::{Place, place};
use crate::inspect::Report;
use crate::prompt::masked::MaskedChange;

/// A rule's finding this near says the same, if the words do.
const NEAR_LINES: u32 = 1;
/// Words shorter than this carry no meaning of their own.
const WORD_CHARACTERS_MIN: usize = 4;

/// A claim, and where it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// The part's index in the plan.
    pub part: usize,
    /// The report type that was asked for.
    pub report_type: ReportType,
    /// The claim.
    pub claim: Claim,
    /// The part's only file, where it has one.
    pub only: Option<String>,
}

/// A claim with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The claim, and where it was made.
    pub stated: Stated,
    /// Where it stands: never outside.
    pub place: Place,
}

/// A claim that did not become a finding, and why. Kept with the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// What it said.
    pub title: String,
    /// The file that it named.
    pub file: String,
    /// Why it was dropped.
    pub reason: String,
}

impl Dropped {
    /// Drops `claim` for `reason`.
    pub fn new(claim: &Claim, reason: impl Into<String>) -> Self {
        Self { title: claim.title.clone(), file: claim.file.clone(), reason: reason.into() }
    }
}

impl Candidate {
    /// First and last line, and the code; none for a finding on a file.
    pub fn lines(&self) -> Option<(u32, u32, &str)> {
        match &self.place {
            Place::Lines { line, end_line, code, .. } => Some((*line, *end_line, code)),
            Place::File { .. } | Place::Outside => None,
        }
    }

    /// The file's index in the change.
    pub fn file(&self) -> Option<usize> {
        match self.place {
            Place::Lines { file, .. } | Place::File { file } => Some(file),
            Place::Outside => None,
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let same_code = match (self.lines(), other.lines()) {
            (Some(one), Some(two)) => (one.0, one.2) == (two.0, two.2),
            (None, None) => similar(&self.stated.claim.title, &other.stated.claim.title),
            _ => false,
        };
        self.stated.report_type == other.stated.report_type && self.file() == other.file() && same_code
    }
}

/// Sorts claims into those that go on and those that do not.
pub fn admit(change: &MaskedChange, report: &Report, stated: Vec<Stated>) -> (Vec<Candidate>, Vec<Dropped>) {
    let (mut admitted, mut dropped): (Vec<Candidate>, Vec<Dropped>) = (Vec::new(), Vec::new());
    for stated in stated {
        let place = place(change, &stated.claim, stated.only.as_deref());
        let candidate = Candidate { stated, place };
        let Some(file) = candidate.file() else {
            dropped.push(Dropped::new(&candidate.stated.claim, "it names no file of the change"));
            continue;
        };
        if let Some(rule) = rule_that_says(&candidate, &change.files[file].path, report) {
            let reason = format!("the rule {rule} says the same");
            dropped.push(Dropped::new(&candidate.stated.claim, reason));
            continue;
        }
        match admitted.iter_mut().find(|other| other.says_the_same(&candidate)) {
            None => admitted.push(candidate),
            Some(other) => dropped.push(Dropped::new(&merge(other, candidate), "it was said twice")),
        }
    }
    (admitted, dropped)
}

/// Keeps the worse of two, and gives the other.
fn merge(kept: &mut Candidate, other: Candidate) -> Claim {
    let weight = |it: &Candidate| (it.stated.claim.severity, it.stated.claim.confidence);
    if weight(&other) > weight(kept) {
        std::mem::replace(kept, other).stated.claim
    } else {
        other.stated.claim
    }
}

/// The rule that reported the same, ignored or not. The rule's finding stays as it is.
fn rule_that_says<'a>(candidate: &Candidate, file: &str, report: &'a Report) -> Option<&'a str> {
    let (line, end_line, _) = candidate.lines()?;
    let claim = &candidate.stated.claim;
    let near = |finding: &Finding| {
        let (first, last) = (finding.line.unwrap_or(0), finding.end_line.or(finding.line).unwrap_or(0));
        finding.file == file && first <= end_line + NEAR_LINES && line <= last + NEAR_LINES
    };
    let same = |finding: &Finding| match (&finding.cwe, &claim.cwe) {
        (Some(one), Some(two)) if one == two => true,
        // What the model holds to be worse is another thing, or worth a second look.
        _ => claim.severity <= finding.severity && similar(&finding.title, &claim.title),
    };
    let ignored = report.suppressed.iter().map(|(finding, _)| finding);
    let mut findings = report.findings.iter().chain(ignored);
    findings.find(|finding| near(finding) && same(finding)).map(|finding| finding.rule.as_str())
}

/// Whether half of the shorter one's words of weight are in the other.
fn similar(one: &str, two: &str) -> bool {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text.split(|it: char| !it.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| word.chars().count() >= WORD_CHARACTERS_MIN).collect()
    };
    let (one, two) = (words(one), words(two));
    let shorter = one.len().min(two.len());
    shorter > 0 && one.intersection(&two).count() * 2 >= shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity() {
        assert!(similar("SQL query built from input", "Query is built by concatenation"));
        assert!(!similar("SQL query built from input", "Missing tenant check"));
        assert!(!similar("", ""));
    }
}
