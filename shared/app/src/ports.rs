//! What the use cases need of the world.
//!
//! Each method of [`Storage`] is one call to the store unless it says otherwise: what a request costs is part of
//! the design.

use std::collections::BTreeMap;
use std::future::Future;

use bytes::Bytes;
use prevet_domain::ids::{Branch, RepositoryName, Revision, SessionId, TenantKey};
use prevet_domain::session::{Integration, KeyRecord, PriorTask, Session, SessionIdentity, Upload};

use crate::error::StorageError;
use crate::inspection::{History, StoredReport};

/// What `POST /session` has to know, in one read.
#[derive(Debug, Clone, Default)]
pub struct SessionLookup {
    /// The key's record, whoever's it is.
    pub key: Option<KeyRecord>,
    /// The repository's integration under the stated tenant.
    pub integration: IntegrationLookup,
    /// The session of the identity as stated, which may have ended, or be another repository's by now.
    pub session_id: Option<SessionId>,
}

/// What is known of a repository's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum IntegrationLookup {
    /// Not connected.
    #[default]
    None,
    /// One repository of that name.
    One(Integration),
    /// Several owners have one of that name.
    Ambiguous(Vec<String>),
}

/// Where a body can be put from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The address, which is the permission.
    pub url: String,
    /// The headers that have to come along.
    pub headers: BTreeMap<String, String>,
}

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// Its key.
    pub key: TenantKey,
    /// Its name, for people.
    pub name: String,
}

/// The state that one use of a session sets anew.
#[derive(Debug, Clone)]
pub struct SessionTouch {
    /// The current branch.
    pub branch: Branch,
    /// The current head.
    pub head: Revision,
    /// The time of the call, in seconds since the epoch.
    pub now: u64,
    /// When the session ends if it is not used again.
    pub expires_at: u64,
}

type Answer<T> = Result<T, StorageError>;

/// Everything that is kept.
pub trait Storage: Clone + Send + Sync + 'static {
    /// Key, integration and identity, in one read.
    fn look_up_session(
        &self,
        key_hash: &str,
        tenant: &TenantKey,
        identity: &SessionIdentity,
    ) -> impl Future<Output = Answer<SessionLookup>> + Send;

    /// Refreshes a live session and gives it as it is then; `None` if it ended.
    fn touch_session(
        &self,
        id: &SessionId,
        touch: &SessionTouch,
    ) -> impl Future<Output = Answer<Option<Session>>> + Send;

    /// Makes the session its identity's, unless the identity has another live one: then that one's id comes back.
    fn create_session(
        &self,
        session: &Session,
        stale: Option<&SessionId>,
    ) -> impl Future<Output = Answer<Option<SessionId>>> + Send;

    /// Key and session, in one read.
    fn look_up_upload(
        &self,
        key_hash: &str,
        id: &SessionId,
    ) -> impl Future<Output = Answer<(Option<KeyRecord>, Option<Session>)>> + Send;

    /// A key's record.
    fn key(&self, key_hash: &str) -> impl Future<Output = Answer<Option<KeyRecord>>> + Send;

    /// Moves the end of a live session and gives it as it is; `None` if it ended.
    fn use_session(
        &self,
        id: &SessionId,
        now: u64,
        expires_at: u64,
    ) -> impl Future<Output = Answer<Option<Session>>> + Send;

    /// The session of an identity, ended or not.
    fn session_of(
        &self,
        identity: &SessionIdentity,
    ) -> impl Future<Output = Answer<Option<SessionId>>> + Send;

    /// Lets an identity stand for another's session: the same repository by another of its names.
    fn put_alias(
        &self,
        identity: &SessionIdentity,
        id: &SessionId,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Keeps an upload's body.
    fn put_body(&self, object_key: &str, body: Vec<u8>) -> impl Future<Output = Answer<()>> + Send;

    /// An upload's body, if it is still there.
    fn body(&self, object_key: &str) -> impl Future<Output = Answer<Option<Bytes>>> + Send;

    /// Whether an upload's body is still there.
    fn has_body(&self, object_key: &str) -> impl Future<Output = Answer<bool>> + Send;

    /// Where a body of exactly `body_bytes` can be put from outside for `seconds`. No call.
    fn place(
        &self,
        object_key: &str,
        body_bytes: u64,
        seconds: u64,
    ) -> impl Future<Output = Answer<Place>> + Send;

    /// Takes away what was put at a place, if it is there and no more than `bytes_max`. Two calls.
    fn take_placed(
        &self,
        object_key: &str,
        bytes_max: usize,
    ) -> impl Future<Output = Answer<Option<Bytes>>> + Send;

    /// Makes `upload` the session's; false if the session is gone.
    fn record_upload(
        &self,
        id: &SessionId,
        upload: &Upload,
        expires_at: u64,
    ) -> impl Future<Output = Answer<bool>> + Send;

    /// Makes `task` the one that was checked last; false if the session is gone.
    fn record_prior_task(
        &self,
        id: &SessionId,
        task: &PriorTask,
        expires_at: u64,
    ) -> impl Future<Output = Answer<bool>> + Send;

    /// A repository's integration.
    fn integration(
        &self,
        tenant: &TenantKey,
        repository: &RepositoryName,
    ) -> impl Future<Output = Answer<IntegrationLookup>> + Send;

    /// A stored report and a branch's history, in one read (two calls for a report too large for the table).
    fn look_up_report(
        &self,
        id: &SessionId,
        report_key: &str,
        branch: &Branch,
    ) -> impl Future<Output = Answer<(Option<StoredReport>, History)>> + Send;

    /// Keeps a report (two calls for one too large for the table).
    fn put_report(
        &self,
        id: &SessionId,
        report_key: &str,
        report: &StoredReport,
        expires_at: u64,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Keeps a branch's history.
    fn put_history(
        &self,
        id: &SessionId,
        branch: &Branch,
        history: &History,
        expires_at: u64,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Notes that files were changed, for the freshness of what was decided about them: two calls for up to 25 files.
    fn note_file_changes(
        &self,
        tenant: &TenantKey,
        files: &[String],
        at: u64,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Makes a tenant.
    fn create_tenant(&self, tenant: &Tenant) -> impl Future<Output = Answer<()>> + Send;

    /// Whether a tenant exists.
    fn tenant(&self, key: &TenantKey) -> impl Future<Output = Answer<Option<Tenant>>> + Send;

    /// Keeps a key's record under its hash; several items in one transaction.
    fn create_key(&self, key_hash: &str, record: &KeyRecord) -> impl Future<Output = Answer<()>> + Send;

    /// Revokes the key of that id; `None` if there is none. A read and a transaction.
    fn revoke_key(&self, id: &str) -> impl Future<Output = Answer<Option<KeyRecord>>> + Send;

    /// A tenant's keys; one call a page of 1 MB.
    fn keys(&self, tenant: &TenantKey) -> impl Future<Output = Answer<Vec<KeyRecord>>> + Send;

    /// Connects a repository, by its full and by its bare name. A read and a transaction.
    fn put_integration(
        &self,
        tenant: &TenantKey,
        integration: &Integration,
    ) -> impl Future<Output = Answer<()>> + Send;
}

/// A repository's name without its owner.
pub fn bare_name(name: &RepositoryName) -> &str {
    name.as_str().rsplit('/').next().unwrap_or(name.as_str())
}
