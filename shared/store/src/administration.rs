//! Tenants, keys and integrations.

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use prevet_app::error::StorageError;
use prevet_app::ports::{Tenant, bare_name};
use prevet_domain::ids::TenantKey;
use prevet_domain::session::{Integration, KeyRecord};
use serde::{Deserialize, Serialize};

use crate::item::{Key, data, find};
use crate::sessions::IntegrationItem;
use crate::{Store, failed};

/// A tenant's data.
#[derive(Debug, Serialize, Deserialize)]
pub struct TenantItem {
    /// Its name.
    pub name: String,
}

/// Which hash a key's id stands for.
#[derive(Debug, Serialize, Deserialize)]
struct KeyIdItem {
    hash: String,
}

impl Store {
    pub(crate) async fn keep_tenant(&self, tenant: &Tenant) -> Result<(), StorageError> {
        let item = Key::tenant(&tenant.key).item(TenantItem { name: tenant.name.clone() }, None);
        let request = self.dynamodb.put_item().table_name(&self.table).set_item(Some(item.attributes()?));
        let request = request.condition_expression("attribute_not_exists(pk)");
        request.send().await.map(|_| ()).map_err(|error| failed("making a tenant", error))
    }

    pub(crate) async fn transact(
        &self,
        action: &'static str,
        items: Vec<TransactWriteItem>,
    ) -> Result<(), StorageError> {
        let request = self.dynamodb.transact_write_items().set_transact_items(Some(items));
        request.send().await.map(|_| ()).map_err(|error| failed(action, error))
    }

    /// The three items of a key: by hash, by id, and in its tenant's list.
    pub(crate) async fn keep_key(&self, hash: &str, record: &KeyRecord) -> Result<(), StorageError> {
        let by_hash = Key::api_key(hash).item(record, None).attributes()?;
        let by_id =
            Key::api_key_id(&record.id).item(KeyIdItem { hash: hash.to_owned() }, None).attributes()?;
        let listed = Key::tenant_api_key(&record.tenant, &record.id).item(record, None).attributes()?;
        self.transact("keeping a key", vec![self.put(by_hash)?, self.put(by_id)?, self.put(listed)?]).await
    }

    pub(crate) async fn revoke(&self, id: &str) -> Result<Option<KeyRecord>, StorageError> {
        let Some(KeyIdItem { hash }) = self.read_one(&Key::api_key_id(id)).await? else { return Ok(None) };
        let Some(record) = self.read_one::<KeyRecord>(&Key::api_key(&hash)).await? else { return Ok(None) };
        let record = KeyRecord { revoked: true, ..record };
        self.keep_key(&hash, &record).await?;
        Ok(Some(record))
    }

    pub(crate) async fn listed_keys(&self, tenant: &TenantKey) -> Result<Vec<KeyRecord>, StorageError> {
        let action = "listing a tenant's keys";
        let start = Key::tenant_api_key(tenant, "");
        let request = self
            .dynamodb
            .query()
            .table_name(&self.table)
            .key_condition_expression("pk = :pk AND begins_with(sk, :sk)")
            .expression_attribute_values(":pk", AttributeValue::S(start.pk))
            .expression_attribute_values(":sk", AttributeValue::S(start.sk));
        let mut pages = request.into_paginator().items().send();
        let mut records = Vec::new();
        while let Some(item) = pages.next().await {
            records.push(data(item.map_err(|error| failed(action, error))?)?);
        }
        Ok(records)
    }

    pub(crate) async fn keep_integration(
        &self,
        tenant: &TenantKey,
        integration: &Integration,
    ) -> Result<(), StorageError> {
        let full = Key::integration(tenant, integration.full_name.as_str());
        let bare = Key::integration(tenant, bare_name(&integration.full_name));
        let mut items = self.read(std::slice::from_ref(&bare)).await?;
        let mut known = find::<IntegrationItem>(&mut items, &bare)?.unwrap_or_default();
        known.integrations.retain(|other| !same_name(other, integration));
        known.integrations.push(integration.clone());
        let one = IntegrationItem { integrations: vec![integration.clone()] };
        let puts = [full.item(one, None).attributes()?, bare.item(known, None).attributes()?];
        let puts = puts.into_iter().map(|item| self.put(item)).collect::<Result<Vec<_>, _>>()?;
        self.transact("connecting a repository", puts).await
    }
}

fn same_name(one: &Integration, other: &Integration) -> bool {
    one.full_name.as_str().eq_ignore_ascii_case(other.full_name.as_str())
}
