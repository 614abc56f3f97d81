//! Which hits belong to the change.

mod lost;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use prevet_domain::change::{FileChange, Line};
use prevet_domain::finding::ReportType;

use crate::hit::Hit;
use crate::source::Source;
use lost::Lost;

/// A longer hit is about its first line: that some line in it changed does not make it new.
const BUG_LINES_MAX: u32 = 5;
/// The same for what is not a bug report: a long call that takes a value is wrong in any of its lines.
const CALL_LINES_MAX: u32 = 15;

/// The places that a change touches in one file, by the line numbers after it.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    added: BTreeMap<u32, Vec<u8>>,
    /// What was removed before the line of that number.
    removed: BTreeMap<u32, Vec<Vec<u8>>>,
    lost: OnceCell<Lost>,
}

/// How a hit relates to the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It stands on an added line.
    Touched,
    /// Its function lost what may have been a guard.
    Exposed,
    /// The change is elsewhere: it counts only if it was not there before.
    Apart,
}

impl Touched {
    /// What `file` touches.
    pub fn of(file: &FileChange) -> Self {
        let mut removed: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
        for line in file.removed_lines() {
            removed.entry(line.new_number).or_default().push(line.text.to_vec());
        }
        let numbered = |line: &Line| (line.new_number, line.text.to_vec());
        Self { added: file.added_lines().map(numbered).collect(), removed, lost: OnceCell::new() }
    }

    /// Whether `line` was added.
    pub fn is_added(&self, line: u32) -> bool {
        self.added.contains_key(&line)
    }

    /// Whether any line of the range was added.
    pub fn any_added(&self, lines: RangeInclusive<u32>) -> bool {
        self.added.range(lines).next().is_some()
    }

    /// Whether `text` stood in a line that the change removes from the file.
    pub fn stood_before(&self, text: &[u8]) -> bool {
        let mut removed = self.removed.values().flatten();
        !text.is_empty() && removed.any(|line| line.windows(text.len()).any(|part| part == text))
    }

    /// Whether something was added or removed within `distance` lines of `line`.
    pub fn near(&self, line: u32, distance: u32) -> bool {
        let range = line.saturating_sub(distance)..=line.saturating_add(distance);
        self.added.range(range.clone()).next().is_some() || self.removed.range(range).next().is_some()
    }

    /// How `hit` relates to the change.
    pub fn relation(&self, source: &Source<'_>, hit: &Hit) -> Relation {
        let (first, last) = source.lines_of(&hit.span);
        let last = if last - first < lines_max(hit.rule.report_type) { last } else { first };
        if self.any_added(first..=last) {
            return Relation::Touched;
        }
        match &hit.scope {
            Some(scope) if hit.rule.report_type != ReportType::Bug => {
                let (scope_first, scope_last) = source.lines_of(scope);
                let is_exposed = self.lost_guard(source, hit, scope_first, scope_last);
                if is_exposed { Relation::Exposed } else { Relation::Apart }
            }
            _ => Relation::Apart,
        }
    }

    /// Whether the function from line `first` to `last` lost what may have kept `hit` from doing harm.
    fn lost_guard(&self, source: &Source<'_>, hit: &Hit, first: u32, last: u32) -> bool {
        let lost = self.lost.get_or_init(|| Lost::of(&self.added, &self.removed));
        lost.has_guard(first, last, &source.text[hit.span.clone()])
    }
}

/// From how many lines on a hit is about its first one. A secret is all of its lines.
const fn lines_max(report_type: ReportType) -> u32 {
    match report_type {
        ReportType::Secret => u32::MAX,
        ReportType::Bug => BUG_LINES_MAX,
        _ => CALL_LINES_MAX,
    }
}

#[cfg(test)]
mod tests;
