//! `prevet serve` as a process.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use prevet_local::administration::Administration;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use super::{Client, PATIENCE};

/// A running `prevet serve`; killed when dropped.
pub struct Served {
    /// With the agent's key.
    pub client: Client,
    /// The line that it printed once it was ready.
    pub ready: Value,
    folder: TempDir,
    child: Child,
    output: BufReader<ChildStdout>,
    program: PathBuf,
}

impl Served {
    /// Starts `program serve` on a folder of its own.
    pub async fn start(program: impl AsRef<Path>) -> Self {
        let folder = TempDir::new().expect("no temporary folder");
        Self::start_on(program.as_ref(), folder, &[]).await
    }

    /// The same in an environment of these variables.
    pub async fn start_with(program: impl AsRef<Path>, environment: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("no temporary folder");
        Self::start_on(program.as_ref(), folder, environment).await
    }

    async fn start_on(program: &Path, folder: TempDir, environment: &[(&str, &str)]) -> Self {
        let log = File::options().create(true).append(true).open(folder.path().join("log"));
        let mut child = Command::new(program)
            .args(["serve", "--addr", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .env_clear()
            .env("PREVET_LOG", "trace")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.expect("no log file"))
            .kill_on_drop(true)
            .spawn()
            .expect("the server does not start");
        let mut output = BufReader::new(child.stdout.take().expect("no standard output"));
        let mut line = String::new();
        timeout(PATIENCE, output.read_line(&mut line))
            .await
            .expect("the server is not ready")
            .expect("no line");
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| {
            let log = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
            panic!("{line:?} is not JSON ({error}); {log}")
        });
        let text = |name: &str| ready[name].as_str().unwrap_or_else(|| panic!("no {name} in {ready}"));
        let client = Client::new(text("url"), text("tenant_key"), text("agent_key"));
        Self { client, ready, folder, child, output, program: program.to_owned() }
    }

    /// Its data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The objects in its bucket.
    pub fn objects(&self) -> Vec<PathBuf> {
        let bucket = self.data().join("objects").join("prevet");
        let entries = std::fs::read_dir(bucket).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
    }

    /// Its administration, while it runs.
    pub async fn administration(&self) -> Administration {
        Administration::on_folder(&self.data()).await.expect("no administration")
    }

    /// The process id.
    pub fn process_id(&self) -> u32 {
        self.child.id().expect("the server has ended")
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).expect("no log")
    }

    /// `kill -9`, and the same folder again.
    pub async fn kill_and_restart(mut self) -> Self {
        self.child.kill().await.expect("the server cannot be killed");
        Self::start_on(&self.program, self.folder, &[]).await
    }

    /// Ends it by SIGTERM: its exit code, and all that it printed after the first line and logged.
    pub async fn terminate(mut self) -> (Option<i32>, String) {
        let id = self.process_id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().await;
        assert!(sent.is_ok_and(|status| status.success()), "SIGTERM was not sent");
        let status = timeout(PATIENCE, self.child.wait()).await.expect("the server does not end");
        let mut said = String::new();
        self.output.read_to_string(&mut said).await.expect("its output is not text");
        said.push_str(&self.log());
        (status.expect("no exit status").code(), said)
    }
}
