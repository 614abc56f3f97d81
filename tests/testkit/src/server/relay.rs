//! A relay in front of a store: counts its calls, and breaks them when told to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, TRANSFER_ENCODING};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const BODY_BYTES_MAX: usize = 128 << 20;

/// A running relay; stops taking calls when dropped.
#[derive(Debug)]
pub struct Relay {
    /// Where it listens.
    pub url: String,
    inner: Arc<Inner>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Inner {
    target: String,
    http: reqwest::Client,
    broken: AtomicBool,
    calls: Mutex<Vec<String>>,
}

impl Relay {
    /// In front of `target`.
    pub async fn start(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("no port");
        let url = format!("http://{}", listener.local_addr().expect("no address"));
        let http = reqwest::Client::builder().no_gzip().no_zstd().no_proxy().build().expect("no HTTP client");
        let (broken, calls) = (AtomicBool::new(false), Mutex::new(Vec::new()));
        let inner = Arc::new(Inner { target: target.to_owned(), http, broken, calls });
        let routes = Router::new().fallback(pass).with_state(Arc::clone(&inner));
        let task = tokio::spawn(async move {
            // Ends with the test.
            let _ = axum::serve(listener, routes).await;
        });
        Self { url, inner, task }
    }

    /// From now on each call fails, or no longer.
    pub fn set_broken(&self, broken: bool) {
        self.inner.broken.store(broken, Ordering::SeqCst);
    }

    /// The calls since this was last asked.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.inner.calls.lock().expect("a test panicked"))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(State(relay): State<Arc<Inner>>, request: Request) -> Response {
    relay.calls.lock().expect("a test panicked").push(name(&request));
    if relay.broken.load(Ordering::SeqCst) {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let (head, body) = request.into_parts();
    let body = to_bytes(body, BODY_BYTES_MAX).await.expect("a call's body is cut short");
    let path = head.uri.path_and_query().map_or("/", |it| it.as_str());
    // The signature covers the host as it was sent, so the headers go on unchanged.
    let call = relay.http.request(head.method, format!("{}{path}", relay.target));
    let answer = call.headers(without_hop(head.headers)).body(body).send().await;
    let Ok(answer) = answer else { return StatusCode::BAD_GATEWAY.into_response() };
    let (status, headers) = (answer.status(), without_hop(answer.headers().clone()));
    let body = answer.bytes().await.expect("a store's answer is cut short");
    (status, headers, Body::from(body)).into_response()
}

fn name(request: &Request) -> String {
    let target = request.headers().get("x-amz-target").and_then(|value| value.to_str().ok());
    let target = target.and_then(|target| target.rsplit('.').next());
    target.map_or_else(|| format!("{} object", request.method()), str::to_owned)
}

fn without_hop(mut headers: HeaderMap) -> HeaderMap {
    headers.remove(TRANSFER_ENCODING);
    headers.remove(CONNECTION);
    headers
}
