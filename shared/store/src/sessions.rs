//! Sessions and the reads around them.

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, Put, ReturnValue, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem,
};
use prevet_app::error::StorageError;
use prevet_app::ports::{IntegrationLookup, SessionLookup, SessionTouch};
use prevet_domain::ids::{SessionId, TenantKey};
use prevet_domain::session::{Integration, KeyRecord, PriorTask, Session, SessionIdentity, Upload};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::item::{Attributes, Key, data, find};
use crate::{Store, failed, unreadable};

/// How often a batch read is repeated for keys that the table did not get to, and a transaction for a conflict.
const ATTEMPTS_MAX: usize = 5;

/// A repository's name, and which integrations it stands for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IntegrationItem {
    /// One for a full name; several for a bare name that several owners use.
    pub integrations: Vec<Integration>,
}

/// An identity's session.
#[derive(Debug, Serialize, Deserialize)]
struct IdentityItem {
    session_id: SessionId,
}

impl From<IntegrationItem> for IntegrationLookup {
    fn from(item: IntegrationItem) -> Self {
        let mut integrations = item.integrations;
        match integrations.len() {
            0 => Self::None,
            1 => integrations.pop().map_or(Self::None, Self::One),
            _ => Self::Ambiguous(integrations.into_iter().map(|it| it.full_name.to_string()).collect()),
        }
    }
}

impl Store {
    /// Several items in one consistent read.
    pub(crate) async fn read(&self, keys: &[Key]) -> Result<Vec<Attributes>, StorageError> {
        let action = "reading from the table";
        let mut wanted: Vec<Attributes> = keys.iter().map(Key::attributes).collect();
        let mut items = Vec::new();
        for _ in 0..ATTEMPTS_MAX {
            let request = KeysAndAttributes::builder().set_keys(Some(wanted)).consistent_read(true).build();
            let request = request.map_err(|error| unreadable(action, error))?;
            let answer = self.dynamodb.batch_get_item().request_items(&self.table, request).send().await;
            let mut answer = answer.map_err(|error| failed(action, error))?;
            items.extend(answer.responses.as_mut().and_then(|it| it.remove(&self.table)).unwrap_or_default());
            match answer.unprocessed_keys.as_mut().and_then(|it| it.remove(&self.table)) {
                None => return Ok(items),
                Some(left) => wanted = left.keys,
            }
        }
        Err(failed(action, "the table is too busy to read all keys"))
    }

    /// One item, in one consistent read.
    pub(crate) async fn read_one<T: DeserializeOwned>(&self, key: &Key) -> Result<Option<T>, StorageError> {
        let request = self.dynamodb.get_item().table_name(&self.table).set_key(Some(key.attributes()));
        let answer = request.consistent_read(true).send().await;
        answer.map_err(|error| failed("reading from the table", error))?.item.map(data).transpose()
    }

    pub(crate) async fn session_lookup(
        &self,
        key_hash: &str,
        tenant: &TenantKey,
        identity: &SessionIdentity,
    ) -> Result<SessionLookup, StorageError> {
        let key = Key::api_key(key_hash);
        let integration = Key::integration(tenant, identity.repository.as_str());
        let session = Key::identity(identity);
        let mut items = self.read(&[key.clone(), integration.clone(), session.clone()]).await?;
        Ok(SessionLookup {
            key: find(&mut items, &key)?,
            integration: find::<IntegrationItem>(&mut items, &integration)?.unwrap_or_default().into(),
            session_id: find::<IdentityItem>(&mut items, &session)?.map(|item| item.session_id),
        })
    }

    pub(crate) async fn upload_lookup(
        &self,
        key_hash: &str,
        id: &SessionId,
    ) -> Result<(Option<KeyRecord>, Option<Session>), StorageError> {
        let (key, session) = (Key::api_key(key_hash), Key::session(id));
        let mut items = self.read(&[key.clone(), session.clone()]).await?;
        Ok((find(&mut items, &key)?, find(&mut items, &session)?))
    }

    pub(crate) async fn move_end(
        &self,
        id: &SessionId,
        now: u64,
        expires_at: u64,
    ) -> Result<Option<Session>, StorageError> {
        let request = self
            .dynamodb
            .update_item()
            .table_name(&self.table)
            .set_key(Some(Key::session(id).attributes()))
            .update_expression("SET #data.expires_at = :end, expires_at = :end")
            .condition_expression("attribute_exists(pk) AND #data.expires_at > :now")
            .expression_attribute_names("#data", "data")
            .expression_attribute_values(":end", number(expires_at))
            .expression_attribute_values(":now", number(now))
            .return_values(ReturnValue::AllNew);
        let answer = updated("reading a session", request).await?;
        answer.and_then(|answer| answer.attributes).map(data).transpose()
    }

    pub(crate) async fn touch(
        &self,
        id: &SessionId,
        touch: &SessionTouch,
    ) -> Result<Option<Session>, StorageError> {
        let request = self
            .dynamodb
            .update_item()
            .table_name(&self.table)
            .set_key(Some(Key::session(id).attributes()))
            .update_expression(
                "SET #data.branch = :branch, #data.head = :head, #data.expires_at = :end, expires_at = :end",
            )
            .condition_expression("attribute_exists(pk) AND #data.expires_at > :now")
            .expression_attribute_names("#data", "data")
            .expression_attribute_values(":branch", AttributeValue::S(touch.branch.to_string()))
            .expression_attribute_values(":head", AttributeValue::S(touch.head.to_string()))
            .expression_attribute_values(":end", number(touch.expires_at))
            .expression_attribute_values(":now", number(touch.now))
            .return_values(ReturnValue::AllNew);
        let answer = updated("refreshing a session", request).await?;
        answer.and_then(|answer| answer.attributes).map(data).transpose()
    }

    pub(crate) async fn identity_session(
        &self,
        identity: &SessionIdentity,
    ) -> Result<Option<SessionId>, StorageError> {
        let item = self.read_one::<IdentityItem>(&Key::identity(identity)).await?;
        Ok(item.map(|item| item.session_id))
    }

    pub(crate) async fn keep_alias(
        &self,
        identity: &SessionIdentity,
        id: &SessionId,
    ) -> Result<(), StorageError> {
        let item = Key::identity(identity).item(IdentityItem { session_id: id.clone() }, None);
        let request = self.dynamodb.put_item().table_name(&self.table).set_item(Some(item.attributes()?));
        request.send().await.map(|_| ()).map_err(|error| failed("naming a session", error))
    }

    pub(crate) async fn create(
        &self,
        session: &Session,
        stale: Option<&SessionId>,
    ) -> Result<Option<SessionId>, StorageError> {
        let action = "making a session";
        let mut last = None;
        for _ in 0..ATTEMPTS_MAX {
            let (identity, item) = (self.identity_put(session, stale)?, self.session_put(session)?);
            let request = self.dynamodb.transact_write_items().transact_items(identity).transact_items(item);
            match request.send().await {
                Ok(_) => return Ok(None),
                Err(error) if is_canceled(error.as_service_error()) => {
                    let winner = self.identity_session(&session.identity).await?;
                    if let Some(winner) = winner.filter(|winner| Some(winner) != stale) {
                        return Ok(Some(winner));
                    }
                    last = Some(error);
                }
                Err(error) => return Err(failed(action, error)),
            }
        }
        Err(last.map_or_else(|| failed(action, "gave up"), |error| failed(action, error)))
    }

    fn identity_put(
        &self,
        session: &Session,
        stale: Option<&SessionId>,
    ) -> Result<TransactWriteItem, StorageError> {
        // No time to live: the session's end is what counts, and each use moves that.
        let item =
            Key::identity(&session.identity).item(IdentityItem { session_id: session.id.clone() }, None);
        let put = Put::builder()
            .table_name(&self.table)
            .set_item(Some(item.attributes()?))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::None);
        let put = match stale {
            None => put.condition_expression("attribute_not_exists(pk)"),
            Some(stale) => put
                .condition_expression("attribute_not_exists(pk) OR #data.session_id = :stale")
                .expression_attribute_names("#data", "data")
                .expression_attribute_values(":stale", AttributeValue::S(stale.to_string())),
        };
        let put = put.build().map_err(|error| unreadable("making a session", error))?;
        Ok(TransactWriteItem::builder().put(put).build())
    }

    fn session_put(&self, session: &Session) -> Result<TransactWriteItem, StorageError> {
        let item = Key::session(&session.id).item(session, Some(session.expires_at));
        self.put(item.attributes()?)
    }

    /// An unconditional put, for a transaction.
    pub(crate) fn put(&self, attributes: Attributes) -> Result<TransactWriteItem, StorageError> {
        let put = Put::builder().table_name(&self.table).set_item(Some(attributes)).build();
        Ok(TransactWriteItem::builder()
            .put(put.map_err(|error| unreadable("writing an item", error))?)
            .build())
    }

    pub(crate) async fn set_upload(
        &self,
        id: &SessionId,
        upload: &Upload,
        expires_at: u64,
    ) -> Result<bool, StorageError> {
        let action = "recording an upload";
        let value = serde_dynamo::to_attribute_value(upload).map_err(|error| unreadable(action, error))?;
        let request = self
            .dynamodb
            .update_item()
            .table_name(&self.table)
            .set_key(Some(Key::session(id).attributes()))
            .update_expression(
                "SET #data.#upload = :upload, #data.generation = #data.generation + :one, \
                 #data.expires_at = :end, expires_at = :end",
            )
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_names("#data", "data")
            .expression_attribute_names("#upload", "upload")
            .expression_attribute_values(":upload", value)
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":end", number(expires_at));
        Ok(updated(action, request).await?.is_some())
    }

    pub(crate) async fn set_prior_task(
        &self,
        id: &SessionId,
        task: &PriorTask,
        expires_at: u64,
    ) -> Result<bool, StorageError> {
        let action = "recording a task";
        let value = serde_dynamo::to_attribute_value(task).map_err(|error| unreadable(action, error))?;
        let request = self
            .dynamodb
            .update_item()
            .table_name(&self.table)
            .set_key(Some(Key::session(id).attributes()))
            .update_expression("SET #data.prior_task = :task, #data.expires_at = :end, expires_at = :end")
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_names("#data", "data")
            .expression_attribute_values(":task", value)
            .expression_attribute_values(":end", number(expires_at));
        Ok(updated(action, request).await?.is_some())
    }
}

fn number(value: u64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

fn is_canceled(error: Option<&TransactWriteItemsError>) -> bool {
    error.is_some_and(TransactWriteItemsError::is_transaction_canceled_exception)
}

/// An update; none where its condition does not hold.
async fn updated(
    action: &'static str,
    request: UpdateItemFluentBuilder,
) -> Result<Option<UpdateItemOutput>, StorageError> {
    match request.send().await {
        Ok(answer) => Ok(Some(answer)),
        Err(error)
            if error
                .as_service_error()
                .is_some_and(UpdateItemError::is_conditional_check_failed_exception) =>
        {
            Ok(None)
        }
        Err(error) => Err(failed(action, error)),
    }
}
