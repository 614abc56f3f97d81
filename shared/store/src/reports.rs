//! Reports and histories: compressed JSON in the table, or in the bucket where it is too large.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use prevet_app::digest;
use prevet_app::error::StorageError;
use prevet_app::inspection::{History, StoredReport};
use prevet_domain::ids::{Branch, SessionId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::item::{Attributes, Key};
use crate::objects::{pack, unpack};
use crate::{Store, failed, unreadable};

/// A DynamoDB item has 400 KB at most (service quotas); the rest is room for keys.
const INLINE_BYTES_MAX: usize = 350_000;

impl Store {
    pub(crate) async fn report_lookup(
        &self,
        id: &SessionId,
        report_key: &str,
        branch: &Branch,
    ) -> Result<(Option<StoredReport>, History), StorageError> {
        let (report_at, history_at) = (Key::report(id, report_key), Key::history(id, branch));
        let items = self.read(&[report_at.clone(), history_at.clone()]).await?;
        let (mut report, mut history) = (None, None);
        for item in items {
            let is_report =
                item.get("sk").and_then(|it| it.as_s().ok()).is_some_and(|it| *it == report_at.sk);
            *(if is_report { &mut report } else { &mut history }) = Some(item);
        }
        let report: Option<StoredReport> = match report {
            Some(item) => self.unpacked(item).await?,
            None => None,
        };
        let history = match history {
            Some(item) => self.unpacked(item).await?.unwrap_or_default(),
            None => History::default(),
        };
        let known = |report: &StoredReport| report.version == prevet_app::inspection::REPORT_VERSION;
        Ok((report.filter(known), history))
    }

    /// What an item holds, or the object that it points to; none where that object is gone.
    async fn unpacked<T: DeserializeOwned>(&self, item: Attributes) -> Result<Option<T>, StorageError> {
        let action = "reading a stored report";
        let json = match (item.get("packed"), item.get("object")) {
            (Some(AttributeValue::B(blob)), _) => unpack(blob.as_ref())?,
            (_, Some(AttributeValue::S(key))) => match self.object(key).await? {
                Some(json) => json.to_vec(),
                None => return Ok(None),
            },
            _ => return Err(unreadable(action, "neither data nor a pointer")),
        };
        serde_json::from_slice(&json).map(Some).map_err(|error| unreadable(action, error))
    }

    pub(crate) async fn keep_packed<T: Serialize>(
        &self,
        key: &Key,
        data: &T,
        expires_at: u64,
    ) -> Result<(), StorageError> {
        let action = "keeping a report";
        let json = serde_json::to_vec(data).map_err(|error| unreadable(action, error))?;
        let packed = pack(&json)?;
        let mut item = key.attributes();
        item.insert("expires_at".to_owned(), AttributeValue::N(expires_at.to_string()));
        if packed.len() <= INLINE_BYTES_MAX {
            item.insert("packed".to_owned(), AttributeValue::B(Blob::new(packed)));
        } else {
            let object = digest(&[key.pk.as_bytes(), key.sk.as_bytes()]);
            self.put_object(&object, &json).await?;
            item.insert("object".to_owned(), AttributeValue::S(object));
        }
        let request = self.dynamodb.put_item().table_name(&self.table).set_item(Some(item));
        request.send().await.map(|_| ()).map_err(|error| failed(action, error))
    }
}
