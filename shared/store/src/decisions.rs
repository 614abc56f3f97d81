//! Decisions, lots and what belongs to them.
//!
//! All items of a decision are the tenant's own. A form holds everything that is asked in one canonical form, so that
//! the exact path is one read; lots and forms carry a version, and every change to them is one transaction that
//! compares it.

mod change;
mod keys;
mod lists;
mod read;
mod segments;

use std::collections::BTreeMap;
use std::sync::Arc;

use prevet_app::decisions::ports::{AuditEntry, Change, ContextItem, DecisionStore, Exact, Found, Waiter};
use prevet_app::error::StorageError;
use prevet_domain::decision::lot::Lot;
use prevet_domain::decision::record::{Decision, Uses};
use prevet_domain::decision::search::{Index, Manifest, Segment};
use prevet_domain::ids::{DecisionId, LotId, TenantKey};

pub use self::segments::SegmentCache;
use crate::Store;
use crate::item::Key;

type Answer<T> = Result<T, StorageError>;

impl DecisionStore for Store {
    async fn look_up(&self, tenant: &TenantKey, wanted: &Exact<'_>) -> Answer<Found> {
        self.exact(tenant, wanted).await
    }

    async fn apply(&self, tenant: &TenantKey, change: &Change) -> Answer<bool> {
        self.apply_change(tenant, change).await
    }

    async fn record_use(&self, tenant: &TenantKey, decision: &DecisionId, audit: &AuditEntry) -> Answer<()> {
        self.count_use(tenant, decision, audit).await
    }

    async fn lot(&self, tenant: &TenantKey, id: &LotId) -> Answer<Option<Lot>> {
        self.read_one(&Key::lot(tenant, id)).await
    }

    async fn ask_and_lot(
        &self,
        tenant: &TenantKey,
        ask: &str,
        id: &LotId,
    ) -> Answer<(Option<LotId>, Option<Lot>)> {
        self.read_ask_and_lot(tenant, ask, id).await
    }

    async fn open_lots(&self, tenant: &TenantKey, limit: usize) -> Answer<Vec<Lot>> {
        self.list_open_lots(tenant, limit).await
    }

    async fn waiters(&self, tenant: &TenantKey, lot: &LotId) -> Answer<Vec<Waiter>> {
        self.list_waiters(tenant, lot).await
    }

    async fn put_waiter(&self, tenant: &TenantKey, lot: &LotId, waiter: &Waiter) -> Answer<()> {
        self.note_waiter(tenant, lot, waiter).await
    }

    async fn decisions(&self, tenant: &TenantKey, ids: &[DecisionId]) -> Answer<Vec<Decision>> {
        self.read_decisions(tenant, ids).await
    }

    async fn uses(&self, tenant: &TenantKey, ids: &[DecisionId]) -> Answer<BTreeMap<DecisionId, Uses>> {
        self.read_uses(tenant, ids).await
    }

    async fn history(
        &self,
        tenant: &TenantKey,
        before: Option<&DecisionId>,
        limit: usize,
    ) -> Answer<Vec<Decision>> {
        self.list_decisions(tenant, before, limit).await
    }

    async fn questions_after(
        &self,
        tenant: &TenantKey,
        after: Option<&str>,
        limit: usize,
    ) -> Answer<Vec<(String, String)>> {
        self.list_questions(tenant, after, limit).await
    }

    async fn manifest(&self, tenant: &TenantKey) -> Answer<Manifest> {
        Ok(self.read_one(&Key::manifest(tenant)).await?.unwrap_or_default())
    }

    async fn put_manifest(&self, tenant: &TenantKey, manifest: &Manifest) -> Answer<bool> {
        self.keep_manifest(tenant, manifest).await
    }

    async fn segment(&self, object_key: &str) -> Answer<Option<Arc<Index>>> {
        self.cached_segment(object_key).await
    }

    async fn put_segment(&self, object_key: &str, segment: &Segment) -> Answer<()> {
        self.keep_segment(object_key, segment).await
    }

    async fn put_context(&self, tenant: &TenantKey, item: &ContextItem, audit: &AuditEntry) -> Answer<()> {
        self.keep_context(tenant, item, audit).await
    }

    async fn audit_log(
        &self,
        tenant: &TenantKey,
        before: Option<&str>,
        limit: usize,
    ) -> Answer<Vec<AuditEntry>> {
        self.list_audit(tenant, before, limit).await
    }
}
