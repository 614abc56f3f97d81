//! The protocol's conformance suite, against `/mcp` and, behind a bridge, `prevet mcp`.
//!
//! Each baseline beside this file names what is expected to fail, and why. An entry that no longer fails is an error.

use std::path::Path;
use std::time::Duration;

use prevet_testkit::bridge::{self, Program};
use prevet_testkit::server::{Assembled, Client, Parts};
use prevet_testkit::world::World;

/// The revisions of the specification, and the baseline of each for HTTP and for standard input and output.
const REVISIONS: [(&str, &str, &str); 2] = [
    ("2025-11-25", "http-2025-11-25.yml", "stdio-2025-11-25.yml"),
    ("2026-07-28", "http-2026-07-28.yml", "stdio-2026-07-28.yml"),
];

/// A server with the suite's tools.
async fn server() -> (Assembled, Client) {
    let mut assembled = Assembled::start().await;
    let client = assembled.for_conformance().await;
    (assembled, client)
}

/// Runs what `revision` requires of a server at `url`.
async fn run(parts: Parts, url: String, revision: &'static str, baseline: &'static str) {
    let suite = move || {
        let world = World::new(env!("CARGO_BIN_EXE_prevet"));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/end_to_end/agents/conformance");
        let (baseline, output) = (folder.join(baseline), world.path("results"));
        let arguments = ["server", "--url", &url, "--requirements", revision];
        let call = world.call(parts.program("mcp-conformance"), &world.root()).args(&arguments);
        let files = ["--expected-failures", baseline.to_str().unwrap(), "-o", output.to_str().unwrap()];
        let outcome = call.args(&files).within(Duration::from_secs(280)).run();
        let said = outcome.text();
        let (_, summary) = said.split_once("=== SUMMARY").unwrap_or(("", &said));
        assert_eq!(outcome.code, 0, "{}{summary}", baseline.display());
        assert!(said.contains(&format!("Running requirements {revision}")), "{said}");
    };
    tokio::task::spawn_blocking(suite).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http() {
    let Some(parts) = Parts::from_env("MCP conformance over HTTP") else { return };
    let (_assembled, client) = server().await;
    for (revision, baseline, _) in REVISIONS {
        run(parts.clone(), client.url.clone(), revision, baseline).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_standard_input_and_output() {
    let Some(parts) = Parts::from_env("MCP conformance over standard input and output") else { return };
    let (_assembled, client) = server().await;
    let world = World::new(env!("CARGO_BIN_EXE_prevet"));
    let text = |text: &str| text.to_owned();
    let environment = vec![
        (text("PATH"), text("/usr/bin:/bin")),
        (text("HOME"), world.path("home").display().to_string()),
        (text("PREVET_API_URL"), client.url.clone()),
        (text("PREVET_API_KEY"), client.api_key.clone().unwrap()),
        (text("PREVET_TENANT_KEY"), client.tenant_key.clone()),
    ];
    let program =
        Program { path: env!("CARGO_BIN_EXE_prevet").into(), arguments: vec![text("mcp")], environment };
    let url = bridge::serve(program).await;
    for (revision, _, baseline) in REVISIONS {
        run(parts.clone(), url.clone(), revision, baseline).await;
    }
}
