//! A script of `tests/browser` that drives a real Chromium.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::{Parts, Served};

/// The longest that a script may take to be ready, and then to end.
const PATIENCE: Duration = Duration::from_mins(4);

/// A running script; killed when dropped.
pub struct Chromium {
    child: Child,
    _folder: TempDir,
}

impl Chromium {
    /// Starts a script on the server's page. Screenshots go to `shots`, for whoever wants to look at them.
    pub fn start(
        parts: &Parts,
        served: &Served,
        script: &str,
        shots: &Path,
        environment: &[(&str, &str)],
    ) -> Self {
        std::fs::create_dir_all(shots).expect("no folder for screenshots");
        let folder = TempDir::new().expect("no temporary folder");
        let text = |name: &str| served.ready[name].as_str().unwrap_or_default().to_owned();
        let child = Command::new(parts.program("node"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../browser").join(script))
            .env("PARTS", parts.folder())
            .env("INBOX", text("inbox_url"))
            .env("KEY", text("human_key"))
            .env("SHOTS", shots)
            .env("TMPDIR", folder.path())
            .env("HOME", folder.path())
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node does not start");
        Self { child, _folder: folder }
    }

    /// Waits until it says `ready`: from then on it waits for what the test does.
    pub async fn ready(&mut self) {
        let mut lines = BufReader::new(self.child.stderr.take().expect("no standard error")).lines();
        let mut said = String::new();
        let ready = async {
            while let Some(line) = lines.next_line().await.expect("no line") {
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

    /// What it prints at its end.
    pub async fn result(self) -> Value {
        let output = timeout(PATIENCE, self.child.wait_with_output()).await.expect("the script does not end");
        let output = output.expect("the script's output");
        serde_json::from_slice(&output.stdout).expect("the browser's script failed")
    }
}
