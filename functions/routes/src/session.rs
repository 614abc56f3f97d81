//! `POST /session`

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use prevet_app::error::AppError;
use prevet_app::sessions::{OpenSession, OpenedSession};
use prevet_domain::ids::{Branch, Developer, RepositoryName, Revision, TenantKey};
use prevet_domain::limits::JSON_BODY_BYTES_MAX;
use prevet_domain::session::AccessError;
use prevet_wire::session::{PriorTask, SessionRequest, SessionResponse};

use crate::failure::Failure;
use crate::{Service, access, body, wrong_method};

/// The route, with and without `/mcp` before it.
pub fn session_router(service: Service) -> Router {
    let route = post(open).fallback(wrong_method);
    Router::new().route("/session", route.clone()).route("/mcp/session", route).with_state(service)
}

async fn open(
    State(service): State<Service>,
    headers: HeaderMap,
    request: Body,
) -> Result<Json<SessionResponse>, Failure> {
    let packed = body::take(request).await;
    let api_key = access::api_key(&headers);
    if api_key.is_none() {
        return Err(AppError::Access(AccessError::NoKey).into());
    }
    let json = body::unpack(&headers, packed?, JSON_BODY_BYTES_MAX)?;
    let request: SessionRequest = prevet_wire::json::object(&json).map_err(|error| {
        Failure::invalid(format!("the body is not a JSON object as POST /session takes it: {error}"))
    })?;
    let call = parse(request, api_key)?;
    let repository = call.repository.to_string();
    let opened = service.app.open_session(call).await?;
    Ok(Json(response(&service, opened, repository)))
}

fn parse(request: SessionRequest, api_key: Option<String>) -> Result<OpenSession, AppError> {
    let developer = request.user_name.filter(|name| !name.trim().is_empty());
    Ok(OpenSession {
        api_key,
        tenant: TenantKey::parse(&request.tenant_key)?,
        repository: RepositoryName::parse(&request.repo)?,
        developer: developer.as_deref().map(Developer::parse).transpose()?,
        branch: Branch::parse(&request.branch)?,
        head: Revision::parse_as("head", &request.head)?,
    })
}

fn response(service: &Service, opened: OpenedSession, repository: String) -> SessionResponse {
    let (target_branch, repo_full, reason) = match opened.integration {
        Ok(integration) => (integration.target_branch.to_string(), integration.full_name.to_string(), None),
        Err(reason) => (String::new(), repository, Some(reason)),
    };
    let prior_task = opened
        .prior_task
        .map(|task| PriorTask { task_description: task.task_description, task_source: task.task_source });
    SessionResponse {
        session_id: opened.id.to_string(),
        resumed: opened.resumed,
        target_branch,
        repo_full,
        integration_url: reason.is_some().then(|| service.integration_url()),
        target_branch_error: reason,
        prior_task,
    }
}
