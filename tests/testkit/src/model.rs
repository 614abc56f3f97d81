//! A model that says what a test wants it to: the Responses API, streamed, on loopback.
//!
//! Each request takes the next step of the script, so that a turn of `Run` and `Say` is two requests: the client runs
//! the command and comes back with what it printed.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a model that cannot listen fails its test"
)]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What the model does with a request.
#[derive(Debug, Clone)]
pub enum Step {
    /// Answers with a text, which ends the turn.
    Say(String),
    /// Wants a command run.
    Run(String),
    /// Looks for tools of MCP servers, which the client may not offer at once.
    Search(&'static str),
    /// Wants a tool of an MCP server called; [`SESSION`] in its arguments stands for the review's session.
    Call {
        /// The server, as the client calls it.
        server: &'static str,
        /// The tool.
        tool: &'static str,
        /// Its arguments.
        arguments: Value,
    },
    /// Answers with an HTTP status.
    Status(u16),
    /// Says that it failed, in the stream.
    Fail(&'static str),
    /// Closes the connection in the middle of the stream.
    Drop,
    /// Begins the stream and stays silent.
    Hang,
}

/// Stands for the session of the review that was begun in the same turn.
pub const SESSION: &str = "<session>";

/// The arguments with the session in them, which the client's own words in `request` name.
pub(crate) fn filled(arguments: &Value, request: &Value) -> Value {
    let (request, mark) = (request.to_string(), "/.cross-review/sessions/");
    let Some(at) = request.rfind(mark) else { return arguments.clone() };
    let start = request[..at].rfind('"').map_or(0, |quote| quote + 1);
    let end = request[at..].find(['"', '\\']).map_or(request.len(), |length| at + length);
    let text = arguments.to_string().replace(SESSION, &request[start..end]);
    serde_json::from_str(&text).unwrap_or_default()
}

/// A scripted model.
pub struct Model {
    port: u16,
    script: Arc<Mutex<VecDeque<Step>>>,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    /// Listens, with nothing to say. Its threads end with the test's process.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let model = Self { port, script: Arc::default(), requests: Arc::default() };
        let (script, requests) = (Arc::clone(&model.script), Arc::clone(&model.requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, requests) = (Arc::clone(&script), Arc::clone(&requests));
                thread::spawn(move || serve(&stream, &script, &requests));
            }
        });
        model
    }

    /// Adds to the script.
    pub fn will(&self, steps: impl IntoIterator<Item = Step>) {
        self.script.lock().unwrap().extend(steps);
    }

    /// What is left of the script.
    pub fn left(&self) -> usize {
        self.script.lock().unwrap().len()
    }

    /// The bodies of the requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }

    /// The base URL, as a client's configuration has it.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// A `config.toml` with which the Codex CLI asks this model. The variable `SCRIPTED_KEY` has to be set.
    pub fn codex_config(&self) -> String {
        format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\n\
             base_url = \"{}\"\nenv_key = \"SCRIPTED_KEY\"\nwire_api = \"responses\"\nrequest_max_retries = 0\n\
             stream_max_retries = 0\nstream_idle_timeout_ms = 2000\n",
            self.url()
        )
    }
}

fn serve(stream: &TcpStream, script: &Mutex<VecDeque<Step>>, requests: &Mutex<Vec<Value>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (request, body) = read_request(&mut reader)?;
        if !request.starts_with("POST") || !request.contains("/responses") {
            answer(stream, 200, &json!({"object": "list", "data": [], "models": []}))?;
            continue;
        }
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let step = script.lock().unwrap().pop_front();
        requests.lock().unwrap().push(body.clone());
        match step {
            Some(Step::Status(status)) => answer(stream, status, &failure(status))?,
            // A request that nobody expected fails, and not with an answer that would pass.
            None => answer(stream, 500, &failure(599))?,
            Some(step) => return play(stream, &step, &body),
        }
    }
}

fn failure(status: u16) -> Value {
    json!({"error": {"message": format!("scripted {status}"), "type": "scripted", "code": "scripted"}})
}

/// The request line and the body.
pub(crate) fn read_request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|count| *count > 0)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first, body))
}

pub(crate) fn answer(mut stream: &TcpStream, status: u16, body: &Value) -> Option<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

/// One streamed response; the connection ends with it.
fn play(mut stream: &TcpStream, step: &Step, request: &Value) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).ok()?;
    let response =
        |status: &str| json!({"id": "resp_1", "object": "response", "status": status, "output": []});
    send(stream, "response.created", json!({"response": response("in_progress")}))?;
    let item = match step {
        Step::Drop | Step::Status(_) => return None,
        // Until the client has had enough.
        Step::Hang => return stream.read_to_end(&mut Vec::new()).ok().map(|_| ()),
        Step::Fail(code) => {
            let mut failed = response("failed");
            failed["error"] = json!({"code": code, "message": format!("scripted {code}")});
            return send(stream, "response.failed", json!({"response": failed}));
        }
        Step::Say(text) => json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Step::Run(command) => call(command, request),
        Step::Search(query) => json!({
            "type": "tool_search_call", "call_id": "call_search", "execution": "client", "status": "completed",
            "arguments": { "query": query, "limit": 30 },
        }),
        Step::Call { server, tool, arguments } => json!({
            "type": "function_call", "id": "fc_1", "call_id": format!("call_{tool}"), "name": tool,
            "namespace": format!("mcp__{server}"), "status": "completed",
            "arguments": filled(arguments, request).to_string(),
        }),
    };
    send(stream, "response.output_item.added", json!({"output_index": 0, "item": item}))?;
    send(stream, "response.output_item.done", json!({"output_index": 0, "item": item}))?;
    let mut done = response("completed");
    done["output"] = json!([item]);
    done["usage"] = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    send(stream, "response.completed", json!({"response": done}))
}

/// A call of whichever shell tool the client offers.
fn call(command: &str, request: &Value) -> Value {
    let offers = |name: &str| {
        let tools = request["tools"].as_array();
        tools.is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name))
    };
    let (name, arguments) = if offers("exec_command") {
        ("exec_command", json!({"cmd": command}))
    } else if offers("shell_command") {
        ("shell_command", json!({"command": command}))
    } else {
        ("shell", json!({"command": ["sh", "-c", command]}))
    };
    json!({
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "status": "completed",
        "arguments": arguments.to_string(),
    })
}

pub(crate) fn send(mut stream: &TcpStream, kind: &str, mut data: Value) -> Option<()> {
    data["type"] = kind.into();
    stream.write_all(format!("event: {kind}\ndata: {data}\n\n").as_bytes()).ok()
}
