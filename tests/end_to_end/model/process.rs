//! `prevet serve` with a model.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use prevet_testkit::scripted_model::ScriptedModel;
use prevet_testkit::server::{Client, PATIENCE};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The key of the scripted model.
pub const KEY: &str = "sk-test-0123456789abcdef";

/// A running server; killed when dropped.
pub struct Process {
    /// With the agent's key.
    pub client: Client,
    folder: TempDir,
    _child: Child,
}

impl Process {
    /// Starts with the scripted model and further settings.
    pub async fn start(model: &ScriptedModel, settings: &[(&str, &str)]) -> Self {
        let url = model.url();
        let model = [("PREVET_MODEL", "scripted"), ("PREVET_MODEL_URL", url.as_str())];
        Self::start_with(&[model.as_slice(), &[("PREVET_MODEL_API_KEY", KEY)], settings].concat()).await
    }

    /// Starts in an environment of these variables.
    pub async fn start_with(environment: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let (mut child, line) = Self::spawn(folder.path(), environment).await;
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            let _ = child.start_kill();
            panic!("no server: {}", std::fs::read_to_string(folder.path().join("log")).unwrap())
        });
        let text = |name: &str| ready[name].as_str().unwrap();
        let client = Client::new(text("url"), text("tenant_key"), text("agent_key"));
        Self { client, folder, _child: child }
    }

    async fn spawn(folder: &Path, environment: &[(&str, &str)]) -> (Child, String) {
        let log = File::create(folder.join("log")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_prevet"))
            .args(["serve", "--addr", "127.0.0.1:0", "--data"])
            .arg(folder.join("data"))
            .env_clear()
            .env("PREVET_LOG", "trace")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        timeout(PATIENCE, output.read_line(&mut line)).await.expect("the server is not ready").unwrap();
        (child, line)
    }

    /// Everything that it says before it ends by itself.
    pub async fn refusal(environment: &[(&str, &str)]) -> String {
        let folder = TempDir::new().unwrap();
        let (mut child, line) = Self::spawn(folder.path(), environment).await;
        timeout(PATIENCE, child.wait()).await.expect("the server runs").unwrap();
        line + &std::fs::read_to_string(folder.path().join("log")).unwrap()
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}
