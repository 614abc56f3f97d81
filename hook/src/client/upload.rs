//! The body of an upload: multipart, compressed.

use bytes::Bytes;
use prevet_domain::kind::Kind;
use prevet_domain::limits::DIFF_BYTES_MAX;
use prevet_wire::context_pack::ContextPack;
use sha2::{Digest, Sha256};

use crate::error::CommandError;

/// The body's `Content-Encoding`.
pub const ENCODING: &str = "zstd";
/// Compression that is worth its time on a slow line.
const ZSTD_LEVEL: i32 = 6;

/// An upload, ready to be sent.
pub struct Upload {
    boundary: String,
    packed: Bytes,
    diff_sha256: String,
}

impl Upload {
    /// Packs a diff, its base and its context.
    ///
    /// # Errors
    /// The diff is larger than any that a server takes.
    pub fn new(diff: &[u8], base: &str, context: &ContextPack) -> Result<Self, CommandError> {
        if diff.len() > DIFF_BYTES_MAX {
            let text = format!("the diff has {} bytes; the limit is {DIFF_BYTES_MAX}", diff.len());
            return Err(CommandError::new(Kind::TooLarge, text));
        }
        let diff_sha256 = data_encoding::HEXLOWER.encode(&Sha256::digest(diff));
        let boundary = format!("prevet-{}", &diff_sha256[..32]);
        let packed = pack(&multipart(&boundary, diff, base, context)?)?;
        Ok(Self { boundary, packed: packed.into(), diff_sha256 })
    }

    /// The request's `Content-Type`.
    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    /// The body, compressed with zstd.
    pub fn packed(&self) -> Bytes {
        self.packed.clone()
    }

    /// SHA-256 of the diff, hexadecimal.
    pub fn diff_sha256(&self) -> &str {
        &self.diff_sha256
    }
}

fn pack(body: &[u8]) -> Result<Vec<u8>, CommandError> {
    zstd::bulk::compress(body, ZSTD_LEVEL).map_err(|error| CommandError::of(Kind::Internal, &error))
}

/// RFC 7578. The boundary is the diff's own hash, which the diff cannot contain by accident.
fn multipart(
    boundary: &str,
    diff: &[u8],
    base: &str,
    context: &ContextPack,
) -> Result<Vec<u8>, CommandError> {
    let mut body = Vec::with_capacity(diff.len() + 1024);
    part(&mut body, boundary, "file\"; filename=\"session.diff", diff);
    part(&mut body, boundary, "base_sha", base.as_bytes());
    let json = serde_json::to_vec(context).map_err(|error| CommandError::of(Kind::Internal, &error))?;
    part(&mut body, boundary, "context", &json);
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok(body)
}

fn part(body: &mut Vec<u8>, boundary: &str, name: &str, content: &[u8]) {
    let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(content);
    body.extend_from_slice(b"\r\n");
}
