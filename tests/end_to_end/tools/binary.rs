//! The binary's three commands on the embedded server.

use prevet_testkit::world::World;
use serde_json::Value;

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_prevet"))
}

#[test]
fn describe_needs_no_model() {
    let world = world();
    let repository = world.repository("shop");
    repository.write("greet.py", "def greet(name):\n    return 'hello ' + name\n");
    let cwd = world.path("shop");
    let outcome = world.prevet_in(&cwd, &["describe"]).succeeds();
    assert!(
        outcome.text().contains("- `greet.py` (added, +2 \u{2212}0): adds function `greet`"),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("no model is configured"), "{outcome}");
    let outcome = world.prevet_in(&cwd, &["describe", "--format", "json"]).succeeds();
    let result: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert!(result["description"].as_str().unwrap().starts_with("# Change Description"));
}

#[test]
fn ask_and_check_say_how_to_set_a_model() {
    let world = world();
    let repository = world.repository("shop");
    repository.write("greet.py", "def greet(name):\n    return 'hello ' + name\n");
    let cwd = world.path("shop");
    for arguments in
        [&["ask", "why?"][..], &["check", "greet people"], &["check", "OPS-1", "--source", "jira"]]
    {
        let outcome = world.prevet_in(&cwd, arguments).exits(2);
        assert!(
            outcome.stderr.contains("MODEL_NOT_CONFIGURED") && outcome.stderr.contains("PREVET_MODEL"),
            "{outcome}"
        );
        assert!(outcome.stdout.is_empty(), "{outcome}");
    }
    let outcome = world.prevet_in(&cwd, &["check"]).exits(2);
    assert!(outcome.stderr.contains("no task was checked before"), "{outcome}");
}

#[test]
fn nothing_changed_is_no_claim() {
    let world = world();
    world.repository("shop");
    let cwd = world.path("shop");
    world.prevet_in(&cwd, &["describe"]).succeeds();
    world.prevet_in(&cwd, &["ask", "why?"]).exits(3);
    let outcome = world.prevet_in(&cwd, &["check", "greet people", "--format", "json"]).exits(3);
    let result: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(result["code"], "NO_DIFF");
}
