//! A model that says what a test wants it to: the Messages API, on loopback, as Claude Code speaks it.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a model that cannot listen fails its test"
)]

use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::model::{answer, filled, read_request, send};

/// What the model does with a request that offers it tools.
#[derive(Debug, Clone)]
pub enum Turn {
    /// Answers with a text, which ends the turn.
    Say(&'static str),
    /// Wants a tool called; [`crate::model::SESSION`] in its arguments stands for the review's session.
    Call {
        /// The tool, as the client calls it.
        tool: &'static str,
        /// Its arguments.
        arguments: Value,
    },
}

/// A scripted model. Requests without tools, by which the client helps itself, are answered beside the script.
pub struct MessagesModel {
    port: u16,
    script: Arc<Mutex<VecDeque<Turn>>>,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl MessagesModel {
    /// Answers by the script. Its threads end with the test's process.
    pub fn start(script: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = Arc::new(Mutex::new(script.into_iter().collect()));
        let model = Self { port, script, requests: Arc::default() };
        let (script, requests) = (Arc::clone(&model.script), Arc::clone(&model.requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, requests) = (Arc::clone(&script), Arc::clone(&requests));
                thread::spawn(move || serve(&stream, &script, &requests));
            }
        });
        model
    }

    /// What is left of the script.
    pub fn left(&self) -> usize {
        self.script.lock().unwrap().len()
    }

    /// The bodies of the requests with tools so far.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

fn serve(stream: &TcpStream, script: &Mutex<VecDeque<Turn>>, requests: &Mutex<Vec<Value>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (request, body) = read_request(&mut reader)?;
        if !request.starts_with("POST") || request.contains("count_tokens") || !request.contains("/messages")
        {
            answer(stream, 200, &json!({ "data": [], "input_tokens": 10 }))?;
            continue;
        }
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let offered = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let turn = if offered {
            requests.lock().unwrap().push(body.clone());
            // A request that nobody expected is answered with words that no test looks for.
            script.lock().unwrap().pop_front().unwrap_or(Turn::Say("there is nothing left of the script"))
        } else {
            Turn::Say("a title")
        };
        let (block, stop) = block(&turn, &body);
        let message = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": null,
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        });
        if body["stream"] != true {
            let mut message = message;
            message["content"] = json!([block]);
            message["stop_reason"] = stop.into();
            answer(stream, 200, &message)?;
            continue;
        }
        return play(stream, message, &block, stop);
    }
}

fn block(turn: &Turn, request: &Value) -> (Value, &'static str) {
    match turn {
        Turn::Say(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        Turn::Call { tool, arguments } => {
            let number = request["messages"].as_array().map_or(0, Vec::len);
            let input = filled(arguments, request);
            let id = format!("toolu_{number}");
            (json!({ "type": "tool_use", "id": id, "name": tool, "input": input }), "tool_use")
        }
    }
}

/// One streamed message; the connection ends with it.
fn play(mut stream: &TcpStream, mut message: Value, block: &Value, stop: &str) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).ok()?;
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let usage = message["usage"].clone();
    send(stream, "message_start", json!({ "message": message }))?;
    let mut begun = block.clone();
    let delta = if block["type"] == "text" {
        begun["text"] = "".into();
        json!({ "type": "text_delta", "text": block["text"] })
    } else {
        begun["input"] = json!({});
        json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
    };
    send(stream, "content_block_start", json!({ "index": 0, "content_block": begun }))?;
    send(stream, "content_block_delta", json!({ "index": 0, "delta": delta }))?;
    send(stream, "content_block_stop", json!({ "index": 0 }))?;
    let delta = json!({ "stop_reason": stop, "stop_sequence": null });
    send(stream, "message_delta", json!({ "delta": delta, "usage": usage }))?;
    send(stream, "message_stop", json!({}))
}
