//! Signing in with a human key or a link that works once, and signing out.

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header::REFERER;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use prevet_domain::ids::SessionId;
use prevet_domain::kind::Kind;
use prevet_wire::inbox::SignInLinkRecord;
use serde::Deserialize;

use super::form::Fields;
use super::visit::{Page, check_origin, refused, sender, token, with_session, without_session};
use super::{shown, views};
use crate::failure::Failure;
use crate::{Service, access, body};

const STALE_LINK: &str = "This link was used already, or is older than five minutes. Ask for a new one with \
    `prevet login --browser`, or paste your key.";

/// What is in a link.
#[derive(Debug, Deserialize)]
pub struct LinkQuery {
    code: Option<String>,
}

/// What they see who are not signed in.
pub fn please(depth: usize, notice: Option<&str>) -> Response {
    let page = views::layout(depth, "Sign in", None, &form(depth, notice));
    (StatusCode::UNAUTHORIZED, shown(page)).into_response()
}

fn form(depth: usize, notice: Option<&str>) -> Markup {
    html! {
        h1 { "Sign in" }
        @if let Some(notice) = notice { p.notice role="alert" { (notice) } }
        p { "Decisions are made by people: sign in with a human key. An agent's key does not open this page." }
        form method="post" action=(views::href(depth, "sign-in")) {
            label for="key" { "Human key" }
            input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required autofocus;
            button.primary type="submit" { "Sign in" }
        }
        p.quiet { "On the machine that has the key, " code { "prevet login --browser" } " prints a link that signs you in." }
        section.quiet id="connect-a-repository" {
            h2 { "Connect a repository" }
            p {
                "Whoever runs this server connects a repository with "
                code { "prevet admin repo add --tenant TENANT OWNER/NAME --target BRANCH" }
                ". From then on its changes are reviewed against that branch."
            }
        }
    }
}

/// A link is followed with a click, so that whoever only looks at it (mail scanners, previews) does not use it up.
pub async fn link(Query(query): Query<LinkQuery>) -> Response {
    let Some(code) = query.code.filter(|code| !code.is_empty()) else { return please(1, None) };
    let content = html! {
        h1 { "Sign in" }
        p { "This link signs this browser in, once." }
        form method="post" action=(views::href(1, "sign-in")) {
            input type="hidden" name="code" value=(code);
            button.primary type="submit" autofocus { "Sign in" }
        }
    };
    shown(views::layout(1, "Sign in", None, &content))
}

/// Takes a key or a link's code.
pub async fn sign_in(State(service): State<Service>, headers: HeaderMap, request: Body) -> Response {
    let fields =
        match Fields::read(&headers, request).await.and_then(|it| check_origin(&headers).map(|()| it)) {
            Ok(fields) => fields,
            Err(failure) => return refused(1, failure),
        };
    let signed_in = match fields.get("code") {
        Some(code) => service.app.follow_sign_in_link(code).await,
        None => service.app.sign_in(fields.get("key")).await.map(Some),
    };
    match signed_in {
        Ok(Some(token)) => with_session(&service, &token, Redirect::to(&came_from(&headers)).into_response()),
        Ok(None) => please(1, Some(STALE_LINK)),
        Err(error) if matches!(error.kind(), Kind::Unauthenticated | Kind::Denied) => {
            please(1, Some(&error.to_string()))
        }
        Err(error) => refused(1, error.into()),
    }
}

/// The page that asked them to sign in, as it is reached from the form's address; the list where that is unknown.
fn came_from(headers: &HeaderMap) -> String {
    let referer = headers.get(REFERER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let path = referer.parse::<Uri>().map(|uri| uri.path().to_owned()).unwrap_or_default();
    let page = path.rsplit_once("/inbox/").map(|(_, page)| page).filter(|page| is_page(page));
    page.map_or_else(|| "../inbox".to_owned(), str::to_owned)
}

/// Whether that is the address of a page below the inbox, and not of a form or of another site.
fn is_page(path: &str) -> bool {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["history" | "log" | "reviews"] => true,
        ["lots" | "decisions" | "reviews", id] => SessionId::parse(id).is_ok_and(|it| it.as_str() == id),
        _ => false,
    }
}

/// Ends the session, here and in the browser.
pub async fn sign_out(State(service): State<Service>, headers: HeaderMap, request: Body) -> Page {
    sender(&service, &headers, request, 1).await?;
    if let Some(token) = token(&headers) {
        service.app.sign_out(token).await.map_err(|error| refused(1, error.into()))?;
    }
    Ok(without_session(&service, Redirect::to("../inbox").into_response()))
}

/// `POST /inbox/api/sign-in-link`: a link for the person of the key.
pub async fn make_link(
    State(service): State<Service>,
    headers: HeaderMap,
    request: Body,
) -> Result<Json<SignInLinkRecord>, Failure> {
    body::take(request).await?;
    let code = service.app.make_sign_in_link(access::api_key(&headers).as_deref()).await?;
    Ok(Json(SignInLinkRecord { path: format!("inbox/sign-in?code={code}") }))
}
