//! `review.md`: the whole session for people.

use std::fmt::Write as _;

use prevet_domain::review::session::Ending;
use prevet_domain::review::watch::Report;

use super::error::ReviewError;
use super::folder::{self, SessionFolder, Stored};
use super::reviewer::Reviewer;
use super::stream_reader::Told;

/// What the page shows of one round's text.
const TEXT_BYTES_MAX: usize = 256 << 10;

/// Writes the page anew.
fn write(folder: &SessionFolder, stored: &Stored) -> Result<(), ReviewError> {
    let reviewer = Reviewer::parse(&stored.state.reviewer).unwrap_or_default();
    let texts = (1..=stored.session.round()).map(|round| {
        Told::read(reviewer, &folder.output(round)).map(|told| told.stream.messages.join("\n\n"))
    });
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    folder::write(&folder.page(), render(&folder.name(), stored, &texts).as_bytes())
}

impl SessionFolder {
    /// Writes the page anew, where nothing depends on it.
    pub(super) fn refresh_page(&self, stored: &Stored) {
        if let Err(error) = write(self, stored) {
            self.note(&error.message);
        }
    }
}

fn render(name: &str, stored: &Stored, texts: &[String]) -> String {
    let mut page = format!("# {name}\n\n{}\n\n", standing(stored));
    page.push_str(&ledger(stored));
    for ((number, round), text) in (1..).zip(&stored.session.rounds).zip(texts) {
        let _ = writeln!(page, "## Round {number}: {}\n", outcome(round.report.as_ref()));
        let shown = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        if !shown.trim().is_empty() {
            let _ = writeln!(page, "{}\n", shown.trim());
        }
    }
    page
}

fn standing(stored: &Stored) -> String {
    let rounds = stored.session.round();
    let (next, reason) = stored.session.next();
    match stored.session.ending {
        Some(Ending::Finalized(conclusion)) => {
            format!("Ended with {} in round {rounds}.", conclusion.as_str())
        }
        Some(Ending::Stopped) => format!("Stopped in round {rounds}, without a verdict."),
        None => format!("Round {rounds}: {} ({reason}).", next.as_str()),
    }
}

fn ledger(stored: &Stored) -> String {
    let ledger = stored.session.ledger();
    if ledger.entries.is_empty() {
        return String::new();
    }
    let mut table = format!("## Issues: {} open of {}\n\n", ledger.open(), ledger.entries.len());
    table.push_str("| id | issue | severity | status | rounds | title |\n|---|---|---|---|---|---|\n");
    for it in &ledger.entries {
        let (first, last) = (it.first_round, it.last_round);
        let rounds = if first == last { first.to_string() } else { format!("{first}–{last}") };
        let title = it.title.replace('|', "\\|");
        let (severity, standing) = (it.severity.as_str(), it.standing.as_str());
        let _ = writeln!(
            table,
            "| {} | ISSUE-{} | {severity} | {standing} | {rounds} | {title} |",
            it.id, it.number
        );
    }
    table + "\n"
}

fn outcome(report: Option<&Report>) -> String {
    match report {
        None => "running".to_owned(),
        Some(Report::Broken(broken)) => format!("{} ({})", broken.cause.as_str(), broken.error),
        Some(report) => report.outcome(),
    }
}
