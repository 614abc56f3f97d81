//! Asking the model within one call: bounded in time, and not at all any more once it is hopeless.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use data_encoding::HEXLOWER;
use prevet_analysis::prompt::question::Question;
use prevet_domain::ids::TenantKey;
use tokio::time::{Instant, timeout_at};

use crate::model::{Model, ModelAnswer, ModelError, ModelRequest};

/// The longest that the model is asked in one call: a caller's own patience ends at five minutes.
const ASKING_SECONDS_MAX: u64 = 240;
/// After this many failures the rest is not asked.
const FAILURES_MAX: usize = 3;
/// How long a question waits for what others give back of the budget.
const BUDGET_PAUSE_MILLISECONDS: u64 = 200;
/// Bytes of a fence's marker.
const MARKER_BYTES: usize = 12;

/// The model, within one call.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) model: Arc<dyn Model>,
    tenant: TenantKey,
    budget_micro_usd: Option<u64>,
    random: fn() -> Option<[u8; 32]>,
    deadline: Instant,
    open: AtomicUsize,
    failures: AtomicUsize,
    hopeless: Mutex<Option<ModelError>>,
    questions: AtomicUsize,
    input_tokens: AtomicU64,
    output_tokens: AtomicU64,
}

impl Asking {
    pub(super) fn new(
        model: Arc<dyn Model>,
        tenant: TenantKey,
        budget_micro_usd: Option<u64>,
        random: fn() -> Option<[u8; 32]>,
    ) -> Self {
        Self {
            model,
            tenant,
            budget_micro_usd,
            random,
            deadline: Instant::now() + Duration::from_secs(ASKING_SECONDS_MAX),
            open: AtomicUsize::new(0),
            failures: AtomicUsize::new(0),
            hopeless: Mutex::new(None),
            questions: AtomicUsize::new(0),
            input_tokens: AtomicU64::new(0),
            output_tokens: AtomicU64::new(0),
        }
    }

    /// A marker that nobody can know.
    pub(super) fn marker(&self) -> Option<String> {
        (self.random)().map(|bytes| HEXLOWER.encode(&bytes[..MARKER_BYTES]))
    }

    /// The answer's text, or why there is none.
    pub(super) async fn ask(
        &self,
        question: Question,
        output_tokens_max: u32,
        purpose: &'static str,
    ) -> Result<String, ModelError> {
        if let Some(error) = self.hopeless() {
            return Err(error);
        }
        let Question { system, user } = question;
        let request = ModelRequest { system, user, output_tokens_max, purpose };
        match timeout_at(self.deadline, self.answer(request)).await {
            Err(_) => {
                let error = ModelError::CallEnded { seconds: ASKING_SECONDS_MAX };
                self.give_up(&error);
                Err(error)
            }
            Ok(Err(error)) => Err(self.failed(error)),
            Ok(Ok(answer)) => {
                self.questions.fetch_add(1, Ordering::Relaxed);
                self.input_tokens.fetch_add(answer.input_tokens, Ordering::Relaxed);
                self.output_tokens.fetch_add(answer.output_tokens, Ordering::Relaxed);
                Ok(answer.text)
            }
        }
    }

    /// Asks, and asks again as long as the budget is only taken by questions of this call that are open: they
    /// give back what they do not need.
    async fn answer(&self, request: ModelRequest) -> Result<ModelAnswer, ModelError> {
        loop {
            self.open.fetch_add(1, Ordering::SeqCst);
            let answer = self.model.ask_within(&self.tenant, request.clone(), self.budget_micro_usd).await;
            let others = self.open.fetch_sub(1, Ordering::SeqCst) - 1;
            match answer {
                Err(ModelError::BudgetExhausted(_)) if others > 0 => {
                    tokio::time::sleep(Duration::from_millis(BUDGET_PAUSE_MILLISECONDS)).await;
                }
                answer => return answer,
            }
        }
    }

    /// Questions that were answered, tokens asked, tokens answered.
    pub(super) fn counted(&self) -> (usize, u64, u64) {
        (
            self.questions.load(Ordering::Relaxed),
            self.input_tokens.load(Ordering::Relaxed),
            self.output_tokens.load(Ordering::Relaxed),
        )
    }

    fn failed(&self, error: ModelError) -> ModelError {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        let waits = matches!(&error, ModelError::Busy { .. } | ModelError::BudgetExhausted(_));
        if waits || failures >= FAILURES_MAX {
            self.give_up(&error);
        }
        error
    }

    fn hopeless(&self) -> Option<ModelError> {
        self.hopeless.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn give_up(&self, error: &ModelError) {
        let mut hopeless = self.hopeless.lock().unwrap_or_else(PoisonError::into_inner);
        hopeless.get_or_insert_with(|| error.clone());
    }
}
