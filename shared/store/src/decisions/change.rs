//! Changes that happen whole or not at all.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{Delete, Put, TransactWriteItem, Update};
use prevet_app::decisions::ports::{AuditEntry, CONCEPT_ITEMS_MAX, Change, ContextItem, Form, Waiter};
use prevet_app::error::StorageError;
use prevet_domain::decision::lot::{Lot, State};
use prevet_domain::decision::search::Manifest;
use prevet_domain::ids::{DecisionId, LotId, TenantKey};
use serde::Serialize;

use super::read::{AskItem, ConceptItem, number};
use crate::item::{Attributes, Key};
use crate::{Store, failed, unreadable};

/// How often a list of context is written anew when others got in the way.
const ATTEMPTS_MAX: usize = 20;
/// What the latest context of a concept may have; the table's items end at 400 KB.
const CONCEPT_BYTES_MAX: usize = 200 << 10;
/// What a form may have.
const FORM_BYTES_MAX: usize = 300 << 10;

/// A lot in the list of open ones.
#[derive(Serialize)]
struct OpenItem<'a> {
    lot: &'a LotId,
}

impl Store {
    pub(super) async fn apply_change(
        &self,
        tenant: &TenantKey,
        change: &Change,
    ) -> Result<bool, StorageError> {
        let action = "changing a decision";
        let mut writes = Vec::new();
        for lot in &change.lots {
            let key = Key::lot(tenant, &lot.id);
            writes.push(self.put_version(key, lot, lot.version.checked_sub(1))?);
            writes.push(self.listing(tenant, lot)?);
        }
        for (hash, form) in &change.forms {
            let before = form.version.checked_sub(1).filter(|version| *version > 0);
            writes.push(self.put_version(Key::form(tenant, hash), bounded(form.clone()), before)?);
        }
        for decision in &change.decisions {
            let item = Key::decision(tenant, decision.id.as_str()).item(decision, None);
            writes.push(self.put(item.attributes()?)?);
        }
        for (ask, lot) in &change.asks {
            let item = Key::ask(tenant, ask).item(AskItem { lot: lot.clone() }, None);
            writes.push(self.put(item.attributes()?)?);
        }
        if let Some(synonyms) = &change.synonyms {
            let before = synonyms.version.checked_sub(1).filter(|version| *version > 0);
            writes.push(self.put_version(Key::synonyms(tenant), synonyms, before)?);
        }
        for entry in &change.audit {
            writes.push(self.put(audit_item(tenant, entry)?)?);
        }
        let request = self.dynamodb.transact_write_items().set_transact_items(Some(writes));
        match request.send().await {
            Ok(_) => Ok(true),
            Err(error) if is_lost(error.as_service_error()) => Ok(false),
            Err(error) => Err(failed(action, error)),
        }
    }

    /// A put that finds the version before, or nothing where there is none.
    fn put_version(
        &self,
        key: Key,
        data: impl Serialize,
        before: Option<u64>,
    ) -> Result<TransactWriteItem, StorageError> {
        let put = Put::builder().table_name(&self.table).set_item(Some(key.item(data, None).attributes()?));
        let put = match before {
            None => put.condition_expression("attribute_not_exists(pk)"),
            Some(version) => put
                .condition_expression("#data.#version = :version")
                .expression_attribute_names("#data", "data")
                .expression_attribute_names("#version", "version")
                .expression_attribute_values(":version", number(version)),
        };
        let put = put.build().map_err(|error| unreadable("writing an item", error))?;
        Ok(TransactWriteItem::builder().put(put).build())
    }

    fn listing(&self, tenant: &TenantKey, lot: &Lot) -> Result<TransactWriteItem, StorageError> {
        let key = Key::open_lot(tenant, lot.id.as_str());
        if lot.state == State::Open {
            return self.put(key.item(OpenItem { lot: &lot.id }, None).attributes()?);
        }
        let delete = Delete::builder().table_name(&self.table).set_key(Some(key.attributes())).build();
        Ok(TransactWriteItem::builder()
            .delete(delete.map_err(|error| unreadable("writing an item", error))?)
            .build())
    }

    pub(super) async fn count_use(
        &self,
        tenant: &TenantKey,
        decision: &DecisionId,
        audit: &AuditEntry,
    ) -> Result<(), StorageError> {
        let action = "counting a use";
        let mut last = None;
        for _ in 0..ATTEMPTS_MAX {
            let key = Key::uses(tenant, decision);
            // Two updates of one map's fields need the map to be there.
            let update = Update::builder()
                .table_name(&self.table)
                .set_key(Some(key.attributes()))
                .update_expression("ADD use_count :one SET last_at = :at")
                .expression_attribute_values(":one", number(1))
                .expression_attribute_values(":at", number(audit.at))
                .build()
                .map_err(|error| unreadable(action, error))?;
            let writes = vec![
                TransactWriteItem::builder().update(update).build(),
                self.put(audit_item(tenant, audit)?)?,
            ];
            let request = self.dynamodb.transact_write_items().set_transact_items(Some(writes));
            match request.send().await {
                Ok(_) => return Ok(()),
                Err(error) if is_lost(error.as_service_error()) => last = Some(error),
                Err(error) => return Err(failed(action, error)),
            }
        }
        Err(last.map_or_else(|| failed(action, "gave up"), |error| failed(action, error)))
    }

    pub(super) async fn note_waiter(
        &self,
        tenant: &TenantKey,
        lot: &LotId,
        waiter: &Waiter,
    ) -> Result<(), StorageError> {
        let key = Key::waiter(tenant, lot, &waiter.who, &waiter.ask);
        let request = self
            .dynamodb
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key.attributes()))
            .update_expression(
                "SET who = :who, ask = :ask, since = if_not_exists(since, :since), last_at = :last",
            )
            .expression_attribute_values(":who", text(&waiter.who))
            .expression_attribute_values(":ask", text(&waiter.ask))
            .expression_attribute_values(":since", number(waiter.since))
            .expression_attribute_values(":last", number(waiter.last_at));
        request.send().await.map(|_| ()).map_err(|error| failed("noting who waits", error))
    }

    pub(super) async fn keep_manifest(
        &self,
        tenant: &TenantKey,
        manifest: &Manifest,
    ) -> Result<bool, StorageError> {
        let before = manifest.version.checked_sub(1).filter(|version| *version > 0);
        self.put_if(Key::manifest(tenant), manifest, before, "keeping where questions are searched").await
    }

    async fn put_if(
        &self,
        key: Key,
        data: impl Serialize,
        before: Option<u64>,
        action: &'static str,
    ) -> Result<bool, StorageError> {
        let request = self.dynamodb.put_item().table_name(&self.table);
        let request = request.set_item(Some(key.item(data, None).attributes()?));
        let request = match before {
            None => request.condition_expression("attribute_not_exists(pk)"),
            Some(version) => request
                .condition_expression("#data.#version = :version")
                .expression_attribute_names("#data", "data")
                .expression_attribute_names("#version", "version")
                .expression_attribute_values(":version", number(version)),
        };
        match request.send().await {
            Ok(_) => Ok(true),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(PutItemError::is_conditional_check_failed_exception) =>
            {
                Ok(false)
            }
            Err(error) => Err(failed(action, error)),
        }
    }

    pub(super) async fn keep_context(
        &self,
        tenant: &TenantKey,
        item: &ContextItem,
        audit: &AuditEntry,
    ) -> Result<(), StorageError> {
        let own = Key::context_item(tenant, &item.id).item(item, None).attributes()?;
        let writes = vec![self.put(own)?, self.put(audit_item(tenant, audit)?)?];
        self.transact("sharing context", writes).await?;
        for concept in item.concepts.iter().map(String::as_str).chain([""]) {
            self.add_context(&Key::context(tenant, concept), item).await?;
        }
        Ok(())
    }

    async fn add_context(&self, key: &Key, item: &ContextItem) -> Result<(), StorageError> {
        let action = "sharing context";
        for _ in 0..ATTEMPTS_MAX {
            let latest: ConceptItem = self.read_one(key).await?.unwrap_or_default();
            let mut next = ConceptItem { version: latest.version + 1, items: latest.items };
            next.items.insert(0, item.clone());
            next.items.sort_by(|one, other| other.id.cmp(&one.id));
            next.items.truncate(CONCEPT_ITEMS_MAX);
            while next.items.len() > 1 && bytes(&next) > CONCEPT_BYTES_MAX {
                next.items.pop();
            }
            let before = Some(latest.version).filter(|version| *version > 0);
            if self.put_if(key.clone(), next, before, action).await? {
                return Ok(());
            }
        }
        Err(failed(action, "too many items at once"))
    }
}

/// The form within what an item may have: the oldest decisions go first.
fn bounded(mut form: Form) -> Form {
    while form.closed.len() > 1 && bytes(&form) > FORM_BYTES_MAX {
        form.closed.pop();
    }
    form
}

fn bytes(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |json| json.len())
}

fn audit_item(tenant: &TenantKey, entry: &AuditEntry) -> Result<Attributes, StorageError> {
    Key::audit(tenant, &entry.id).item(entry, None).attributes()
}

fn text(value: &str) -> aws_sdk_dynamodb::types::AttributeValue {
    aws_sdk_dynamodb::types::AttributeValue::S(value.to_owned())
}

/// Whether others were faster: a condition that does not hold any more, or a transaction at the same time.
fn is_lost(error: Option<&TransactWriteItemsError>) -> bool {
    error.is_some_and(|error| {
        error.is_transaction_canceled_exception() || error.is_transaction_in_progress_exception()
    })
}
