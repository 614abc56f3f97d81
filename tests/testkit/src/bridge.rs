//! A stdio MCP server behind HTTP, for the conformance suite, which speaks nothing else.
//!
//! Only messages are carried: a process for each session of the legacy era, and one for each request of the modern
//! one. What belongs to HTTP itself is this bridge's and not the server's.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a bridge that breaks fails its test")]

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpListener;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

use crate::server::{Era, MODERN_VERSION};

const SESSION_HEADER: &str = "mcp-session-id";

/// The program, its arguments and its environment.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its path.
    pub path: std::path::PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// All of its environment.
    pub environment: Vec<(String, String)>,
}

struct Process {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

struct Bridge {
    program: Program,
    count: AtomicU64,
    sessions: Mutex<HashMap<String, Arc<Mutex<Process>>>>,
}

/// Serves `program` until the test ends; gives the URL.
pub async fn serve(program: Program) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("no port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("no address"));
    let bridge = Bridge { program, count: AtomicU64::default(), sessions: Mutex::default() };
    let routes = Router::new().route("/mcp", post(carry)).with_state(Arc::new(bridge));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

async fn carry(State(bridge): State<Arc<Bridge>>, headers: HeaderMap, body: Bytes) -> Response {
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // Each request of the newest version says its version by itself.
    let names_version = message["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some();
    let is_modern = names_version || header("mcp-protocol-version").as_deref() == Some(MODERN_VERSION);
    let (session, process) = match header(SESSION_HEADER) {
        _ if is_modern || message["method"] == "initialize" => {
            let session = format!("session-{}", bridge.count.fetch_add(1, Ordering::Relaxed));
            (Some(session), Arc::new(Mutex::new(start(&bridge.program))))
        }
        Some(session) => match bridge.sessions.lock().await.get(&session) {
            Some(process) => (None, Arc::clone(process)),
            None => return StatusCode::NOT_FOUND.into_response(),
        },
        None => return StatusCode::BAD_REQUEST.into_response(),
    };
    if is_modern {
        // Until a connection's first request it may be one of an older version, and is answered as such.
        let (_, opener) = Era::Modern.request("tools/list", &json!({}));
        exchange(&process, &opener).await;
    }
    let Some(messages) = exchange(&process, &message).await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let mut answer = match &messages[..] {
        [only] if is_modern => {
            (status(only), [("content-type", "application/json")], only.clone()).into_response()
        }
        [] => StatusCode::ACCEPTED.into_response(),
        [only] => ([("content-type", "application/json")], only.clone()).into_response(),
        several => {
            let events: String = several.iter().map(|it| format!("event: message\ndata: {it}\n\n")).collect();
            ([("content-type", "text/event-stream")], events).into_response()
        }
    };
    if let Some(session) = session.filter(|_| !is_modern) {
        answer.headers_mut().insert(SESSION_HEADER, session.parse().expect("a header's value"));
        bridge.sessions.lock().await.insert(session, process);
    }
    answer
}

/// What the newest version's HTTP says of an error.
fn status(message: &str) -> StatusCode {
    let message: Value = serde_json::from_str(message).unwrap_or_default();
    match message["error"]["code"].as_i64() {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn start(program: &Program) -> Process {
    let mut child = Command::new(&program.path)
        .args(&program.arguments)
        .env_clear()
        .envs(program.environment.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("the server does not start");
    let (input, output) = (child.stdin.take().expect("no input"), child.stdout.take().expect("no output"));
    Process { _child: child, input, output: BufReader::new(output).lines() }
}

/// What the server says until the request is answered; nothing for a notification. `None` where it is gone.
async fn exchange(process: &Mutex<Process>, message: &Value) -> Option<Vec<String>> {
    let mut process = process.lock().await;
    process.input.write_all(format!("{message}\n").as_bytes()).await.ok()?;
    process.input.flush().await.ok()?;
    let mut messages = Vec::new();
    if message.get("id").is_none() || message.get("method").is_none() {
        return Some(messages);
    }
    loop {
        let line = process.output.next_line().await.ok()??;
        let said: Value = serde_json::from_str(&line).ok()?;
        messages.push(line);
        if said.get("method").is_none() && said["id"] == message["id"] {
            return Some(messages);
        }
    }
}
