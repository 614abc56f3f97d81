//! Objects of the bucket, compressed.

use aws_sdk_s3::operation::get_object::GetObjectError;
use aws_sdk_s3::operation::head_object::HeadObjectError;
use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use prevet_app::error::StorageError;
use prevet_domain::limits::{CONTEXT_BYTES_MAX, DIFF_BYTES_MAX};

use crate::{Store, failed, unreadable};

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
        let action = "reading an object from the bucket";
        let answer = self.s3.get_object().bucket(&self.bucket).key(key).send().await;
        let object = match answer {
            Ok(object) => object,
            Err(error) if matches!(error.as_service_error(), Some(GetObjectError::NoSuchKey(_))) => {
                return Ok(None);
            }
            Err(error) => return Err(failed(action, error)),
        };
        let packed = object.body.collect().await.map_err(|error| failed(action, error))?.into_bytes();
        unpack(&packed).map(|body| Some(Bytes::from(body)))
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
