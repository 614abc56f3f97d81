//! A model's endpoint in the shape of `OpenAI`'s chat completions, which keeps every byte that it receives and answers
//! from a script.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a model that cannot listen fails its test"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any test waits.
const HANG_SECONDS: u64 = 120;

/// A question, as it was received.
#[derive(Debug, Clone)]
pub struct Asked {
    /// How many came before it.
    pub number: usize,
    /// Every byte of the request: line, headers and body.
    pub bytes: Vec<u8>,
    /// What the model is to do.
    pub system: String,
    /// What it is to do it with.
    pub user: String,
}

/// What the model does with a question.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Answers with this text.
    Text(String),
    /// Refuses with a status, and `Retry-After` in seconds where there is one.
    Status(u16, Option<u64>),
    /// Says nothing for longer than anybody waits.
    Hang,
    /// Closes the connection without a word.
    Drop,
    /// Closes it in the middle of the body.
    Stop,
}

impl Reply {
    /// Answers with JSON.
    pub fn json(value: &Value) -> Self {
        Self::Text(value.to_string())
    }

    /// Answers that there is nothing to find, and that nothing could be disproved.
    pub fn nothing() -> Self {
        Self::json(&json!({ "findings": [], "tested": [] }))
    }
}

impl Asked {
    /// Whether the question is to disprove findings.
    pub fn is_test(&self) -> bool {
        self.user.contains("findings to test")
    }

    /// The report type's subject, as the task words it.
    pub fn is_about(&self, subject: &str) -> bool {
        self.system.contains(subject)
    }
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// The tokens that a question to it may have, where a test says nothing else.
const INPUT_TOKENS_MAX: usize = 100_000;

/// The endpoint. Its threads end with the test's process.
#[derive(Debug)]
pub struct ScriptedModel {
    port: u16,
    input_tokens_max: usize,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ScriptedModel {
    /// Answers each question by the script.
    pub fn start(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (script, seen): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                thread::spawn(move || while serve(&stream, &script, &seen).is_some() {});
            }
        });
        Self { port, input_tokens_max: INPUT_TOKENS_MAX, asked }
    }

    /// That gives one answer to everything.
    pub fn saying(answer: &str) -> Self {
        Self::in_turn(vec![Reply::Text(answer.to_owned())])
    }

    /// That takes questions of so many tokens.
    #[must_use]
    pub fn with_input_tokens(self, input_tokens_max: usize) -> Self {
        Self { input_tokens_max, ..self }
    }

    /// The tokens that a question to it may have.
    pub fn input_tokens_max(&self) -> usize {
        self.input_tokens_max
    }

    /// Gives the replies one after the other; the last one stays.
    pub fn in_turn(replies: Vec<Reply>) -> Self {
        Self::start(move |asked| replies[asked.number.min(replies.len() - 1)].clone())
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// The questions so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Every byte that was received so far.
    pub fn received(&self) -> Vec<u8> {
        self.asked().into_iter().flat_map(|asked| asked.bytes).collect()
    }

    /// Forgets the questions so far.
    pub fn forget(&self) {
        self.asked.lock().unwrap().clear();
    }
}

/// One request; none at the end of the connection.
fn serve(mut stream: &TcpStream, script: &Arc<Script>, seen: &Mutex<Vec<Asked>>) -> Option<()> {
    let asked = receive(stream, seen)?;
    match script(&asked) {
        Reply::Text(text) => {
            let body = completion(&text).to_string();
            write!(stream, "{}{body}", head(200, body.len(), None)).ok()
        }
        Reply::Status(status, retry_after) => {
            // Real providers repeat a part of the key here.
            let body = json!({ "error": { "message": "refused; key sk-test-echoed" } }).to_string();
            write!(stream, "{}{body}", head(status, body.len(), retry_after)).ok()
        }
        Reply::Hang => {
            thread::sleep(Duration::from_secs(HANG_SECONDS));
            None
        }
        Reply::Drop => None,
        Reply::Stop => {
            let body = completion("cut").to_string();
            let _ = write!(stream, "{}{}", head(200, body.len(), None), &body[..body.len() / 2]);
            None
        }
    }
}

fn receive(stream: &TcpStream, seen: &Mutex<Vec<Asked>>) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let (mut bytes, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        bytes.extend_from_slice(line.as_bytes());
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    bytes.extend_from_slice(&body);
    let json: Value = serde_json::from_slice(&body).unwrap_or_default();
    let message = |role: &str| {
        let messages = json["messages"].as_array().into_iter().flatten();
        let texts = messages.filter(|message| message["role"] == role).map(|message| &message["content"]);
        texts.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    };
    let (system, user) = (message("system"), message("user"));
    let mut seen = seen.lock().unwrap();
    let asked = Asked { number: seen.len(), bytes, system, user };
    seen.push(asked.clone());
    Some(asked)
}

fn head(status: u16, length: usize, retry_after: Option<u64>) -> String {
    let retry_after = retry_after.map(|it| format!("Retry-After: {it}\r\n")).unwrap_or_default();
    format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{retry_after}\r\n"
    )
}

fn completion(text: &str) -> Value {
    json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": text },
            "finish_reason": "stop"
        }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100 }
    })
}
