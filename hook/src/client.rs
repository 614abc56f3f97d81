//! HTTP to the server. Every wait is bounded, and the bound is in the message.

mod failure;
mod place;
mod tools;
mod upload;

use std::time::Duration;

use prevet_domain::kind::Kind;
use prevet_domain::limits::REQUEST_BODY_BYTES_MAX;
use prevet_wire::model_trial::ModelTrial;
use prevet_wire::session::{SessionRequest, SessionResponse, UploadResponse};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde_json::Value;

pub use self::failure::kind_of_code;
pub use self::tools::{Handed, Listener};
pub use self::upload::Upload;
use crate::connection::{Endpoint, is_loopback};
use crate::error::CommandError;

const API_KEY_HEADER: &str = "x-product-api-key";
/// No answer of these routes is nearly as large.
const ANSWER_BYTES_MAX: usize = 16 << 20;
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

    /// `POST /upload/{session_id}`; what does not fit in one request is put where the server says.
    pub async fn upload(&self, session_id: &str, upload: &Upload) -> Result<UploadResponse, CommandError> {
        let route = self.http.post(format!("{}/upload/{session_id}", self.endpoint.url));
        let packed = upload.packed();
        if packed.len() > REQUEST_BODY_BYTES_MAX {
            return self.upload_by_place(route, upload).await;
        }
        let call = route
            .header(CONTENT_TYPE, upload.content_type())
            .header(CONTENT_ENCODING, upload::ENCODING)
            .body(packed);
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
}
