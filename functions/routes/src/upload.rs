//! `POST /upload/{session_id}`

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use multer::Multipart;
use prevet_app::error::AppError;
use prevet_app::uploads::UploadDiff;
use prevet_domain::ids::Revision;
use prevet_domain::limits::{CONTEXT_BYTES_MAX, DIFF_BYTES_MAX};
use prevet_wire::session::UploadResponse;
use prevet_wire::upload_body::UploadBody;

use crate::failure::Failure;
use crate::{Service, access, body, pack, wrong_method};

/// Room for the multipart's own lines beside the two parts.
const MULTIPART_BYTES_MAX: usize = DIFF_BYTES_MAX + CONTEXT_BYTES_MAX + (64 << 10);
/// Parts that are read; more is no upload of ours.
const PARTS_MAX: usize = 16;

/// The route, with and without `/mcp` before it.
pub fn upload_router(service: Service) -> Router {
    let route = post(upload).fallback(wrong_method);
    let routes = Router::new().route("/upload/{session_id}", route.clone());
    routes.route("/mcp/upload/{session_id}", route).with_state(service)
}

/// The parts of an upload.
#[derive(Default)]
struct Parts {
    file: Option<Bytes>,
    base_sha: Option<String>,
    context: Option<Bytes>,
}

async fn upload(
    State(service): State<Service>,
    Path(session_id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Json<UploadResponse>, Failure> {
    let packed = body::take(request).await;
    let session = service.app.authorize_upload(access::api_key(&headers).as_deref(), &session_id).await?;
    let boundary = boundary(&headers)?;
    let multipart = body::unpack(&headers, packed?, MULTIPART_BYTES_MAX)?;
    let parts = read_parts(multipart, boundary).await?;
    let diff_unchanged = service.app.upload_diff(&session, call(parts)?).await?;
    Ok(Json(UploadResponse { session_id: session.id.to_string(), diff_unchanged }))
}

fn boundary(headers: &HeaderMap) -> Result<String, Failure> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    multer::parse_boundary(content_type).map_err(|_| {
        Failure::invalid("the body is not multipart/form-data with the parts `file` and `base_sha`")
    })
}

async fn read_parts(body: Bytes, boundary: String) -> Result<Parts, Failure> {
    let stream = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(body)]);
    let mut multipart = Multipart::new(stream, boundary);
    let mut parts = Parts::default();
    let broken = |error: multer::Error| {
        Failure::invalid(format!("the multipart body is broken or cut short: {error}"))
    };
    for _ in 0..PARTS_MAX {
        let Some(field) = multipart.next_field().await.map_err(broken)? else { return Ok(parts) };
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(broken)?;
        let repeated = match name.as_str() {
            "file" => parts.file.replace(bytes).is_some(),
            "context" => parts.context.replace(bytes).is_some(),
            "base_sha" => parts.base_sha.replace(String::from_utf8_lossy(&bytes).into_owned()).is_some(),
            _ => false,
        };
        if repeated {
            return Err(Failure::invalid(format!("the part `{name}` was sent twice")));
        }
    }
    Err(Failure::invalid(format!("the multipart body has more than {PARTS_MAX} parts")))
}

fn call(parts: Parts) -> Result<UploadDiff, Failure> {
    let diff = parts.file.ok_or_else(|| {
        Failure::invalid(
            "the part `file` is missing: send what `git diff` prints as the multipart field `file`",
        )
    })?;
    limited("the diff", &diff, DIFF_BYTES_MAX)?;
    let context = parts.context;
    if let Some(context) = &context {
        limited("the context", context, CONTEXT_BYTES_MAX)?;
    }
    let base = parts.base_sha.as_deref().map(str::trim).filter(|base| !base.is_empty());
    let base = base.map(|base| Revision::parse_as("base_sha", base)).transpose();
    let base = base.map_err(AppError::from)?;
    let body = UploadBody { diff: &diff, context: context.as_deref() }.write();
    let contents = pack::contents(diff.clone(), context.as_deref()).map_err(Failure::invalid)?;
    Ok(UploadDiff { diff, base, context, body, contents })
}

fn limited(what: &str, bytes: &Bytes, limit_bytes: usize) -> Result<(), Failure> {
    if bytes.len() > limit_bytes { Err(Failure::too_large(what, limit_bytes)) } else { Ok(()) }
}
