//! The reads of the exact path, and of single items.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use prevet_app::decisions::ports::{ContextItem, Exact, FILE_CHANGES_MAX, Found};
use prevet_app::error::StorageError;
use prevet_domain::decision::lot::Lot;
use prevet_domain::decision::record::{Decision, Uses};
use prevet_domain::ids::{DecisionId, LotId, TenantKey};
use serde::{Deserialize, Serialize};

use crate::item::{Key, find};
use crate::{Store, failed, unreadable};

/// A file that is inspected again within this time was changed once.
const CHANGE_SECONDS: u64 = 60 * 60;
/// Files of one note: what one batch writes.
const NOTED_FILES_MAX: usize = 25;

/// What an ask belongs to.
#[derive(Debug, Serialize, Deserialize)]
pub struct AskItem {
    /// The lot.
    pub lot: LotId,
}

/// The latest context of a concept, newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ConceptItem {
    /// Counts changes.
    pub version: u64,
    /// The items.
    pub items: Vec<ContextItem>,
}

/// When a file was changed, oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
struct FileItem {
    file: String,
    times: Vec<u64>,
}

/// How often a decision was used.
#[derive(Debug, Deserialize)]
struct UsesItem {
    pk: String,
    use_count: u64,
    last_at: u64,
}

impl Store {
    pub(super) async fn exact(&self, tenant: &TenantKey, wanted: &Exact<'_>) -> Result<Found, StorageError> {
        let ask = wanted.ask.map(|ask| Key::ask(tenant, ask));
        let forms: Vec<(&String, Key)> =
            wanted.forms.iter().map(|hash| (hash, Key::form(tenant, hash))).collect();
        let concepts: BTreeSet<&str> = wanted.concepts.iter().map(String::as_str).chain([""]).collect();
        let concepts: Vec<(&str, Key)> =
            concepts.into_iter().map(|it| (it, Key::context(tenant, it))).collect();
        let files: Vec<(&String, Key)> =
            wanted.files.iter().map(|file| (file, Key::file_changes(tenant, file))).collect();
        let (synonyms, manifest) = (Key::synonyms(tenant), Key::manifest(tenant));
        let mut keys: Vec<Key> = ask.iter().cloned().chain([synonyms.clone(), manifest.clone()]).collect();
        keys.extend(forms.iter().map(|(_, key)| key.clone()));
        keys.extend(concepts.iter().map(|(_, key)| key.clone()));
        keys.extend(files.iter().map(|(_, key)| key.clone()));
        let mut items = self.read(&keys).await?;
        let mut found = Found {
            synonyms: find(&mut items, &synonyms)?.unwrap_or_default(),
            manifest: find(&mut items, &manifest)?.unwrap_or_default(),
            ..Found::default()
        };
        if let Some(ask) = ask {
            found.ask = find::<AskItem>(&mut items, &ask)?.map(|item| item.lot);
        }
        for (hash, key) in forms {
            found.forms.insert(hash.clone(), find(&mut items, &key)?.unwrap_or_default());
        }
        let mut context = Vec::new();
        for (concept, key) in concepts {
            let latest: ConceptItem = find(&mut items, &key)?.unwrap_or_default();
            context.push((concept, latest.items));
        }
        found.context = visible(context, wanted.concepts.is_empty());
        for (file, key) in files {
            if let Some(item) = find::<FileItem>(&mut items, &key)? {
                found.changes.insert(file.clone(), item.times);
            }
        }
        Ok(found)
    }

    pub(super) async fn read_ask_and_lot(
        &self,
        tenant: &TenantKey,
        ask: &str,
        id: &LotId,
    ) -> Result<(Option<LotId>, Option<Lot>), StorageError> {
        let (ask, lot) = (Key::ask(tenant, ask), Key::lot(tenant, id));
        let mut items = self.read(&[ask.clone(), lot.clone()]).await?;
        let ask = find::<AskItem>(&mut items, &ask)?.map(|item| item.lot);
        Ok((ask, find(&mut items, &lot)?))
    }

    pub(super) async fn read_decisions(
        &self,
        tenant: &TenantKey,
        ids: &[DecisionId],
    ) -> Result<Vec<Decision>, StorageError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<Key> = ids.iter().map(|id| Key::decision(tenant, id.as_str())).collect();
        let mut items = self.read(&keys).await?;
        let mut decisions = Vec::new();
        for key in &keys {
            decisions.extend(find::<Decision>(&mut items, key)?);
        }
        Ok(decisions)
    }

    pub(super) async fn read_uses(
        &self,
        tenant: &TenantKey,
        ids: &[DecisionId],
    ) -> Result<BTreeMap<DecisionId, Uses>, StorageError> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let keys: Vec<Key> = ids.iter().map(|id| Key::uses(tenant, id)).collect();
        let items = self.read(&keys).await?;
        let mut uses = BTreeMap::new();
        for item in items {
            let item: UsesItem =
                serde_dynamo::from_item(item).map_err(|error| unreadable("reading uses", error))?;
            let of = ids.iter().zip(&keys).find(|(_, key)| key.pk == item.pk);
            if let Some((id, _)) = of {
                uses.insert(id.clone(), Uses { count: item.use_count, last_at: Some(item.last_at) });
            }
        }
        Ok(uses)
    }

    pub(crate) async fn keep_file_changes(
        &self,
        tenant: &TenantKey,
        files: &[String],
        at: u64,
    ) -> Result<(), StorageError> {
        use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
        let action = "noting changes of files";
        let files = &files[..files.len().min(NOTED_FILES_MAX)];
        if files.is_empty() {
            return Ok(());
        }
        let keys: Vec<Key> = files.iter().map(|file| Key::file_changes(tenant, file)).collect();
        let mut items = self.read(&keys).await?;
        let mut writes = Vec::new();
        for (file, key) in files.iter().zip(keys) {
            let mut item: FileItem = find(&mut items, &key)?.unwrap_or_default();
            if item.times.last().is_some_and(|last| at < last.saturating_add(CHANGE_SECONDS)) {
                continue;
            }
            item.file.clone_from(file);
            item.times.push(at);
            let surplus = item.times.len().saturating_sub(FILE_CHANGES_MAX);
            item.times.drain(..surplus);
            let put = PutRequest::builder().set_item(Some(key.item(item, None).attributes()?)).build();
            let put = put.map_err(|error| failed(action, error))?;
            writes.push(WriteRequest::builder().put_request(put).build());
        }
        if writes.is_empty() {
            return Ok(());
        }
        let request = self.dynamodb.batch_write_item().request_items(&self.table, writes);
        // What the table did not get to is one change less.
        request.send().await.map(|_| ()).map_err(|error| failed(action, error))
    }
}

/// Each item once, newest first. What was shared for everything is seen by everybody; what was shared for a concept by
/// who names it, and by who names none.
fn visible(context: Vec<(&str, Vec<ContextItem>)>, everything: bool) -> Vec<ContextItem> {
    let mut items: Vec<ContextItem> = Vec::new();
    for (concept, latest) in context {
        let shown =
            latest.into_iter().filter(|item| !concept.is_empty() || everything || item.concepts.is_empty());
        for item in shown {
            if !items.iter().any(|other| other.id == item.id) {
                items.push(item);
            }
        }
    }
    items.sort_by(|one, other| other.id.cmp(&one.id));
    items
}

/// A number as the table wants it.
pub fn number(value: u64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}
