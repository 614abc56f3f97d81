//! Parts of pages that a script keeps fresh: sent only where they have changed.

use axum::http::header::{ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::Markup;

use super::shown;

/// What a part is known by (RFC 9110, section 8.8.3).
pub struct Tag(String);

impl Tag {
    /// Of everything that the part is made of.
    pub fn of(bytes: &[u8]) -> Self {
        Self(format!("\"{}\"", prevet_app::sha256(bytes)))
    }

    /// 304, where the script has this state of the part already.
    pub fn unchanged(&self, headers: &HeaderMap) -> Option<Response> {
        let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        (known == Some(&self.0)).then(|| StatusCode::NOT_MODIFIED.into_response())
    }

    /// The part.
    pub fn with(&self, markup: Markup) -> Response {
        let mut response = shown(markup);
        if let Ok(tag) = HeaderValue::from_str(&self.0) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// A part that is known by its own text.
pub fn part(headers: &HeaderMap, markup: Markup) -> Response {
    let tag = Tag::of(markup.0.as_bytes());
    tag.unchanged(headers).unwrap_or_else(|| tag.with(markup))
}
