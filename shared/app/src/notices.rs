//! Notices: what waits for people, and what they decided, told to a channel that they read.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use prevet_domain::decision::lot::Lot;
use prevet_domain::decision::record::{Decision, Outcome};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// A request waits.
    Requested,
    /// It was answered.
    Answered,
    /// It was dismissed.
    Dismissed,
}

impl Happening {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "decision.requested",
            Self::Answered => "decision.answered",
            Self::Dismissed => "decision.dismissed",
        }
    }
}

/// One notice. Secrets were masked when the request came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its id; the same one if it has to be sent again.
    pub id: String,
    /// What happened.
    pub happening: Happening,
    /// Seconds since the epoch.
    pub at: u64,
    /// The lot.
    pub lot: String,
    /// The question.
    pub question: String,
    /// The answers that are offered.
    pub options: Vec<String>,
    /// What the agent would do.
    pub recommendation: Option<String>,
    /// The answer, or why it was dismissed.
    pub said: Option<String>,
}

impl Notice {
    /// Of a lot that was just opened.
    pub fn requested(id: String, lot: &Lot, at: u64) -> Self {
        Self {
            id,
            happening: Happening::Requested,
            at,
            lot: lot.id.to_string(),
            question: lot.request.question.clone(),
            options: lot.request.choices.iter().map(|choice| choice.label.clone()).collect(),
            recommendation: lot.request.recommendation.clone(),
            said: None,
        }
    }

    /// Of a lot that was just closed.
    pub fn decided(id: String, decision: &Decision) -> Self {
        let (happening, said) = match &decision.outcome {
            Outcome::Answered(answer) => (Happening::Answered, Some(answer.clone())),
            Outcome::Dismissed(reason) => (Happening::Dismissed, reason.clone()),
        };
        Self {
            id,
            happening,
            at: decision.receipt.at,
            lot: decision.receipt.lot.to_string(),
            question: decision.question.clone(),
            options: decision.options.clone(),
            recommendation: None,
            said,
        }
    }
}

/// Sending, which is bounded in time and never fails a call: what cannot be sent is logged.
pub type Sending<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Who is told.
pub trait Notices: Debug + Send + Sync {
    /// Tells them.
    fn send<'a>(&'a self, notice: &'a Notice) -> Sending<'a>;
}
