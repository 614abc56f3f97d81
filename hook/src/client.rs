//! HTTP to the server. Every wait is bounded, and the bound is in the message.

mod failure;
mod upload;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use prevet_domain::kind::Kind;
use prevet_wire::error::ErrorBody;
use prevet_wire::inspect::InspectParameters;
use prevet_wire::model_trial::ModelTrial;
use prevet_wire::session::{SessionRequest, SessionResponse, UploadResponse};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, CallToolResult, ProgressNotificationParam};
use rmcp::service::NotificationContext;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::Value;

pub use self::failure::kind_of_code;
pub use self::upload::Upload;
use crate::connection::{Endpoint, is_loopback};
use crate::console::Progress;
use crate::error::CommandError;
use crate::report::escape;

const API_KEY_HEADER: &str = "x-product-api-key";
/// No answer of these routes is nearly as large.
const ANSWER_BYTES_MAX: usize = 16 << 20;
const THREAD_HEADER: &str = "x-prevet-thread";
const REPOSITORY_HEADER: &str = "x-prevet-repository";
const WAY_HEADER: &str = "x-prevet-way";
const USER_AGENT: &str = concat!("prevet/", env!("CARGO_PKG_VERSION"));

/// How long the server is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waits {
    /// Until a connection stands.
    pub connect_seconds: u64,
    /// For `POST /session`.
    pub session_seconds: u64,
    /// For an upload.
    pub upload_seconds: u64,
    /// For an inspection.
    pub inspect_seconds: u64,
}

impl Default for Waits {
    fn default() -> Self {
        Self { connect_seconds: 10, session_seconds: 30, upload_seconds: 120, inspect_seconds: 300 }
    }
}

impl Waits {
    /// None longer than `limit_seconds`.
    #[must_use]
    pub fn at_most(self, limit_seconds: u64) -> Self {
        Self {
            connect_seconds: self.connect_seconds.min(limit_seconds),
            session_seconds: self.session_seconds.min(limit_seconds),
            upload_seconds: self.upload_seconds.min(limit_seconds),
            inspect_seconds: self.inspect_seconds.min(limit_seconds),
        }
    }
}

/// A client of one server.
pub struct Client {
    endpoint: Endpoint,
    waits: Waits,
    http: reqwest::Client,
    about: About,
}

/// What a request for a decision says of where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The thread.
    pub thread: Option<String>,
    /// The repository.
    pub repository: Option<String>,
}

impl Client {
    /// For `endpoint`, which is waited for no longer than `waits`.
    pub fn new(endpoint: Endpoint, waits: Waits) -> Result<Self, CommandError> {
        let mut http = reqwest::Client::builder();
        // A proxy that the environment names would not reach this machine, and is not to see what is sent to it.
        if is_loopback(&endpoint.url) {
            http = http.no_proxy();
        }
        let http = http
            .connect_timeout(Duration::from_secs(waits.connect_seconds))
            // A server that answers elsewhere would be handed the key there.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(USER_AGENT)
            .build()
            .map_err(|error| CommandError::of(Kind::Internal, &error))?;
        Ok(Self { endpoint, waits, http, about: About::default() })
    }

    /// The same, saying where its requests come from.
    #[must_use]
    pub fn about(self, about: About) -> Self {
        Self { about, ..self }
    }

    /// The server's URL.
    pub fn url(&self) -> &str {
        &self.endpoint.url
    }

    /// The tenant.
    pub fn tenant_key(&self) -> &str {
        &self.endpoint.tenant_key
    }

    /// `POST /session`
    pub async fn open_session(&self, request: &SessionRequest) -> Result<SessionResponse, CommandError> {
        let call = self.http.post(format!("{}/session", self.endpoint.url)).json(request);
        self.send(call, self.waits.session_seconds, "opening a session").await
    }

    /// `POST /upload/{session_id}`
    pub async fn upload(&self, session_id: &str, upload: &Upload) -> Result<UploadResponse, CommandError> {
        let call = self
            .http
            .post(format!("{}/upload/{session_id}", self.endpoint.url))
            .header(CONTENT_TYPE, upload.content_type())
            .header(CONTENT_ENCODING, "zstd")
            .body(upload.packed().to_vec());
        self.send(call, self.waits.upload_seconds, "uploading the diff").await
    }

    /// A route for people: `GET` where there is no body.
    pub async fn inbox<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        body: Option<&Value>,
        action: &str,
    ) -> Result<T, CommandError> {
        let base = self.endpoint.url.trim_end_matches("/mcp");
        let url = format!("{base}/inbox/api/{path}");
        let call = match body {
            Some(body) => self.http.post(url).json(body),
            None => self.http.get(url),
        };
        self.send(call.header(WAY_HEADER, "terminal"), self.waits.session_seconds, action).await
    }

    /// One of the decision tools: its result, and whether that is an error. It may take `wait_seconds` longer than
    /// other calls.
    pub async fn decision(
        &self,
        tool: &'static str,
        parameters: &impl serde::Serialize,
        wait_seconds: u64,
    ) -> Result<(Value, bool), CommandError> {
        let seconds = self.waits.session_seconds + wait_seconds;
        let progress = Progress::start("asking about the decision");
        let answer =
            tokio::time::timeout(Duration::from_secs(seconds), self.tool_result(tool, parameters, &progress))
                .await;
        let result = answer.unwrap_or_else(|_| Err(failure::silent(&self.endpoint.url, tool, seconds)))?;
        if result.is_error != Some(true) {
            return Ok((read_result(result)?, false));
        }
        let text = result.content.iter().find_map(|block| block.as_text()).map(|text| text.text.clone());
        let value = text.and_then(|text| serde_json::from_str(&text).ok());
        value.map(|value| (value, true)).ok_or_else(|| {
            CommandError::new(
                Kind::Unavailable,
                format!("{} refused {tool} without saying why", self.endpoint.url),
            )
        })
    }

    async fn send<T: serde::de::DeserializeOwned>(
        &self,
        call: reqwest::RequestBuilder,
        timeout_seconds: u64,
        action: &str,
    ) -> Result<T, CommandError> {
        let call =
            call.header(API_KEY_HEADER, &self.endpoint.api_key).timeout(Duration::from_secs(timeout_seconds));
        let unreachable = |error: reqwest::Error| {
            let seconds = if error.is_connect() { self.waits.connect_seconds } else { timeout_seconds };
            failure::unreachable(&self.endpoint.url, action, seconds, &error)
        };
        let mut response = call.send().await.map_err(unreachable)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            body.extend_from_slice(&chunk);
            if body.len() > ANSWER_BYTES_MAX {
                let text = format!(
                    "{action} at {}: the answer is larger than {ANSWER_BYTES_MAX} bytes, which no Prevet server gives",
                    self.endpoint.url
                );
                return Err(CommandError::new(Kind::Unavailable, text));
            }
        }
        if !status.is_success() {
            return Err(failure::refused(&self.endpoint.url, action, status, &headers, &body));
        }
        serde_json::from_slice(&body).map_err(|_| {
            let text =
                format!("{action} at {}: the answer is not what a Prevet server gives", self.endpoint.url);
            CommandError::new(Kind::Unavailable, text)
        })
    }

    /// `POST /model`: one real question to the server's model.
    pub async fn try_model(&self) -> Result<ModelTrial, CommandError> {
        let call = self.http.post(format!("{}/model", self.endpoint.url));
        self.send(call, self.waits.inspect_seconds, "asking the model").await
    }

    /// `inspect_diff`, over MCP: the tool's result as JSON.
    pub async fn inspect(
        &self,
        parameters: &InspectParameters,
        progress: &Progress,
    ) -> Result<Value, CommandError> {
        let limit = Duration::from_secs(self.waits.inspect_seconds);
        let call = self.call_tool("inspect_diff", parameters, progress);
        let answer = tokio::time::timeout(limit, call).await;
        answer.unwrap_or_else(|_| {
            Err(failure::silent(&self.endpoint.url, "inspecting", self.waits.inspect_seconds))
        })
    }

    /// Any other tool, over MCP: its result as JSON.
    pub async fn call(
        &self,
        name: &'static str,
        parameters: &impl serde::Serialize,
        progress: &Progress,
    ) -> Result<Value, CommandError> {
        let seconds = self.waits.inspect_seconds;
        let call = self.call_tool(name, parameters, progress);
        let answer = tokio::time::timeout(Duration::from_secs(seconds), call).await;
        answer.unwrap_or_else(|_| Err(failure::silent(&self.endpoint.url, name, seconds)))
    }

    async fn call_tool(
        &self,
        name: &'static str,
        parameters: &impl serde::Serialize,
        progress: &Progress,
    ) -> Result<Value, CommandError> {
        read_result(self.tool_result(name, parameters, progress).await?)
    }

    async fn tool_result(
        &self,
        name: &'static str,
        parameters: &impl serde::Serialize,
        progress: &Progress,
    ) -> Result<CallToolResult, CommandError> {
        let config = StreamableHttpClientTransportConfig::with_uri(Arc::from(self.endpoint.url.as_str()))
            .custom_headers(self.headers()?);
        let transport = StreamableHttpClientTransport::with_client(self.http.clone(), config);
        let broken = |error: &dyn std::error::Error| {
            let text =
                format!("calling {name} at {} failed: {}", self.endpoint.url, crate::error::chain(error));
            CommandError::new(Kind::Unavailable, text)
        };
        let listener = Listener(progress.clone());
        let service = listener.serve(transport).await.map_err(|error| broken(&error))?;
        let Value::Object(arguments) = serde_json::to_value(parameters).map_err(|error| broken(&error))?
        else {
            return Err(CommandError::new(Kind::Internal, "a tool's parameters are an object"));
        };
        let request = CallToolRequestParams::new(name).with_arguments(arguments);
        let result = service.call_tool(request).await;
        // Nothing is kept open on the server's side.
        let _ = service.cancel().await;
        result.map_err(|error| broken(&error))
    }

    fn headers(&self) -> Result<HashMap<HeaderName, HeaderValue>, CommandError> {
        let value = HeaderValue::from_str(&self.endpoint.api_key)
            .map_err(|_| CommandError::usage("the API key has characters that no key has"))?;
        let mut headers = HashMap::from([(HeaderName::from_static(API_KEY_HEADER), value)]);
        let about = [(THREAD_HEADER, &self.about.thread), (REPOSITORY_HEADER, &self.about.repository)];
        for (name, text) in about {
            // A name that no header can have is left out: it only helps people to tell requests apart.
            if let Some(value) = text.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        Ok(headers)
    }
}

/// Shows how far the server says that it is.
#[derive(Clone)]
struct Listener(Progress);

impl ClientHandler for Listener {
    async fn on_progress(&self, told: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        if let Some(message) = told.message {
            self.0.say(escape::line(&message));
        }
    }
}

fn read_result(result: CallToolResult) -> Result<Value, CommandError> {
    let text = result.content.iter().find_map(|block| block.as_text()).map(|text| text.text.as_str());
    let text = text.unwrap_or_default();
    if result.is_error == Some(true) {
        return Err(match serde_json::from_str::<ErrorBody>(text) {
            Ok(body) => CommandError::new(
                failure::kind_of_code(&body.code),
                format!("{} ({})", body.error, body.code),
            ),
            Err(_) => CommandError::new(Kind::Unavailable, format!("the server refused the call: {text}")),
        });
    }
    match result.structured_content {
        Some(value) => Ok(value),
        None => serde_json::from_str(text).map_err(|_| {
            CommandError::new(Kind::Unavailable, "the server's result is not the JSON that it should be")
        }),
    }
}
