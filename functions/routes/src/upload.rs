//! `POST /upload/{session_id}`

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use multer::Multipart;
use prevet_app::error::AppError;
use prevet_app::ports::Place;
use prevet_app::uploads::UploadDiff;
use prevet_domain::ids::Revision;
use prevet_domain::limits::{
    CONTEXT_BYTES_MAX, DIFF_BYTES_MAX, JSON_BODY_BYTES_MAX, PLACE_SECONDS, PLACED_BODY_BYTES_MAX,
};
use prevet_domain::session::Session;
use prevet_wire::session::{LargeUpload, PlaceResponse, UploadResponse};
use prevet_wire::upload_body::UploadBody;

use crate::failure::Failure;
use crate::{Service, access, body, pack, wrong_method};

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
) -> Result<Response, Failure> {
    let packed = body::take(request).await;
    let session = service.app.authorize_upload(access::api_key(&headers).as_deref(), &session_id).await?;
    if is_json(&headers) {
        return large_upload(&service, &session, &headers, packed?).await;
    }
    Ok(keep(&service, &session, &headers, packed?).await?.into_response())
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"))
}

/// The steps of an upload that does not fit in one request.
async fn large_upload(
    service: &Service,
    session: &Session,
    headers: &HeaderMap,
    packed: Bytes,
) -> Result<Response, Failure> {
    let json = body::unpack(headers, packed, JSON_BODY_BYTES_MAX)?;
    let step = LargeUpload::parse(&json).map_err(|error| {
        Failure::invalid(format!(
            "the body is neither multipart/form-data with the parts `file` and `base_sha`, nor a step of a large upload: {error}"
        ))
    });
    match step? {
        LargeUpload::Place { body_bytes } => {
            let (place, it) = service.app.place_upload(session, body_bytes).await?;
            let (session_id, expires_in_seconds) = (session.id.to_string(), PLACE_SECONDS);
            let Place { url, headers } = it;
            Ok(Json(PlaceResponse { session_id, place, url, headers, expires_in_seconds }).into_response())
        }
        LargeUpload::Placed { place, content_type, content_encoding } => {
            let headers = headers_of(&content_type, content_encoding.as_deref())?;
            let packed = service.app.take_placed(session, &place).await?;
            Ok(keep(service, session, &headers, packed).await?.into_response())
        }
    }
}

/// The headers that the body would have had in a request of its own.
fn headers_of(content_type: &str, content_encoding: Option<&str>) -> Result<HeaderMap, Failure> {
    let value = |name: &str, text: &str| {
        HeaderValue::from_str(text)
            .map_err(|_| Failure::invalid(format!("{name} is no value of such a header")))
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, value("content_type", content_type)?);
    if let Some(encoding) = content_encoding {
        headers.insert(CONTENT_ENCODING, value("content_encoding", encoding)?);
    }
    Ok(headers)
}

/// Takes an upload's body, as its headers say.
async fn keep(
    service: &Service,
    session: &Session,
    headers: &HeaderMap,
    packed: Bytes,
) -> Result<Json<UploadResponse>, Failure> {
    let boundary = boundary(headers)?;
    let multipart = body::unpack(headers, packed, PLACED_BODY_BYTES_MAX)?;
    let parts = read_parts(multipart, boundary).await?;
    let diff_unchanged = service.app.upload_diff(session, call(parts)?).await?;
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
