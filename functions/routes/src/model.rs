//! `POST /model`: one real question to the model, for `prevet doctor --model`.

use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use prevet_app::error::AppError;
use prevet_domain::session::AccessError;
use prevet_wire::model_trial::ModelTrial;

use crate::failure::Failure;
use crate::{Service, access, body, wrong_method};

/// What of the answer is shown.
const ANSWER_CHARACTERS_MAX: usize = 200;
const MICRO_PER_USD: f64 = 1_000_000.0;

/// The route, with and without `/mcp` before it.
pub fn model_router(service: Service) -> Router {
    let route = post(try_model).fallback(wrong_method);
    Router::new().route("/model", route.clone()).route("/mcp/model", route).with_state(service)
}

/// The body says nothing; it is read so that whoever is refused has sent all of it.
async fn try_model(
    State(service): State<Service>,
    headers: HeaderMap,
    request: Body,
) -> Result<Json<ModelTrial>, Failure> {
    body::take(request).await?;
    let key = access::api_key(&headers).ok_or(AppError::Access(AccessError::NoKey))?;
    let started = Instant::now();
    let trial = service.app.try_model(&key).await?;
    let shown = prevet_app::masked(&trial.answer.text).chars().take(ANSWER_CHARACTERS_MAX).collect();
    Ok(Json(ModelTrial {
        model: trial.model,
        answer: shown,
        input_tokens: trial.answer.input_tokens,
        output_tokens: trial.answer.output_tokens,
        usd: trial.answer.micro_usd.map(usd),
        milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }))
}

#[expect(clippy::cast_precision_loss, reason = "the cost of one question is far below 2^52 millionths")]
fn usd(micro_usd: u64) -> f64 {
    micro_usd as f64 / MICRO_PER_USD
}
