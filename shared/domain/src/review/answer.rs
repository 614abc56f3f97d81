//! What the reviewer says: issues, insights, a verdict. What it does not say stays unsaid: nothing defaults to an
//! approval.

mod parse;
#[cfg(test)]
mod tests;

pub use self::parse::parse;

use crate::finding::Severity;

/// The reviewer's text as types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// What it holds against the subject.
    pub issues: Vec<Issue>,
    /// What a peer adds without holding it against anything.
    pub insights: Vec<Issue>,
    /// Its verdict, where it states one and no more than one.
    pub verdict: Option<Verdict>,
    /// More was said than could be read or kept: nothing is approved beside it.
    pub cut: bool,
}

/// A block of the answer: `### ISSUE-N: title` and its fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Issue {
    /// The reviewer's own number, which need not be the same in the next round.
    pub number: u32,
    /// One line.
    pub title: String,
    /// `- Field: value`, in order, names as written.
    pub fields: Vec<(String, String)>,
    /// What stands before the first field.
    pub body: String,
}

/// `Status:` and `Reason:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// One word in capitals: `APPROVE`, `REVISE`, `CONTINUE`, `CONSENSUS`, `STALEMATE`, or what else was said.
    pub status: String,
    /// Why.
    pub reason: String,
}

/// What the reviewer says has become of an issue that it lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// It still holds it.
    Raised,
    /// It has been mended.
    Fixed,
    /// It was none.
    Withdrawn,
}

const APPROVE: &str = "APPROVE";
const FIXED_WORDS: [&str; 5] = ["fixed", "resolved", "addressed", "closed", "done"];
const WITHDRAWN_WORDS: [&str; 6] =
    ["withdrawn", "retracted", "dropped", "dismissed", "rebutted", "not an issue"];

impl Answer {
    /// The issues that the reviewer still holds.
    pub fn raised(&self) -> impl Iterator<Item = &Issue> {
        self.issues.iter().filter(|issue| issue.claimed() == Claimed::Raised)
    }

    /// Whether something it still holds stands in the way of an approval.
    pub fn blocks(&self) -> bool {
        self.cut || self.raised().any(Issue::is_blocking)
    }

    /// Neither a verdict nor anything found.
    pub fn is_empty(&self) -> bool {
        self.verdict.is_none() && self.issues.is_empty() && self.insights.is_empty()
    }
}

impl Verdict {
    /// Whether it is an approval, without an if or a but.
    pub fn approves(&self) -> bool {
        self.status == APPROVE
    }
}

impl Issue {
    /// A field's value, whatever the case of its name.
    pub fn field(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name));
        field.map(|(_, value)| value.as_str())
    }

    /// How severe it is; what is not stated, or not understood, counts as high.
    pub fn severity(&self) -> Severity {
        let stated = ["severity", "priority", "impact"].into_iter().find_map(|name| self.field(name));
        stated.and_then(|text| severity(first_line(text))).unwrap_or(Severity::High)
    }

    /// Whether it stands in the way of an approval: all but low ones, and low ones that say so.
    pub fn is_blocking(&self) -> bool {
        let says = |words: &[&str]| {
            let stated = self.field("blocking").map(|text| text.trim().to_lowercase());
            let first = stated.as_deref().and_then(|text| text.split(|c: char| !c.is_alphanumeric()).next());
            first.is_some_and(|first| words.contains(&first))
        };
        match self.severity() {
            Severity::Critical | Severity::High => true,
            Severity::Medium => !says(&["no", "false"]),
            Severity::Low => says(&["yes", "true"]),
        }
    }

    /// What the reviewer says has become of it, in the field `Status`.
    pub fn claimed(&self) -> Claimed {
        let said = ["status", "state"].into_iter().find_map(|name| self.field(name)).unwrap_or_default();
        let said = first_line(said).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if FIXED_WORDS.contains(&said.as_str()) {
            Claimed::Fixed
        } else if WITHDRAWN_WORDS.contains(&said.as_str()) {
            Claimed::Withdrawn
        } else {
            Claimed::Raised
        }
    }

    /// The file that it is about, without the line.
    pub fn file(&self) -> Option<&str> {
        let place = ["file", "location", "place", "where"].into_iter().find_map(|name| self.field(name))?;
        let first = place.split_whitespace().next()?.trim_matches(['`', '*', '"', '(', ')', ',']);
        let file = first.split_once(':').map_or(first, |(file, _)| file);
        (!file.is_empty()).then_some(file)
    }
}

/// What follows a field's line is in its value too, and is not what the field states.
fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// The worst of the words that a text has.
fn severity(text: &str) -> Option<Severity> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let table = [
        (Severity::Critical, &["critical", "blocker", "p0"][..]),
        (Severity::High, &["high", "major", "severe", "p1"]),
        (Severity::Medium, &["medium", "moderate", "p2"]),
        (Severity::Low, &["low", "minor", "nit", "trivial", "info", "suggestion", "p3", "p4"]),
    ];
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    table.into_iter().find(|(_, names)| has(names)).map(|(severity, _)| severity)
}
