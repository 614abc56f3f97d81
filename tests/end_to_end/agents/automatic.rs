//! A diff's tools without a session.

use std::fs;

use prevet_testkit::server::Era;
use prevet_testkit::stdio::Stdio;
use serde_json::{Value, json};

use super::scene::{BUG, TODAY, agent, mcp, world};

#[test]
fn an_agent_inspects_in_one_call() {
    let world = world();
    let repository = world.existing("app");
    let index = repository.index();
    for era in Era::ALL {
        let mut agent = Stdio::start(mcp(&world, &[]), era);
        let result = agent.succeeds("inspect_diff", &json!({ "intent": "check roles" }));
        assert_eq!(result["verdict"], "request_changes");
        assert_eq!(result["findings"][0]["file"], "bug.py");
        assert_eq!(result["findings"][0]["line"], 2);
        let (code, lines) = agent.process.close();
        assert_eq!((code, lines), (Some(0), Vec::<String>::new()), "{era:?}");
    }
    assert_eq!(repository.index(), index, "the index was touched");
    assert!(!world.data_dir().join("server.json").exists(), "the address of a server that has ended");
}

#[test]
fn the_other_three() {
    let world = world();
    let mut agent = agent(&world);
    let described = agent.succeeds("describe_change", &json!({ "session_id": null }));
    assert!(described["description"].as_str().unwrap().contains("adds function `check`"), "{described}");
    for (tool, arguments) in
        [("ask", json!({ "question": "why?" })), ("check_task", json!({ "task_description": "check roles" }))]
    {
        assert_eq!(agent.fails(tool, &arguments).0, "MODEL_NOT_CONFIGURED", "{tool}");
    }
}

#[test]
fn the_mended_change_is_approved_and_tells_what_is_gone() {
    let world = world();
    let mut agent = agent(&world);
    let first = agent.succeeds("inspect_diff", &json!({}));
    fs::write(world.path("app/bug.py"), BUG.replace(" or 'owner'", "")).unwrap();
    let second = agent.succeeds("inspect_diff", &json!({ "intent": "dropped the constant" }));
    assert_eq!(second["verdict"], "approve", "{second}");
    assert_eq!(second["fixed"][0]["id"], first["findings"][0]["id"]);
}

#[test]
fn no_change_is_no_approval() {
    let world = world();
    fs::remove_file(world.path("app/bug.py")).unwrap();
    let mut agent = agent(&world);
    let (code, error) = agent.fails("inspect_diff", &json!({}));
    assert_eq!((code.as_str(), error.contains("nothing has changed")), ("NO_DIFF", true));
}

#[test]
fn the_folder_is_the_call_s_then_the_workspace_s_then_this_one() {
    let world = world();
    world.repository("other").write("clean.py", "def add(a, b):\n    return a + b\n");
    let uri = format!("file://{}", world.path("other").display());
    let elsewhere = world.prevet(&["mcp"]);
    let mut agent = Stdio::with_roots(elsewhere, TODAY, &[uri]);
    assert_eq!(agent.succeeds("inspect_diff", &json!({}))["verdict"], "approve");
    let named = json!({ "working_dir": world.path("app") });
    assert_eq!(agent.succeeds("inspect_diff", &named)["verdict"], "request_changes");
    // Where the process was started is one of the workspace's: it says more.
    let root = format!("file://{}", world.root().display());
    let mut agent = Stdio::with_roots(mcp(&world, &[]), TODAY, &[root]);
    assert_eq!(agent.succeeds("inspect_diff", &json!({}))["verdict"], "request_changes");
}

#[test]
fn a_folder_that_is_none() {
    let world = world();
    let mut agent = agent(&world);
    for folder in [json!(5), json!(""), json!("/no/such/folder"), json!(world.root())] {
        let (code, error) = agent.fails("inspect_diff", &json!({ "working_dir": folder }));
        assert_eq!(code, "INVALID_INPUT");
        assert!(error.starts_with("working_dir"), "{error}");
    }
}

#[test]
fn a_session_that_is_named_is_used() {
    let world = world();
    let mut agent = agent(&world);
    let id = agent.succeeds("inspect_diff", &json!({}))["session_id"].clone();
    // Nothing is captured: what was uploaded stays.
    fs::remove_file(world.path("app/bug.py")).unwrap();
    let result = agent.succeeds("inspect_diff", &json!({ "session_id": id, "working_dir": "/ignored" }));
    assert_eq!((&result["verdict"], &result["session_id"]), (&json!("request_changes"), &id));
    let unknown = agent.fails("inspect_diff", &json!({ "session_id": "x".repeat(52) }));
    assert_eq!(unknown.0, "UNKNOWN_SESSION");
}

#[test]
fn what_git_cannot_read_is_not_approved() {
    let world = world();
    let repository = world.existing("app");
    fs::remove_file(repository.path("bug.py")).unwrap();
    repository.write("clean.py", "def add(a, b):\n    return a + b\n");
    repository.git(&["init", "-q", "nested"]);
    let mut agent = agent(&world);
    let result = agent.succeeds("inspect_diff", &json!({}));
    assert_eq!(result["verdict"], "incomplete", "{result}");
    let parts = result["degraded"]["not_reviewed"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["file"].as_str().is_some_and(|file| file.starts_with("nested"))));
}

#[test]
fn many_findings_are_paged_without_a_session() {
    let world = world();
    let many: String = (0..400)
        .map(|n| format!("def f{n}(role):\n    if role == 'a' or 'b{n}':\n        g()\n\n\n"))
        .collect();
    fs::write(world.path("app/bug.py"), many).unwrap();
    let mut agent = agent(&world);
    let (mut seen, mut cursor) = (0, Value::Null);
    loop {
        let result = agent.succeeds("inspect_diff", &json!({ "context": { "cursor": cursor } }));
        seen += result["findings"].as_array().unwrap().len();
        match result.get("more") {
            Some(more) => cursor = more["cursor"].clone(),
            None => break,
        }
    }
    assert!(seen >= 400 && cursor.is_string(), "{seen}");
}

#[test]
fn a_secret_in_a_binary_file_is_found_here() {
    let world = world();
    fs::remove_file(world.path("app/bug.py")).unwrap();
    // Put together here so that nobody takes this file for a leak.
    let token = ["AKIA", "Z7QH3M2X", "LD4KTV5R"].concat();
    let bytes = format!("SQLite format 3\0\u{1}\0aws {token} end\0\0");
    fs::write(world.path("app/store.db"), bytes).unwrap();
    let mut agent = agent(&world);
    let result = agent.succeeds("inspect_diff", &json!({ "profile": "review" }));
    assert_eq!(result["verdict"], "request_changes", "{result}");
    assert_eq!(result["findings"][0]["file"], "store.db");
    assert!(!result.to_string().contains(&token), "the secret is shown");
}
