//! Items of the table: two key strings, a time to live, and the data.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use prevet_app::digest;
use prevet_app::error::StorageError;
use prevet_domain::ids::{Branch, SessionId, TenantKey};
use prevet_domain::session::SessionIdentity;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::unreadable;

/// An item's raw form.
pub type Attributes = HashMap<String, AttributeValue>;

/// An item with its data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Item<T> {
    /// Partition key.
    pub pk: String,
    /// Sort key.
    pub sk: String,
    /// Seconds since the epoch after which the table may forget the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// What it holds.
    pub data: T,
}

/// The key of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Partition key.
    pub pk: String,
    /// Sort key.
    pub sk: String,
}

impl Key {
    pub(crate) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self { pk: pk.into(), sk: sk.into() }
    }

    /// An API key's record, by the key's hash.
    pub fn api_key(hash: &str) -> Self {
        Self::new(format!("key#{hash}"), "key")
    }

    /// Which hash an API key's public id stands for.
    pub fn api_key_id(id: &str) -> Self {
        Self::new(format!("key-id#{id}"), "key")
    }

    /// An API key's record in its tenant's list.
    pub fn tenant_api_key(tenant: &TenantKey, id: &str) -> Self {
        Self::new(format!("tenant#{tenant}"), format!("key#{id}"))
    }

    /// A tenant.
    pub fn tenant(tenant: &TenantKey) -> Self {
        Self::new(format!("tenant#{tenant}"), "tenant")
    }

    /// A tenant's repository, by its full or bare name, whatever the case.
    pub fn integration(tenant: &TenantKey, name: &str) -> Self {
        Self::new(format!("tenant#{tenant}"), format!("repository#{}", name.to_lowercase()))
    }

    /// An identity's session.
    pub fn identity(identity: &SessionIdentity) -> Self {
        let developer = identity.developer.as_ref().map_or("", |developer| developer.as_str());
        let parts = [identity.tenant.as_str(), identity.repository.as_str(), developer];
        Self::new(format!("identity#{}", digest(&parts.map(str::as_bytes))), "session")
    }

    /// A session.
    pub fn session(id: &SessionId) -> Self {
        Self::new(format!("session#{id}"), "session")
    }

    /// A session's report.
    pub fn report(id: &SessionId, report_key: &str) -> Self {
        Self::new(format!("session#{id}"), format!("report#{report_key}"))
    }

    /// A session's history on a branch.
    pub fn history(id: &SessionId, branch: &Branch) -> Self {
        Self::new(format!("session#{id}"), format!("history#{}", digest(&[branch.as_str().as_bytes()])))
    }

    /// What a tenant's models cost on a day, in days since the epoch.
    pub fn usage(tenant: &TenantKey, day: u64) -> Self {
        Self::new(format!("tenant#{tenant}"), format!("usage#{day}"))
    }

    /// As the SDK wants it.
    pub fn attributes(&self) -> Attributes {
        HashMap::from([
            ("pk".to_owned(), AttributeValue::S(self.pk.clone())),
            ("sk".to_owned(), AttributeValue::S(self.sk.clone())),
        ])
    }

    /// An item of this key.
    pub fn item<T>(self, data: T, expires_at: Option<u64>) -> Item<T> {
        Item { pk: self.pk, sk: self.sk, expires_at, data }
    }
}

impl<T: Serialize> Item<T> {
    /// As the SDK wants it.
    pub fn attributes(&self) -> Result<Attributes, StorageError> {
        serde_dynamo::to_item(self).map_err(|error| unreadable("writing an item", error))
    }
}

/// The data of an item.
pub fn data<T: DeserializeOwned>(attributes: Attributes) -> Result<T, StorageError> {
    let item: Item<T> =
        serde_dynamo::from_item(attributes).map_err(|error| unreadable("reading an item", error))?;
    Ok(item.data)
}

/// The data of the item of `key` among `items`.
pub fn find<T: DeserializeOwned>(items: &mut Vec<Attributes>, key: &Key) -> Result<Option<T>, StorageError> {
    let is = |item: &Attributes, name: &str, value: &str| {
        item.get(name).and_then(|it| it.as_s().ok()).is_some_and(|it| it == value)
    };
    let position = items.iter().position(|item| is(item, "pk", &key.pk) && is(item, "sk", &key.sk));
    position.map(|at| data(items.swap_remove(at))).transpose()
}
