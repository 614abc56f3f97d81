//! The inbox page in a real Chromium.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use prevet_testkit::server::{Parts, Served};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::{Sides, serve};

const PATIENCE: Duration = Duration::from_secs(240);

struct Browser {
    child: Child,
    _folder: TempDir,
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/browser/inbox.mjs")
}

/// Screenshots stay beside the build for whoever wants to look at them.
fn shots() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inbox");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

impl Browser {
    fn start(parts: &Parts, served: &Served) -> Self {
        let folder = TempDir::new().unwrap();
        let child = Command::new(parts.program("node"))
            .arg(script())
            .env("PARTS", parts.folder())
            .env("INBOX", served.ready["inbox_url"].as_str().unwrap())
            .env("KEY", served.ready["human_key"].as_str().unwrap())
            .env("SHOTS", shots())
            .env("TMPDIR", folder.path())
            .env("HOME", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { child, _folder: folder }
    }

    /// Waits until it looks at the list and has answered the first request.
    async fn ready(&mut self) {
        let mut lines = BufReader::new(self.child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let ready = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line == "ready" {
                    return true;
                }
                said.push_str(&line);
                said.push('\n');
            }
            false
        };
        let ready = timeout(PATIENCE, ready).await.unwrap_or_default();
        assert!(ready, "{said}");
    }

    async fn result(self) -> Value {
        let output = timeout(PATIENCE, self.child.wait_with_output()).await.unwrap().unwrap();
        serde_json::from_slice(&output.stdout).expect("the browser's script failed")
    }
}

/// What an agent does: the same call again while it is told `pending`.
async fn waited_for(sides: &Sides, request: &Value) -> Value {
    loop {
        let result = sides.tool("request_decision", request.clone()).await;
        if result["status"] != "pending" {
            return result;
        }
    }
}

#[tokio::test]
async fn people_answer_by_mouse_and_by_keyboard() {
    let Some(parts) = Parts::from_env("the inbox page in Chromium") else { return };
    let served = serve().await;
    let sides = Sides::of(&served);
    let cache = json!({
        "question": "Which cache do we use?", "recommendation": "valkey", "concepts": ["storage"], "files": ["cache.toml"],
        "options": [{ "label": "Redis", "value": "redis", "consequence": "a licence to check" }, "valkey"], "waitSeconds": 10,
    });
    sides
        .tool(
            "share_context",
            json!({ "kind": "risk", "body": "Redis changed its licence.", "concepts": ["storage"] }),
        )
        .await;
    let mut waiting = cache.clone();
    waiting["waitSeconds"] = json!(0);
    assert_eq!(sides.tool("request_decision", waiting).await["status"], "pending");
    let mut browser = Browser::start(&parts, &served);
    let (agent, ()) = tokio::join!(waited_for(&sides, &cache), browser.ready());
    assert_eq!((&agent["status"], &agent["answer"]), (&json!("answered"), &json!("valkey")), "{agent}");
    let queue =
        json!({ "question": "Which queue do we use?", "options": ["kafka", "nats"], "waitSeconds": 10 });
    let (agent, result) = tokio::join!(waited_for(&sides, &queue), browser.result());
    assert_eq!((&agent["status"], &agent["answer"]), (&json!("answered"), &json!("nats")), "{agent}");
    assert_eq!((&result["errors"], &result["faults"]), (&json!([]), &json!([])), "{result}");
    assert_eq!((&result["wide"], &result["reloaded"]), (&json!(false), &json!(1)), "{result}");
    assert_eq!(result["focused"], "Which queue do we use?");
    assert!(result["found"].as_str().unwrap().contains("answer: valkey"), "{result}");
    assert!(result["signedOut"].as_str().unwrap().contains("Human key"), "{result}");
}
