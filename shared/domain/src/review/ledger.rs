//! What becomes of each issue over the rounds.

use std::collections::BTreeSet;

use super::answer::{Answer, Claimed, Issue};
use super::input::Values;
use crate::finding::Severity;

/// Titles with this share of their words in common, in percent, are of one issue if file or number agree too.
const SIMILAR_PERCENT: usize = 50;
/// Without either, it takes this much.
const ALIKE_PERCENT: usize = 80;

/// Where an issue stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The reviewer holds it.
    Open,
    /// It was mended: the reviewer says so, or holds it no more.
    Fixed,
    /// The caller disputes it, and the reviewer holds it still.
    Disputed,
    /// The caller disputed it, and the reviewer holds it no more; or the reviewer took it back.
    Withdrawn,
    /// It had been fixed or withdrawn, and the reviewer holds it again.
    Reappeared,
}

impl Standing {
    /// The word in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Fixed => "fixed",
            Self::Disputed => "disputed",
            Self::Withdrawn => "withdrawn",
            Self::Reappeared => "reappeared",
        }
    }

    /// Whether the reviewer holds it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Disputed | Self::Reappeared)
    }
}

/// What the caller says before a round of the reviewer's issues, by their numbers in the round before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// Mended.
    pub fixed: BTreeSet<u32>,
    /// Contradicted.
    pub disputed: BTreeSet<u32>,
}

impl Claims {
    /// Reads them off the values of a round: every `ISSUE-N` that a value names.
    pub fn of(values: &Values) -> Self {
        let numbers = |names: [&str; 2]| {
            names.into_iter().filter_map(|name| values.get(name)).flat_map(issue_numbers).collect()
        };
        Self {
            fixed: numbers(["FIXED_ITEMS", "AGREED_POINTS"]),
            disputed: numbers(["DISPUTED_ITEMS", "DISAGREED_POINTS"]),
        }
    }

    /// Adds what was said later, which counts where the two contradict each other.
    pub fn add(&mut self, later: &Self) {
        self.fixed.retain(|number| !later.disputed.contains(number));
        self.disputed.retain(|number| !later.fixed.contains(number));
        self.fixed.extend(&later.fixed);
        self.disputed.extend(&later.disputed);
    }
}

fn issue_numbers(text: &str) -> Vec<u32> {
    let lower = text.to_lowercase();
    let after = lower.split("issue").skip(1);
    let number = |rest: &str| {
        let rest = rest.trim_start_matches([' ', '-', '_', '#']);
        rest[..rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()].parse().ok()
    };
    after.filter_map(number).collect()
}

/// One issue over the rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// `L1`, `L2` …: the same in every round.
    pub id: String,
    /// The reviewer's number when it named it last.
    pub number: u32,
    /// As it named it last.
    pub title: String,
    /// As it named it last.
    pub severity: Severity,
    /// The file, where it named one.
    pub file: Option<String>,
    /// Where it stands.
    pub standing: Standing,
    /// The round that brought it up.
    pub first_round: u32,
    /// The last round that held it.
    pub last_round: u32,
}

/// All issues, in the order in which they were brought up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The issues.
    pub entries: Vec<Entry>,
}

impl Ledger {
    /// The ledger after these completed rounds: number, what the caller had said, what the reviewer answered.
    pub fn of<'a>(rounds: impl IntoIterator<Item = (u32, Claims, &'a Answer)>) -> Self {
        let mut ledger = Self::default();
        for (round, claims, answer) in rounds {
            ledger.observe(round, &claims, answer);
        }
        ledger
    }

    /// How many the reviewer holds.
    pub fn open(&self) -> usize {
        self.entries.iter().filter(|entry| entry.standing.is_open()).count()
    }

    /// What the reviewer held in `round`: meaningful for the last one observed.
    pub fn held_in(&self, round: u32) -> BTreeSet<&str> {
        let held = self.entries.iter().filter(|entry| entry.last_round == round && entry.standing.is_open());
        held.map(|entry| entry.id.as_str()).collect()
    }

    /// Adds a completed round.
    pub fn observe(&mut self, round: u32, claims: &Claims, answer: &Answer) {
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        for issue in &answer.issues {
            let known = self.find(issue, &seen);
            let at = known.unwrap_or_else(|| {
                self.entries.push(entry(self.entries.len() + 1, issue, round));
                self.entries.len() - 1
            });
            seen.insert(at);
            let entry = &mut self.entries[at];
            entry.standing = next_standing(known.map(|_| &*entry), issue.claimed(), claims);
            entry.number = issue.number;
            entry.title.clone_from(&issue.title);
            entry.severity = issue.severity();
            entry.file = issue.file().map(str::to_owned).or(entry.file.take());
            if entry.standing.is_open() {
                entry.last_round = round;
            }
        }
        let unseen = self.entries.iter_mut().enumerate().filter(|(at, _)| !seen.contains(at));
        for (_, entry) in unseen.filter(|(_, entry)| entry.standing.is_open()) {
            let disputed = claims.disputed.contains(&entry.number) || entry.standing == Standing::Disputed;
            let fixed = claims.fixed.contains(&entry.number);
            entry.standing = if disputed && !fixed { Standing::Withdrawn } else { Standing::Fixed };
        }
    }

    /// The best match among entries that no other issue of the round is.
    fn find(&self, issue: &Issue, seen: &BTreeSet<usize>) -> Option<usize> {
        let free = self.entries.iter().enumerate().filter(|(at, _)| !seen.contains(at));
        free.map(|(at, entry)| (likeness(entry, issue), at))
            .filter(|(likeness, _)| *likeness > 0)
            .max_by_key(|(likeness, at)| (*likeness, std::cmp::Reverse(*at)))
            .map(|(_, at)| at)
    }
}

fn entry(number: usize, issue: &Issue, round: u32) -> Entry {
    Entry {
        id: format!("L{number}"),
        number: issue.number,
        title: issue.title.clone(),
        severity: issue.severity(),
        file: issue.file().map(str::to_owned),
        standing: Standing::Open,
        first_round: round,
        last_round: round,
    }
}

fn next_standing(known: Option<&Entry>, claimed: Claimed, claims: &Claims) -> Standing {
    match (claimed, known) {
        (Claimed::Fixed, _) => Standing::Fixed,
        (Claimed::Withdrawn, _) => Standing::Withdrawn,
        (Claimed::Raised, None) => Standing::Open,
        (Claimed::Raised, Some(entry)) if !entry.standing.is_open() => Standing::Reappeared,
        (Claimed::Raised, Some(entry)) if claims.disputed.contains(&entry.number) => Standing::Disputed,
        (Claimed::Raised, Some(entry)) => entry.standing,
    }
}

/// How surely an issue is the entry's: 0 for not at all.
fn likeness(entry: &Entry, issue: &Issue) -> usize {
    let percent = common_percent(&words(&entry.title), &words(&issue.title));
    let same_file = entry.file.is_some() && entry.file.as_deref() == issue.file();
    let same_number = entry.number == issue.number;
    let differ = entry.file.is_some() && issue.file().is_some() && !same_file;
    if differ && percent < 100 {
        return 0;
    }
    let enough = if same_file || same_number { SIMILAR_PERCENT } else { ALIKE_PERCENT };
    let elsewhere = differ && !same_number;
    let certain = percent == 100 && !elsewhere;
    if certain || (percent >= enough && percent < 100) {
        percent + usize::from(same_file) + usize::from(same_number)
    } else {
        0
    }
}

fn words(title: &str) -> BTreeSet<String> {
    let lower = title.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// What two titles share of the words that they have together; two empty ones share all.
fn common_percent(a: &BTreeSet<String>, b: &BTreeSet<String>) -> usize {
    let all = a.union(b).count();
    (a.intersection(b).count() * 100).checked_div(all).unwrap_or(100)
}

#[cfg(test)]
mod tests;
