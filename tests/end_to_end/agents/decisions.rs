//! The decision tools, handed on as they are.

use prevet_testkit::stdio::{Stdio, tool_result};
use prevet_testkit::stub::closed_port;
use prevet_testkit::world::{World, wait_until};
use serde_json::{Value, json};
use std::time::Duration;

use super::scene::{TODAY, mcp, world};

fn question() -> Value {
    json!({ "question": "Drop the old index?", "options": ["yes", "no"], "recommendation": "yes", "waitSeconds": 20 })
}

fn open_lots(world: &World) -> Vec<Value> {
    let inbox = world.prevet_in(&world.path("app"), &["inbox", "--format", "json"]).succeeds().json();
    let lots = inbox.as_array().or_else(|| inbox["lots"].as_array());
    lots.unwrap_or_else(|| panic!("{inbox}")).clone()
}

#[test]
fn a_person_answers_on_the_server_of_the_agent_s_process() {
    let world = world();
    let mut agent = Stdio::start(mcp(&world, &[]).env("PREVET_THREAD_ID", "thread-7"), TODAY);
    let call = agent.send("tools/call", &json!({ "name": "request_decision", "arguments": question() }));
    let mut lots = Vec::new();
    // The agent's process has the data folder to itself, and shares its server.
    wait_until("the request to be in the inbox", Duration::from_secs(20), || {
        world.data_dir().join("server.json").exists() && {
            lots = open_lots(&world);
            !lots.is_empty()
        }
    });
    assert!(lots[0].to_string().contains("thread-7"), "{lots:?}");
    let lot = ["lotId", "id", "lot"].into_iter().find_map(|name| lots[0][name].as_str());
    let lot = lot.unwrap_or_else(|| panic!("{lots:?}"));
    world.prevet_in(&world.path("app"), &["answer", lot, "--option", "no"]).succeeds();
    let (result, is_error) = tool_result(&agent.answer(call));
    assert_eq!((&result["status"], is_error), (&json!("answered"), false), "{result}");
    assert_eq!(result["answer"], "no");
    let found = agent.succeeds("lookup_decision", &json!({ "query": "Drop the old index?" }));
    assert_eq!((&found["status"], &found["matches"][0]["answer"]), (&json!("ok"), &json!("no")), "{found}");
    let shared =
        agent.succeeds("share_context", &json!({ "kind": "finding", "body": "the index is unused" }));
    assert_eq!(shared["status"], "ok");
}

#[test]
fn an_unreachable_server_is_an_error_in_the_tools_own_form() {
    let world = world();
    let call = mcp(&world, &["--only", "server"]).env("PREVET_API_URL", closed_port());
    let mut agent = Stdio::start(call.env("PREVET_API_KEY", "k").env("PREVET_TENANT_KEY", "t"), TODAY);
    for (tool, arguments) in [
        ("lookup_decision", json!({ "query": "q" })),
        ("request_decision", question()),
        ("share_context", json!({ "kind": "note", "body": "b" })),
    ] {
        let (result, is_error) = agent.call(tool, &arguments);
        assert!(is_error && result["error"].is_string(), "{result}");
        assert_eq!((&result["status"], &result["code"]), (&json!("error"), &json!("BUSY")), "{tool}");
    }
}
