//! A repository under review, and a reviewer.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use prevet_testkit::model::Model;
use prevet_testkit::server::Parts;
use prevet_testkit::world::{Call, Outcome, WorkRepository, World, wait_until};
use serde_json::Value;

/// The longest that a test waits for a state.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// The input of a first round of review-plan.
pub const PLAN_INPUT: &str = "---\nPLAN_PATH: plan.md\n---\n\n## USER_REQUEST\n\nAdd a cache\n";
/// The input of a next round.
pub const FIXED_INPUT: &str = "## FIXED_ITEMS\n\n- ISSUE-1: done\n";

/// A world with one repository, `app`, and a `codex` in its PATH.
pub struct Scene {
    pub world: World,
}

impl Scene {
    /// Without a reviewer.
    pub fn bare() -> Self {
        let world = World::new(env!("CARGO_BIN_EXE_prevet"));
        let repository = world.repository("app");
        repository.commit_file("plan.md", "# Plan\n");
        fs::create_dir(world.path("bin")).unwrap();
        Self { world }
    }

    /// With the real Codex CLI on `model`; none where it was not brought.
    pub fn real(left_out: &str) -> Option<(Self, Model)> {
        let parts = Parts::from_env(left_out)?;
        let (scene, model) = (Self::bare(), Model::start());
        symlink(parts.program("codex"), scene.world.path("bin/codex")).unwrap();
        let home = scene.world.path("home/codex");
        fs::create_dir(&home).unwrap();
        fs::write(home.join("config.toml"), model.codex_config()).unwrap();
        Some((scene, model))
    }

    /// With a reviewer that is a shell script; `body` runs for rounds, with the round's arguments.
    pub fn fake(body: &str) -> Self {
        let scene = Self::bare();
        scene.reviewer(body);
        scene
    }

    /// Puts another script in the reviewer's place.
    pub fn reviewer(&self, body: &str) {
        let text = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo codex-cli 0.171.0; exit; fi\n\
             echo \"$*\" >>'{}'\n{body}\n",
            self.calls_file().display()
        );
        self.program("codex", &text);
    }

    /// Puts a program into PATH.
    pub fn program(&self, name: &str, text: &str) {
        let (path, new) = (self.world.path("bin").join(name), self.world.path("new-program"));
        fs::write(&new, text).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&new, path).unwrap();
    }

    fn calls_file(&self) -> PathBuf {
        self.world.path("calls")
    }

    /// The arguments of the reviewer's rounds so far, a line each.
    pub fn calls(&self) -> Vec<String> {
        fs::read_to_string(self.calls_file()).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    pub fn repository(&self) -> WorkRepository<'_> {
        self.world.existing("app")
    }

    /// A call of `prevet review …` from the repository.
    pub fn review(&self, arguments: &[&str]) -> Call {
        let bin = self.world.path("bin");
        self.world
            .prevet_in(self.repository().root(), &[&["review"], arguments].concat())
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
            .env("CODEX_HOME", self.world.path("home/codex"))
            .env("SCRIPTED_KEY", "k")
    }

    /// `prevet review begin`, with the input on standard input.
    pub fn begin_call(&self, skill: &[&str], input: &str) -> Call {
        self.review(&[&["begin", "--input", "-", "--skill"], skill].concat()).stdin(input)
    }

    /// Begins, and gives the session.
    #[track_caller]
    pub fn begin(&self, skill: &[&str], input: &str) -> Session<'_> {
        let begun = self.begin_call(skill, input).succeeds().json();
        assert_eq!((&begun["round"], &begun["status"]), (&1.into(), &"running".into()), "{begun}");
        Session { scene: self, directory: begun["session_dir"].as_str().unwrap().into(), begun }
    }

    /// Begins a review of the plan.
    #[track_caller]
    pub fn begin_plan(&self) -> Session<'_> {
        self.begin(&["review-plan"], PLAN_INPUT)
    }
}

/// A session that was begun.
pub struct Session<'s> {
    pub scene: &'s Scene,
    pub directory: PathBuf,
    pub begun: Value,
}

impl Session<'_> {
    pub fn text(&self) -> &str {
        self.directory.to_str().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// A file of the session as JSON.
    pub fn json(&self, name: &str) -> Value {
        json_file(&self.path(name))
    }

    pub fn wait_call(&self, seconds: u64) -> Call {
        self.scene.review(&["wait", self.text(), "--max-wait-seconds", &seconds.to_string()])
    }

    /// Waits for the round's end.
    #[track_caller]
    pub fn wait(&self) -> Value {
        let waited = self.wait_call(PATIENCE.as_secs()).within(PATIENCE * 2).succeeds().json();
        assert_ne!(waited["status"], "running", "{waited}");
        waited
    }

    /// Waits, and checks status, next and `next_reason`.
    #[track_caller]
    pub fn comes_to(&self, status: &str, next: &str, reason: &str) -> Value {
        let waited = self.wait();
        let words = ["status", "next", "next_reason"].map(|name| waited[name].as_str().unwrap_or_default());
        assert_eq!(words, [status, next, reason], "{waited:#}");
        waited
    }

    pub fn reply_call(&self, input: &str) -> Call {
        self.scene.review(&["reply", self.text(), "--input", "-"]).stdin(input)
    }

    #[track_caller]
    pub fn reply(&self, input: &str) -> Value {
        let reply = self.reply_call(input).succeeds().json();
        assert_eq!(reply["status"], "started", "{reply}");
        assert_eq!(reply["session_dir"], self.text());
        reply
    }

    #[track_caller]
    pub fn end(&self, outcome: &[&str]) -> Value {
        let ended = self.scene.review(&[&["end", self.text()], outcome].concat()).succeeds().json();
        assert_eq!((&ended["status"], &ended["session_dir"]), (&"ended".into(), &self.text().into()));
        ended
    }

    /// The processes of a round, once they are recorded: runner, reviewer.
    pub fn processes(&self, round: u32) -> (u32, u32) {
        let path = self.path(&format!("outputs/round-{round:03}.runner.json"));
        wait_until("the round's processes", PATIENCE, || path.exists());
        let file = json_file(&path);
        let pid = |name: &str| u32::try_from(file[name]["pid"].as_u64().unwrap()).unwrap();
        (pid("runner"), pid("reviewer"))
    }

    /// Waits until the reviewer has printed `text`.
    pub fn sees(&self, round: u32, text: &str) {
        let path = self.path(&format!("outputs/round-{round:03}.jsonl"));
        let there = || fs::read_to_string(&path).is_ok_and(|output| output.contains(text));
        wait_until(text, PATIENCE, there);
    }
}

pub fn json_file(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The code of a failed call, which says the same on standard output as the tool does.
#[track_caller]
pub fn code(outcome: &Outcome) -> String {
    let body = outcome.json();
    assert!(!body["error"].as_str().unwrap().is_empty(), "{outcome}");
    body["code"].as_str().unwrap().to_owned()
}

/// Whether a process is there and not only waits to be noticed.
pub fn lives(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

pub fn kill(signal: &str, pid: u32) {
    let sent = std::process::Command::new("kill").args(["-s", signal, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A line of `--json` output.
pub fn event(json: &str) -> String {
    format!("echo '{json}'\n")
}

/// The script of a reviewer that says `text` on thread `t-1`; `text` has neither quotes nor backslashes but `\n`.
pub fn says(text: &str) -> String {
    let message = text.replace('\n', "\\n");
    [
        thread(),
        format!(
            "printf '%s\\n' '{{\"type\":\"item.completed\",\"item\":{{\"id\":\"m\",\"type\":\"agent_message\",\"text\":\"{message}\"}}}}'\n"
        ),
        event(r#"{"type":"turn.completed","usage":{}}"#),
    ]
    .concat()
}

pub fn thread() -> String {
    event(r#"{"type":"thread.started","thread_id":"t-1"}"#)
}

pub fn command_started() -> String {
    event(r#"{"type":"item.started","item":{"id":"c","type":"command_execution","command":"cargo test"}}"#)
}
