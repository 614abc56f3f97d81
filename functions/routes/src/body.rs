//! Request bodies: bounded as they travel, and bounded again when unpacked.

use std::io::Read;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_ENCODING;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use prevet_domain::limits::REQUEST_BODY_BYTES_MAX;

use crate::failure::Failure;

/// What of a refused body is taken off the line.
const SWALLOWED_BYTES_MAX: usize = 128 << 20;

/// Takes a body of at most [`REQUEST_BODY_BYTES_MAX`] off the line, packed as it came. To be called before anything
/// that may refuse the request.
pub async fn take(mut body: Body) -> Result<Bytes, Failure> {
    let mut packed = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Err(Failure::invalid("the request's body was cut short")) };
        let Ok(data) = frame.into_data() else { continue };
        if packed.len() + data.len() > REQUEST_BODY_BYTES_MAX {
            drop(packed);
            swallow(body).await;
            return Err(too_large());
        }
        packed.extend_from_slice(&data);
    }
    Ok(packed.freeze())
}

/// Takes what is still on its way, within a bound, and keeps nothing: a client that is cut off while it sends sees
/// a broken connection in place of the answer.
async fn swallow(mut body: Body) {
    let mut bytes_left = SWALLOWED_BYTES_MAX;
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        if length > bytes_left {
            return;
        }
        bytes_left -= length;
    }
}

fn too_large() -> Failure {
    Failure::too_large(
        "the request's body (as it travels; gzip and zstd are accepted, and a larger upload is put where \
         {\"step\":\"place\"} as its JSON body leads)",
        REQUEST_BODY_BYTES_MAX,
    )
}

/// Unpacks what was taken, as its headers say, to at most `bytes_max`.
pub fn unpack(headers: &HeaderMap, packed: Bytes, bytes_max: usize) -> Result<Bytes, Failure> {
    let encoding = headers.get(CONTENT_ENCODING).map_or("identity", |value| value.to_str().unwrap_or("?"));
    let body = match encoding.trim().to_ascii_lowercase().as_str() {
        "identity" | "" => packed,
        "gzip" | "x-gzip" => bounded(flate2::read::MultiGzDecoder::new(packed.as_ref()), "gzip", bytes_max)?,
        "zstd" => bounded(zstd_decoder(&packed)?, "zstd", bytes_max)?,
        other => {
            return Err(Failure::invalid(format!(
                "Content-Encoding {other:?} is not one of gzip, zstd, identity"
            )));
        }
    };
    if body.len() > bytes_max {
        return Err(Failure::too_large("the request's body", bytes_max));
    }
    Ok(body)
}

fn zstd_decoder(packed: &[u8]) -> Result<impl Read, Failure> {
    zstd::Decoder::new(packed).map_err(|_| broken("zstd"))
}

fn broken(encoding: &str) -> Failure {
    Failure::invalid(format!(
        "the request's body is not valid {encoding}, which its Content-Encoding says it is"
    ))
}

/// Unpacks at most one byte more than allowed, so that a bomb costs no more than that.
fn bounded(decoder: impl Read, encoding: &str, bytes_max: usize) -> Result<Bytes, Failure> {
    let mut body = Vec::new();
    decoder.take(bytes_max as u64 + 1).read_to_end(&mut body).map_err(|_| broken(encoding))?;
    if body.len() > bytes_max {
        return Err(Failure::too_large("the request's unpacked body", bytes_max));
    }
    Ok(Bytes::from(body))
}
