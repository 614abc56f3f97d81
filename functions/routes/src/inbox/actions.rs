//! What people do on the page: forms in, redirects out.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;
use prevet_app::browser::Visitor;
use prevet_app::decisions::{AnswerLot, Correct, DecisionError};
use prevet_app::error::AppError;
use prevet_app::masked;
use prevet_domain::decision::lot::Answer;
use prevet_domain::decision::record::{Verb, Way};
use prevet_wire::time::point;

use super::form::Fields;
use super::page::{lot_id, outcome, view};
use super::past::decision_id;
use super::visit::{Page, refused, sender};
use super::{shown, views};
use crate::Service;
use crate::failure::Failure;

/// How deep below the inbox these routes are.
const DEPTH: usize = 3;

/// Answers a lot.
pub async fn answer(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Page {
    let (visitor, fields) = sender(&service, &headers, request, DEPTH).await?;
    let done = async {
        let option = fields.get("option").map(|option| Answer::Option(option.to_owned()));
        let answer = option.or_else(|| fields.get("text").map(|text| Answer::Text(masked(text))));
        let confirms = fields.get("confirms").map(decision_id).transpose()?;
        let call = AnswerLot { lot: lot_id(&id)?, answer, confirms, way: Way::Page };
        service.app.answer_lot(&visitor.caller, &call).await
    };
    finished(&service, &visitor, &id, done.await.map(|_| ())).await
}

/// Dismisses a lot.
pub async fn dismiss(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Page {
    let (visitor, fields) = sender(&service, &headers, request, DEPTH).await?;
    let reason = fields.get("reason").map(masked);
    let done =
        async { service.app.dismiss_lot(&visitor.caller, &lot_id(&id)?, reason.as_deref(), Way::Page).await };
    finished(&service, &visitor, &id, done.await.map(|_| ())).await
}

/// Back to the list, which says what was done; or who was first.
async fn finished(service: &Service, visitor: &Visitor, id: &str, done: Result<(), AppError>) -> Page {
    let error = match done {
        Ok(()) => return Ok(Redirect::to(&format!("../../../inbox?done={id}")).into_response()),
        Err(error @ AppError::Decision(DecisionError::Taken { .. })) => error,
        Err(error) => return Err(failed(error)),
    };
    let view = view(service, visitor, id).await.map_err(failed)?;
    let content = html! {
        h1 { "Somebody was first" }
        p { (error.to_string()) "." }
        (outcome(&view))
        (views::closed(&view, visitor, DEPTH))
    };
    let page = views::layout(DEPTH, "Somebody was first", Some(visitor), &content);
    Ok((StatusCode::CONFLICT, shown(page)).into_response())
}

fn failed(error: AppError) -> Response {
    refused(DEPTH, error.into())
}

/// Opens a closed lot again.
pub async fn reopen(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Page {
    let (visitor, _) = sender(&service, &headers, request, DEPTH).await?;
    let done = async { service.app.reopen_lot(&visitor.caller, &lot_id(&id)?).await };
    done.await.map_err(failed)?;
    Ok(Redirect::to(&format!("../../../inbox/lots/{id}")).into_response())
}

/// Moves some of a lot's questions to one of their own.
pub async fn split(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Page {
    let (visitor, fields) = sender(&service, &headers, request, DEPTH).await?;
    let asks: Vec<String> = fields.all("ask").map(str::to_owned).collect();
    let done = async { service.app.split_lot(&visitor.caller, &lot_id(&id)?, &asks).await };
    done.await.map_err(failed)?;
    Ok(Redirect::to("../../../inbox").into_response())
}

/// Corrects a decision.
pub async fn correct(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Page {
    let (visitor, fields) = sender(&service, &headers, request, DEPTH).await?;
    let call = correction(&service, &id, &fields).map_err(|failure| refused(DEPTH, failure))?;
    service.app.correct_decision(&visitor.caller, &call).await.map_err(failed)?;
    Ok(Redirect::to(&format!("../../../inbox/decisions/{id}")).into_response())
}

fn correction(service: &Service, id: &str, fields: &Fields) -> Result<Correct, Failure> {
    let verb = fields.get("verb").and_then(Verb::parse);
    let verb = verb.ok_or_else(|| Failure::invalid("choose what is wrong with reusing the decision"))?;
    let now = (service.app.world.now_seconds)();
    let end = |text: &str| {
        let unusable = || Failure::invalid(format!("{text:?} is neither a duration such as 90d nor a date"));
        point(text, now).ok_or_else(unusable)
    };
    // The field is there for every verb; it only means something for one.
    let stated = fields.get("expires_after").filter(|_| verb == Verb::ExpiresAfter);
    let expires_at = stated.map(end).transpose()?;
    Ok(Correct { decision: decision_id(id)?, verb, expires_at, way: Way::Page })
}
