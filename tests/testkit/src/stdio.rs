//! An MCP client over standard input and output, in both eras.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a server that does not answer fails its test"
)]

use serde_json::{Value, json};

use crate::server::Era;
use crate::world::{Call, Conversation};

/// A server that is spoken with.
pub struct Stdio {
    /// The process.
    pub process: Conversation,
    era: Era,
    id: u64,
    /// The notifications so far.
    pub notifications: Vec<Value>,
    /// What this client answers where it is asked for its roots.
    roots: Vec<String>,
}

impl Stdio {
    /// Starts the server, and greets it.
    pub fn start(call: Call, era: Era) -> Self {
        Self::with_roots(call, era, &[])
    }

    /// The same with a workspace.
    pub fn with_roots(call: Call, era: Era, roots: &[String]) -> Self {
        let (process, notifications) = (call.converse(), Vec::new());
        let mut stdio = Self { process, era, id: 0, notifications, roots: roots.to_vec() };
        match era {
            Era::Legacy(version) => {
                let mut params = era.initialize();
                if !roots.is_empty() {
                    params["capabilities"]["roots"] = json!({});
                }
                let answer = stdio.request("initialize", &params);
                assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
                stdio.notify("notifications/initialized", &json!({}));
            }
            Era::Modern => {
                let answer = stdio.request("server/discover", &json!({}));
                assert!(answer["result"]["capabilities"]["tools"].is_object(), "{answer}");
            }
        }
        stdio
    }

    /// Sends a request, and gives its id.
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.id += 1;
        let (_, mut message) = self.era.request(method, params);
        message["id"] = self.id.into();
        self.process.say(&message.to_string());
        self.id
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.process.say(&message.to_string());
    }

    /// The answer to that request; what else is said meanwhile is kept or answered.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self.process.hear().unwrap_or_else(|| panic!("it is gone\n{}", self.process.stderr()));
            let message = read(&line);
            match (message.get("method").and_then(Value::as_str), message.get("id")) {
                (None, Some(answered)) if *answered == json!(id) => return message,
                (None, _) => panic!("an answer to nothing: {message}"),
                (Some("roots/list"), Some(asked)) => {
                    let roots: Vec<Value> = self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                    let answer = json!({ "jsonrpc": "2.0", "id": asked, "result": { "roots": roots } });
                    self.process.say(&answer.to_string());
                }
                (Some(method), Some(_)) => panic!("asked for {method}"),
                (Some(_), None) => self.notifications.push(message),
            }
        }
    }

    /// A request and its answer.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// The tools.
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", &json!({}));
        answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// The names of the tools.
    pub fn names(&mut self) -> Vec<String> {
        self.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// A tool's result: its JSON, and whether it is an error.
    #[track_caller]
    pub fn call(&mut self, name: &str, arguments: &Value) -> (Value, bool) {
        let answer = self.request("tools/call", &json!({ "name": name, "arguments": arguments }));
        tool_result(&answer)
    }

    /// A tool's result, which is none of an error.
    #[track_caller]
    pub fn succeeds(&mut self, name: &str, arguments: &Value) -> Value {
        let (value, is_error) = self.call(name, arguments);
        assert!(!is_error, "{value}");
        value
    }

    /// A tool's error: its code, and what it says.
    #[track_caller]
    pub fn fails(&mut self, name: &str, arguments: &Value) -> (String, String) {
        let (value, is_error) = self.call(name, arguments);
        assert!(is_error, "{value}");
        let text = |field: &str| value[field].as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
        (text("code"), text("error"))
    }
}

/// The JSON in a tool's result, and whether it is an error.
#[track_caller]
pub fn tool_result(answer: &Value) -> (Value, bool) {
    let result = &answer["result"];
    if let Some(kind) = result.get("resultType") {
        assert_eq!(kind, "complete");
    }
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no result: {answer}"));
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    if let Some(structured) = result.get("structuredContent") {
        assert_eq!(*structured, value);
    }
    (value, result["isError"] == true)
}

/// Nothing but the protocol may come.
pub fn read(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    message
}
