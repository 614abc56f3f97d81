//! What waits.

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use prevet_app::browser::Visitor;
use prevet_app::decisions::LotView;
use prevet_app::error::AppError;
use prevet_domain::decision::lot::State as LotState;
use prevet_domain::ids::LotId;
use serde::Deserialize;

use super::visit::{Page, refused, visitor};
use super::{live, shown, views};
use crate::Service;

/// What the list is told by the address.
#[derive(Debug, Deserialize)]
pub struct Done {
    done: Option<String>,
}

/// Open lots, newest first. At `/` too, so that the bare address leads somewhere.
pub async fn index(State(service): State<Service>, Query(query): Query<Done>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 0).await?;
    let done = match query.done.as_deref().and_then(|id| LotId::parse(id).ok()) {
        Some(id) => service.app.lot_view(&visitor.caller, &id).await.ok(),
        None => None,
    };
    let list = list(&service, &visitor).await?;
    let content = html! {
        h1 { "Inbox" }
        @if let Some(view) = &done { (outcome(view)) }
        div id="lots" data-live=(views::href(0, "live")) { (list) }
        p id="news" class="visually-hidden" role="status" {}
    };
    Ok(shown(views::layout(0, "Inbox", Some(&visitor), &content)))
}

/// The list alone, for the script that keeps it fresh; 304 where nothing has changed.
pub async fn live(State(service): State<Service>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 0).await?;
    let list = list(&service, &visitor).await?;
    Ok(live::part(&headers, list))
}

async fn list(service: &Service, visitor: &Visitor) -> Result<Markup, Response> {
    let lots = service.app.open_lots(&visitor.caller).await.map_err(|error| refused(0, error.into()))?;
    let now = (service.app.world.now_seconds)();
    Ok(html! {
        @if lots.is_empty() { p.empty { "Nothing waits for an answer." } }
        @for view in &lots { (views::lot(view, visitor, now, 0)) }
    })
}

/// One lot, open or not.
pub async fn lot(State(service): State<Service>, Path(id): Path<String>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 2).await?;
    let view = view(&service, &visitor, &id).await.map_err(|error| refused(2, error.into()))?;
    let now = (service.app.world.now_seconds)();
    let content = html! {
        h1 { "Request" }
        @if view.state == LotState::Open { (views::lot(&view, &visitor, now, 2)) }
        @else { (outcome(&view)) (views::closed(&view, &visitor, 2)) }
    };
    Ok(shown(views::layout(2, "Request", Some(&visitor), &content)))
}

/// A lot by its id's text; one that is none names nothing.
pub async fn view(service: &Service, visitor: &Visitor, id: &str) -> Result<LotView, AppError> {
    service.app.lot_view(&visitor.caller, &lot_id(id)?).await
}

/// An id that is none names nothing.
pub fn lot_id(text: &str) -> Result<LotId, AppError> {
    LotId::parse(text).map_err(|_| AppError::Missing("there is no such request".to_owned()))
}

/// What became of a lot, for whoever comes from it.
pub fn outcome(view: &LotView) -> Markup {
    let said = match (&view.state, view.decision.as_ref().and_then(|it| it.answer())) {
        (LotState::Answered { .. }, Some(answer)) => format!("answered: {answer}"),
        (LotState::Dismissed { .. }, _) => "dismissed".to_owned(),
        (LotState::Expired, _) => "expired: nobody asked for it again for 30 days".to_owned(),
        (LotState::Split, _) => "split: its questions went to other requests".to_owned(),
        _ => "open".to_owned(),
    };
    html! { p.notice role="status" { "“" (view.lot.request.question) "” is " (said) "." } }
}
