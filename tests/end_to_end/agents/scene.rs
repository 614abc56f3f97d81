//! A repository with a flaw that is not committed, and whoever looks at it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use prevet_testkit::model::{Model, Step};
use prevet_testkit::server::{Era, Parts};
use prevet_testkit::stdio::Stdio;
use prevet_testkit::world::{Call, World};
use serde_json::{Value, json};

/// `or-with-constant`, high, on line 2.
pub const BUG: &str = "def check(role):\n    if role == 'admin' or 'owner':\n        grant()\n";
/// The version that most clients of today speak.
pub const TODAY: Era = Era::Legacy("2025-06-18");
/// The tools of the review rounds, in their order.
pub const ROUNDS: [&str; 4] = ["review_begin", "review_wait", "review_reply", "review_end"];

/// The tools of the server, in its order.
pub const SERVER: [&str; 7] = [
    "inspect_diff",
    "describe_change",
    "ask",
    "check_task",
    "lookup_decision",
    "request_decision",
    "share_context",
];

/// A world with the repository `app`, in which `bug.py` is not committed.
pub fn world() -> World {
    let world = World::new(env!("CARGO_BIN_EXE_prevet"));
    world.repository("app").write("bug.py", BUG);
    world
}

/// A call of `prevet mcp` from the repository.
pub fn mcp(world: &World, arguments: &[&str]) -> Call {
    let arguments = [&["mcp"], arguments].concat();
    world.prevet_in(&world.path("app"), &arguments).within(Duration::from_mins(1))
}

/// `prevet mcp` as clients of today speak to it.
pub fn agent(world: &World) -> Stdio {
    Stdio::start(mcp(world, &[]), TODAY)
}

/// Puts the real Codex CLI in the world's PATH as a reviewer with a model of its own, which approves. Gives PATH.
pub fn reviewer(world: &World, parts: &Parts) -> (Model, String) {
    let (model, home) = (Model::start(), world.path("home/reviewer"));
    model.will([Step::Say("### VERDICT\n- Status: APPROVE\n- Reason: it does what was asked\n".to_owned())]);
    fs::create_dir(&home).unwrap();
    fs::write(home.join("config.toml"), model.codex_config()).unwrap();
    let (bin, codex) = (world.path("bin"), parts.program("codex"));
    fs::create_dir(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\nCODEX_HOME='{}' SCRIPTED_KEY=k exec '{}' \"$@\"\n",
        home.display(),
        codex.display()
    );
    fs::write(bin.join("codex"), script).unwrap();
    fs::set_permissions(bin.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
    (model, format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
}

/// What `review_begin` is called with.
pub fn review_of(world: &World) -> Value {
    json!({
        "skill": "review-impl", "mode": "working-tree", "working_dir": world.path("app"),
        "input": "## USER_REQUEST\n\nCheck roles\n", "timeout_seconds": 60,
    })
}
