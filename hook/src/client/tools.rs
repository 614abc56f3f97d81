//! The server's tools, over MCP.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use prevet_domain::kind::Kind;
use prevet_wire::error::ErrorBody;
use prevet_wire::inspect::InspectParameters;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ErrorData, JsonObject, ProgressNotificationParam, Tool,
};
use rmcp::service::{NotificationContext, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value;

use super::{API_KEY_HEADER, Client, failure};
use crate::console::Progress;
use crate::error::{CommandError, chain};
use crate::report::escape;

const THREAD_HEADER: &str = "x-prevet-thread";
const REPOSITORY_HEADER: &str = "x-prevet-repository";

/// What a call came to.
#[derive(Debug)]
pub enum Handed {
    /// A result, an error of the tool's included.
    Result(CallToolResult),
    /// The call is none by the protocol: there is no such tool.
    Refused(ErrorData),
}

/// Hears how far the server says that it is.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(&str) + Send + Sync>);

impl Listener {
    /// That does this with each message.
    pub fn new(hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// That shows them.
    fn showing(progress: &Progress) -> Self {
        let progress = progress.clone();
        Self::new(move |message| progress.say(escape::line(message)))
    }
}

impl ClientHandler for Listener {
    async fn on_progress(&self, told: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        if let Some(message) = told.message {
            (self.0)(&message);
        }
    }
}

impl Client {
    /// `inspect_diff`: the tool's result as JSON.
    pub async fn inspect(
        &self,
        parameters: &InspectParameters,
        progress: &Progress,
    ) -> Result<Value, CommandError> {
        self.call("inspect_diff", parameters, progress).await
    }

    /// Any tool: its result as JSON.
    pub async fn call(
        &self,
        name: &'static str,
        parameters: &impl serde::Serialize,
        progress: &Progress,
    ) -> Result<Value, CommandError> {
        match self.hand_on(name, object(parameters)?, Listener::showing(progress)).await? {
            Handed::Result(result) => read_result(result),
            Handed::Refused(error) => Err(self.broken(name, &error.message)),
        }
    }

    /// Any tool: its result as it is. What the server says meanwhile goes to `listener`.
    pub async fn hand_on(
        &self,
        name: &str,
        arguments: JsonObject,
        listener: Listener,
    ) -> Result<Handed, CommandError> {
        let action = if name == "inspect_diff" { "inspecting" } else { name };
        self.within(self.waits.inspect_seconds, action, self.exchange(name, arguments, listener)).await
    }

    /// One of the decision tools: its result, and whether that is an error. It may take `wait_seconds` longer than
    /// other calls.
    pub async fn decision(
        &self,
        tool: &'static str,
        parameters: &impl serde::Serialize,
        wait_seconds: u64,
        progress: &Progress,
    ) -> Result<(Value, bool), CommandError> {
        let seconds = self.waits.session_seconds + wait_seconds;
        let call = self.exchange(tool, object(parameters)?, Listener::showing(progress));
        let result = match self.within(seconds, tool, call).await? {
            Handed::Result(result) => result,
            Handed::Refused(error) => return Err(self.broken(tool, &error.message)),
        };
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

    async fn exchange(
        &self,
        name: &str,
        arguments: JsonObject,
        listener: Listener,
    ) -> Result<Handed, CommandError> {
        let service = self.connect(name, listener).await?;
        let request = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        let result = service.call_tool(request).await;
        // Nothing is kept open on the server's side.
        let _ = service.cancel().await;
        match result {
            Ok(result) => Ok(Handed::Result(result)),
            Err(ServiceError::McpError(error)) => Ok(Handed::Refused(error)),
            Err(error) => Err(self.broken(name, &chain(&error))),
        }
    }

    /// The tools that the server has, waited for no longer than `limit_seconds`.
    pub async fn list_tools(&self, limit_seconds: u64) -> Result<Vec<Tool>, CommandError> {
        let action = "listing the tools";
        let list = async {
            let service = self.connect(action, Listener::new(|_| {})).await?;
            let tools = service.list_all_tools().await;
            let _ = service.cancel().await;
            tools.map_err(|error| self.broken(action, &chain(&error)))
        };
        self.within(limit_seconds.min(self.waits.inspect_seconds), action, list).await
    }

    async fn connect(
        &self,
        action: &str,
        listener: Listener,
    ) -> Result<RunningService<RoleClient, Listener>, CommandError> {
        let config = StreamableHttpClientTransportConfig::with_uri(Arc::from(self.endpoint.url.as_str()))
            .custom_headers(self.headers()?);
        let transport = StreamableHttpClientTransport::with_client(self.http.clone(), config);
        listener.serve(transport).await.map_err(|error| self.broken(action, &chain(&error)))
    }

    async fn within<T>(
        &self,
        seconds: u64,
        action: &str,
        call: impl Future<Output = Result<T, CommandError>>,
    ) -> Result<T, CommandError> {
        // A connection's state is large, and would be part of every future that waits for it.
        let answer = tokio::time::timeout(Duration::from_secs(seconds), Box::pin(call)).await;
        answer.unwrap_or_else(|_| Err(failure::silent(&self.endpoint.url, action, seconds)))
    }

    fn broken(&self, action: &str, why: &str) -> CommandError {
        failure::broken(&self.endpoint.url, action, why)
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

fn object(parameters: &impl serde::Serialize) -> Result<JsonObject, CommandError> {
    match serde_json::to_value(parameters) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(CommandError::new(Kind::Internal, "a tool's parameters are an object")),
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
