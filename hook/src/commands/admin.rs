//! `prevet admin`: tenants, keys and integrations.

use prevet_domain::ids::{Branch, NameError, RepositoryName, TenantKey};
use prevet_domain::kind::Kind;
use prevet_domain::session::{Integration, KeyRecord, Product, Role};
use prevet_local::administration::Administration;
use serde_json::{Value, json};

use crate::cli::{Admin, AdminKey, AdminRepo, AdminTenant, AdminVerb, KeyProduct, KeyRole};
use crate::console;
use crate::error::CommandError;

/// Does it and prints the outcome.
pub async fn run(arguments: Admin) -> Result<u8, CommandError> {
    let administration = match &arguments.data {
        Some(folder) => Administration::on_folder(folder).await?,
        None => Administration::on_aws().await?,
    };
    let outcome = act(&administration, arguments.verb).await;
    administration.close().await;
    console::json(&outcome?)?;
    Ok(0)
}

async fn act(administration: &Administration, verb: AdminVerb) -> Result<Value, CommandError> {
    match verb {
        AdminVerb::Tenant(AdminTenant::Create { name }) => {
            let tenant = administration.create_tenant(&name).await?;
            Ok(json!({ "tenant_key": tenant.key }))
        }
        AdminVerb::Key(verb) => act_on_keys(administration, verb).await,
        AdminVerb::Repo(AdminRepo::Add { tenant, repository, target }) => {
            let tenant = TenantKey::parse(&tenant).map_err(|error| usage(&error))?;
            let integration = Integration {
                full_name: RepositoryName::parse(&repository).map_err(|error| usage(&error))?,
                target_branch: Branch::parse(&target).map_err(|error| usage(&error))?,
            };
            administration.add_integration(&tenant, &integration).await?;
            Ok(json!({ "tenant_key": tenant, "repo_full": repository, "target_branch": target }))
        }
    }
}

async fn act_on_keys(administration: &Administration, verb: AdminKey) -> Result<Value, CommandError> {
    match verb {
        AdminKey::Create { tenant, role, product, expires } => {
            let tenant = TenantKey::parse(&tenant).map_err(|error| usage(&error))?;
            let role = match role {
                KeyRole::Agent => Role::Agent,
                KeyRole::Human => Role::Human,
            };
            let lifetime_seconds = expires.as_deref().map(duration_seconds).transpose()?;
            let new = administration.create_key(&tenant, role, products(&product), lifetime_seconds).await?;
            let expires_at = new.record.expires_at.map(timestamp).transpose()?;
            Ok(json!({ "id": new.record.id, "key": new.key, "expires_at": expires_at }))
        }
        AdminKey::Revoke { id } => listed(&administration.revoke_key(&id).await?),
        AdminKey::List { tenant } => {
            let tenant = TenantKey::parse(&tenant).map_err(|error| usage(&error))?;
            administration
                .list_keys(&tenant)
                .await?
                .iter()
                .map(listed)
                .collect::<Result<Vec<_>, _>>()
                .map(Value::Array)
        }
    }
}

fn products(named: &[KeyProduct]) -> Vec<Product> {
    let product = |it: &KeyProduct| match it {
        KeyProduct::CodeReview => Product::CodeReview,
        KeyProduct::Decisions => Product::Decisions,
    };
    named.iter().map(product).collect()
}

fn listed(record: &KeyRecord) -> Result<Value, CommandError> {
    let products: Vec<&str> = record.products.iter().map(|it| it.as_str()).collect();
    let expires_at = record.expires_at.map(timestamp).transpose()?;
    let (id, role, revoked) = (&record.id, record.role.as_str(), record.revoked);
    Ok(json!({ "id": id, "role": role, "products": products, "expires_at": expires_at, "revoked": revoked }))
}

fn timestamp(seconds: u64) -> Result<String, CommandError> {
    let seconds = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    seconds
        .map(|it| it.to_string())
        .ok_or_else(|| CommandError::usage("the expiry is too far away to be written"))
}

fn usage(error: &NameError) -> CommandError {
    CommandError::of(Kind::Invalid, error)
}

/// `90d`, `12h`, `30m`, `45s` in seconds.
fn duration_seconds(text: &str) -> Result<u64, CommandError> {
    let refused = || CommandError::usage(format!("{text:?} is not a duration such as 90d, 12h, 30m or 45s"));
    let unit = text.chars().last().ok_or_else(refused)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return Err(refused()),
    };
    let count: u64 = text[..text.len() - 1].parse().map_err(|_| refused())?;
    count.checked_mul(seconds).filter(|it| *it > 0).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check =
            |text: &str, expected: Option<u64>| assert_eq!(duration_seconds(text).ok(), expected, "{text:?}");
        check("90d", Some(7_776_000));
        check("12h", Some(43_200));
        check("45s", Some(45));
        for bad in ["", "d", "90", "-1d", "0d", "1y", "9é", "99999999999999999999d"] {
            check(bad, None);
        }
    }
}
