//! The port to what models cost: a record for each tenant and day.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use prevet_domain::ids::TenantKey;

use crate::error::StorageError;

/// Seconds of a day.
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// What is added to a day's record. Negative where more was set aside than was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spending {
    /// Tokens, of questions and answers.
    pub tokens: i64,
    /// Millionths of a US dollar.
    pub micro_usd: i64,
}

impl Spending {
    /// What has to be added to come from `self` to `other`.
    #[must_use]
    pub const fn up_to(self, other: Self) -> Self {
        Self { tokens: other.tokens - self.tokens, micro_usd: other.micro_usd - self.micro_usd }
    }
}

/// A future total of the day.
pub type Total<'a> = Pin<Box<dyn Future<Output = Result<Spending, StorageError>> + Send + 'a>>;

/// What models cost.
pub trait Usage: Debug + Send + Sync {
    /// Adds to a tenant's day, at once with whoever else does, and gives the day's total after it. `calls` names
    /// a counter that grows by one with it: what a call was for.
    fn add<'a>(
        &'a self,
        tenant: &'a TenantKey,
        day: u64,
        spending: Spending,
        calls: Option<&'a str>,
    ) -> Total<'a>;

    /// A tenant's day.
    fn read<'a>(&'a self, tenant: &'a TenantKey, day: u64) -> Total<'a>;
}

/// The day, in days since the epoch (UTC).
pub const fn day_of(seconds: u64) -> u64 {
    seconds / DAY_SECONDS
}

/// US dollars in millionths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and a budget below nothing is none"
)]
pub fn micro_usd(usd: f64) -> u64 {
    (usd * 1_000_000.0).max(0.0) as u64
}
