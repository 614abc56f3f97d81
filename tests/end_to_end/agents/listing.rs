//! What the tools are, and how they are described.

use prevet_testkit::server::Era;
use prevet_testkit::stdio::Stdio;
use prevet_testkit::world::snapshot;
use serde_json::{Value, json};

use super::scene::{ROUNDS, SERVER, TODAY, agent, mcp, world};

#[test]
fn families() {
    let world = world();
    for era in Era::ALL {
        let names = |arguments: &[&str]| Stdio::start(mcp(&world, arguments), era).names();
        let (all, review, server) = (names(&[]), names(&["--only", "review"]), names(&["--only", "server"]));
        assert_eq!(review, ROUNDS);
        assert_eq!(server, SERVER);
        assert_eq!(all, [server, review].concat());
    }
    // Naming them starts no server.
    assert!(snapshot(&world.data_dir()).is_empty());
}

#[test]
fn each_is_annotated_and_described_within_bounds() {
    let world = world();
    for tool in agent(&world).tools() {
        let name = tool["name"].as_str().unwrap();
        let hints = &tool["annotations"];
        let closed = hints["destructiveHint"] == false && hints["openWorldHint"] == false;
        // Codex runs no other tool without asking, and asks nobody where nobody is there.
        assert!(hints["readOnlyHint"] == true || closed, "{name}: {hints}");
        assert!(hints["title"].is_string() && hints["idempotentHint"].is_boolean(), "{name}: {hints}");
        let description = tool["description"].as_str().unwrap();
        assert!((80..2_048).contains(&description.chars().count()), "{name}");
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
        assert!(!tool.to_string().contains("\"uint"), "{name} has a format that no validator knows");
    }
}

#[test]
fn a_session_is_optional_here() {
    let world = world();
    let tools = agent(&world).tools();
    let required = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        for parameter in ["session_id", "working_dir"] {
            assert!(tool["inputSchema"]["properties"][parameter]["description"].is_string(), "{tool}");
        }
        assert!(tool["description"].as_str().unwrap().contains("leave session_id out"), "{tool}");
        tool["inputSchema"]["required"].clone()
    };
    let none = |value: Value| value.is_null() || value == json!([]);
    assert!(none(required("inspect_diff")));
    assert!(none(required("describe_change")));
    assert_eq!(required("ask"), json!(["question"]));
    assert_eq!(required("check_task"), json!(["task_description"]));
}

#[test]
fn the_server_says_who_it_is() {
    let world = world();
    let mut process = mcp(&world, &[]).converse();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": TODAY.initialize() });
    process.say(&request.to_string());
    let answer: Value = serde_json::from_str(&process.hear().unwrap()).unwrap();
    let result = &answer["result"];
    assert_eq!(result["serverInfo"]["name"], "prevet");
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert!(result["instructions"].as_str().unwrap().contains("inspect_diff"));
}
