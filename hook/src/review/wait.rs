//! `review_wait`: how the round stands. Whoever sees its end first writes it down, for all others to find.

use std::time::Duration;

use jiff::Timestamp;
use prevet_domain::review::session::Event;
use prevet_domain::review::stream::Activity;
use prevet_domain::review::watch::{Broken, BrokenCause, ProcessEnd, Report, report};
use prevet_wire::review::{ActivityRecord, Review, WaitParameters, WaitResult, ledger, review};
use prevet_wire::review_files::{EndFile, RunnerFile, VERSION, status};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use super::Rounds;
use super::clock::seconds_between;
use super::error::{Code, ReviewError};
use super::folder::{SessionFolder, Stored, read_json, write_json};
use super::process;
use super::reviewer::Reviewer;
use super::stream_reader::Told;

const POLL_MILLISECONDS: u64 = 100;
/// What one call tells of what the reviewer did; the newest count.
const ACTIVITIES_MAX: usize = 50;
/// What is told of an answer in which nothing was found.
const TEXT_BYTES_MAX: usize = 8 << 10;

impl Rounds {
    /// Waits for the round's end, for as long as the call says at most. Dropping the future changes nothing.
    pub async fn wait(&self, call: &WaitParameters) -> Result<WaitResult, ReviewError> {
        let folder = SessionFolder::open(call.session_dir.as_ref())?;
        let seconds = call.max_wait_seconds.unwrap_or(self.wait_default_seconds);
        let deadline = Instant::now().checked_add(Duration::from_secs(seconds));
        let stored = loop {
            let stored = self.settle(&folder).await?;
            if !stored.session.is_running() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break stored;
            }
            let left = deadline.map_or(Duration::MAX, |deadline| deadline - Instant::now());
            sleep(left.min(Duration::from_millis(POLL_MILLISECONDS))).await;
        };
        let told = told(&folder, &stored)?;
        let mut result = self.result(&stored, &told);
        result.activities = unseen(&folder, stored.session.round(), &told.activities);
        Ok(result)
    }

    /// The session as it stands; a round that has ended is written down, unless somebody else is at it right now.
    pub(super) async fn settle(&self, folder: &SessionFolder) -> Result<Stored, ReviewError> {
        let stored = folder.load()?;
        if !stored.session.is_running() || is_under_way(folder, stored.session.round()) {
            return Ok(stored);
        }
        match folder.try_lock()? {
            Some(_lock) => self.settle_locked(folder).await,
            None => Ok(stored),
        }
    }

    /// The same, for one that has the session's lock.
    pub(super) async fn settle_locked(&self, folder: &SessionFolder) -> Result<Stored, ReviewError> {
        let stored = folder.load()?;
        let round = stored.session.round();
        if !stored.session.is_running() || is_under_way(folder, round) {
            return Ok(stored);
        }
        let (end, at) = match read_json::<EndFile>(&folder.end(round), Code::SessionBroken) {
            Ok(file) => {
                let at = file.at.clone();
                let end = file.end();
                (
                    end.map_err(|error| ReviewError::file(Code::SessionBroken, &folder.end(round), &error))?,
                    Some(at),
                )
            }
            Err(_) if !folder.end(round).exists() => {
                // Should its runner only be about to begin, it finds the round ended, and leaves.
                let Some(_dead) = folder.lock_round(round, 0).await? else { return Ok(stored) };
                stop_orphan(folder, round);
                (ProcessEnd::Lost, None)
            }
            Err(error) => return Err(error),
        };
        let at = at.unwrap_or_else(|| self.clock.now().to_string());
        end_round(folder, stored, &end, at)
    }

    /// The fields of a poll.
    pub(super) fn result(&self, stored: &Stored, told: &Told) -> WaitResult {
        let Stored { session, rounds, .. } = stored;
        let record = rounds.rounds.last();
        let started = record.map(|record| record.started_at.as_str()).unwrap_or_default();
        let ended = record.and_then(|record| record.ended_at.as_deref()?.parse::<Timestamp>().ok());
        let (next, next_reason) = session.next();
        let report = session.rounds.last().and_then(|round| round.report.as_ref());
        let result = WaitResult {
            status: status(report).to_owned(),
            round: session.round(),
            elapsed_seconds: seconds_between(started, ended.unwrap_or_else(|| self.clock.now())),
            thread_id: session.thread.clone().or_else(|| told.stream.thread.clone()),
            ledger: ledger(&session.ledger()),
            next: next.as_str().to_owned(),
            next_reason,
            ..WaitResult::default()
        };
        match report {
            None => result,
            Some(Report::Completed(answer)) => {
                let text = answer.is_empty().then(|| last_words(&told.stream.messages));
                WaitResult { review: Some(Review { text, ..review(answer) }), ..result }
            }
            Some(Report::Broken(broken)) => with_failure(result, broken),
        }
    }
}

/// Writes down what a round comes to.
fn end_round(
    folder: &SessionFolder,
    stored: Stored,
    end: &ProcessEnd,
    at: String,
) -> Result<Stored, ReviewError> {
    let told = told(folder, &stored)?;
    let report = report(&told.stream, end, stored.session.thread.as_deref());
    let mut session = stored.session;
    if let Some(thread) = &told.stream.thread {
        session = session.step(Event::ThreadKnown(thread.clone()))?.0;
    }
    session = session.step(Event::RoundEnded(report.clone()))?.0;
    let Stored { mut state, mut rounds, .. } = stored;
    state.thread_id.clone_from(&session.thread);
    if let Some(record) = rounds.rounds.last_mut() {
        record.end(&report, at);
    }
    let stored = Stored { state, rounds, session };
    folder.save(&stored.state, &stored.rounds)?;
    folder.refresh_page(&stored);
    Ok(stored)
}

fn with_failure(result: WaitResult, broken: &Broken) -> WaitResult {
    let is_timeout = broken.cause == BrokenCause::Timeout;
    WaitResult {
        error: Some(broken.error.clone()),
        failure_reason: Some(broken.cause.as_str().to_owned()),
        timeout_reason: is_timeout.then(|| "runner_deadline".to_owned()),
        recoverable: Some(broken.recoverable),
        progress_observed: Some(broken.progress),
        ..result
    }
}

/// Whether a round has a runner and no recorded end.
fn is_under_way(folder: &SessionFolder, round: u32) -> bool {
    !folder.end(round).exists() && folder.is_round_alive(round) && !folder.end(round).exists()
}

/// A reviewer whose runner was killed: nobody would stop it at its deadline.
fn stop_orphan(folder: &SessionFolder, round: u32) {
    if let Ok(processes) = read_json::<RunnerFile>(&folder.runner(round), Code::SessionBroken) {
        let started = process::descendants(&processes.reviewer);
        process::signal_group(&processes.reviewer, Signal::KILL);
        for record in &started {
            process::signal(record, Signal::KILL);
        }
    }
}

pub(super) fn told(folder: &SessionFolder, stored: &Stored) -> Result<Told, ReviewError> {
    let reviewer = Reviewer::parse(&stored.state.reviewer).unwrap_or_default();
    Told::read(reviewer, &folder.output(stored.session.round()))
}

fn last_words(messages: &[String]) -> String {
    let text = messages.last().map(String::as_str).unwrap_or_default();
    text[..text.floor_char_boundary(TEXT_BYTES_MAX)].to_owned()
}

/// `outputs/round-NNN.seen.json`: how many activities were told.
#[derive(Serialize, Deserialize)]
struct Seen {
    version: u32,
    activities: usize,
}

/// The activities that no call has told yet. Of two calls at once, both may tell one.
fn unseen(folder: &SessionFolder, round: u32, activities: &[Activity]) -> Vec<ActivityRecord> {
    let path = folder.seen(round);
    let seen = read_json::<Seen>(&path, Code::SessionBroken).map_or(0, |seen| seen.activities);
    let new = activities.get(seen..).unwrap_or_default();
    if !new.is_empty() {
        // If it cannot be written, they are told again.
        let _ = write_json(&path, &Seen { version: VERSION, activities: activities.len() });
    }
    new[new.len().saturating_sub(ACTIVITIES_MAX)..].iter().map(ActivityRecord::from).collect()
}
