//! The environment, read once.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::client::Waits;
use crate::connect::Homes;
use crate::error::CommandError;
use crate::git::GitEnvironment;
use crate::review::{Code, ReviewError, Rounds, SILENCE_SECONDS_DEFAULT, SystemClock, WAIT_SECONDS_DEFAULT};

/// Everything that the binary is told by its environment.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Where it was started.
    pub cwd: PathBuf,
    /// `PREVET_API_URL`: the server's base URL.
    pub api_url: Option<String>,
    /// `PREVET_API_KEY`
    pub api_key: Option<String>,
    /// `PREVET_THREAD_ID`, else `PREVET_WORKSTREAM_ID`: the thread that a decision is requested for.
    pub thread: Option<String>,
    /// `PREVET_TENANT_KEY`
    pub tenant_key: Option<String>,
    /// `PREVET_WORKSPACE_ID`: the tenant, for credentials that span several.
    pub workspace_id: Option<String>,
    /// The user's own file: `$XDG_CONFIG_HOME/prevet/config.toml`.
    pub config_file: Option<PathBuf>,
    /// The embedded server's folder: `PREVET_DATA_DIR`, else `$XDG_DATA_HOME/prevet`.
    pub data_dir: Option<PathBuf>,
    /// This program's file.
    pub program: PathBuf,
    /// `PATH`: where programs are looked for.
    pub search_path: Option<OsString>,
    /// Where coding agents keep their files.
    pub agents: Homes,
    /// Whether colours are unwelcome everywhere (`NO_COLOR`, `TERM=dumb`).
    pub no_color: bool,
    timeout_seconds: Option<String>,
    wait_default_seconds: Option<String>,
    stall_seconds: Option<String>,
    temp_dir: PathBuf,
    git_dir: Option<OsString>,
    git_work_tree: Option<OsString>,
}

impl Config {
    /// Reads the environment.
    #[expect(clippy::disallowed_methods, reason = "the one place where the binary reads its environment")]
    pub fn from_env() -> Self {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path("HOME");
        // The XDG base directory specification says that relative paths are to be ignored.
        let xdg = |name: &str, under_home: &str| {
            let fallback = || home.as_ref().map(|home| home.join(under_home));
            path(name).filter(|path| path.is_absolute()).or_else(fallback).map(|path| path.join("prevet"))
        };
        Self {
            cwd: env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            api_url: text("PREVET_API_URL"),
            api_key: text("PREVET_API_KEY"),
            thread: text("PREVET_THREAD_ID").or_else(|| text("PREVET_WORKSTREAM_ID")),
            tenant_key: text("PREVET_TENANT_KEY"),
            workspace_id: text("PREVET_WORKSPACE_ID"),
            config_file: xdg("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("config.toml")),
            data_dir: path("PREVET_DATA_DIR").or_else(|| xdg("XDG_DATA_HOME", ".local/share")),
            program: env::current_exe().unwrap_or_else(|_| PathBuf::from("prevet")),
            search_path: env::var_os("PATH"),
            agents: Homes {
                home: home.clone(),
                config_home: path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config"))),
                codex: path("CODEX_HOME"),
                claude: path("CLAUDE_CONFIG_DIR"),
            },
            no_color: text("NO_COLOR").is_some() || text("TERM").as_deref() == Some("dumb"),
            timeout_seconds: text("PREVET_TIMEOUT_SECONDS"),
            wait_default_seconds: text("REVIEW_WAIT_DEFAULT_S"),
            stall_seconds: text("PREVET_REVIEW_STALL_SECONDS"),
            temp_dir: env::temp_dir(),
            git_dir: env::var_os("GIT_DIR"),
            git_work_tree: env::var_os("GIT_WORK_TREE"),
        }
    }

    /// The tenant that the environment names: a workspace is a tenant.
    pub fn tenant(&self) -> Option<String> {
        self.workspace_id.clone().or_else(|| self.tenant_key.clone())
    }

    /// How long the server is waited for: `PREVET_TIMEOUT_SECONDS` lowers every bound to itself.
    pub fn waits(&self) -> Result<Waits, CommandError> {
        let Some(text) = &self.timeout_seconds else { return Ok(Waits::default()) };
        let seconds = text.parse().ok().filter(|seconds| *seconds > 0).ok_or_else(|| {
            CommandError::usage(format!(
                "PREVET_TIMEOUT_SECONDS is {text:?}, which is no whole number of seconds from 1 on"
            ))
        })?;
        Ok(Waits::default().at_most(seconds))
    }

    /// The review tools.
    pub fn rounds(&self) -> Result<Rounds, ReviewError> {
        let wait = seconds("REVIEW_WAIT_DEFAULT_S", self.wait_default_seconds.as_deref())?;
        Ok(Rounds {
            prevet: self.program.clone(),
            search_path: self.search_path.clone(),
            user_config_file: self.config_file.clone(),
            temp_dir: self.temp_dir.clone(),
            data_dir: self.data_dir.clone(),
            wait_default_seconds: wait.unwrap_or(WAIT_SECONDS_DEFAULT),
            clock: Arc::new(SystemClock),
        })
    }

    /// How long a reviewer may be silent: `PREVET_REVIEW_STALL_SECONDS`.
    pub fn review_silence(&self) -> Result<Duration, ReviewError> {
        let stall = seconds("PREVET_REVIEW_STALL_SECONDS", self.stall_seconds.as_deref())?;
        Ok(Duration::from_secs(stall.unwrap_or(SILENCE_SECONDS_DEFAULT)))
    }

    /// Where to look for the repository.
    pub fn git(&self) -> GitEnvironment {
        GitEnvironment {
            git_dir: self.git_dir.clone(),
            git_work_tree: self.git_work_tree.clone(),
            ..GitEnvironment::new(&self.cwd, &self.temp_dir)
        }
    }

    /// Where private files may live for as long as a command runs.
    pub fn temp_dir(&self) -> &Path {
        &self.temp_dir
    }
}

fn seconds(name: &str, text: Option<&str>) -> Result<Option<u64>, ReviewError> {
    let wrong = |text: &str| format!("{name} is {text:?}, which is no whole number of seconds from 0 on");
    let parse =
        |text: &str| text.trim().parse().map_err(|_| ReviewError::new(Code::ConfigInvalid, wrong(text)));
    text.map(parse).transpose()
}
