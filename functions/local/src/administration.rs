//! `prevet admin`: on the table and bucket of the environment, or on a data folder, running or not.

use std::path::Path;

use prevet_app::App;
use prevet_app::administration::NewKey;
use prevet_app::ports::Tenant;
use prevet_domain::ids::TenantKey;
use prevet_domain::session::{Integration, KeyRecord, Product, Role};
use prevet_emulator::Emulator;
use prevet_routes::{Config, Service};
use prevet_store::Store;

use crate::LocalError;
use crate::files::{self, FolderLock};
use crate::server::{self, Embedded};

/// The use cases, and what has to stay alive for them.
pub struct Administration {
    app: App<Store>,
    embedded: Option<(Emulator, FolderLock)>,
}

impl Administration {
    /// On AWS, by `PREVET_TABLE`, `PREVET_BUCKET` and AWS's own variables.
    pub async fn on_aws() -> Result<Self, LocalError> {
        let service = Service::on_aws(&Config::from_env()?).await?;
        Ok(Self { app: service.app, embedded: None })
    }

    /// On a data folder. Where a server runs on it, that server's stores are used.
    pub async fn on_folder(folder: &Path) -> Result<Self, LocalError> {
        let running = async || files::reachable(folder).await.is_some();
        if let Some(Embedded { service, emulator, lock }) = Embedded::start(folder, None, running).await? {
            return Ok(Self { app: service.app, embedded: Some((emulator, lock)) });
        }
        let server = files::reachable(folder)
            .await
            .ok_or_else(|| LocalError::Locked { folder: folder.to_owned(), waited_seconds: 0 })?;
        let store = server::store(folder, &server.dynamodb_url, &server.s3_url).await?;
        Ok(Self { app: Service::new(store, None).app, embedded: None })
    }

    /// Makes a tenant.
    pub async fn create_tenant(&self, name: &str) -> Result<Tenant, LocalError> {
        Ok(self.app.create_tenant(name).await?)
    }

    /// Makes a key, good for `lifetime_seconds` from now or for ever.
    pub async fn create_key(
        &self,
        tenant: &TenantKey,
        role: Role,
        products: Vec<Product>,
        lifetime_seconds: Option<u64>,
    ) -> Result<NewKey, LocalError> {
        Ok(self.app.create_key(tenant, role, products, lifetime_seconds).await?)
    }

    /// Revokes a key by its id.
    pub async fn revoke_key(&self, id: &str) -> Result<KeyRecord, LocalError> {
        Ok(self.app.revoke_key(id).await?)
    }

    /// A tenant's keys, without the keys themselves.
    pub async fn list_keys(&self, tenant: &TenantKey) -> Result<Vec<KeyRecord>, LocalError> {
        Ok(self.app.list_keys(tenant).await?)
    }

    /// Connects a repository.
    pub async fn add_integration(
        &self,
        tenant: &TenantKey,
        integration: &Integration,
    ) -> Result<(), LocalError> {
        Ok(self.app.add_integration(tenant, integration).await?)
    }

    /// Ends what was started.
    pub async fn close(self) {
        if let Some((emulator, lock)) = self.embedded {
            emulator.stop().await;
            drop(lock);
        }
    }
}
