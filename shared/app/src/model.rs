//! The model port: one question, one answer. What is asked and what is believed of it is decided elsewhere.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use prevet_domain::ids::TenantKey;
use prevet_domain::kind::Kind;

/// A question to a model. Secrets are masked in it already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// What the model is to do.
    pub system: String,
    /// What it is to do it with: data, fenced.
    pub user: String,
    /// The most that it may answer.
    pub output_tokens_max: u32,
    /// What the call is for, for the record of usage: `inspect`, `refute`, `describe`, `ask`, `check`.
    pub purpose: &'static str,
}

/// A model's answer, to be distrusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelAnswer {
    /// Its text.
    pub text: String,
    /// Tokens that the question had.
    pub input_tokens: u64,
    /// Tokens that the answer has.
    pub output_tokens: u64,
    /// What both cost, in millionths of a US dollar, where prices are set.
    pub micro_usd: Option<u64>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider asks to come back later than a call can wait.
    #[error("the model's provider is busy{}", .retry_after_seconds.map(|it| format!(" and asks to come back in {it} s")).unwrap_or_default())]
    Busy {
        /// When, where it says so.
        retry_after_seconds: Option<u64>,
    },
    /// No answer within the bound.
    #[error("the model did not answer within {seconds} s")]
    TimedOut {
        /// The bound.
        seconds: u64,
    },
    /// The time for all questions of one call ended.
    #[error("the time for the questions of one call ({seconds} s) ended")]
    CallEnded {
        /// The bound.
        seconds: u64,
    },
    /// The tenant's budget of the day is used up.
    #[error("the model's budget of today is used up: {0}")]
    BudgetExhausted(String),
    /// The provider refused or broke off.
    #[error("the model could not be asked: {0}")]
    Failed(String),
}

impl ModelError {
    /// What it means to the caller.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Busy { .. } | Self::BudgetExhausted(_) => Kind::Busy,
            Self::TimedOut { .. } | Self::CallEnded { .. } | Self::Failed(_) => Kind::Unavailable,
        }
    }
}

/// A future answer.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<ModelAnswer, ModelError>> + Send + 'a>>;

/// A model that is configured.
pub trait Model: Debug + Send + Sync {
    /// Provider and model, for messages and for what a stored report depends on.
    fn name(&self) -> String;

    /// The tokens that one question may have.
    fn input_tokens_max(&self) -> usize;

    /// Asks, within bounds of time, retries and the tenant's budget.
    fn ask<'a>(&'a self, tenant: &'a TenantKey, request: ModelRequest) -> Answer<'a>;

    /// Asks, with a budget of the day that may be lower than the configured one, in millionths of a US dollar.
    fn ask_within<'a>(
        &'a self,
        tenant: &'a TenantKey,
        request: ModelRequest,
        budget_micro_usd: Option<u64>,
    ) -> Answer<'a> {
        let _ = budget_micro_usd;
        self.ask(tenant, request)
    }
}
