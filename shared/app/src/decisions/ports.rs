//! What decisions need of the store. Each method is one call unless it says otherwise.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use prevet_domain::decision::lot::Lot;
use prevet_domain::decision::record::{Decision, Uses};
use prevet_domain::decision::request::Scope;
use prevet_domain::decision::search::{Index, Manifest, Segment};
use prevet_domain::ids::{DecisionId, LotId, TenantKey};
use prevet_domain::session::Role;
use serde::{Deserialize, Serialize};

use crate::error::StorageError;

type Answer<T> = Result<T, StorageError>;

/// Decisions that one form keeps at hand; older ones are found by id and by search.
pub const FORM_DECISIONS_MAX: usize = 16;
/// Open lots that ask in one form: each with other options, or about something else.
pub const FORM_OPEN_MAX: usize = 20;
/// Context items that one concept keeps at hand.
pub const CONCEPT_ITEMS_MAX: usize = 20;
/// Times of changes that are kept of one file.
pub const FILE_CHANGES_MAX: usize = 40;

/// Everything that is asked in one canonical form: whoever asks the same finds it here, in one read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// Counts changes; a writer that finds another number than it read has lost.
    pub version: u64,
    /// Open lots.
    pub open: Vec<OpenLot>,
    /// Closed ones, newest first.
    pub closed: Vec<Decision>,
}

/// What of an open lot tells whether a request joins it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenLot {
    /// Its id.
    pub lot: LotId,
    /// Its question.
    pub question: String,
    /// The values it offers.
    pub options: Vec<String>,
    /// What it is about.
    pub scope: Scope,
}

impl Form {
    /// The form with a decision that was just made, or changed.
    #[must_use]
    pub fn with(&self, decision: &Decision) -> Self {
        let mut form = self.changed();
        match form.closed.iter_mut().find(|other| other.id == decision.id) {
            Some(known) => known.clone_from(decision),
            None => form.closed.insert(0, decision.clone()),
        }
        form.closed.sort_by(|one, other| other.id.cmp(&one.id));
        form.closed.truncate(FORM_DECISIONS_MAX);
        form
    }

    /// The form with an open lot.
    #[must_use]
    pub fn with_lot(&self, lot: &Lot) -> Self {
        let mut form = self.without_lot(&lot.id);
        let (question, options) = (lot.request.question.clone(), lot.request.values());
        form.open.push(OpenLot { lot: lot.id.clone(), question, options, scope: lot.request.scope.clone() });
        form
    }

    /// The form without a lot.
    #[must_use]
    pub fn without_lot(&self, id: &LotId) -> Self {
        let mut form = self.changed();
        form.open.retain(|entry| entry.lot != *id);
        form
    }

    fn changed(&self) -> Self {
        Self { version: self.version + 1, ..self.clone() }
    }
}

/// A tenant's learned pairs, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SynonymPairs {
    /// Counts changes; a writer that finds another number than it read has lost.
    pub version: u64,
    /// Pairs of stems.
    pub pairs: Vec<(String, String)>,
}

/// What an agent shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextItem {
    /// Its id.
    pub id: String,
    /// finding, risk, evidence, note …
    pub kind: String,
    /// The text.
    pub body: String,
    /// What it applies to; empty for everything.
    pub concepts: Vec<String>,
    /// The thread or key that shared it.
    pub by: String,
    /// When, in seconds since the epoch.
    pub at: u64,
}

/// Who waits for a lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiter {
    /// The thread, or the key where no thread is named.
    pub who: String,
    /// The stable key of what it asked.
    pub ask: String,
    /// Since when, in seconds since the epoch.
    pub since: u64,
    /// When it asked last, in seconds since the epoch.
    pub last_at: u64,
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Its id; ids sort by time.
    pub id: String,
    /// When, in seconds since the epoch.
    pub at: u64,
    /// The id of the key.
    pub by: String,
    /// Who holds it.
    pub role: Role,
    /// What was done.
    pub action: String,
    /// On what.
    pub subject: String,
    /// More about it.
    pub detail: String,
}

/// What a lookup reads at once.
#[derive(Debug, Clone, Default)]
pub struct Exact<'a> {
    /// A request's stable key.
    pub ask: Option<&'a str>,
    /// Hashes of canonical forms.
    pub forms: &'a [String],
    /// Concepts whose context is wanted.
    pub concepts: &'a [String],
    /// Files whose changes are wanted.
    pub files: &'a [String],
}

/// What is found at once.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The lot that the ask belongs to.
    pub ask: Option<LotId>,
    /// By hash; forms that are not there are empty.
    pub forms: BTreeMap<String, Form>,
    /// The tenant's own synonyms.
    pub synonyms: SynonymPairs,
    /// Where older questions are searched.
    pub manifest: Manifest,
    /// Of the concepts and of the whole tenant, newest first, each once.
    pub context: Vec<ContextItem>,
    /// When files were changed, in seconds since the epoch.
    pub changes: BTreeMap<String, Vec<u64>>,
}

/// A change that happens whole or not at all. Lots and forms carry the version that they will have: it happens only
/// where each of them is there with the version before (none for 0 of a lot and 1 of a form).
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Lots; whether they are listed as open follows from their state.
    pub lots: Vec<Lot>,
    /// Forms by their hashes.
    pub forms: Vec<(String, Form)>,
    /// Decisions.
    pub decisions: Vec<Decision>,
    /// Asks that belong to a lot from now on.
    pub asks: Vec<(String, LotId)>,
    /// The synonyms, with the version that they will have.
    pub synonyms: Option<SynonymPairs>,
    /// What is written into the log.
    pub audit: Vec<AuditEntry>,
}

/// What decisions are kept in.
pub trait DecisionStore: Clone + Send + Sync + 'static {
    /// One read of up to 100 items.
    fn look_up(&self, tenant: &TenantKey, wanted: &Exact<'_>) -> impl Future<Output = Answer<Found>> + Send;

    /// False if something was changed by others first. One transaction.
    fn apply(&self, tenant: &TenantKey, change: &Change) -> impl Future<Output = Answer<bool>> + Send;

    /// Counts a use and logs it. One transaction.
    fn record_use(
        &self,
        tenant: &TenantKey,
        decision: &DecisionId,
        audit: &AuditEntry,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// A lot.
    fn lot(&self, tenant: &TenantKey, id: &LotId) -> impl Future<Output = Answer<Option<Lot>>> + Send;

    /// The lot of an ask, and `id`, in one read.
    fn ask_and_lot(
        &self,
        tenant: &TenantKey,
        ask: &str,
        id: &LotId,
    ) -> impl Future<Output = Answer<(Option<LotId>, Option<Lot>)>> + Send;

    /// Open lots, newest first: a query, and a read of up to 100 lots.
    fn open_lots(&self, tenant: &TenantKey, limit: usize) -> impl Future<Output = Answer<Vec<Lot>>> + Send;

    /// Who waits for a lot.
    fn waiters(&self, tenant: &TenantKey, lot: &LotId) -> impl Future<Output = Answer<Vec<Waiter>>> + Send;

    /// Notes who waits; keeps since when.
    fn put_waiter(
        &self,
        tenant: &TenantKey,
        lot: &LotId,
        waiter: &Waiter,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Decisions by their ids, up to 100; those that are not there are left out.
    fn decisions(
        &self,
        tenant: &TenantKey,
        ids: &[DecisionId],
    ) -> impl Future<Output = Answer<Vec<Decision>>> + Send;

    /// How often decisions were used, up to 100.
    fn uses(
        &self,
        tenant: &TenantKey,
        ids: &[DecisionId],
    ) -> impl Future<Output = Answer<BTreeMap<DecisionId, Uses>>> + Send;

    /// Decisions, newest first, from before an id on.
    fn history(
        &self,
        tenant: &TenantKey,
        before: Option<&DecisionId>,
        limit: usize,
    ) -> impl Future<Output = Answer<Vec<Decision>>> + Send;

    /// Id and question of the decisions after an id, oldest first; one call a page of 1 MB.
    fn questions_after(
        &self,
        tenant: &TenantKey,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Answer<Vec<(String, String)>>> + Send;

    /// Where older questions are searched.
    fn manifest(&self, tenant: &TenantKey) -> impl Future<Output = Answer<Manifest>> + Send;

    /// False if it was changed by others first.
    fn put_manifest(
        &self,
        tenant: &TenantKey,
        manifest: &Manifest,
    ) -> impl Future<Output = Answer<bool>> + Send;

    /// A segment, ready to be searched; no call where this process has it already. `None` if it is gone.
    fn segment(&self, object_key: &str) -> impl Future<Output = Answer<Option<Arc<Index>>>> + Send;

    /// Keeps a segment.
    fn put_segment(&self, object_key: &str, segment: &Segment) -> impl Future<Output = Answer<()>> + Send;

    /// Keeps a context item with each of its concepts; a read and a conditional write each.
    fn put_context(
        &self,
        tenant: &TenantKey,
        item: &ContextItem,
        audit: &AuditEntry,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// The log, newest first, from before an id on.
    fn audit_log(
        &self,
        tenant: &TenantKey,
        before: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Answer<Vec<AuditEntry>>> + Send;
}
