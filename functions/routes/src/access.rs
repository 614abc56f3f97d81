//! The API key of a request.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

/// The header of the contract.
pub const API_KEY_HEADER: &str = "x-product-api-key";

/// The key that was sent: in its own header, or as a bearer token, which is all that some clients can send.
pub fn api_key(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let bearer = || {
        let (scheme, token) = text(AUTHORIZATION.as_str())?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    };
    text(API_KEY_HEADER).or_else(bearer).filter(|key| !key.is_empty()).map(str::to_owned)
}
