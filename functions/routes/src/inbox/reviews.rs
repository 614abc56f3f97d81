//! The dashboard: the review rounds of the machine that the server runs on.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use prevet_app::browser::Visitor;
use prevet_app::error::AppError;
use prevet_app::reviews::{Detail, Reviews};
use prevet_domain::ids::ReviewId;

use super::live::Tag;
use super::review_views as shown_as;
use super::visit::{Page, refused, visitor};
use super::{live, shown, views};
use crate::Service;

/// Every session, newest first.
pub async fn index(State(service): State<Service>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 1).await?;
    let list = list(&service, &visitor, 1).await?;
    let content = html! {
        h1 { "Reviews" }
        div id="reviews" data-live=(views::href(1, "reviews/live")) { (list) }
        (news())
    };
    Ok(shown(views::layout(1, "Reviews", Some(&visitor), &content)))
}

/// The list alone, for the script that keeps it fresh; 304 where nothing has changed.
pub async fn list_live(State(service): State<Service>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 2).await?;
    // The script puts it into the page of the list, whose addresses it has to fit.
    let list = list(&service, &visitor, 1).await?;
    Ok(live::part(&headers, list))
}

/// One session.
pub async fn review(State(service): State<Service>, Path(id): Path<String>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 2).await?;
    let detail = detail(&service, &visitor, &id, 2).await?;
    let live = views::href(2, &format!("reviews/{}/live", detail.overview.id));
    let is_open = detail.overview.known.as_ref().is_ok_and(|known| known.session.ending.is_none());
    let content = html! {
        div id="review" data-live=[is_open.then_some(live)] { (shown_as::session(&detail)) }
        (news())
    };
    Ok(shown(views::layout(2, "Review", Some(&visitor), &content)))
}

/// One session's part of its page; 304 where nothing has changed, which is found out without reading it.
pub async fn review_live(State(service): State<Service>, Path(id): Path<String>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 3).await?;
    let stamp = async { reviews(&service, &visitor)?.stamp(&review_id(&id)?).await.ok_or_else(missing) };
    let tag = Tag::of(stamp.await.map_err(|error| refused(3, error.into()))?.as_bytes());
    if let Some(unchanged) = tag.unchanged(&headers) {
        return Ok(unchanged);
    }
    Ok(tag.with(shown_as::session(&detail(&service, &visitor, &id, 3).await?)))
}

async fn list(service: &Service, visitor: &Visitor, depth: usize) -> Result<Markup, Response> {
    let reviews = reviews(service, visitor).map_err(|error| refused(depth, error.into()))?;
    let mut found = reviews.overviews().await;
    found.sort_by_key(|it| !it.known.as_ref().is_ok_and(|known| known.session.is_running()));
    Ok(shown_as::list(&found, depth))
}

async fn detail(service: &Service, visitor: &Visitor, id: &str, depth: usize) -> Result<Detail, Response> {
    let found = async { reviews(service, visitor)?.detail(&review_id(id)?).await.ok_or_else(missing) };
    found.await.map_err(|error| refused(depth, error.into()))
}

fn reviews<'s>(service: &'s Service, visitor: &Visitor) -> Result<&'s dyn Reviews, AppError> {
    let elsewhere = "review rounds are shown on the machine that they run on, by its own `prevet serve`";
    service.app.reviews_for(&visitor.caller).ok_or_else(|| AppError::Missing(elsewhere.to_owned()))
}

fn review_id(text: &str) -> Result<ReviewId, AppError> {
    ReviewId::parse(text).map_err(|_| missing())
}

fn missing() -> AppError {
    AppError::Missing("there is no such review on this machine, or its directory is gone".to_owned())
}

fn news() -> Markup {
    html! { p id="news" class="visually-hidden" role="status" {} }
}
