//! The body of an upload: multipart, compressed.

use prevet_domain::kind::Kind;
use prevet_domain::limits::REQUEST_BODY_BYTES_MAX;
use prevet_wire::context_pack::ContextPack;
use sha2::{Digest, Sha256};

use crate::error::CommandError;

/// Compression that is worth its time on a slow line.
const ZSTD_LEVEL: i32 = 6;
/// How often the pack is made smaller before it is left out.
const SMALLER_PACKS_MAX: usize = 6;

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
            shrink(&mut context, packed.len());
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

/// Takes out what is too much of a body of `packed_bytes`: half of what is only related, and the largest of the changed
/// files, which are rarely written by hand.
fn shrink(context: &mut ContextPack, packed_bytes: usize) {
    context.related.truncate(context.related.len() / 2);
    let mut total: usize = context.files.iter().map(|file| file.text.len()).sum();
    // A little less than what would just fit: not everything compresses alike.
    let goal = total / packed_bytes.max(1) * REQUEST_BODY_BYTES_MAX / 10 * 9
        + total % packed_bytes.max(1) * REQUEST_BODY_BYTES_MAX / packed_bytes.max(1) / 10 * 9;
    let mut sizes: Vec<usize> = context.files.iter().map(|file| file.text.len()).collect();
    sizes.sort_unstable();
    let mut limit = usize::MAX;
    while total > goal
        && let Some(largest) = sizes.pop()
    {
        total -= largest;
        limit = largest;
    }
    context.files.retain(|file| file.text.len() < limit);
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

#[cfg(test)]
mod tests {
    use prevet_wire::context_pack::PackedFile;

    use super::*;

    #[test]
    fn the_largest_files_go_first() {
        let mut context = ContextPack::empty();
        let file =
            |(at, bytes): (usize, &usize)| PackedFile { path: format!("{at}"), text: "x".repeat(*bytes) };
        context.files = [10, 9_000, 20, 30].iter().enumerate().map(file).collect();
        shrink(&mut context, REQUEST_BODY_BYTES_MAX * 2);
        let left: Vec<&str> = context.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(left, ["0", "2", "3"]);
    }
}
