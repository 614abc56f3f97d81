//! Lists, by queries.

use aws_sdk_dynamodb::types::AttributeValue;
use prevet_app::decisions::ports::{AuditEntry, Waiter};
use prevet_app::error::StorageError;
use prevet_domain::decision::lot::Lot;
use prevet_domain::decision::record::Decision;
use prevet_domain::ids::{DecisionId, LotId, TenantKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::item::{Attributes, Key, data, find};
use crate::{Store, failed, unreadable};

/// What a range of sort keys is read for.
struct Range {
    partition: String,
    from: String,
    to: String,
    newest_first: bool,
    limit: usize,
}

/// A lot in the list of open ones.
#[derive(Deserialize)]
struct OpenItem {
    lot: LotId,
}

/// What a search needs of a decision.
#[derive(Deserialize)]
struct QuestionItem {
    id: String,
    question: String,
}

/// Sorts after every id.
const LAST: &str = "~";

impl Store {
    async fn range(
        &self,
        range: Range,
        only: Option<&str>,
        action: &'static str,
    ) -> Result<Vec<Attributes>, StorageError> {
        let mut items = Vec::new();
        let mut start: Option<Attributes> = None;
        loop {
            let left = range.limit.saturating_sub(items.len());
            let mut request = self
                .dynamodb
                .query()
                .table_name(&self.table)
                .consistent_read(true)
                .key_condition_expression("pk = :pk AND sk BETWEEN :from AND :to")
                .expression_attribute_values(":pk", AttributeValue::S(range.partition.clone()))
                .expression_attribute_values(":from", AttributeValue::S(range.from.clone()))
                .expression_attribute_values(":to", AttributeValue::S(range.to.clone()))
                .scan_index_forward(!range.newest_first)
                .limit(i32::try_from(left).unwrap_or(i32::MAX))
                .set_exclusive_start_key(start);
            if let Some(fields) = only {
                request = request.projection_expression(fields).expression_attribute_names("#data", "data");
            }
            let answer = request.send().await.map_err(|error| failed(action, error))?;
            items.extend(answer.items.unwrap_or_default());
            start = answer.last_evaluated_key.filter(|key| !key.is_empty());
            if start.is_none() || items.len() >= range.limit {
                return Ok(items);
            }
        }
    }

    async fn newest<T: DeserializeOwned>(
        &self,
        (first, before): (Key, Key),
        limit: usize,
        action: &'static str,
    ) -> Result<Vec<T>, StorageError> {
        // BETWEEN has both ends in it, and the last one is to be left out.
        let excluded = before.sk.clone();
        let range = Range {
            partition: first.pk,
            from: first.sk,
            to: before.sk,
            newest_first: true,
            limit: limit + 1,
        };
        let items = self.range(range, None, action).await?;
        let is_end = |item: &Attributes| item.get("sk").and_then(|it| it.as_s().ok()) == Some(&excluded);
        items.into_iter().filter(|item| !is_end(item)).take(limit).map(data).collect()
    }

    pub(super) async fn list_decisions(
        &self,
        tenant: &TenantKey,
        before: Option<&DecisionId>,
        limit: usize,
    ) -> Result<Vec<Decision>, StorageError> {
        let end = before.map_or(LAST, |id| id.as_str());
        let ends = (Key::decision(tenant, ""), Key::decision(tenant, end));
        self.newest(ends, limit, "listing decisions").await
    }

    pub(super) async fn list_audit(
        &self,
        tenant: &TenantKey,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, StorageError> {
        let ends = (Key::audit(tenant, ""), Key::audit(tenant, before.unwrap_or(LAST)));
        self.newest(ends, limit, "reading the log").await
    }

    pub(super) async fn list_questions(
        &self,
        tenant: &TenantKey,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, StorageError> {
        let action = "reading recent questions";
        // The first of all keys after `after`.
        let from = format!("{}\u{0}", Key::decision(tenant, after.unwrap_or_default()).sk);
        let to = Key::decision(tenant, LAST);
        let from = if after.is_some() { from } else { Key::decision(tenant, "").sk };
        let range = Range { partition: to.pk, from, to: to.sk, newest_first: false, limit };
        let items = self.range(range, Some("pk, sk, #data.id, #data.question"), action).await?;
        let read = |item: Attributes| data::<QuestionItem>(item).map(|item| (item.id, item.question));
        items.into_iter().map(read).collect()
    }

    pub(super) async fn list_open_lots(
        &self,
        tenant: &TenantKey,
        limit: usize,
    ) -> Result<Vec<Lot>, StorageError> {
        let action = "listing open lots";
        let ends = (Key::open_lot(tenant, ""), Key::open_lot(tenant, LAST));
        let open: Vec<OpenItem> = self.newest(ends, limit, action).await?;
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<Key> = open.iter().map(|item| Key::lot(tenant, &item.lot)).collect();
        let mut items = self.read(&keys).await?;
        let mut lots = Vec::new();
        for key in &keys {
            lots.extend(find::<Lot>(&mut items, key)?);
        }
        Ok(lots)
    }

    pub(super) async fn list_waiters(
        &self,
        tenant: &TenantKey,
        lot: &LotId,
    ) -> Result<Vec<Waiter>, StorageError> {
        let action = "reading who waits";
        let partition = Key::lot(tenant, lot).pk;
        let range = Range {
            partition,
            from: "waiter#".to_owned(),
            to: format!("waiter#{LAST}"),
            newest_first: false,
            limit: 1_000,
        };
        let items = self.range(range, None, action).await?;
        let read =
            |item: Attributes| serde_dynamo::from_item(item).map_err(|error| unreadable(action, error));
        let mut waiters: Vec<Waiter> = items.into_iter().map(read).collect::<Result<_, _>>()?;
        waiters.sort_by_key(|waiter| waiter.since);
        Ok(waiters)
    }
}
