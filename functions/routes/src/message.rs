//! A message to `/mcp`, looked at before the protocol's library sees it: what is wrong with it is said as JSON.

use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use prevet_domain::limits::JSON_BODY_BYTES_MAX;
use serde_json::{Value, json};

use crate::body;
use crate::failure::Failure;

const VERSION_HEADER: &str = "mcp-protocol-version";
/// Has no `initialize` any more.
const MODERN_VERSION: &str = "2026-07-28";
// JSON-RPC 2.0, section 5.1.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMETERS: i32 = -32602;

/// The request with its body unpacked and checked, or the answer that it gets at once.
pub fn checked(mut parts: Parts, packed: Result<Bytes, Failure>) -> Result<Request, Box<Response>> {
    if parts.method != Method::POST {
        return Err(Box::new(wrong_method()));
    }
    let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    // Nothing stated is taken as JSON: a bare POST means nothing else here.
    let essence =
        content_type.map_or("application/json", |value| value.split(';').next().unwrap_or_default());
    let is_form = essence == "application/x-www-form-urlencoded";
    if !essence.trim().eq_ignore_ascii_case("application/json") && !is_form {
        let text = "the Content-Type of a message to /mcp is application/json";
        let failure = Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE", text);
        return Err(Box::new(failure.into_response()));
    }
    let bytes = packed.and_then(|packed| body::unpack(&parts.headers, packed, JSON_BODY_BYTES_MAX));
    let bytes = bytes.map_err(|failure| Box::new(failure.into_response()))?;
    let method = check(&bytes).map_err(|(code, id, message)| Box::new(rpc_error(code, &id, message)))?;
    let is_modern = parts.headers.get(VERSION_HEADER).is_some_and(|version| version == MODERN_VERSION);
    if method == "initialize" && !is_modern {
        // The version is still to be agreed on: the header is for what comes after.
        parts.headers.remove(VERSION_HEADER);
    }
    parts.headers.remove(axum::http::header::CONTENT_ENCODING);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Both forms are understood by every client that matters, whatever it says of itself.
    parts.headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

fn wrong_method() -> Response {
    let failure = Failure::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        "/mcp takes POST only: it keeps no stream open",
    );
    ([(ALLOW, "POST")], failure).into_response()
}

fn rpc_error(code: i32, id: &Value, message: &str) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

type Refused = (i32, Value, &'static str);

/// The message's method; empty for an answer to a request of ours.
fn check(bytes: &[u8]) -> Result<String, Refused> {
    let refused = |code, message| (code, Value::Null, message);
    let message: Value =
        serde_json::from_slice(bytes).map_err(|_| refused(PARSE_ERROR, "the body is not JSON"))?;
    let Value::Object(fields) = &message else {
        return Err(refused(INVALID_REQUEST, "a message is one JSON object"));
    };
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return Err(refused(INVALID_REQUEST, "a message has \"jsonrpc\": \"2.0\""));
    }
    let method = match fields.get("method") {
        Some(Value::String(method)) => method.clone(),
        None if fields.contains_key("result") || fields.contains_key("error") => return Ok(String::new()),
        _ => return Err(refused(INVALID_REQUEST, "a request's method is a text")),
    };
    let id = fields.get("id").cloned().unwrap_or(Value::Null);
    let refused = |message| (INVALID_PARAMETERS, id.clone(), message);
    if method == "tools/call" {
        let parameters = fields
            .get("params")
            .and_then(Value::as_object)
            .ok_or_else(|| refused("tools/call has params"))?;
        if !parameters.get("name").is_some_and(Value::is_string) {
            return Err(refused("tools/call names its tool in params.name"));
        }
        if parameters.get("arguments").is_some_and(|it| !it.is_object() && !it.is_null()) {
            return Err(refused("params.arguments is an object"));
        }
    }
    Ok(method)
}
