//! A decision as it is remembered, and what people may say of it later.

use serde::{Deserialize, Serialize};

use super::digest;
use super::request::Scope;
use crate::ids::{DecisionId, LotId};

/// A closed question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Its id.
    pub id: DecisionId,
    /// The question as it was put to people.
    pub question: String,
    /// The values that were offered; none for free text.
    pub options: Vec<String>,
    /// What it was asked for.
    pub scope: Scope,
    /// What came of it.
    pub outcome: Outcome,
    /// Who, when, how.
    pub receipt: Receipt,
    /// What corrections came to.
    pub limits: Limits,
    /// Every correction, oldest first.
    pub corrections: Vec<Correction>,
    /// The earlier decision that was confirmed by this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<DecisionId>,
}

/// How often a decision was applied without asking anybody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uses {
    /// How often.
    pub count: u64,
    /// When last, in seconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<u64>,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// An answer.
    Answered(String),
    /// Nobody will answer it.
    Dismissed(Option<String>),
}

/// By which way a person acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The inbox page.
    Page,
    /// The terminal.
    Terminal,
    /// The routes themselves.
    Api,
}

impl Way {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Terminal => "terminal",
            Self::Api => "api",
        }
    }
}

/// Proof of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The key of whoever answered.
    pub by: String,
    /// When, in seconds since the epoch.
    pub at: u64,
    /// By which way.
    pub way: Way,
    /// The lot.
    pub lot: LotId,
    /// Over question, options, outcome and the fields above.
    pub content_hash: String,
}

impl Receipt {
    /// The receipt of an outcome.
    pub fn new(
        by: &str,
        at: u64,
        way: Way,
        lot: &LotId,
        question: &str,
        options: &[String],
        outcome: &Outcome,
    ) -> Self {
        let (kind, said) = match outcome {
            Outcome::Answered(answer) => ("answered", answer.as_str()),
            Outcome::Dismissed(reason) => ("dismissed", reason.as_deref().unwrap_or_default()),
        };
        let options = options.join("\u{1f}");
        let at_text = at.to_string();
        let parts = [question, &options, kind, said, by, &at_text, way.as_str(), lot.as_str()];
        Self { by: by.to_owned(), at, way, lot: lot.clone(), content_hash: digest(&parts) }
    }
}

/// How far an answer reaches, after corrections.
#[expect(clippy::struct_excessive_bools, reason = "a flag for each verb")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Out of reuse.
    pub retracted: bool,
    /// Only for the files and concepts that it was asked for.
    pub own_scope: bool,
    /// Only for the repository that it came from.
    pub own_repository: bool,
    /// The next request is to be confirmed by a person.
    pub confirm_next: bool,
    /// Seconds since the epoch from which on it does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
}

/// What people say of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Out of reuse; the history is kept.
    Wrong,
    /// Only for the files and concepts that it was asked for.
    TooBroad,
    /// Only for the repository that it came from.
    OnlyThisRepo,
    /// Confirm once, then as before.
    AskNextTime,
    /// Not from a point in time on.
    ExpiresAfter,
}

impl Verb {
    /// All, as agents are told them.
    pub const ALL: [Self; 5] =
        [Self::Wrong, Self::TooBroad, Self::OnlyThisRepo, Self::AskNextTime, Self::ExpiresAfter];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::TooBroad => "too_broad",
            Self::OnlyThisRepo => "only_this_repo",
            Self::AskNextTime => "ask_next_time",
            Self::ExpiresAfter => "expires_after",
        }
    }

    /// The verb of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == name)
    }
}

/// A correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// What was said.
    pub verb: Verb,
    /// By whose key.
    pub by: String,
    /// When, in seconds since the epoch.
    pub at: u64,
    /// For `expires_after`: from when on, in seconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
}

/// Why a correction is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionError {
    /// `expires_after` alone.
    #[error("expires_after needs a duration (90d, 12h, 30m) or a date (2027-01-31)")]
    NoExpiry,
    /// `expires_after` a time that has passed.
    #[error("expires_after needs a time to come; to take the answer out of reuse at once, say wrong")]
    PastExpiry,
    /// `only_this_repo` of an answer that came from none.
    #[error("the request named no repository, so there is none to bind the answer to")]
    NoRepository,
    /// An expiry with another verb.
    #[error("only expires_after takes a duration or a date")]
    NeedlessExpiry,
    /// Nothing was answered.
    #[error("the request was dismissed, so there is no answer to correct; reopen it instead")]
    Dismissed,
}

impl Decision {
    /// The answer, where there is one.
    pub fn answer(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Answered(answer) => Some(answer),
            Outcome::Dismissed(_) => None,
        }
    }

    /// The decision after a correction. The same correction again changes nothing but the list.
    pub fn corrected(&self, correction: Correction) -> Result<Self, CorrectionError> {
        if self.answer().is_none() {
            return Err(CorrectionError::Dismissed);
        }
        match (correction.verb, correction.expires_at) {
            (Verb::ExpiresAfter, None) => return Err(CorrectionError::NoExpiry),
            (Verb::ExpiresAfter, Some(end)) if end <= correction.at => {
                return Err(CorrectionError::PastExpiry);
            }
            (Verb::OnlyThisRepo, None) if self.scope.repository.is_none() => {
                return Err(CorrectionError::NoRepository);
            }
            (Verb::ExpiresAfter, Some(_)) | (_, None) => {}
            (_, Some(_)) => return Err(CorrectionError::NeedlessExpiry),
        }
        let mut decision = self.clone();
        match correction.verb {
            Verb::Wrong => decision.limits.retracted = true,
            Verb::TooBroad => decision.limits.own_scope = true,
            Verb::OnlyThisRepo => decision.limits.own_repository = true,
            Verb::AskNextTime => decision.limits.confirm_next = true,
            Verb::ExpiresAfter => decision.limits.expires_at = correction.expires_at,
        }
        decision.corrections.push(correction);
        Ok(decision)
    }
}
