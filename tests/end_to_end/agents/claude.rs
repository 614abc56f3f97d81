//! The real Claude Code, connected by `prevet connect`, on a scripted model; and the plugin.

use std::fs;
use std::path::Path;
use std::time::Duration;

use prevet_testkit::messages::{MessagesModel, Turn};
use prevet_testkit::model::SESSION;
use prevet_testkit::server::Parts;
use prevet_testkit::world::{Call, World};
use serde_json::{Value, json};

use super::scene::{ROUNDS, SERVER, review_of, reviewer, world};

const MINE: &str = "{\n  \"mine\": { \"kept\": 1 },\n  \"mcpServers\": {\n    \"other\": { \"type\": \"stdio\", \"command\": \"true\" }\n  }\n}\n";

fn claude(world: &World, parts: &Parts, cwd: &Path, arguments: &[&str]) -> Call {
    let call = world.call(parts.program("claude"), cwd).args(arguments).within(Duration::from_mins(3));
    call.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1")
}

#[test]
fn a_turn_that_inspects_and_has_it_reviewed() {
    let Some(parts) = Parts::from_env("Claude Code, connected") else { return };
    let world = world();
    let (reviewing, path) = reviewer(&world, &parts);
    let call = |tool, arguments| Turn::Call { tool, arguments };
    let model = MessagesModel::start([
        call("mcp__prevet__inspect_diff", json!({ "intent": "check roles" })),
        call("mcp__cross-review__review_begin", review_of(&world)),
        call("mcp__cross-review__review_wait", json!({ "session_dir": SESSION, "max_wait_seconds": 60 })),
        call("mcp__cross-review__review_end", json!({ "session_dir": SESSION })),
        Turn::Say("all is said"),
    ]);
    let config = world.path("home/.claude.json");
    fs::write(&config, MINE).unwrap();
    world.prevet(&["connect", "claude-code"]).succeeds();
    let app = world.path("app");
    let listed = claude(&world, &parts, &app, &["mcp", "list"]).succeeds();
    for server in ["cross-review", "prevet"] {
        let line =
            listed.text().lines().find(|line| line.starts_with(&format!("{server}:"))).map(str::to_owned);
        assert!(line.is_some_and(|line| line.contains("Connected")), "{listed}");
    }
    let allowed = "mcp__prevet,mcp__cross-review";
    let arguments =
        ["-p", "vet the change", "--allowedTools", allowed, "--output-format", "stream-json", "--verbose"];
    let turn = claude(&world, &parts, &app, &arguments).env("PATH", &path);
    let turn = turn.env("ANTHROPIC_BASE_URL", model.url()).env("ANTHROPIC_API_KEY", "x").succeeds();
    assert_eq!((model.left(), reviewing.left()), (0, 0), "{turn}");
    let events: Vec<Value> = turn.text().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let tools = events[0]["tools"].to_string();
    let named = SERVER.map(|tool| ("prevet", tool)).into_iter();
    for (server, tool) in named.chain(ROUNDS.map(|tool| ("cross-review", tool))) {
        assert!(tools.contains(&format!("\"mcp__{server}__{tool}\"")), "{tool} is not there: {tools}");
    }
    let results = results(&events);
    assert_eq!(results.len(), 4, "{turn}");
    assert_eq!(results[0]["verdict"], "request_changes");
    assert_eq!(results[1]["status"], "running");
    assert_eq!((&results[2]["next"], &results[2]["next_reason"]), (&json!("done"), &json!("approved")));
    assert_eq!((&results[3]["finalized"], &results[3]["verdict"]), (&json!(true), &json!("APPROVE")));
    world.prevet(&["connect", "claude-code", "--remove"]).succeeds();
    // Claude Code writes into its file itself; what is not ours is all there.
    let rest: Value = serde_json::from_str(&fs::read_to_string(&config).unwrap()).unwrap();
    assert_eq!(rest["mcpServers"], json!({ "other": { "type": "stdio", "command": "true" } }));
    assert_eq!(rest["mine"], json!({ "kept": 1 }));
}

/// What the tools gave, in order.
fn results(events: &[Value]) -> Vec<Value> {
    let blocks = events.iter().filter(|event| event["type"] == "user");
    let blocks = blocks.flat_map(|event| event["message"]["content"].as_array().cloned().unwrap_or_default());
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let read = |block: Value| {
        let text = block["content"].as_str().or_else(|| block["content"][0]["text"].as_str());
        let text = text.unwrap_or_else(|| panic!("{block}"));
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    results.map(read).collect()
}

#[test]
fn the_plugin_and_its_marketplace_are_valid() {
    let Some(parts) = Parts::from_env("Claude Code's check of the plugin") else { return };
    let world = world();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in [root.clone(), root.join("plugins/prevet")] {
        let folder = folder.canonicalize().unwrap();
        let outcome =
            claude(&world, &parts, &world.root(), &["plugin", "validate", folder.to_str().unwrap()]);
        let outcome = outcome.succeeds();
        assert!(outcome.text().contains("Validation passed"), "{outcome}");
    }
    let file = |path: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(root.join(path)).unwrap()).unwrap()
    };
    let servers = file("plugins/prevet/.mcp.json");
    assert_eq!(servers["mcpServers"]["cross-review"]["args"], json!(["mcp", "--only", "review"]));
    assert_eq!(servers["mcpServers"]["cross-review"]["env"]["REVIEW_WAIT_DEFAULT_S"], "270");
    assert_eq!(file(".claude-plugin/marketplace.json")["plugins"][0]["source"], "./plugins/prevet");
    assert_eq!(file("plugins/prevet/.claude-plugin/plugin.json")["version"], env!("CARGO_PKG_VERSION"));
}
