//! Who visits: the cookie of their session, and whether a form comes from our own page.

use axum::body::Body;
use axum::http::header::{COOKIE, HOST, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use prevet_app::browser::{BROWSER_SESSION_SECONDS, Visitor};

use super::form::Fields;
use super::sign_in::please;
use super::views;
use crate::Service;
use crate::failure::Failure;

const COOKIE_NAME: &str = "prevet_inbox";
const FORM_TOKEN: &str = "form_token";
const FETCH_SITE: &str = "sec-fetch-site";

/// A page, or what is shown in its place.
pub type Page = Result<Response, Response>;

/// Somebody who is signed in; or what they are shown who are not.
pub async fn visitor(service: &Service, headers: &HeaderMap, depth: usize) -> Result<Visitor, Response> {
    let Some(token) = token(headers) else { return Err(please(depth, None)) };
    match service.app.visitor(token).await {
        Ok(Some(visitor)) => Ok(visitor),
        Ok(None) => Err(please(depth, Some("Your session ended. Sign in again."))),
        Err(error) => Err(refused(depth, error.into())),
    }
}

/// Somebody who sent a form of ours, and its fields.
pub async fn sender(
    service: &Service,
    headers: &HeaderMap,
    request: Body,
    depth: usize,
) -> Result<(Visitor, Fields), Response> {
    let fields = Fields::read(headers, request).await;
    check_origin(headers).map_err(|failure| refused(depth, failure))?;
    let visitor = visitor(service, headers, depth).await?;
    let fields = fields.map_err(|failure| refused(depth, failure))?;
    if !same(fields.get(FORM_TOKEN).unwrap_or_default(), &visitor.form_token) {
        let text = "this form is not one of this page's; load the page again";
        return Err(refused(depth, Failure::new(StatusCode::FORBIDDEN, "DENIED", text)));
    }
    Ok((visitor, fields))
}

/// A form that another site sends is refused, whatever cookies come with it.
pub fn check_origin(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let site = text(FETCH_SITE).is_none_or(|site| matches!(site, "same-origin" | "none"));
    let own = match (text(ORIGIN.as_str()), text(HOST.as_str())) {
        (None, _) => true,
        (Some(origin), Some(host)) => origin.parse::<Uri>().is_ok_and(|uri| {
            uri.authority().is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(host))
        }),
        (Some(_), None) => false,
    };
    if site && own {
        return Ok(());
    }
    Err(Failure::new(StatusCode::FORBIDDEN, "DENIED", "the form was sent by another site"))
}

/// Whether two tokens are the same; hashed, so that how long it takes says nothing of them.
fn same(one: &str, other: &str) -> bool {
    !other.is_empty() && prevet_app::sha256(one.as_bytes()) == prevet_app::sha256(other.as_bytes())
}

/// The token of the session.
pub fn token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value).filter(|value| !value.is_empty())
}

/// Keeps the session in the browser, out of reach of scripts and of other sites.
pub fn with_session(service: &Service, token: &str, response: Response) -> Response {
    with_cookie(service, token, BROWSER_SESSION_SECONDS, response)
}

/// Takes the session out of the browser.
pub fn without_session(service: &Service, response: Response) -> Response {
    with_cookie(service, "", 0, response)
}

fn with_cookie(service: &Service, value: &str, seconds: u64, mut response: Response) -> Response {
    // Browsers keep no secure cookie of a plain address, which only this machine's own server has.
    let plain = service.public_url.as_deref().is_some_and(|url| url.starts_with("http://"));
    let secure = if plain { "" } else { "; Secure" };
    let cookie =
        format!("{COOKIE_NAME}={value}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict{secure}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// A failure as a page.
pub fn refused(depth: usize, failure: Failure) -> Response {
    let (status, body) = failure.into_parts();
    let page = views::layout(depth, "Not done", None, &views::message("Not done", &body.error));
    (status, super::shown(page)).into_response()
}
