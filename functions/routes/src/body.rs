//! Request bodies: bounded as they travel, and bounded again when unpacked.

use std::io::Read;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use prevet_domain::limits::REQUEST_BODY_BYTES_MAX;

use crate::failure::Failure;

/// Reads a body of at most [`REQUEST_BODY_BYTES_MAX`] and unpacks it to at most `unpacked_bytes_max`.
pub async fn read(headers: &HeaderMap, body: Body, unpacked_bytes_max: usize) -> Result<Bytes, Failure> {
    let stated = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if stated.is_some_and(|length| length > REQUEST_BODY_BYTES_MAX) {
        return Err(too_large());
    }
    let collected = Limited::new(body, REQUEST_BODY_BYTES_MAX).collect().await;
    let packed = collected.map_err(|error| read_failure(error.as_ref()))?.to_bytes();
    unpack(headers, packed, unpacked_bytes_max)
}

fn too_large() -> Failure {
    Failure::too_large(
        "the request's body (as it travels; gzip and zstd are accepted)",
        REQUEST_BODY_BYTES_MAX,
    )
}

fn read_failure(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Failure {
    if error.is::<LengthLimitError>() {
        too_large()
    } else {
        Failure::invalid("the request's body was cut short")
    }
}

fn unpack(headers: &HeaderMap, packed: Bytes, bytes_max: usize) -> Result<Bytes, Failure> {
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
