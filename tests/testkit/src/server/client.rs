//! Plain HTTP, as curl would speak it.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::{Answer, Era, Multipart};

/// A branch head for calls that do not care.
const HEAD: &str = "1111111111111111111111111111111111111111";
const TIMEOUT: Duration = Duration::from_secs(50);

/// A client of one server, with one key.
#[derive(Debug, Clone)]
pub struct Client {
    /// The base URL, ending in `/mcp`.
    pub url: String,
    /// The tenant that it states.
    pub tenant_key: String,
    /// The key that it sends.
    pub api_key: Option<String>,
    http: reqwest::Client,
}

impl Client {
    /// Of the server at `url`.
    pub fn new(url: &str, tenant_key: &str, api_key: &str) -> Self {
        let http = reqwest::Client::builder();
        let http = http.timeout(TIMEOUT).no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        Self {
            url: url.to_owned(),
            tenant_key: tenant_key.to_owned(),
            api_key: Some(api_key.to_owned()),
            http: http.expect("no HTTP client"),
        }
    }

    /// The same with another key, or none.
    #[must_use]
    pub fn with_key(&self, api_key: Option<&str>) -> Self {
        Self { api_key: api_key.map(str::to_owned), ..self.clone() }
    }

    /// The same for another tenant.
    #[must_use]
    pub fn with_tenant(&self, tenant_key: &str) -> Self {
        Self { tenant_key: tenant_key.to_owned(), ..self.clone() }
    }

    /// The same at another server's base URL.
    #[must_use]
    pub fn with_url(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// `scheme://host:port`.
    pub fn origin(&self) -> &str {
        self.url.strip_suffix("/mcp").expect("the base URL does not end in /mcp")
    }

    /// A request with the key, not yet sent.
    pub fn request(&self, method: &str, url: &str) -> reqwest::RequestBuilder {
        let method = method.parse().expect("no HTTP method");
        let request = self.http.request(method, url);
        match &self.api_key {
            Some(key) => request.header("X-Product-API-Key", key),
            None => request,
        }
    }

    /// Sends.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        Answer::read(request.send().await.expect("the server does not answer")).await
    }

    /// A body for `POST /session`.
    pub fn session_body(&self, repo: &str) -> Value {
        json!({ "repo": repo, "branch": "main", "head": HEAD, "tenant_key": self.tenant_key })
    }

    /// `POST /session` with that body.
    pub async fn session(&self, body: &Value) -> Answer {
        self.send(self.request("POST", &format!("{}/session", self.url)).json(body)).await
    }

    /// Opens a session and gives its id.
    pub async fn open(&self, repo: &str) -> String {
        let answer = self.session(&self.session_body(repo)).await.expect(200);
        answer["session_id"].as_str().expect("no session_id").to_owned()
    }

    /// `POST /upload/{session_id}`, not yet sent.
    pub fn upload_request(&self, session_id: &str, body: Vec<u8>) -> reqwest::RequestBuilder {
        let request = self.request("POST", &format!("{}/upload/{session_id}", self.url));
        request.header(CONTENT_TYPE, Multipart::content_type()).body(body)
    }

    /// Uploads parts.
    pub async fn upload_parts(&self, session_id: &str, parts: &Multipart) -> Answer {
        self.send(self.upload_request(session_id, parts.whole())).await
    }

    /// Uploads a diff.
    pub async fn upload(&self, session_id: &str, diff: impl AsRef<[u8]>) -> Answer {
        self.upload_parts(session_id, &Multipart::diff(diff)).await
    }

    /// Opens a session and uploads a diff to it.
    pub async fn open_with(&self, repo: &str, diff: impl AsRef<[u8]>) -> String {
        let id = self.open(repo).await;
        self.upload(&id, diff).await.expect(200);
        id
    }

    /// A JSON-RPC request to `/mcp`, not yet sent.
    pub fn rpc_request(&self, era: Era, method: &str, params: &Value) -> reqwest::RequestBuilder {
        let (headers, body) = era.request(method, params);
        let headers: HeaderMap = headers
            .into_iter()
            .map(|(name, value)| {
                let value = HeaderValue::from_str(&value).expect("no header value");
                (HeaderName::from_static(name), value)
            })
            .collect();
        self.request("POST", &self.url).headers(headers).json(&body)
    }

    /// A JSON-RPC request to `/mcp`.
    pub async fn rpc(&self, era: Era, method: &str, params: &Value) -> Answer {
        self.send(self.rpc_request(era, method, params)).await
    }

    /// What any tool answers.
    pub async fn tool_answer(&self, name: &str, arguments: &Value) -> Answer {
        self.rpc(Era::Modern, "tools/call", &json!({ "name": name, "arguments": arguments })).await
    }

    /// Calls `inspect_diff`.
    pub async fn inspect_answer(&self, arguments: &Value) -> Answer {
        let params = json!({ "name": "inspect_diff", "arguments": arguments });
        self.rpc(Era::Legacy("2025-11-25"), "tools/call", &params).await
    }

    /// What `inspect_diff` comes to.
    pub async fn inspect(&self, arguments: &Value) -> Value {
        let answer = self.inspect_answer(arguments).await;
        assert_ne!(answer.message()["result"]["isError"], true, "{}", answer.text);
        answer.tool()
    }
}
