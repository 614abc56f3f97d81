//! The terminal's verbs, on a server and on the embedded one.

use std::time::Duration;

use prevet_testkit::world::{Running, World, wait_until};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(40);

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_prevet"))
}

/// A running `prevet serve` on the world's own folder, and the line that it printed.
fn serve(world: &World) -> (Running, Value) {
    let running = world.prevet(&["serve"]).within(Duration::from_secs(150)).start();
    wait_until("prevet serve", PATIENCE, || running.stdout().ends_with('\n'));
    let ready = serde_json::from_str(&running.stdout()).unwrap();
    (running, ready)
}

fn lots(world: &World) -> Vec<Value> {
    let lots = world.prevet(&["inbox", "--format", "json"]).succeeds().json();
    lots["lots"].as_array().unwrap().clone()
}

/// From a request that waits to its correction.
fn from_request_to_correction(world: &World) {
    let ask =
        ["decision", "request", "Do we use tabs?", "--option", "yes", "--option", "no", "--concept", "style"];
    let waiting =
        world.prevet(&[&ask[..], &["--wait", "50"]].concat()).env("PREVET_THREAD_ID", "thread-7").start();
    let mut lot = Value::Null;
    wait_until("the request in the inbox", PATIENCE, || {
        lot = lots(world).first().cloned().unwrap_or_default();
        !lot.is_null()
    });
    assert_eq!(
        (&lot["question"], &lot["waiting"][0]["who"]),
        (&json!("Do we use tabs?"), &json!("thread-7"))
    );
    let id = lot["lotId"].as_str().unwrap();
    let text = world.prevet(&["inbox"]).succeeds().text();
    for part in [id, "Do we use tabs?", "--option yes", "thread-7 waits", "prevet answer"] {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
    world.prevet(&["answer", id, "--option", "perhaps"]).exits(2).says(&["perhaps", "yes, no"]);
    let decision = world.prevet(&["answer", id, "--option", "no"]).succeeds().json();
    assert_eq!((&decision["answer"], &decision["receipt"]["way"]), (&json!("no"), &json!("terminal")));
    let outcome = waiting.end();
    assert_eq!(outcome.code, 0, "{outcome}");
    let result = outcome.json();
    assert_eq!((&result["status"], &result["decisionId"]), (&json!("answered"), &decision["decisionId"]));
    // The same again is fine; by the same person, another answer is not.
    assert_eq!(world.prevet(&["answer", id, "--option", "no"]).succeeds().json(), decision);
    world.prevet(&["answer", id, "--option", "yes"]).exits(3).says(&["answered already", "\"no\""]);
    world.prevet(&["inbox"]).succeeds().says(&["nothing waits"]);

    let decision = decision["decisionId"].as_str().unwrap();
    let lookup = world
        .prevet(&["decision", "lookup", "Should we use tabs?", "--concept", "style", "--limit", "3"])
        .succeeds()
        .json();
    assert_eq!((&lookup["status"], &lookup["matches"][0]["reuseGuidance"]), (&json!("ok"), &json!("apply")));
    let why = world.prevet(&["why", decision]).succeeds().json();
    assert_eq!((&why["question"], &why["uses"]), (&json!("Do we use tabs?"), &json!(0)));
    world.prevet(&["correct", decision, "expires_after"]).exits(2).says(&["needs a duration"]);
    let ends = ["correct", decision, "expires_after", "--expires-after"];
    world.prevet(&[&ends[..], &["2020-01-01"]].concat()).exits(2).says(&["a time to come"]);
    let corrected = world.prevet(&[&ends[..], &["2099-01-01"]].concat()).succeeds();
    assert_eq!(corrected.json()["scope"]["expiresAt"], "2099-01-01T00:00:00Z");
    world.prevet(&["correct", decision, "right"]).exits(2).says(&["wrong", "too_broad"]);
    let corrected = world.prevet(&["correct", decision, "wrong"]).succeeds().json();
    assert_eq!(corrected["scope"]["reusable"], false);

    let pending =
        world.prevet(&["decision", "request", "Do we ship on Fridays?", "--wait", "0"]).succeeds().json();
    assert_eq!(pending["status"], "pending");
    let lot = pending["decisionRef"].as_str().unwrap();
    let dismissed = world.prevet(&["dismiss", lot, "--reason", "never"]).succeeds().json();
    assert_eq!((&dismissed["status"], &dismissed["reason"]), (&json!("dismissed"), &json!("never")));
    let shared =
        world.prevet(&["decision", "share", "note", "tabs are out", "--concept", "style"]).succeeds().json();
    assert_eq!(shared["status"], "ok");
}

#[test]
fn over_a_server() {
    let world = world();
    let (running, _) = serve(&world);
    from_request_to_correction(&world);
    running.signal("TERM");
    assert_eq!(running.end().code, 0);
}

#[test]
fn over_the_embedded_server() {
    let world = world();
    from_request_to_correction(&world);
    assert!(!world.data_dir().join("server.json").exists(), "nothing is left behind");
}

#[test]
fn an_agents_key_does_not_answer() {
    let world = world();
    let (running, ready) = serve(&world);
    let with = |arguments: &[&str], key: &str| {
        let text = |name: &str| ready[name].as_str().unwrap().to_owned();
        let call = world.prevet(arguments).env("PREVET_API_URL", text("url"));
        call.env("PREVET_TENANT_KEY", text("tenant_key")).env("PREVET_API_KEY", text(key))
    };
    let pending =
        with(&["decision", "request", "Do we use tabs?", "--wait", "0"], "agent_key").succeeds().json();
    let lot = pending["decisionRef"].as_str().unwrap();
    for arguments in [
        &["inbox"][..],
        &["answer", lot, "--text", "yes"],
        &["dismiss", lot],
        &["why", "dec_1"],
        &["correct", "dec_1", "wrong"],
    ] {
        with(arguments, "agent_key").exits(2).says(&["403", "agent's key"]);
    }
    with(&["answer", lot, "--text", "yes"], "human_key").succeeds();
    running.signal("TERM");
    running.end();
}

#[test]
fn requests_are_watched_as_they_come() {
    let world = world();
    let (running, _) = serve(&world);
    let watch = world.prevet(&["inbox", "--watch", "--format", "json"]).start();
    wait_until("the watch", PATIENCE, || watch.stderr().contains("watching"));
    world.prevet(&["decision", "request", "Do we use tabs?", "--wait", "0"]).succeeds();
    wait_until("the first request", PATIENCE, || watch.stdout().contains("Do we use tabs?"));
    world.prevet(&["decision", "request", "Do we ship on Fridays?", "--wait", "0"]).succeeds();
    wait_until("the second request", PATIENCE, || watch.stdout().contains("Do we ship on Fridays?"));
    assert_eq!(watch.stdout().lines().count(), 2, "each once");
    watch.signal("INT");
    watch.end();
    running.signal("TERM");
    running.end();
}

#[test]
fn what_cannot_be_asked_is_said_with_the_result() {
    let world = world();
    let outcome = world.prevet(&["decision", "request", "", "--wait", "0"]).exits(2);
    outcome.says(&["question is empty"]);
    assert_eq!(
        (&outcome.json()["status"], &outcome.json()["code"]),
        (&json!("error"), &json!("INVALID_INPUT"))
    );
    world.prevet(&["answer", "lot_1"]).exits(2).says(&["--option"]);
    world.prevet(&["answer", "lot_1", "--text", "a", "--option", "b"]).exits(2);
    world.prevet(&["answer", "../x", "--text", "a"]).exits(2).says(&["not an id"]);
    world.prevet(&["answer", "lot_1", "--text", "a"]).exits(2).says(&["there is no lot"]);
    world.prevet(&["why", "dec_1"]).exits(2).says(&["there is no decision"]);
}
