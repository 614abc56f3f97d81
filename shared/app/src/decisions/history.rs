//! What was decided: lists, search, and the log.

use prevet_domain::decision::canonical::Canonical;
use prevet_domain::decision::record::Decision;
use prevet_domain::decision::request::text;
use prevet_domain::decision::synonyms::Synonyms;
use prevet_domain::ids::DecisionId;
use prevet_domain::limits::{MATCHES_MAX, QUESTION_CHARACTERS_MAX};

use super::ports::{AuditEntry, DecisionStore, Exact};
use super::{Caller, DecisionError, Recalled};
use crate::App;
use crate::error::AppError;
use crate::ports::Storage;

impl<S: Storage + DecisionStore> App<S> {
    /// Decisions and dismissals, newest first, from before an id on.
    pub async fn history(
        &self,
        caller: &Caller,
        before: Option<&DecisionId>,
        limit: usize,
    ) -> Result<Vec<Recalled>, AppError> {
        let decisions =
            self.storage.history(&caller.tenant, before, limit.clamp(1, MATCHES_MAX as usize)).await?;
        self.with_uses(caller, decisions).await
    }

    /// Decisions and dismissals near a text, best first, whatever was said of them since.
    pub async fn search_history(
        &self,
        caller: &Caller,
        query: &str,
        limit: usize,
    ) -> Result<Vec<Recalled>, AppError> {
        let query = text("query", query, QUESTION_CHARACTERS_MAX).map_err(DecisionError::from)?;
        let form = Canonical::of(&query, &Synonyms::default());
        let found = self.storage.look_up(&caller.tenant, &Exact::default()).await?;
        let hits =
            self.near(&caller.tenant, &found.manifest, &form, limit.clamp(1, MATCHES_MAX as usize)).await?;
        let mut decisions = self.of_hits(&caller.tenant, &hits).await?;
        decisions.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        self.with_uses(caller, decisions.into_iter().map(|(decision, _)| decision).collect()).await
    }

    async fn with_uses(&self, caller: &Caller, decisions: Vec<Decision>) -> Result<Vec<Recalled>, AppError> {
        if decisions.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<DecisionId> = decisions.iter().map(|decision| decision.id.clone()).collect();
        let mut uses = self.storage.uses(&caller.tenant, &ids).await?;
        let recalled = |decision: Decision| {
            let uses = uses.remove(&decision.id).unwrap_or_default();
            Recalled { decision, uses }
        };
        Ok(decisions.into_iter().map(recalled).collect())
    }

    /// The tenant's log, newest first, from before an id on.
    pub async fn audit_log(
        &self,
        caller: &Caller,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, AppError> {
        Ok(self.storage.audit_log(&caller.tenant, before, limit.clamp(1, 2 * MATCHES_MAX as usize)).await?)
    }
}
