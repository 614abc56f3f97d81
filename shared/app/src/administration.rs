//! Tenants, keys and integrations.

use prevet_domain::ids::TenantKey;
use prevet_domain::session::{Integration, KeyRecord, Product, Role};

use crate::App;
use crate::error::AppError;
use crate::ports::{Storage, Tenant};
use crate::sessions::key_hash;

/// A key that was just made: the only time that it is seen.
#[derive(Clone)]
pub struct NewKey {
    /// The key.
    pub key: String,
    /// What is kept of it.
    pub record: KeyRecord,
}

impl<S: Storage> App<S> {
    /// Makes a tenant with a key of its own.
    pub async fn create_tenant(&self, name: &str) -> Result<Tenant, AppError> {
        let name = name.trim();
        if name.is_empty() || name.len() > prevet_domain::limits::NAME_BYTES_MAX {
            return Err(AppError::Input("a tenant's name has 1 to 255 bytes".to_owned()));
        }
        let key = TenantKey::parse(&format!("ten_{}", &self.token()?[..20]))?;
        let tenant = Tenant { key, name: name.to_owned() };
        self.storage.create_tenant(&tenant).await?;
        Ok(tenant)
    }

    /// Makes a key; `lifetime_seconds` from now, or for ever.
    pub async fn create_key(
        &self,
        tenant: &TenantKey,
        role: Role,
        products: Vec<Product>,
        lifetime_seconds: Option<u64>,
    ) -> Result<NewKey, AppError> {
        self.existing_tenant(tenant).await?;
        if products.is_empty() {
            return Err(AppError::Input(
                "a key needs at least one product: code-review, decisions".to_owned(),
            ));
        }
        let key = format!("pvk_{}_{}", role.as_str(), self.token()?);
        let expires_at = lifetime_seconds.map(|seconds| self.now().saturating_add(seconds));
        let id = format!("key_{}", &self.token()?[..16]);
        let record = KeyRecord { id, tenant: tenant.clone(), role, products, expires_at, revoked: false };
        self.storage.create_key(&key_hash(Some(&key))?, &record).await?;
        Ok(NewKey { key, record })
    }

    /// Revokes a key by its id.
    pub async fn revoke_key(&self, id: &str) -> Result<KeyRecord, AppError> {
        let revoked = self.storage.revoke_key(id).await?;
        revoked.ok_or_else(|| {
            AppError::Missing(format!("there is no key with the id {id}; `prevet admin key list` names them"))
        })
    }

    /// A tenant's keys, without the keys themselves.
    pub async fn list_keys(&self, tenant: &TenantKey) -> Result<Vec<KeyRecord>, AppError> {
        self.existing_tenant(tenant).await?;
        Ok(self.storage.keys(tenant).await?)
    }

    /// Connects a repository.
    pub async fn add_integration(
        &self,
        tenant: &TenantKey,
        integration: &Integration,
    ) -> Result<(), AppError> {
        let full = integration.full_name.as_str();
        if full.split('/').filter(|part| !part.is_empty()).count() != 2 {
            return Err(AppError::Input(format!("{full:?} is not of the form OWNER/NAME")));
        }
        self.existing_tenant(tenant).await?;
        Ok(self.storage.put_integration(tenant, integration).await?)
    }

    /// Whether a key is good for anything now.
    pub async fn check_key(&self, api_key: &str) -> Result<KeyRecord, AppError> {
        let record = self.storage.key(&key_hash(Some(api_key))?).await?;
        let live =
            |record: &KeyRecord| !record.revoked && record.expires_at.is_none_or(|end| self.now() < end);
        Ok(record.filter(live).ok_or(prevet_domain::session::AccessError::BadKey)?)
    }

    async fn existing_tenant(&self, tenant: &TenantKey) -> Result<Tenant, AppError> {
        let found = self.storage.tenant(tenant).await?;
        found.ok_or_else(|| {
            AppError::Missing(format!("there is no tenant {tenant}; `prevet admin tenant create` makes one"))
        })
    }
}
