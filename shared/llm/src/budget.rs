//! A tenant's budget of the day: set aside before a question, corrected after its answer.

use std::sync::Arc;

use prevet_app::model::{ModelAnswer, ModelError, ModelRequest};
use prevet_app::usage::{Spending, Usage, day_of};
use prevet_domain::ids::TenantKey;

use crate::settings::ModelSettings;

/// A token is counted as this many bytes: low for English and code, so that the estimate errs to the safe side.
const BYTES_PER_TOKEN: usize = 3;
const MICRO_PER_USD: f64 = 1_000_000.0;

/// What tenants may use, and the record of what they did.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    usage: Arc<dyn Usage>,
    now_seconds: fn() -> u64,
    usd_per_million_input: f64,
    usd_per_million_output: f64,
    tokens_per_day: Option<u64>,
    micro_usd_per_day: Option<u64>,
}

/// What was set aside, and on which day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reserved {
    day: u64,
    spending: Spending,
}

/// Tokens of a text of that many bytes, estimated.
pub(crate) fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

/// Tokens of a question, estimated.
pub(crate) fn question_tokens(request: &ModelRequest) -> u64 {
    tokens(request.system.len() + request.user.len())
}

impl Budget {
    pub(crate) fn new(settings: &ModelSettings, usage: Arc<dyn Usage>, now_seconds: fn() -> u64) -> Self {
        Self {
            usage,
            now_seconds,
            usd_per_million_input: settings.usd_per_million_input,
            usd_per_million_output: settings.usd_per_million_output,
            tokens_per_day: settings.tokens_per_day,
            micro_usd_per_day: settings.usd_per_day.map(micro_usd),
        }
    }

    /// Sets the most that the question can cost aside, so that questions at once cannot overdraw together.
    pub(crate) async fn reserve(
        &self,
        tenant: &TenantKey,
        request: &ModelRequest,
        lower_micro_usd: Option<u64>,
    ) -> Result<Reserved, ModelError> {
        let day = day_of((self.now_seconds)());
        let spending = self.spending(question_tokens(request), u64::from(request.output_tokens_max));
        let total = self.usage.add(tenant, day, spending, None).await.map_err(unrecorded)?;
        let limit_micro_usd = [self.micro_usd_per_day, lower_micro_usd].into_iter().flatten().min();
        if let Some(refusal) = self.refusal(total, limit_micro_usd) {
            // What stays set aside by a failure here only makes the day's record too high.
            let _ = self.usage.add(tenant, day, spending.up_to(Spending::default()), None).await;
            return Err(refusal);
        }
        Ok(Reserved { day, spending })
    }

    fn refusal(&self, total: Spending, limit_micro_usd: Option<u64>) -> Option<ModelError> {
        let over = |used: i64, limit: u64| u64::try_from(used).is_ok_and(|used| used > limit);
        let which = match (self.tokens_per_day, limit_micro_usd) {
            (Some(limit), _) if over(total.tokens, limit) => format!("{limit} tokens a day for each tenant"),
            (_, Some(limit)) if over(total.micro_usd, limit) => {
                format!("{} USD a day for each tenant", lossy(limit) / MICRO_PER_USD)
            }
            _ => return None,
        };
        Some(ModelError::BudgetExhausted(format!("the limit is {which}, and the day ends at midnight UTC")))
    }

    /// Puts what was used in place of what was set aside. A question without an answer counts as nothing.
    pub(crate) async fn settle(
        &self,
        tenant: &TenantKey,
        purpose: &'static str,
        reserved: Reserved,
        answer: Option<&ModelAnswer>,
    ) {
        let used = answer.map_or(Spending::default(), |it| self.spending(it.input_tokens, it.output_tokens));
        // A record that cannot be corrected stays too high, which errs to the safe side.
        let correction = reserved.spending.up_to(used);
        let _ = self.usage.add(tenant, reserved.day, correction, Some(purpose)).await;
    }

    /// What an answer of so many tokens costs, in millionths of a US dollar; none where no price is set.
    pub(crate) fn cost_micro_usd(&self, input_tokens: u64, output_tokens: u64) -> Option<u64> {
        let priced = self.usd_per_million_input > 0.0 || self.usd_per_million_output > 0.0;
        priced.then(|| self.spending(input_tokens, output_tokens).micro_usd.unsigned_abs())
    }

    fn spending(&self, input: u64, output: u64) -> Spending {
        let whole = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        // A million tokens for a dollar is a millionth of a dollar for a token.
        let cost = lossy(input) * self.usd_per_million_input + lossy(output) * self.usd_per_million_output;
        Spending {
            tokens: whole(input.saturating_add(output)),
            micro_usd: whole(micro_usd(cost / MICRO_PER_USD)),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn lossy(tokens: u64) -> f64 {
    tokens as f64
}

/// Rounded up, so that what costs something never counts as nothing.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and money is not negative"
)]
fn micro_usd(usd: f64) -> u64 {
    (usd * MICRO_PER_USD).max(0.0).ceil() as u64
}

fn unrecorded(_: prevet_app::error::StorageError) -> ModelError {
    ModelError::Failed("what it would cost cannot be recorded at the moment".to_owned())
}
