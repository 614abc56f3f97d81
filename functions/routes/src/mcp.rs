//! `/mcp`: Model Context Protocol over streamable HTTP, stateless, in both of the protocol's eras.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use prevet_domain::limits::JSON_BODY_BYTES_MAX;
use prevet_wire::error::ErrorBody;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::failure::Failure;
use crate::{Service, access, body, decision_tools, fixtures, message, model, progress, tools};

const INSTRUCTIONS: &str = "Prevet inspects a change before it leaves the machine. Open a session (POST /session), \
    upload the diff (POST /upload/{session_id}), then call inspect_diff with the session_id; describe_change tells \
    what the diff does, ask answers a question about it, check_task says whether it does what a task asks. \
    Before you ask a person to decide something, call lookup_decision; request_decision asks and waits; share_context \
    tells others what they should know. \
    A verdict other than approve, and everything under degraded, is worth telling the user.";

/// The route, and what lies below it.
pub fn mcp_router(service: Service) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_retry(None)
        .with_max_request_body_bytes(JSON_BODY_BYTES_MAX)
        // The host is checked by `guard`, which knows the name that the server goes by.
        .disable_allowed_hosts();
    let handler = Handler { service: service.clone() };
    let sessions = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
    let guarded = Router::new()
        .route_service("/mcp", mcp)
        .layer(middleware::from_fn_with_state(service.clone(), guard));
    let no_oauth = axum::routing::any(no_oauth);
    let with_metadata =
        guarded.route("/.well-known/{*path}", no_oauth.clone()).route("/mcp/.well-known/{*path}", no_oauth);
    with_metadata.merge(model::model_router(service))
}

/// Clients that look for OAuth metadata are told at once that there is none to find.
async fn no_oauth() -> Failure {
    let text = "this server does not use OAuth: send an API key in the X-Product-API-Key header";
    Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", text)
}

/// Checks the key, where one is sent, the host and origin against DNS rebinding, and the message.
async fn guard(State(service): State<Service>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    // First, so that whoever is refused has sent all that there was to send, and reads why.
    let packed = body::take(body).await;
    if let Err(failure) = check_host(&service, &parts.headers) {
        return failure.into_response();
    }
    if let Some(key) = access::api_key(&parts.headers) {
        match service.app.check_key(&key).await {
            // For the tools that need it, so that it is read once.
            Ok(record) => parts.extensions.insert(record),
            Err(error) => return Failure::from(error).into_response(),
        };
    }
    match message::checked(parts, packed) {
        Ok(request) => next.run(request).await,
        Err(answer) => *answer,
    }
}

/// A page in a browser may not speak to a server on the same machine: neither by a name of its own that leads to
/// loopback, nor from another origin.
fn check_host(service: &Service, headers: &HeaderMap) -> Result<(), Failure> {
    let public = service.public_url.as_deref().and_then(|url| url.parse::<Uri>().ok());
    let public = public.as_ref().and_then(Uri::host);
    let own = |value: &HeaderValue| {
        let uri = value.to_str().ok().and_then(|text| text.parse::<Uri>().ok());
        let host = uri.as_ref().and_then(Uri::host);
        host.is_some_and(|host| {
            is_loopback(host) || public.is_some_and(|public| public.eq_ignore_ascii_case(host))
        })
    };
    let forbidden = |what| {
        Failure::new(StatusCode::FORBIDDEN, "DENIED", format!("{what} is not one of this server's own"))
    };
    if headers.get(ORIGIN).is_some_and(|origin| !own(origin)) {
        return Err(forbidden("the Origin"));
    }
    // Behind API Gateway the host is the gateway's, which only lets its own names through.
    if public.is_some() && headers.get(HOST).is_some_and(|host| !own(host)) {
        return Err(forbidden("the Host"));
    }
    Ok(())
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|it| it.is_loopback())
}

#[derive(Debug, Clone)]
struct Handler {
    service: Service,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("prevet", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = [crate::tools(), fixtures::tools(&self.service)];
        Ok(ListToolsResult::with_all_items(tools.concat()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        if let Some(result) = fixtures::call(&self.service, &request.name, &context).await {
            return Ok(result.into());
        }
        let Some(step) = tools::step(&request.name) else {
            if let Some(result) =
                decision_tools::call(&self.service, &request.name, arguments, &context).await
            {
                return Ok(result.into());
            }
            return Err(ErrorData::invalid_params(
                format!("there is no tool named {:?}", request.name),
                None,
            ));
        };
        let call = |progress| tools::call(&self.service, &request.name, arguments, progress);
        Ok(match progress::forwarded(&context, step, call).await {
            Ok(result) => CallToolResult::structured(result),
            Err(failure) => error(failure.body()),
        }
        .into())
    }
}

fn error(body: &ErrorBody) -> CallToolResult {
    let text = serde_json::to_string(body).unwrap_or_else(|_| body.error.clone());
    CallToolResult::error(vec![ContentBlock::text(text)])
}
