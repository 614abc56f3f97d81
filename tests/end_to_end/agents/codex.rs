//! The real Codex CLI, connected by `prevet connect`, on a scripted model.

use std::fs;
use std::time::Duration;

use prevet_testkit::model::{Model, SESSION, Step};
use prevet_testkit::server::Parts;
use serde_json::{Value, json};

use super::scene::{ROUNDS, SERVER, review_of, reviewer, world};

#[test]
fn a_turn_that_inspects_and_has_it_reviewed() {
    let Some(parts) = Parts::from_env("the Codex CLI, connected") else { return };
    let world = world();
    let (reviewing, path) = reviewer(&world, &parts);
    let model = Model::start();
    let call = |server, tool, arguments| Step::Call { server, tool, arguments };
    model.will([
        Step::Search(
            "prevet cross-review inspect describe ask check decision context review begin wait reply end",
        ),
        call("prevet", "inspect_diff", json!({ "intent": "check roles" })),
        call("cross_review", "review_begin", review_of(&world)),
        call("cross_review", "review_wait", json!({ "session_dir": SESSION, "max_wait_seconds": 60 })),
        call("cross_review", "review_end", json!({ "session_dir": SESSION })),
        Step::Say("all is said".to_owned()),
    ]);
    let config = world.path("home/.codex/config.toml");
    fs::create_dir(config.parent().unwrap()).unwrap();
    fs::write(&config, model.codex_config()).unwrap();
    world.prevet(&["connect", "codex"]).succeeds();
    let codex = |arguments: &[&str]| {
        let call = world.call(parts.program("codex"), &world.path("app")).args(arguments);
        call.env("PATH", &path).env("SCRIPTED_KEY", "k").within(Duration::from_mins(3))
    };
    let listed = codex(&["mcp", "list", "--json"]).succeeds();
    for server in ["cross-review", "prevet"] {
        assert!(listed.text().contains(&format!("\"{server}\"")), "{listed}");
    }
    let turn = codex(&["exec", "--json", "-s", "read-only", "vet the change"]).succeeds();
    assert_eq!((model.left(), reviewing.left()), (0, 0), "{turn}");
    // It offers them once they were looked for.
    let offered = model.requests()[1].to_string();
    for tool in SERVER.into_iter().chain(ROUNDS) {
        assert!(offered.contains(&format!("\"{tool}\"")), "{tool} is not offered: {turn}");
    }
    let results = results(&turn.text());
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["inspect_diff", ROUNDS[0], ROUNDS[1], ROUNDS[3]], "{turn}");
    assert_eq!(results[0].1["verdict"], "request_changes");
    assert_eq!(results[0].1["findings"][0]["file"], "bug.py");
    assert_eq!((&results[1].1["round"], &results[1].1["status"]), (&json!(1), &json!("running")));
    assert_eq!((&results[2].1["next"], &results[2].1["next_reason"]), (&json!("done"), &json!("approved")));
    assert_eq!((&results[3].1["finalized"], &results[3].1["verdict"]), (&json!(true), &json!("APPROVE")));
    assert_eq!(world.existing("app").git(&["status", "--porcelain"]), "?? bug.py\n");
    world.prevet(&["connect", "codex", "--remove"]).succeeds();
    assert_eq!(fs::read_to_string(&config).unwrap(), model.codex_config());
}

/// The tools that were called, and what they gave.
fn results(events: &str) -> Vec<(String, Value)> {
    let events = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let items = events.filter(|event| event["type"] == "item.completed").map(|event| event["item"].clone());
    let calls = items.filter(|item| item["type"] == "mcp_tool_call");
    let result = |item: Value| {
        let text = item["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{item}"));
        (item["tool"].as_str().unwrap().to_owned(), serde_json::from_str(text).unwrap())
    };
    calls.map(result).collect()
}
