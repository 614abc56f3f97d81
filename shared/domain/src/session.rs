//! Sessions, keys and integrations, and who may do what with them.

use serde::{Deserialize, Serialize};

use crate::ids::{Branch, Developer, RepositoryName, Revision, SessionId, TenantKey};

/// What a key may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Product {
    /// Inspection.
    CodeReview,
    /// Decisions.
    Decisions,
}

impl Product {
    /// The product of that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "code-review" => Some(Self::CodeReview),
            "decisions" => Some(Self::Decisions),
            _ => None,
        }
    }

    /// The name on the command line and in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CodeReview => "code-review",
            Self::Decisions => "decisions",
        }
    }
}

/// Who holds a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A program: may not answer, dismiss or correct.
    Agent,
    /// A person.
    Human,
}

impl Role {
    /// The name on the command line and in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Human => "human",
        }
    }
}

/// What is stored of an API key; the key itself never is, only its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    /// A public id, to revoke it by.
    pub id: String,
    /// Whose it is.
    pub tenant: TenantKey,
    /// Who holds it.
    pub role: Role,
    /// What it is good for.
    pub products: Vec<Product>,
    /// Seconds since the epoch; none for a key that does not expire.
    pub expires_at: Option<u64>,
    /// Taken back.
    pub revoked: bool,
}

/// Why a call is refused. Neither message says whether a tenant exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// No `X-Product-API-Key`.
    #[error(
        "no API key was sent: put one in the X-Product-API-Key header (`prevet admin key create` makes one)"
    )]
    NoKey,
    /// Unknown, expired or revoked: the three are not told apart.
    #[error(
        "the API key is not valid (unknown, expired or revoked); ask the server's administrator for a new one"
    )]
    BadKey,
    /// Another tenant's key.
    #[error("the API key does not belong to that tenant_key")]
    OtherTenant,
    /// A program's key where a person acts.
    #[error(
        "an agent's key may not do this: people answer, dismiss and correct, with a key of the role human"
    )]
    NotAPerson,
    /// A key without the product.
    #[error("the API key does not include the product {}", .0.as_str())]
    NoProduct(Product),
}

/// Whether a key, looked up by its hash, is good for `product` at `now` (seconds since the epoch).
pub fn authenticate(
    record: Option<&KeyRecord>,
    product: Product,
    now: u64,
) -> Result<&KeyRecord, AccessError> {
    let live = |record: &&KeyRecord| !record.revoked && record.expires_at.is_none_or(|end| now < end);
    let record = record.filter(live).ok_or(AccessError::BadKey)?;
    if record.products.contains(&product) { Ok(record) } else { Err(AccessError::NoProduct(product)) }
}

/// [`authenticate`], and the key must be `tenant`'s.
pub fn authorize<'a>(
    record: Option<&'a KeyRecord>,
    tenant: &TenantKey,
    product: Product,
    now: u64,
) -> Result<&'a KeyRecord, AccessError> {
    match authenticate(record, product, now) {
        Ok(record) if record.tenant == *tenant => Ok(record),
        Ok(_) => Err(AccessError::OtherTenant),
        Err(AccessError::NoProduct(_)) if record.is_some_and(|record| record.tenant != *tenant) => {
            Err(AccessError::OtherTenant)
        }
        Err(error) => Err(error),
    }
}

/// A repository that a tenant has connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integration {
    /// `owner/name`.
    pub full_name: RepositoryName,
    /// The branch that changes are reviewed against.
    pub target_branch: Branch,
}

/// Who a session belongs to; one each.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionIdentity {
    /// The tenant.
    pub tenant: TenantKey,
    /// The repository, as its integration names it where there is one.
    pub repository: RepositoryName,
    /// Who works; one shared session where nobody is named.
    pub developer: Option<Developer>,
}

/// A session as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The capability.
    pub id: SessionId,
    /// Whose.
    pub identity: SessionIdentity,
    /// The branch at the last `POST /session`.
    pub branch: Branch,
    /// The head at the last `POST /session`.
    pub head: Revision,
    /// The uploaded diff, where there is one.
    pub upload: Option<Upload>,
    /// Counts the uploads; a writer that finds another number than it read has lost.
    pub generation: u64,
    /// The task that was checked last.
    pub prior_task: Option<PriorTask>,
    /// Seconds since the epoch after which the session is gone.
    pub expires_at: u64,
}

/// What was uploaded last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// The object that holds it.
    pub object_key: String,
    /// SHA-256 of the diff, hexadecimal.
    pub diff_sha256: String,
    /// SHA-256 of the context pack, hexadecimal; none where there was none.
    pub context_sha256: Option<String>,
    /// The diff's length in bytes.
    pub diff_bytes: u64,
    /// The commit the diff was taken against.
    pub base: Option<Revision>,
}

/// A task that `check_task` judged before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorTask {
    /// The task's words.
    pub task_description: String,
    /// Where they came from.
    pub task_source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> KeyRecord {
        KeyRecord {
            id: "k".into(),
            tenant: TenantKey::parse("ten_a").unwrap(),
            role: Role::Agent,
            products: vec![Product::CodeReview],
            expires_at: Some(100),
            revoked: false,
        }
    }

    #[test]
    fn access_table() {
        let (own, other) = (TenantKey::parse("ten_a").unwrap(), TenantKey::parse("ten_b").unwrap());
        let check = |record: Option<KeyRecord>,
                     tenant: &TenantKey,
                     product,
                     now,
                     expected: Result<(), AccessError>| {
            assert_eq!(authorize(record.as_ref(), tenant, product, now).map(|_| ()), expected);
        };
        check(Some(record()), &own, Product::CodeReview, 99, Ok(()));
        check(None, &own, Product::CodeReview, 99, Err(AccessError::BadKey));
        check(Some(record()), &own, Product::CodeReview, 100, Err(AccessError::BadKey));
        check(
            Some(KeyRecord { revoked: true, ..record() }),
            &own,
            Product::CodeReview,
            1,
            Err(AccessError::BadKey),
        );
        check(Some(record()), &other, Product::CodeReview, 1, Err(AccessError::OtherTenant));
        check(Some(record()), &other, Product::Decisions, 1, Err(AccessError::OtherTenant));
        check(Some(record()), &own, Product::Decisions, 1, Err(AccessError::NoProduct(Product::Decisions)));
    }
}
