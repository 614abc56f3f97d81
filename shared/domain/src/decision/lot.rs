//! A lot: one or more requests that ask the same, waiting for one answer.

use serde::{Deserialize, Serialize};

use super::canonical::folded;
use super::record::{Decision, Limits, Outcome, Receipt, Way};
use super::request::{Choice, Request, RequestError, text};
use crate::ids::{DecisionId, LotId};
use crate::limits::{ANSWER_CHARACTERS_MAX, LOT_ASKS_MAX, LOT_IDLE_SECONDS, REASON_CHARACTERS_MAX};

/// A lot as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lot {
    /// Its id.
    pub id: LotId,
    /// The hash of its question's canonical form.
    pub form_hash: String,
    /// What is asked, in the first asker's words.
    pub request: Request,
    /// Every wording, the first one included.
    pub asks: Vec<Ask>,
    /// Where it stands.
    pub state: State,
    /// Counts changes; a writer that finds another number than it read has lost.
    pub version: u64,
    /// Seconds since the epoch.
    pub opened_at: u64,
    /// When it was asked for last, in seconds since the epoch.
    pub asked_at: u64,
    /// Earlier decisions that are near, best first.
    #[serde(default)]
    pub similar: Vec<Similar>,
    /// Whether a person has set its asks apart from others: what answers those does not answer these.
    #[serde(default)]
    pub is_apart: bool,
}

/// One wording of a lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The request's stable key.
    pub key: String,
    /// Its question.
    pub question: String,
    /// When it came first, in seconds since the epoch.
    pub at: u64,
}

/// An earlier decision that is near.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Similar {
    /// Its id.
    pub decision: DecisionId,
    /// Its question.
    pub question: String,
    /// Its answer.
    pub answer: String,
    /// Why it was not simply applied.
    pub reason: String,
}

/// Where a lot stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "state")]
pub enum State {
    /// It waits.
    Open,
    /// Answered.
    Answered {
        /// The decision.
        decision: DecisionId,
    },
    /// Nobody will answer it.
    Dismissed {
        /// The record of it.
        decision: DecisionId,
    },
    /// Nobody asked again for too long.
    Expired,
    /// All its asks went to another lot.
    Split,
}

impl State {
    /// The word for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered { .. } => "answered",
            Self::Dismissed { .. } => "dismissed",
            Self::Expired => "expired",
            Self::Split => "split",
        }
    }
}

/// What a person answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// One of the options, by its value.
    Option(String),
    /// In their own words.
    Text(String),
}

/// Who acts, when and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The id of their key.
    pub by: String,
    /// Seconds since the epoch.
    pub at: u64,
    /// By which way.
    pub way: Way,
}

/// Why a lot does not change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LotError {
    /// Somebody was first.
    #[error("the request is {} already", .0.as_str())]
    Closed(State),
    /// It ended by itself.
    #[error(
        "the request expired: nobody asked for it again for 30 days; an agent that still needs it asks anew"
    )]
    Expired,
    /// The answer is none of the options.
    #[error("{answer:?} is none of the options: {}", .options.join(", "))]
    NoOption {
        /// What was answered.
        answer: String,
        /// What is offered.
        options: Vec<String>,
    },
    /// An option was named, and there are none.
    #[error("the request offers no options; answer it in words")]
    NoOptions,
    /// It is open.
    #[error("the request is open; there is nothing to reopen")]
    Open,
    /// The ask is not one of the lot's.
    #[error("the lot has no ask {0:?}")]
    UnknownAsk(String),
    /// Nothing would be left, or nothing would move.
    #[error("a split moves some of the asks and leaves some; the lot has {0}")]
    NothingToSplit(usize),
    /// The text itself.
    #[error(transparent)]
    Text(#[from] RequestError),
}

impl Lot {
    /// A lot that was just opened.
    pub fn open(id: LotId, key: &str, form_hash: String, request: Request, now: u64) -> Self {
        let asks = vec![Ask { key: key.to_owned(), question: request.question.clone(), at: now }];
        Self {
            id,
            form_hash,
            request,
            asks,
            state: State::Open,
            version: 0,
            opened_at: now,
            asked_at: now,
            similar: Vec::new(),
            is_apart: false,
        }
    }

    /// Where it stands at `now`: an open lot that nobody asked for has expired.
    pub fn state_at(&self, now: u64) -> State {
        match self.state {
            State::Open if self.asked_at.saturating_add(LOT_IDLE_SECONDS) <= now => State::Expired,
            _ => self.state.clone(),
        }
    }

    fn must_be_open(&self, now: u64) -> Result<(), LotError> {
        match self.state_at(now) {
            State::Open => Ok(()),
            State::Expired => Err(LotError::Expired),
            other => Err(LotError::Closed(other)),
        }
    }

    /// The lot with one more wording, or asked for again; `None` where neither is news.
    #[must_use]
    pub fn joined(&self, key: &str, question: &str, now: u64, refresh_seconds: u64) -> Option<Self> {
        let known = self.asks.iter().any(|ask| ask.key == key);
        let due = now >= self.asked_at.saturating_add(refresh_seconds);
        let full = self.asks.len() >= LOT_ASKS_MAX;
        if (known || full) && !due {
            return None;
        }
        let mut lot = self.changed();
        lot.asked_at = lot.asked_at.max(now);
        if !known && !full {
            lot.asks.push(Ask { key: key.to_owned(), question: question.to_owned(), at: now });
        }
        Some(lot)
    }

    fn changed(&self) -> Self {
        Self { version: self.version + 1, ..self.clone() }
    }

    /// What an answer says, if it is one that the lot takes.
    pub fn accepted(&self, answer: &Answer) -> Result<String, LotError> {
        let choices = &self.request.choices;
        let matching = |said: &str| -> Option<&Choice> {
            let by =
                |of: fn(&Choice) -> &str| choices.iter().find(|choice| folded(of(choice)) == folded(said));
            by(|choice| &choice.value).or_else(|| by(|choice| &choice.label))
        };
        let said = match answer {
            Answer::Option(_) if choices.is_empty() => return Err(LotError::NoOptions),
            Answer::Text(said) if choices.is_empty() => {
                return Ok(text("the answer", said, ANSWER_CHARACTERS_MAX)?);
            }
            Answer::Option(said) | Answer::Text(said) => text("the answer", said, ANSWER_CHARACTERS_MAX)?,
        };
        let none = || LotError::NoOption { answer: said.clone(), options: self.request.values() };
        matching(&said).map(|choice| choice.value.clone()).ok_or_else(none)
    }

    /// The lot and its decision after an answer.
    pub fn answered(
        &self,
        id: DecisionId,
        answer: &Answer,
        actor: &Actor,
    ) -> Result<(Self, Decision), LotError> {
        let answer = self.accepted(answer)?;
        self.must_be_open(actor.at)?;
        Ok(self.closed(id, Outcome::Answered(answer), actor))
    }

    /// The lot and the record of it after a dismissal.
    pub fn dismissed(
        &self,
        id: DecisionId,
        reason: Option<&str>,
        actor: &Actor,
    ) -> Result<(Self, Decision), LotError> {
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| text("the reason", reason, REASON_CHARACTERS_MAX)).transpose()?;
        self.must_be_open(actor.at)?;
        Ok(self.closed(id, Outcome::Dismissed(reason), actor))
    }

    fn closed(&self, id: DecisionId, outcome: Outcome, actor: &Actor) -> (Self, Decision) {
        let (question, options) = (self.request.question.clone(), self.request.values());
        let receipt = Receipt::new(&actor.by, actor.at, actor.way, &self.id, &question, &options, &outcome);
        let mut lot = self.changed();
        lot.state = match &outcome {
            Outcome::Answered(_) => State::Answered { decision: id.clone() },
            Outcome::Dismissed(_) => State::Dismissed { decision: id.clone() },
        };
        let decision = Decision {
            id,
            question,
            options,
            scope: self.request.scope.clone(),
            outcome,
            receipt,
            limits: Limits::default(),
            corrections: Vec::new(),
            confirms: None,
        };
        (lot, decision)
    }

    /// The lot, open again.
    pub fn reopened(&self, now: u64) -> Result<Self, LotError> {
        match self.state_at(now) {
            State::Open => Err(LotError::Open),
            State::Split => Err(LotError::Closed(State::Split)),
            State::Answered { .. } | State::Dismissed { .. } | State::Expired => {
                Ok(Self { state: State::Open, asked_at: now, ..self.changed() })
            }
        }
    }

    /// The lot without the asks of `keys`, and a new one of them.
    pub fn split(
        &self,
        keys: &[String],
        id: LotId,
        form_hash: &str,
        now: u64,
    ) -> Result<(Self, Self), LotError> {
        self.must_be_open(now)?;
        if let Some(unknown) = keys.iter().find(|key| !self.asks.iter().any(|ask| ask.key == **key)) {
            return Err(LotError::UnknownAsk(unknown.clone()));
        }
        let (moved, left): (Vec<Ask>, Vec<Ask>) =
            self.asks.iter().cloned().partition(|ask| keys.contains(&ask.key));
        let (Some(first), Some(stays)) = (moved.first(), left.first()) else {
            return Err(LotError::NothingToSplit(self.asks.len()));
        };
        let request = |ask: &Ask| Request { question: ask.question.clone(), ..self.request.clone() };
        let mut new = Self::open(id, &first.key, form_hash.to_owned(), request(first), now);
        new.opened_at = self.opened_at;
        new.similar.clone_from(&self.similar);
        let old = Self { request: request(stays), asks: left, is_apart: true, ..self.changed() };
        (new.asks, new.is_apart) = (moved, true);
        Ok((old, new))
    }
}
