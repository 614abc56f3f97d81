//! The machine over a session's rounds: what may happen, what then has to be done, and what the caller does next.

use super::answer::Answer;
use super::ledger::{Claims, Ledger};
use super::subject::{Skill, Subject};
use super::watch::{Broken, BrokenCause, Report};
use crate::limits::REVIEW_ROUNDS_MAX;

/// A session: one subject, one reviewer's thread, its rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// What is reviewed.
    pub subject: Subject,
    /// The reviewer's thread, once it is known.
    pub thread: Option<String>,
    /// At least one. Only the last one may be without a report.
    pub rounds: Vec<Round>,
    /// How it was ended, once it was.
    pub ending: Option<Ending>,
}

/// One round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    /// What the caller said before it.
    pub claims: Claims,
    /// How it ended; none while it runs.
    pub report: Option<Report>,
}

/// How a session was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a verdict.
    Finalized(Conclusion),
    /// Without.
    Stopped,
}

/// What a session comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conclusion {
    /// The reviewer approved.
    Approve,
    /// Two peers agree.
    Consensus,
    /// Neither side moves any more.
    Stalemate,
}

impl Conclusion {
    /// The verdict in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "APPROVE",
            Self::Consensus => "CONSENSUS",
            Self::Stalemate => "STALEMATE",
        }
    }

    /// The conclusion of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Approve, Self::Consensus, Self::Stalemate].into_iter().find(|it| it.as_str() == name)
    }
}

/// What a caller may end a peers' review with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Both agree.
    Consensus,
    /// Neither moves any more.
    Stalemate,
}

impl Outcome {
    /// The outcome of that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "consensus" => Some(Self::Consensus),
            "stalemate" => Some(Self::Stalemate),
            _ => None,
        }
    }
}

/// What happens to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The reviewer's thread has become known.
    ThreadKnown(String),
    /// The running round is over.
    RoundEnded(Report),
    /// The caller sends the next round.
    Replied(Claims),
    /// The caller ends it.
    EndAsked(Option<Outcome>),
}

/// What has to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Start the reviewer for a round, on its thread where there is one.
    Launch {
        /// From 1.
        round: u32,
        /// The thread to go on with.
        thread: Option<String>,
    },
    /// Stop the reviewer, if it runs.
    StopReviewer,
    /// Write down what it came to.
    Finalize(Conclusion),
}

/// Why something cannot happen now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The round runs.
    #[error("the round is still running: call review_wait until it has ended")]
    StillRunning,
    /// No round runs.
    #[error("no round is running")]
    NotRunning,
    /// It was ended.
    #[error("the session has been ended: begin a new one")]
    Ended,
    /// Over [`REVIEW_ROUNDS_MAX`].
    #[error("the session has {REVIEW_ROUNDS_MAX} rounds, and more are not kept: end it, and begin a new one")]
    TooManyRounds,
    /// The reviewer ended before it had named its thread.
    #[error(
        "the reviewer ended before it named its thread, so there is none to go on with: begin a new session"
    )]
    NoThread,
}

/// What the caller does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Waits on.
    Running,
    /// Fixes, rebuts, and replies.
    Respond,
    /// Compares with its own view.
    CrossCheck,
    /// Ends the session.
    Done,
    /// Asks the user.
    AskUser,
    /// There is no usable review.
    Stopped,
}

impl Next {
    /// The word in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Respond => "respond",
            Self::CrossCheck => "cross_check",
            Self::Done => "done",
            Self::AskUser => "ask_user",
            Self::Stopped => "stopped",
        }
    }
}

impl Session {
    /// Begins: round 1 runs.
    pub fn begin(subject: Subject) -> (Self, Vec<Effect>) {
        let session = Self { subject, thread: None, rounds: vec![Round::default()], ending: None };
        (session, vec![Effect::Launch { round: 1, thread: None }])
    }

    /// The machine: what `event` makes of the session, and what has to be done. A refusal changes nothing.
    pub fn step(&self, event: Event) -> Result<(Self, Vec<Effect>), Refusal> {
        let mut next = self.clone();
        let effects = match event {
            Event::ThreadKnown(thread) => next.know(thread),
            Event::RoundEnded(report) => next.end_round(report)?,
            Event::Replied(claims) => next.reply(claims)?,
            Event::EndAsked(outcome) => next.end(outcome),
        };
        Ok((next, effects))
    }

    fn know(&mut self, thread: String) -> Vec<Effect> {
        self.thread.get_or_insert(thread);
        vec![]
    }

    fn end_round(&mut self, report: Report) -> Result<Vec<Effect>, Refusal> {
        match self.rounds.last_mut() {
            Some(round) if round.report.is_none() => round.report = Some(report),
            _ => return Err(Refusal::NotRunning),
        }
        Ok(vec![])
    }

    fn reply(&mut self, claims: Claims) -> Result<Vec<Effect>, Refusal> {
        if self.ending.is_some() {
            return Err(Refusal::Ended);
        }
        if self.is_running() {
            return Err(Refusal::StillRunning);
        }
        if self.rounds.len() >= REVIEW_ROUNDS_MAX {
            return Err(Refusal::TooManyRounds);
        }
        let thread = self.thread.clone().ok_or(Refusal::NoThread)?;
        self.rounds.push(Round { claims, report: None });
        Ok(vec![Effect::Launch { round: self.round(), thread: Some(thread) }])
    }

    fn end(&mut self, outcome: Option<Outcome>) -> Vec<Effect> {
        if self.ending.is_some() {
            return vec![];
        }
        let conclusion = self.conclusion(outcome);
        if self.is_running() {
            let broken = Broken {
                cause: BrokenCause::SessionEnded,
                error: "the session was ended while the round ran".to_owned(),
                progress: false,
                recoverable: false,
            };
            let _ = self.end_round(Report::Broken(broken));
        }
        self.ending = Some(conclusion.map_or(Ending::Stopped, Ending::Finalized));
        let finalize = conclusion.map(Effect::Finalize);
        [Effect::StopReviewer].into_iter().chain(finalize).collect()
    }

    /// What it may be finalized with now.
    fn conclusion(&self, outcome: Option<Outcome>) -> Option<Conclusion> {
        if self.is_running() {
            return None;
        }
        if !self.subject.skill().is_peer() {
            return match self.next() {
                (Next::Done, reason) if reason == APPROVED => Some(Conclusion::Approve),
                (Next::Done, _) => Some(Conclusion::Stalemate),
                _ => None,
            };
        }
        let reviewed = self.completed().any(|(_, _, answer)| !answer.is_empty());
        match outcome.filter(|_| reviewed)? {
            Outcome::Consensus => Some(Conclusion::Consensus),
            Outcome::Stalemate => Some(Conclusion::Stalemate),
        }
    }

    /// The number of the last round, from 1.
    pub fn round(&self) -> u32 {
        u32::try_from(self.rounds.len()).unwrap_or(u32::MAX)
    }

    /// Whether a round runs.
    pub fn is_running(&self) -> bool {
        self.rounds.last().is_some_and(|round| round.report.is_none())
    }

    /// What the caller does next, and why: the words of results.
    pub fn next(&self) -> (Next, String) {
        match self.rounds.last().and_then(|round| round.report.as_ref()) {
            None => (Next::Running, "reviewer_running".to_owned()),
            Some(Report::Broken(broken)) => (Next::Stopped, stopped_reason(broken).to_owned()),
            Some(Report::Completed(answer)) if answer.is_empty() => {
                (Next::AskUser, "missing_verdict".to_owned())
            }
            Some(Report::Completed(answer)) => self.next_of(answer),
        }
    }

    fn next_of(&self, answer: &Answer) -> (Next, String) {
        let is_peer = self.subject.skill().is_peer();
        let approves = answer.verdict.as_ref().is_some_and(super::answer::Verdict::approves);
        if !is_peer && approves && !answer.blocks() {
            return (Next::Done, APPROVED.to_owned());
        }
        if self.is_stalemate() {
            return (Next::Done, "stalemate".to_owned());
        }
        if is_peer {
            return (Next::CrossCheck, "peer_verdict_is_advisory".to_owned());
        }
        let reason = match &answer.verdict {
            Some(verdict) if answer.raised().next().is_none() && !answer.cut => {
                format!("verdict_{}", verdict.status.to_lowercase())
            }
            _ => "open_issues".to_owned(),
        };
        (Next::Respond, reason)
    }

    /// The same issues, and some, in the last two completed rounds running.
    fn is_stalemate(&self) -> bool {
        let completed: Vec<_> = self.completed().collect();
        let [.., (before, ..), (last, ..)] = &completed[..] else { return false };
        let (before, last) = (*before, *last);
        if before + 1 != last || last != self.round() {
            return false;
        }
        let until =
            |round: u32| Ledger::of(completed.iter().filter(|(number, ..)| *number <= round).cloned());
        let (earlier, now) = (until(before), until(last));
        let held = now.held_in(last);
        !held.is_empty() && held == earlier.held_in(before)
    }

    /// The rounds with an answer: number, what the caller had said since the answer before, the answer.
    pub fn completed(&self) -> impl Iterator<Item = (u32, Claims, &Answer)> {
        let mut said = Claims::default();
        (1..).zip(&self.rounds).filter_map(move |(number, round)| {
            said.add(&round.claims);
            match &round.report {
                Some(Report::Completed(answer)) => Some((number, std::mem::take(&mut said), answer)),
                _ => None,
            }
        })
    }

    /// What has become of every issue.
    pub fn ledger(&self) -> Ledger {
        Ledger::of(self.completed())
    }

    /// The skill.
    pub fn skill(&self) -> Skill {
        self.subject.skill()
    }
}

const APPROVED: &str = "approved";

fn stopped_reason(broken: &Broken) -> &'static str {
    match broken.cause {
        BrokenCause::Timeout if broken.recoverable => "recoverable_timeout",
        cause => cause.as_str(),
    }
}

#[cfg(test)]
mod tests;
