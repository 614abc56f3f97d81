//! What people see: open lots, one lot, and why a decision was made.

use prevet_domain::decision::freshness::{Freshness, freshness};
use prevet_domain::decision::lot::{Lot, State};
use prevet_domain::decision::record::{Decision, Uses};
use prevet_domain::ids::{DecisionId, LotId};

use super::Caller;
use super::ports::{ContextItem, DecisionStore, Waiter};
use crate::App;
use crate::error::AppError;
use crate::ports::Storage;

/// Open lots that one list shows.
const OPEN_LOTS_MAX: usize = 100;

/// A lot with all that a person needs to answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct LotView {
    /// The lot.
    pub lot: Lot,
    /// Where it stands now.
    pub state: State,
    /// Who waits.
    pub waiters: Vec<Waiter>,
    /// What was shared about its concepts.
    pub context: Vec<ContextItem>,
    /// What was decided, where it was.
    pub decision: Option<Decision>,
}

/// All that is known of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The decision.
    pub decision: Decision,
    /// How often it was applied.
    pub uses: Uses,
    /// How fresh it is.
    pub freshness: Freshness,
    /// The wordings that it answered.
    pub asked: Vec<String>,
}

impl<S: Storage + DecisionStore> App<S> {
    /// Open lots, newest first, with who waits and what was shared.
    pub async fn open_lots(&self, caller: &Caller) -> Result<Vec<LotView>, AppError> {
        let mut views = Vec::new();
        for lot in self.storage.open_lots(&caller.tenant, OPEN_LOTS_MAX).await? {
            if lot.state_at(self.now()) == State::Open {
                views.push(self.view(caller, lot).await?);
            }
        }
        Ok(views)
    }

    /// One lot, open or not.
    pub async fn lot_view(&self, caller: &Caller, id: &LotId) -> Result<LotView, AppError> {
        let lot = self.existing_lot(caller, id).await?;
        self.view(caller, lot).await
    }

    async fn view(&self, caller: &Caller, lot: Lot) -> Result<LotView, AppError> {
        let waiters = self.storage.waiters(&caller.tenant, &lot.id).await?;
        let context = self.context_of(caller, &lot.request.scope.concepts).await?;
        let state = lot.state_at(self.now());
        let decision = match &state {
            State::Answered { decision } | State::Dismissed { decision } => {
                Some(self.decision(caller, decision).await?)
            }
            State::Open | State::Expired | State::Split => None,
        };
        Ok(LotView { lot, state, waiters, context, decision })
    }

    /// Why a decision was made, and what became of it.
    pub async fn why(&self, caller: &Caller, id: &DecisionId) -> Result<Why, AppError> {
        let decision = self.decision(caller, id).await?;
        let mut uses = self.storage.uses(&caller.tenant, std::slice::from_ref(id)).await?;
        let lot = self.storage.lot(&caller.tenant, &decision.receipt.lot).await?;
        let asked = lot.map(|lot| lot.asks.into_iter().map(|ask| ask.question).collect()).unwrap_or_default();
        let freshness = freshness(decision.receipt.at, self.now(), None);
        Ok(Why { uses: uses.remove(id).unwrap_or_default(), freshness, asked, decision })
    }
}
