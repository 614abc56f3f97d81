//! The inbox: what waits for people, what they decided, and why. Rendered here, and of use without a script.

mod actions;
mod form;
mod live;
mod page;
mod past;
mod review_views;
mod reviews;
mod sign_in;
mod views;
mod visit;

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use maud::Markup;

use crate::Service;
use crate::inbox_api::inbox_api_router;

const STYLE: &str = include_str!("inbox/style.css");
const SCRIPT: &str = include_str!("inbox/script.js");
/// Nothing from elsewhere, no script or style in the page itself, no frame around it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The page's routes.
pub fn inbox_router(service: Service) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/inbox", get(page::index))
        .route("/inbox/live", get(page::live))
        .route("/inbox/style.css", get(style))
        .route("/inbox/script.js", get(script))
        .route("/inbox/sign-in", get(sign_in::link).post(sign_in::sign_in))
        .route("/inbox/sign-out", post(sign_in::sign_out))
        .route("/inbox/lots/{id}", get(page::lot))
        .route("/inbox/lots/{id}/answer", post(actions::answer))
        .route("/inbox/lots/{id}/dismiss", post(actions::dismiss))
        .route("/inbox/lots/{id}/reopen", post(actions::reopen))
        .route("/inbox/lots/{id}/split", post(actions::split))
        .route("/inbox/history", get(past::history))
        .route("/inbox/decisions/{id}", get(past::decision))
        .route("/inbox/decisions/{id}/correct", post(actions::correct))
        .route("/inbox/log", get(past::log))
        .route("/inbox/reviews", get(reviews::index))
        .route("/inbox/reviews/live", get(reviews::list_live))
        .route("/inbox/reviews/{id}", get(reviews::review))
        .route("/inbox/reviews/{id}/live", get(reviews::review_live))
        .route("/inbox/api/sign-in-link", post(sign_in::make_link))
        .merge(inbox_api_router())
        .with_state(service)
}

/// A page with the headers that keep it to itself.
fn shown(markup: Markup) -> Response {
    let headers: [(HeaderName, &str); 4] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        // With none at all, browsers would not say where a form comes from either.
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Html(markup.into_string())).into_response()
}

async fn style() -> impl IntoResponse {
    (asset("text/css; charset=utf-8"), STYLE)
}

async fn script() -> impl IntoResponse {
    (asset("text/javascript; charset=utf-8"), SCRIPT)
}

fn asset(content_type: &'static str) -> HeaderMap {
    let headers = [
        (CONTENT_TYPE, content_type),
        // A new version of the server has new ones.
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
}
