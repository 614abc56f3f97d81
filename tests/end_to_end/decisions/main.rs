//! Decisions, through the real server: agents ask over MCP, people answer over HTTP and in the terminal.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in a test fails it")]

mod access;
mod browser;
mod context;
mod corrections;
mod inputs;
mod killed;
mod notices;
mod page;
mod pairs;
mod racing;
mod scale;
mod states;
mod verbs;

use prevet_testkit::server::{Answer, Client, Era, Served};
use serde_json::{Value, json};

async fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_prevet")).await
}

/// Who asks, and who answers.
#[derive(Clone)]
struct Sides {
    agent: Client,
    person: Client,
}

impl Sides {
    fn of(served: &Served) -> Self {
        let person = served.client.with_key(served.ready["human_key"].as_str());
        Self { agent: served.client.clone(), person }
    }

    /// A tool's result, as the agent gets it.
    async fn tool(&self, name: &str, arguments: Value) -> Value {
        tool_answer(&self.agent, name, &arguments).await.tool()
    }

    async fn request(&self, question: &str) -> Value {
        self.tool("request_decision", json!({ "question": question, "waitSeconds": 0 })).await
    }

    async fn look_up(&self, query: &str) -> Value {
        self.tool("lookup_decision", json!({ "query": query })).await
    }

    /// Asks with options and no wait; the lot's id.
    async fn open(&self, question: &str, options: &[&str]) -> String {
        let result = self
            .tool("request_decision", json!({ "question": question, "options": options, "waitSeconds": 0 }))
            .await;
        assert_eq!(result["status"], "pending", "{result}");
        result["decisionRef"].as_str().unwrap().to_owned()
    }

    async fn answer(&self, lot: &str, body: Value) -> Answer {
        post(&self.person, &format!("lots/{lot}/answer"), &body).await
    }

    /// Asks and answers; the decision's id.
    async fn decide(&self, question: &str, answer: &str) -> String {
        let lot = self.open(question, &[]).await;
        let decision = self.answer(&lot, json!({ "text": answer })).await.expect(200);
        decision["decisionId"].as_str().unwrap().to_owned()
    }

    async fn correct(&self, decision: &str, body: Value) -> Answer {
        post(&self.person, &format!("decisions/{decision}/correct"), &body).await
    }

    async fn open_lots(&self) -> Vec<Value> {
        get(&self.person, "lots").await.expect(200)["lots"].as_array().unwrap().clone()
    }
}

async fn tool_answer(client: &Client, name: &str, arguments: &Value) -> Answer {
    let params = json!({ "name": name, "arguments": arguments });
    client.rpc(Era::Legacy("2025-11-25"), "tools/call", &params).await
}

async fn get(client: &Client, path: &str) -> Answer {
    client.send(client.request("GET", &format!("{}/inbox/api/{path}", client.origin()))).await
}

async fn post(client: &Client, path: &str, body: &Value) -> Answer {
    let request = client.request("POST", &format!("{}/inbox/api/{path}", client.origin()));
    client.send(request.json(body)).await
}

/// The first match's guidance, reason and answer.
fn first(lookup: &Value) -> (&str, &str, &str) {
    let found = &lookup["matches"][0];
    let text = |name: &str| found[name].as_str().unwrap_or_default();
    (text("reuseGuidance"), text("reuseReason"), text("answer"))
}
