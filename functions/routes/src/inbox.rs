//! The page for people. It is served, and empty: no decision can be waiting yet.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{Html, IntoResponse};
use axum::routing::get;

use crate::Service;
use crate::inbox_api::inbox_api_router;

const PAGE: &str = include_str!("inbox.html");

/// The page's routes.
pub fn inbox_router(service: Service) -> Router {
    let pages = Router::new().route("/", get(page)).route("/inbox", get(page));
    pages.merge(inbox_api_router()).with_state(service)
}

async fn page() -> impl IntoResponse {
    let headers = [
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
        ),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Html(PAGE))
}
