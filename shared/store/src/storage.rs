//! The port itself: each method hands on to the module that does it.

use bytes::Bytes;
use prevet_app::error::StorageError;
use prevet_app::inspection::{History, StoredReport};
use prevet_app::ports::{IntegrationLookup, Place, SessionLookup, SessionTouch, Storage, Tenant};
use prevet_domain::ids::{Branch, RepositoryName, SessionId, TenantKey};
use prevet_domain::session::{Integration, KeyRecord, PriorTask, Session, SessionIdentity, Upload};

use crate::Store;
use crate::administration::TenantItem;
use crate::item::Key;
use crate::sessions::IntegrationItem;

type Answer<T> = Result<T, StorageError>;

impl Storage for Store {
    async fn look_up_session(
        &self,
        key_hash: &str,
        tenant: &TenantKey,
        identity: &SessionIdentity,
    ) -> Answer<SessionLookup> {
        self.session_lookup(key_hash, tenant, identity).await
    }

    async fn touch_session(&self, id: &SessionId, touch: &SessionTouch) -> Answer<Option<Session>> {
        self.touch(id, touch).await
    }

    async fn create_session(
        &self,
        session: &Session,
        stale: Option<&SessionId>,
    ) -> Answer<Option<SessionId>> {
        self.create(session, stale).await
    }

    async fn look_up_upload(
        &self,
        key_hash: &str,
        id: &SessionId,
    ) -> Answer<(Option<KeyRecord>, Option<Session>)> {
        self.upload_lookup(key_hash, id).await
    }

    async fn key(&self, key_hash: &str) -> Answer<Option<KeyRecord>> {
        self.read_one(&Key::api_key(key_hash)).await
    }

    async fn use_session(&self, id: &SessionId, now: u64, expires_at: u64) -> Answer<Option<Session>> {
        self.move_end(id, now, expires_at).await
    }

    async fn session_of(&self, identity: &SessionIdentity) -> Answer<Option<SessionId>> {
        self.identity_session(identity).await
    }

    async fn put_alias(&self, identity: &SessionIdentity, id: &SessionId) -> Answer<()> {
        self.keep_alias(identity, id).await
    }

    async fn put_body(&self, object_key: &str, body: Vec<u8>) -> Answer<()> {
        self.put_object(object_key, &body).await
    }

    async fn body(&self, object_key: &str) -> Answer<Option<Bytes>> {
        self.object(object_key).await
    }

    async fn has_body(&self, object_key: &str) -> Answer<bool> {
        self.has_object(object_key).await
    }

    async fn place(&self, object_key: &str, body_bytes: u64, seconds: u64) -> Answer<Place> {
        self.presigned_put(object_key, body_bytes, seconds).await
    }

    async fn take_placed(&self, object_key: &str, bytes_max: usize) -> Answer<Option<Bytes>> {
        self.take_raw_object(object_key, bytes_max).await
    }

    async fn record_upload(&self, id: &SessionId, upload: &Upload, expires_at: u64) -> Answer<bool> {
        self.set_upload(id, upload, expires_at).await
    }

    async fn record_prior_task(&self, id: &SessionId, task: &PriorTask, expires_at: u64) -> Answer<bool> {
        self.set_prior_task(id, task, expires_at).await
    }

    async fn integration(
        &self,
        tenant: &TenantKey,
        repository: &RepositoryName,
    ) -> Answer<IntegrationLookup> {
        let item: Option<IntegrationItem> =
            self.read_one(&Key::integration(tenant, repository.as_str())).await?;
        Ok(item.unwrap_or_default().into())
    }

    async fn look_up_report(
        &self,
        id: &SessionId,
        report_key: &str,
        branch: &Branch,
    ) -> Answer<(Option<StoredReport>, History)> {
        self.report_lookup(id, report_key, branch).await
    }

    async fn put_report(
        &self,
        id: &SessionId,
        report_key: &str,
        report: &StoredReport,
        expires_at: u64,
    ) -> Answer<()> {
        self.keep_packed(&Key::report(id, report_key), report, expires_at).await
    }

    async fn put_history(
        &self,
        id: &SessionId,
        branch: &Branch,
        history: &History,
        expires_at: u64,
    ) -> Answer<()> {
        self.keep_packed(&Key::history(id, branch), history, expires_at).await
    }

    async fn note_file_changes(&self, tenant: &TenantKey, files: &[String], at: u64) -> Answer<()> {
        self.keep_file_changes(tenant, files, at).await
    }

    async fn create_tenant(&self, tenant: &Tenant) -> Answer<()> {
        self.keep_tenant(tenant).await
    }

    async fn tenant(&self, key: &TenantKey) -> Answer<Option<Tenant>> {
        let item: Option<TenantItem> = self.read_one(&Key::tenant(key)).await?;
        Ok(item.map(|item| Tenant { key: key.clone(), name: item.name }))
    }

    async fn create_key(&self, key_hash: &str, record: &KeyRecord) -> Answer<()> {
        self.keep_key(key_hash, record).await
    }

    async fn revoke_key(&self, id: &str) -> Answer<Option<KeyRecord>> {
        self.revoke(id).await
    }

    async fn keys(&self, tenant: &TenantKey) -> Answer<Vec<KeyRecord>> {
        self.listed_keys(tenant).await
    }

    async fn put_integration(&self, tenant: &TenantKey, integration: &Integration) -> Answer<()> {
        self.keep_integration(tenant, integration).await
    }
}
