//! The body of an upload: multipart, compressed.

use prevet_domain::kind::Kind;
use prevet_domain::limits::REQUEST_BODY_BYTES_MAX;
use prevet_wire::context_pack::ContextPack;
use sha2::{Digest, Sha256};

use crate::error::CommandError;

/// Compression that is worth its time on a slow line.
const ZSTD_LEVEL: i32 = 6;
/// How often the pack is halved before it is left out.
const SMALLER_PACKS_MAX: usize = 3;

/// An upload, ready to be sent.
pub struct Upload {
    boundary: String,
    packed: Vec<u8>,
    diff_sha256: String,
}

impl Upload {
    /// Packs a diff, its base and its context. A context that would make the body too large is cut down, and
    /// left out at last; a diff that is too large by itself is the server's to refuse.
    pub fn new(diff: &[u8], base: &str, mut context: ContextPack) -> Result<Self, CommandError> {
        let diff_sha256 = data_encoding::HEXLOWER.encode(&Sha256::digest(diff));
        let boundary = format!("prevet-{}", &diff_sha256[..32]);
        for _ in 0..SMALLER_PACKS_MAX {
            let packed = pack(&multipart(&boundary, diff, base, Some(&context))?)?;
            if packed.len() <= REQUEST_BODY_BYTES_MAX {
                return Ok(Self { boundary, packed, diff_sha256 });
            }
            context.related.truncate(context.related.len() / 2);
            context.files.truncate(context.files.len() / 2);
        }
        context.related.clear();
        context.files.clear();
        let packed = pack(&multipart(&boundary, diff, base, Some(&context))?)?;
        Ok(Self { boundary, packed, diff_sha256 })
    }

    /// The request's `Content-Type`.
    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    /// The body, compressed with zstd.
    pub fn packed(&self) -> &[u8] {
        &self.packed
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
    context: Option<&ContextPack>,
) -> Result<Vec<u8>, CommandError> {
    let mut body = Vec::with_capacity(diff.len() + 1024);
    part(&mut body, boundary, "file\"; filename=\"session.diff", diff);
    part(&mut body, boundary, "base_sha", base.as_bytes());
    if let Some(context) = context {
        let json = serde_json::to_vec(context).map_err(|error| CommandError::of(Kind::Internal, &error))?;
        part(&mut body, boundary, "context", &json);
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok(body)
}

fn part(body: &mut Vec<u8>, boundary: &str, name: &str, content: &[u8]) {
    let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(content);
    body.extend_from_slice(b"\r\n");
}
