//! What holds whatever is called: nothing but the protocol on standard output, errors as results, bounded waits.

use std::time::Duration;

use prevet_testkit::server::{Era, Served};
use prevet_testkit::stdio::{Stdio, read, tool_result};
use prevet_testkit::stub::{Answer, Stub, closed_port};
use prevet_testkit::world::{Call, wait_until};
use serde_json::{Value, json};

use super::scene::{ROUNDS, TODAY, agent, mcp, world};

const PATIENCE: Duration = Duration::from_secs(30);

fn configured(call: Call, url: &str) -> Call {
    call.env("PREVET_API_URL", url).env("PREVET_API_KEY", "k").env("PREVET_TENANT_KEY", "t")
}

#[test]
fn wrong_parameters_are_results() {
    let world = world();
    let mut agent = agent(&world);
    let check = |agent: &mut Stdio, tool: &str, arguments: Value, expected: &str| {
        let (code, error) = agent.fails(tool, &arguments);
        assert_eq!(code, "INVALID_INPUT", "{tool}: {error}");
        assert!(error.contains(expected), "{tool}: {error:?} lacks {expected:?}");
    };
    check(&mut agent, "ask", json!({}), "question");
    check(&mut agent, "ask", json!({ "question": 5 }), "string");
    check(&mut agent, "check_task", json!({ "intent": "x" }), "task_description");
    check(&mut agent, "inspect_diff", json!({ "intent": 5 }), "intent");
    check(&mut agent, "inspect_diff", json!({ "context": "text" }), "context");
    check(&mut agent, "inspect_diff", json!({ "context": { "report_types": ["NOPE"] } }), "NOPE");
    check(&mut agent, "describe_change", json!({ "context": { "pr_title": 5 } }), "string");
    for tool in ROUNDS {
        check(&mut agent, tool, json!({}), "missing field");
    }
    check(
        &mut agent,
        "review_wait",
        json!({ "session_dir": "/x", "max_wait_seconds": -1 }),
        "max_wait_seconds",
    );
    let unknown = json!({ "skill": "review-none", "input": "", "working_dir": world.path("app") });
    assert_eq!(agent.fails("review_begin", &unknown).0, "UNKNOWN_SKILL");
    assert_eq!(agent.fails("review_wait", &json!({ "session_dir": "/nowhere" })).0, "INVALID_SESSION");
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let world = world();
    for (arguments, name) in
        [(&[][..], "nope"), (&["--only", "review"], "inspect_diff"), (&["--only", "server"], "review_end")]
    {
        for era in Era::ALL {
            let mut agent = Stdio::start(mcp(&world, arguments), era);
            let answer = agent.request("tools/call", &json!({ "name": name, "arguments": {} }));
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(name), "{answer}");
            let answer = agent.request("nope/nope", &json!({}));
            assert_eq!(answer["error"]["code"], -32601, "{answer}");
        }
    }
}

#[test]
fn whatever_comes_in_only_the_protocol_goes_out() {
    let world = world();
    let mut process = mcp(&world, &[]).converse();
    let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": TODAY.initialize() });
    process.say(&greeting.to_string());
    let mut lines = vec![process.hear().unwrap()];
    process.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    for garbage in [
        "{",
        "no json",
        "[]",
        "{}",
        "5",
        "null",
        "\u{feff}{}",
        "{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}",
    ] {
        process.say(garbage);
    }
    let call = json!({ "name": "inspect_diff", "arguments": {} });
    process.say(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }).to_string());
    loop {
        let line = process.hear().unwrap_or_else(|| panic!("it is gone: {}", process.stderr()));
        let message = read(&line);
        lines.push(line);
        if message["id"] == 2 {
            assert_eq!(tool_result(&message).0["verdict"], "request_changes");
            break;
        }
    }
    let (code, rest) = process.close();
    assert_eq!(code, Some(0));
    lines.iter().chain(&rest).for_each(|line| drop(read(line)));
}

#[test]
fn progress_goes_to_whoever_asks() {
    let world = world();
    for era in Era::ALL {
        let mut agent = Stdio::start(mcp(&world, &[]), era);
        let params = json!({ "name": "inspect_diff", "arguments": {}, "_meta": { "progressToken": "mine" } });
        let answer = agent.request("tools/call", &params);
        assert_eq!(tool_result(&answer).0["verdict"], "request_changes");
        let told: Vec<_> = agent.notifications.iter().map(|it| it["params"].clone()).collect();
        assert!(told.iter().all(|it| it["progressToken"] == "mine"), "{told:?}");
        let words: Vec<_> = told.iter().filter_map(|it| it["message"].as_str()).collect();
        // The last one is the server's own, handed on.
        let steps =
            ["opening a session", "capturing the change", "uploading the change", "inspecting the diff"];
        assert_eq!(words, steps, "{era:?}");
        let numbers: Vec<_> = told.iter().map(|it| it["progress"].as_f64().unwrap()).collect();
        assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
        agent.notifications.clear();
        agent.succeeds("inspect_diff", &json!({}));
        assert!(agent.notifications.is_empty(), "{:?}", agent.notifications);
    }
}

#[test]
fn an_unreachable_server_is_a_result() {
    let world = world();
    let url = closed_port();
    let mut agent = Stdio::start(configured(mcp(&world, &[]), &url), TODAY);
    let names = agent.names();
    assert!(
        names.contains(&"inspect_diff".to_owned()) && names.contains(&"review_end".to_owned()),
        "{names:?}"
    );
    for arguments in [json!({}), json!({ "session_id": "x".repeat(52) })] {
        let (code, error) = agent.fails("inspect_diff", &arguments);
        assert_eq!(code, "BUSY");
        assert!(error.contains(&url), "{error}");
    }
    // The rounds need no server.
    assert_eq!(agent.fails("review_wait", &json!({ "session_dir": "/nowhere" })).0, "INVALID_SESSION");
    let (code, lines) = agent.process.close();
    assert_eq!((code, lines.len()), (Some(0), 0));
}

#[test]
fn every_wait_is_bounded() {
    let world = world();
    let stub = Stub::by_path(|path| if path == "/mcp" { Answer::HangUp } else { Answer::Silence });
    let call = configured(mcp(&world, &[]), &stub.url()).env("PREVET_TIMEOUT_SECONDS", "1");
    let mut agent = Stdio::start(call, TODAY);
    let (code, error) = agent.fails("inspect_diff", &json!({}));
    assert_eq!(code, "BUSY");
    assert!(error.contains("within 1 s"), "{error}");
}

#[test]
fn a_cancelled_call_ends_here() {
    let world = world();
    let stub = Stub::by_path(|path| if path == "/mcp" { Answer::HangUp } else { Answer::Silence });
    let mut agent = Stdio::start(configured(mcp(&world, &[]), &stub.url()), TODAY);
    let call = agent.send("tools/call", &json!({ "name": "inspect_diff", "arguments": {} }));
    let asked = || stub.requests().iter().any(|request| request.ends_with("/session"));
    wait_until("the call to wait for the server", PATIENCE, asked);
    agent.notify(
        "notifications/cancelled",
        &json!({ "requestId": call, "reason": "the user changed their mind" }),
    );
    // No answer to the call comes before this one, nor after it.
    assert_eq!(agent.request("ping", &json!({}))["result"], json!({}));
    let (code, lines) = agent.process.close();
    assert_eq!((code, lines), (Some(0), Vec::new()));
}

#[test]
fn the_embedded_server_is_shared() {
    let world = world();
    let mut first = agent(&world);
    first.succeeds("inspect_diff", &json!({}));
    assert!(world.data_dir().join("server.json").exists(), "others cannot find it");
    let mut second = agent(&world);
    second.succeeds("inspect_diff", &json!({}));
    world.prevet_in(&world.path("app"), &["inspect"]).exits(1);
    drop(first.process.close());
    // The second one's server was the first one's, and is gone: it starts its own.
    second.succeeds("inspect_diff", &json!({}));
    assert_eq!(second.process.close().0, Some(0));
    world.prevet_in(&world.path("app"), &["inspect"]).exits(1);
}

#[test]
fn signals_end_it_cleanly() {
    let world = world();
    for signal in ["TERM", "INT"] {
        let mut agent = agent(&world);
        agent.succeeds("inspect_diff", &json!({}));
        agent.process.signal(signal);
        let (code, lines) = agent.process.ended();
        assert_eq!((code, lines), (Some(0), Vec::new()), "{signal}");
        assert!(!world.data_dir().join("server.json").exists());
        assert!(world.temporary_files().is_empty(), "{:?}", world.temporary_files());
    }
}

#[test]
fn half_a_configuration_stops_it_at_once() {
    let world = world();
    let call = mcp(&world, &[]).env("PREVET_API_URL", "https://h.example/mcp");
    let outcome = call.exits(2);
    assert!(outcome.stdout.is_empty(), "{outcome}");
    assert!(
        outcome.stderr.contains("PREVET_API_KEY") || outcome.stderr.contains("PREVET_TENANT_KEY"),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("prevet login"), "{outcome}");
    let broken = mcp(&world, &[]).env("PREVET_TIMEOUT_SECONDS", "soon").exits(2);
    assert!(broken.stdout.is_empty(), "{broken}");
}

#[tokio::test]
async fn a_configured_server_is_used_with_its_key() {
    let served = Served::start(env!("CARGO_BIN_EXE_prevet")).await;
    let world = world();
    let key = served.client.api_key.clone().unwrap();
    let call =
        |key: &str| mcp(&world, &[]).env("PREVET_API_URL", &served.client.url).env("PREVET_API_KEY", key);
    let talk = tokio::task::spawn_blocking({
        let good = call(&key).env("PREVET_TENANT_KEY", &served.client.tenant_key);
        // A workspace is a tenant, and pins it.
        let pinned = call(&key)
            .env("PREVET_TENANT_KEY", "another")
            .env("PREVET_WORKSPACE_ID", &served.client.tenant_key);
        let bad = call("wrong").env("PREVET_TENANT_KEY", &served.client.tenant_key);
        move || {
            for call in [good, pinned] {
                let result = Stdio::start(call, TODAY).succeeds("inspect_diff", &json!({}));
                assert_eq!(result["verdict"], "request_changes");
            }
            // By every way that a call takes: captured here, and handed on as it is.
            let mut talk = Stdio::start(bad, TODAY);
            for (tool, arguments) in [
                ("inspect_diff", json!({})),
                ("lookup_decision", json!({ "query": "Do we use tabs?" })),
                ("request_decision", json!({ "question": "Do we use tabs?", "waitSeconds": 0 })),
            ] {
                let (code, error) = talk.fails(tool, &arguments);
                assert_eq!(code, "UNAUTHENTICATED", "{tool}: {error}");
                assert!(!error.contains("wrong") && !error.contains("rmcp"), "{error}");
            }
        }
    });
    talk.await.unwrap();
    assert!(!world.data_dir().exists(), "an embedded server was started beside it");
}
