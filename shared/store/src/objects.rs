//! Objects of the bucket, compressed.

use std::time::Duration;

use aws_sdk_s3::operation::get_object::{GetObjectError, GetObjectOutput};
use aws_sdk_s3::operation::head_object::HeadObjectError;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use prevet_app::error::StorageError;
use prevet_app::ports::Place;
use prevet_domain::limits::{CONTEXT_BYTES_MAX, DIFF_BYTES_MAX};

use crate::{Store, failed, unreadable};

const READING: &str = "reading an object from the bucket";
/// Compression that costs little time.
const ZSTD_LEVEL: i32 = 3;
/// The largest object, unpacked: a diff, a context pack and a line between them.
const OBJECT_BYTES_MAX: usize = DIFF_BYTES_MAX + CONTEXT_BYTES_MAX + 1024;

impl Store {
    /// Keeps an object. One call.
    pub(crate) async fn put_object(&self, key: &str, body: &[u8]) -> Result<(), StorageError> {
        let action = "keeping an object in the bucket";
        let packed = pack(body)?;
        let request = self.s3.put_object().bucket(&self.bucket).key(key).body(ByteStream::from(packed));
        request.send().await.map(|_| ()).map_err(|error| failed(action, error))
    }

    /// An object, if it is there. One call.
    pub(crate) async fn object(&self, key: &str) -> Result<Option<Bytes>, StorageError> {
        let Some(object) = self.open_object(key).await? else { return Ok(None) };
        let packed = object.body.collect().await.map_err(|error| failed(READING, error))?.into_bytes();
        unpack(&packed).map(|body| Some(Bytes::from(body)))
    }

    async fn open_object(&self, key: &str) -> Result<Option<GetObjectOutput>, StorageError> {
        match self.s3.get_object().bucket(&self.bucket).key(key).send().await {
            Ok(object) => Ok(Some(object)),
            Err(error) if matches!(error.as_service_error(), Some(GetObjectError::NoSuchKey(_))) => Ok(None),
            Err(error) => Err(failed(READING, error)),
        }
    }

    /// The permission to put one object of exactly `body_bytes` from outside (Amazon S3 user guide, "Uploading objects
    /// with presigned URLs"). No call.
    pub(crate) async fn presigned_put(
        &self,
        key: &str,
        body_bytes: u64,
        seconds: u64,
    ) -> Result<Place, StorageError> {
        let action = "making a place in the bucket";
        let length = i64::try_from(body_bytes).map_err(|error| failed(action, error))?;
        let terms = PresigningConfig::expires_in(Duration::from_secs(seconds));
        let terms = terms.map_err(|error| failed(action, error))?;
        let request = self.s3.put_object().bucket(&self.bucket).key(key).content_length(length);
        let signed = request.presigned(terms).await.map_err(|error| failed(action, error))?;
        let headers = signed.headers().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(Place { headers: headers.collect(), url: signed.uri().to_owned() })
    }

    /// An object as it was put, which is gone then. Two calls.
    pub(crate) async fn take_raw_object(
        &self,
        key: &str,
        bytes_max: usize,
    ) -> Result<Option<Bytes>, StorageError> {
        let Some(object) = self.open_object(key).await? else { return Ok(None) };
        let length = object.content_length().and_then(|length| usize::try_from(length).ok());
        if length.is_none_or(|length| length > bytes_max) {
            return Err(unreadable("reading what was put into the bucket", "it is larger than was agreed"));
        }
        let body = object.body.collect().await.map_err(|error| failed(READING, error))?.into_bytes();
        let removed = self.s3.delete_object().bucket(&self.bucket).key(key).send().await;
        removed.map_err(|error| failed("removing what was put into the bucket", error))?;
        Ok(Some(body))
    }

    /// Whether an object is there. One call.
    pub(crate) async fn has_object(&self, key: &str) -> Result<bool, StorageError> {
        let answer = self.s3.head_object().bucket(&self.bucket).key(key).send().await;
        match answer {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.as_service_error(), Some(HeadObjectError::NotFound(_))) => Ok(false),
            Err(error) => Err(failed("looking for an object in the bucket", error)),
        }
    }
}

/// Compresses.
pub fn pack(body: &[u8]) -> Result<Vec<u8>, StorageError> {
    zstd::bulk::compress(body, ZSTD_LEVEL).map_err(|error| failed("compressing", error))
}

/// Decompresses what [`pack`] made, up to the largest that is ever kept.
pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, StorageError> {
    let mut body = Vec::new();
    let limit = OBJECT_BYTES_MAX as u64 + 1;
    let read = zstd::Decoder::new(packed).and_then(|decoder| {
        let mut bounded = std::io::Read::take(decoder, limit);
        std::io::Read::read_to_end(&mut bounded, &mut body)
    });
    let length = read.map_err(|error| unreadable("decompressing what was kept", error))?;
    if length > OBJECT_BYTES_MAX {
        return Err(unreadable("decompressing what was kept", "larger than anything that is kept"));
    }
    Ok(body)
}
