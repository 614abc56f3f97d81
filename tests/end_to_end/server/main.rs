//! The server's side, over real HTTP: what any client may rely on, and what none can break.

#![expect(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod access;
mod bodies;
mod concurrency;
mod findings;
mod hostile;
mod inspection;
mod large_uploads;
mod paging;
mod protocol;
mod secrecy;
mod sessions;
mod storage;
mod transport;
mod uploads;

use prevet_testkit::server::Served;
use serde_json::Value;

/// `or-with-constant`, high, on line 2.
const BUG: &str = "def check(role):\n    if role == 'admin' or 'owner':\n        grant()\n";
/// `identity-of-literal`, medium, on line 2.
const SMALL_BUG: &str = "def check_small(role):\n    if role is 'admin':\n        grant()\n";
/// `request-to-shell`, critical, on line 6.
const HOLE: &str =
    "from flask import request\nimport os\n\n\ndef view():\n    os.system(\"ls \" + request.args[\"x\"])\n";
const CLEAN: &str = "def add(a, b):\n    return a + b\n";

async fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_prevet")).await
}

/// A provider's token in its real form, put together here so that nobody takes this file for a leak.
fn token() -> String {
    ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

/// One field of each finding.
fn each(result: &Value, field: &str) -> Vec<String> {
    let findings = result["findings"].as_array().expect("no findings");
    findings.iter().map(|it| it[field].as_str().unwrap_or_default().to_owned()).collect()
}

fn names(object: &Value) -> Vec<&str> {
    object.as_object().expect("no object").keys().map(String::as_str).collect()
}
