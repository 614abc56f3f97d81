//! Where the items of decisions are.

use prevet_app::digest;
use prevet_domain::ids::{DecisionId, LotId, TenantKey};

use crate::item::Key;

impl Key {
    /// What a request's stable key belongs to.
    pub fn ask(tenant: &TenantKey, stable_key: &str) -> Self {
        Self::new(format!("tenant#{tenant}#ask#{stable_key}"), "ask")
    }

    /// Everything that is asked in one canonical form.
    pub fn form(tenant: &TenantKey, hash: &str) -> Self {
        Self::new(format!("tenant#{tenant}#form#{hash}"), "form")
    }

    /// A lot.
    pub fn lot(tenant: &TenantKey, id: &LotId) -> Self {
        Self::new(format!("tenant#{tenant}#lot#{id}"), "lot")
    }

    /// Somebody who waits for a lot.
    pub fn waiter(tenant: &TenantKey, lot: &LotId, who: &str, ask: &str) -> Self {
        let name = digest(&[who.as_bytes(), ask.as_bytes()]);
        Self::new(format!("tenant#{tenant}#lot#{lot}"), format!("waiter#{name}"))
    }

    /// An open lot, in the list of its tenant: there for as long as it is open.
    pub fn open_lot(tenant: &TenantKey, id: &str) -> Self {
        Self::new(format!("tenant#{tenant}#open"), format!("lot#{id}"))
    }

    /// A decision; those of a tenant sort by time.
    pub fn decision(tenant: &TenantKey, id: &str) -> Self {
        Self::new(format!("tenant#{tenant}#decisions"), format!("decision#{id}"))
    }

    /// How often a decision was used.
    pub fn uses(tenant: &TenantKey, id: &DecisionId) -> Self {
        Self::new(format!("tenant#{tenant}#uses#{id}"), "uses")
    }

    /// A tenant's own synonyms.
    pub fn synonyms(tenant: &TenantKey) -> Self {
        Self::new(format!("tenant#{tenant}"), "synonyms")
    }

    /// Where a tenant's older questions are searched.
    pub fn manifest(tenant: &TenantKey) -> Self {
        Self::new(format!("tenant#{tenant}"), "manifest")
    }

    /// The latest context of a concept; of the whole tenant for an empty one.
    pub fn context(tenant: &TenantKey, concept: &str) -> Self {
        Self::new(format!("tenant#{tenant}#context#{}", digest(&[concept.as_bytes()])), "latest")
    }

    /// A context item.
    pub fn context_item(tenant: &TenantKey, id: &str) -> Self {
        Self::new(format!("tenant#{tenant}#context"), format!("item#{id}"))
    }

    /// When a file was changed.
    pub fn file_changes(tenant: &TenantKey, file: &str) -> Self {
        Self::new(format!("tenant#{tenant}#file#{}", digest(&[file.as_bytes()])), "changes")
    }

    /// A line of the audit log; those of a tenant sort by time.
    pub fn audit(tenant: &TenantKey, id: &str) -> Self {
        Self::new(format!("tenant#{tenant}#audit"), format!("audit#{id}"))
    }
}
