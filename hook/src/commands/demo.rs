//! `prevet demo`: a throw-away repository, a flawed change, a real `git push` through the installed hook that is
//! stopped, the mended change, and a push that passes. Exits 0 if it went as told.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use prevet_domain::kind::Kind;

use crate::config::Config;
use crate::console;
use crate::error::CommandError;

const SAFE: &str = "import sqlite3\n\n\ndef find(database, name):\n    rows = database.execute(\"SELECT id FROM person WHERE name = ?\", (name,))\n    return rows.fetchall()\n";

/// The key is put together here, so that this file holds none.
fn flawed() -> String {
    let key = ["AKIA", "Z7QH3M2X", "LD4KTV5R"].concat();
    format!(
        "import sqlite3\nimport subprocess\n\nAWS_ACCESS_KEY_ID = \"{key}\"\n\n\n\
         def find(database, name, seen=[]):\n    \
         rows = database.execute(\"SELECT id FROM person WHERE name = '%s'\" % name)\n    \
         seen.append(name)\n    \
         return rows.fetchall()\n\n\n\
         def report(path):\n    \
         subprocess.run(\"wc -l \" + path, shell=True)\n"
    )
}

/// What the caller's environment says of another repository or server.
const SURROUNDINGS: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
    "PREVET_API_URL",
    "PREVET_DATA_DIR",
    "PREVET_TIMEOUT_SECONDS",
];

/// The demo's own world: nothing of the user's is read or written.
struct World {
    folder: tempfile::TempDir,
    prevet: PathBuf,
}

/// Runs the demo.
pub fn run(config: &Config) -> Result<u8, CommandError> {
    let world = World::make(config)?;
    tell("a repository with one commit, pushed to a remote beside it");
    world.prepare()?;
    tell("prevet init");
    world.prevet(&["init"])?;
    tell("a commit with a key in it, SQL and a shell command made of text, and a mutable default; git push");
    world.commit("search.py", &flawed(), "Search by name")?;
    let stopped = world.push()?;
    tell(&format!("the push was {} (exit code {})", word(&stopped), code(&stopped)));
    tell("the mended change; git push");
    world.amend("search.py", SAFE)?;
    let passed = world.push()?;
    tell(&format!("the push was {} (exit code {})", word(&passed), code(&passed)));
    let shown = String::from_utf8_lossy(&stopped.stderr).into_owned();
    let as_told = !stopped.status.success() && shown.contains("search.py:4") && passed.status.success();
    let findings = shown.lines().filter(|line| line.trim_start().starts_with("--> ")).count();
    console::data(
        format!("demo: stopped with {findings} findings shown, passed once mended: {as_told}\n").as_bytes(),
    )?;
    Ok(u8::from(!as_told))
}

fn word(output: &Output) -> &'static str {
    if output.status.success() { "let through" } else { "stopped" }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn tell(step: &str) {
    console::show(&format!("\n== {step}\n"));
}

/// Runs a program to its end.
fn output_of(command: &mut Command) -> Result<Output, CommandError> {
    let name = Path::new(command.get_program()).display().to_string();
    let output = command.output();
    output
        .map_err(|error| CommandError::usage(format!("{name} cannot be started ({error}); is it installed?")))
}

impl World {
    fn make(config: &Config) -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::new(Kind::Internal, format!("making the demo's folder: {error}"))
        };
        let folder =
            tempfile::Builder::new().prefix("prevet-demo-").tempdir_in(config.temp_dir()).map_err(failed)?;
        fs::create_dir(folder.path().join("home")).map_err(failed)?;
        fs::create_dir(folder.path().join("work")).map_err(failed)?;
        Ok(Self { folder, prevet: std::env::current_exe().map_err(failed)? })
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A program in the demo's world, with an environment of its own.
    fn command(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let home = self.folder.path().join("home");
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.work()).stdin(Stdio::null());
        for name in SURROUNDINGS {
            command.env_remove(name);
        }
        command
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"));
        command
    }

    fn git(&self, arguments: &[&str]) -> Result<(), CommandError> {
        let output = output_of(&mut self.command("git", arguments))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let text = format!("git {} failed: {}", arguments.join(" "), said.trim_end());
        Err(CommandError::new(Kind::Internal, text))
    }

    fn prevet(&self, arguments: &[&str]) -> Result<(), CommandError> {
        let output = output_of(&mut self.command(&self.prevet, arguments))?;
        console::show(&String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            return Ok(());
        }
        Err(CommandError::new(Kind::Internal, format!("prevet {} failed", arguments.join(" "))))
    }

    fn prepare(&self) -> Result<(), CommandError> {
        self.git(&["init", "-q", "--bare", "../remote.git"])?;
        self.git(&["init", "-q", "-b", "main", "."])?;
        self.git(&["config", "user.name", "Dev"])?;
        self.git(&["config", "user.email", "dev@example.test"])?;
        self.git(&["remote", "add", "origin", "../remote.git"])?;
        self.commit("README.md", "# People\n", "Begin")?;
        self.git(&["push", "-q", "origin", "main"])?;
        self.git(&["checkout", "-q", "-b", "search"])
    }

    fn write(&self, file: &str, text: &str) -> Result<(), CommandError> {
        let path = self.work().join(file);
        fs::write(&path, text).map_err(|error| {
            CommandError::new(Kind::Internal, format!("writing {}: {error}", path.display()))
        })
    }

    fn commit(&self, file: &str, text: &str, message: &str) -> Result<(), CommandError> {
        self.write(file, text)?;
        self.git(&["add", file])?;
        self.git(&["commit", "-q", "-m", message])
    }

    /// The flawed commit itself is replaced: a key that stays in the history would be pushed all the same.
    fn amend(&self, file: &str, text: &str) -> Result<(), CommandError> {
        self.write(file, text)?;
        self.git(&["add", file])?;
        self.git(&["commit", "-q", "--amend", "--no-edit"])
    }

    fn push(&self) -> Result<Output, CommandError> {
        let output = output_of(&mut self.command("git", &["push", "origin", "search"]))?;
        console::show(&String::from_utf8_lossy(&output.stderr));
        Ok(output)
    }
}
