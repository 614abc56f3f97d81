//! What people do, as JSON: the terminal's verbs, and whoever builds on them. Below `/inbox/api`, for keys of people
//! alone: an agent's key is refused on every route, before anything of the request is looked at.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use prevet_app::decisions::ports::{AuditEntry, ContextItem};
use prevet_app::decisions::{AnswerLot, Caller, Correct, DecisionError, LotView, Recalled, Why};
use prevet_app::error::AppError;
use prevet_app::masked;
use prevet_domain::decision::lot::Answer;
use prevet_domain::decision::record::{Verb, Way};
use prevet_domain::ids::{DecisionId, LotId};
use prevet_domain::limits::{JSON_BODY_BYTES_MAX, MATCHES_MAX};
use prevet_wire::decisions::ContextRecord;
use prevet_wire::inbox::{
    AnswerBody, Audit, AuditRecord, CorrectBody, DecisionRecord, Decisions, DismissBody, LotRecord, Lots,
    SplitBody, SplitResult, Taken, WaitingRecord,
};
use prevet_wire::time::{point, timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::{Service, access, body};

/// Says by which way a person acts: `terminal` or `page`.
const WAY_HEADER: &str = "x-prevet-way";
/// Decisions of one page where nothing is stated.
const PAGE_DECISIONS: usize = 20;

/// The routes.
pub fn inbox_api_router() -> Router<Service> {
    Router::new()
        .route("/inbox/api/lots", get(lots))
        .route("/inbox/api/lots/{id}", get(lot))
        .route("/inbox/api/lots/{id}/answer", post(answer))
        .route("/inbox/api/lots/{id}/dismiss", post(dismiss))
        .route("/inbox/api/lots/{id}/reopen", post(reopen))
        .route("/inbox/api/lots/{id}/split", post(split))
        .route("/inbox/api/decisions", get(decisions))
        .route("/inbox/api/decisions/{id}", get(why))
        .route("/inbox/api/decisions/{id}/correct", post(correct))
        .route("/inbox/api/audit", get(audit))
}

/// A failure, or a conflict with what was decided first.
pub enum Refusal {
    /// Any other failure.
    Failure(Failure),
    /// Somebody was first.
    Taken(Box<Taken>),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<AppError> for Refusal {
    fn from(error: AppError) -> Self {
        let text = error.to_string();
        match error {
            AppError::Decision(DecisionError::Taken { decision, .. }) => {
                let decision = decision.as_deref().map(DecisionRecord::from);
                Self::Taken(Box::new(Taken { error: text, code: "ALREADY_DECIDED".to_owned(), decision }))
            }
            error => Self::Failure(error.into()),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Failure(failure) => failure.into_response(),
            Self::Taken(taken) => (StatusCode::CONFLICT, Json(*taken)).into_response(),
        }
    }
}

type Answered<T> = Result<Json<T>, Refusal>;

/// Checks that a person calls, and takes the body off the line.
async fn person(
    service: &Service,
    headers: &HeaderMap,
    request: Body,
) -> Result<(Caller, bytes::Bytes), Refusal> {
    let packed = body::take(request).await;
    let caller = service.app.person(access::api_key(headers).as_deref()).await?;
    Ok((caller, body::unpack(headers, packed?, JSON_BODY_BYTES_MAX)?))
}

fn parsed<T: DeserializeOwned + Default>(json: &[u8]) -> Result<T, Refusal> {
    if json.iter().all(u8::is_ascii_whitespace) {
        return Ok(T::default());
    }
    let read = prevet_wire::json::object(json);
    Ok(read.map_err(|error| Failure::invalid(format!("the body is not what this route takes: {error}")))?)
}

fn way(headers: &HeaderMap) -> Way {
    match headers.get(WAY_HEADER).and_then(|value| value.to_str().ok()) {
        Some("terminal") => Way::Terminal,
        Some("page") => Way::Page,
        _ => Way::Api,
    }
}

/// An id that is none names nothing.
fn lot_id(text: &str) -> Result<LotId, Refusal> {
    Ok(LotId::parse(text).map_err(|_| AppError::Missing("there is no such lot".to_owned()))?)
}

fn decision_id(text: &str) -> Result<DecisionId, Refusal> {
    Ok(DecisionId::parse(text).map_err(|_| AppError::Missing("there is no such decision".to_owned()))?)
}

async fn lots(State(service): State<Service>, headers: HeaderMap, request: Body) -> Answered<Lots> {
    let (caller, _) = person(&service, &headers, request).await?;
    let views = service.app.open_lots(&caller).await?;
    Ok(Json(Lots { lots: views.iter().map(|view| lot_record(&service, view)).collect() }))
}

async fn lot(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Answered<LotRecord> {
    let (caller, _) = person(&service, &headers, request).await?;
    let view = service.app.lot_view(&caller, &lot_id(&id)?).await?;
    Ok(Json(lot_record(&service, &view)))
}

async fn answer(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Answered<DecisionRecord> {
    let (caller, json) = person(&service, &headers, request).await?;
    let body: AnswerBody = parsed(&json)?;
    let answer = match (body.option, body.text) {
        (Some(_), Some(_)) => {
            return Err(Failure::invalid("an answer has an option or a text, not both").into());
        }
        (Some(option), None) => Some(Answer::Option(option)),
        (None, text) => text.map(|text| Answer::Text(masked(&text))),
    };
    let confirms = body.confirms.as_deref().map(decision_id).transpose()?;
    let call = AnswerLot { lot: lot_id(&id)?, answer, confirms, way: way(&headers) };
    Ok(Json(DecisionRecord::from(&service.app.answer_lot(&caller, &call).await?)))
}

async fn dismiss(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Answered<DecisionRecord> {
    let (caller, json) = person(&service, &headers, request).await?;
    let body: DismissBody = parsed(&json)?;
    let reason = body.reason.as_deref().map(masked);
    let decision = service.app.dismiss_lot(&caller, &lot_id(&id)?, reason.as_deref(), way(&headers)).await?;
    Ok(Json(DecisionRecord::from(&decision)))
}

async fn reopen(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Answered<LotRecord> {
    let (caller, _) = person(&service, &headers, request).await?;
    let lot = service.app.reopen_lot(&caller, &lot_id(&id)?).await?;
    Ok(Json(LotRecord::new(&lot, lot.state.as_str())))
}

async fn split(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Answered<SplitResult> {
    let (caller, json) = person(&service, &headers, request).await?;
    let body: SplitBody = parsed(&json)?;
    let (old, new) = service.app.split_lot(&caller, &lot_id(&id)?, &body.asks).await?;
    let record = |lot| LotRecord::new(lot, "open");
    Ok(Json(SplitResult { lot: record(&old), new: record(&new) }))
}

/// The parameters of lists.
#[derive(Debug, Default, Deserialize)]
struct Page {
    query: Option<String>,
    before: Option<String>,
    limit: Option<usize>,
}

async fn decisions(
    State(service): State<Service>,
    page: Result<Query<Page>, QueryRejection>,
    headers: HeaderMap,
    request: Body,
) -> Answered<Decisions> {
    let (caller, _) = person(&service, &headers, request).await?;
    let Query(page) = page.map_err(|error| Failure::invalid(error.body_text()))?;
    let limit = page.limit.unwrap_or(PAGE_DECISIONS);
    let query = page.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let found = if let Some(query) = query {
        service.app.search_history(&caller, query, limit).await?
    } else {
        let before = page.before.as_deref().map(decision_id).transpose()?;
        service.app.history(&caller, before.as_ref(), limit).await?
    };
    let record = |it: &Recalled| DecisionRecord::from(&it.decision).with_uses(&it.uses);
    Ok(Json(Decisions { decisions: found.iter().map(record).collect() }))
}

async fn why(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Answered<DecisionRecord> {
    let (caller, _) = person(&service, &headers, request).await?;
    Ok(Json(why_record(&service.app.why(&caller, &decision_id(&id)?).await?)))
}

async fn correct(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Body,
) -> Answered<DecisionRecord> {
    let (caller, json) = person(&service, &headers, request).await?;
    let body: CorrectBody = parsed(&json)?;
    let known = Verb::ALL.map(Verb::as_str).join(", ");
    let verb = Verb::parse(&body.verb)
        .ok_or_else(|| Failure::invalid(format!("{:?} is not one of the verbs {known}", body.verb)))?;
    let now = (service.app.world.now_seconds)();
    let end = |text: &str| {
        point(text, now).ok_or_else(|| {
            Failure::invalid(format!(
                "{text:?} is neither a duration such as 90d or 12h nor a date such as 2027-01-31"
            ))
        })
    };
    let expires_at = body.expires_after.as_deref().map(end).transpose()?;
    let call = Correct { decision: decision_id(&id)?, verb, expires_at, way: way(&headers) };
    Ok(Json(DecisionRecord::from(&service.app.correct_decision(&caller, &call).await?)))
}

async fn audit(
    State(service): State<Service>,
    page: Result<Query<Page>, QueryRejection>,
    headers: HeaderMap,
    request: Body,
) -> Answered<Audit> {
    let (caller, _) = person(&service, &headers, request).await?;
    let Query(page) = page.map_err(|error| Failure::invalid(error.body_text()))?;
    let limit = page.limit.unwrap_or(MATCHES_MAX as usize);
    let entries = service.app.audit_log(&caller, page.before.as_deref(), limit).await?;
    Ok(Json(Audit { entries: entries.into_iter().map(audit_record).collect() }))
}

fn audit_record(entry: AuditEntry) -> AuditRecord {
    AuditRecord {
        at: timestamp(entry.at),
        role: entry.role.as_str().to_owned(),
        id: entry.id,
        by: entry.by,
        action: entry.action,
        subject: entry.subject,
        detail: entry.detail,
    }
}

/// A lot with all that belongs to it.
pub(crate) fn lot_record(service: &Service, view: &LotView) -> LotRecord {
    let now = (service.app.world.now_seconds)();
    let mut record = LotRecord::new(&view.lot, view.state.as_str());
    record.waiting = view
        .waiters
        .iter()
        .map(|waiter| WaitingRecord {
            who: waiter.who.clone(),
            since: timestamp(waiter.since),
            seconds: now.saturating_sub(waiter.since),
            last_asked_at: timestamp(waiter.last_at),
        })
        .collect();
    record.context = view.context.iter().map(context_record).collect();
    record.decision = view.decision.as_ref().map(DecisionRecord::from);
    record
}

/// All that is known of a decision.
pub(crate) fn why_record(why: &Why) -> DecisionRecord {
    DecisionRecord {
        freshness: Some(why.freshness.value),
        freshness_reason: Some(why.freshness.reason.clone()),
        asked: why.asked.clone(),
        ..DecisionRecord::from(&why.decision).with_uses(&why.uses)
    }
}

/// What was shared.
pub(crate) fn context_record(item: &ContextItem) -> ContextRecord {
    ContextRecord {
        item_id: item.id.clone(),
        kind: item.kind.clone(),
        body: item.body.clone(),
        concepts: item.concepts.clone(),
        shared_by: item.by.clone(),
        shared_at: timestamp(item.at),
    }
}
