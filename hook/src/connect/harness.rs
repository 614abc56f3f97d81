//! The coding agents, and where each keeps what.

use std::path::PathBuf;

use super::ConnectError;

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Harness {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Cursor.
    Cursor,
    /// opencode.
    Opencode,
    /// Gemini CLI.
    Gemini,
}

/// What the environment says of where agents keep their files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Homes {
    /// `HOME`
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, else `$HOME/.config`.
    pub config_home: Option<PathBuf>,
    /// `CODEX_HOME`
    pub codex: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`
    pub claude: Option<PathBuf>,
}

/// How a configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, or JSON with comments.
    Json,
    /// TOML.
    Toml,
}

/// Where an agent looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Its configuration: the first of these that exists, else the first.
    pub configs: Vec<PathBuf>,
    /// How that is written.
    pub format: Format,
    /// The key that holds the servers.
    pub container: &'static str,
    /// The folder of its skills.
    pub skills: PathBuf,
    /// The folder that is the agent's own; nothing above it is touched.
    pub own: PathBuf,
}

impl Harness {
    /// Its name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Opencode => "opencode",
            Self::Gemini => "Gemini CLI",
        }
    }

    /// Where it looks.
    pub fn places(self, homes: &Homes) -> Result<Places, ConnectError> {
        let none = |variables| move || ConnectError::NoHome { harness: self.name(), variables };
        let home = |folder: &str| homes.home.as_ref().map(|home| home.join(folder));
        match self {
            Self::ClaudeCode => {
                // Its file lies beside its folder, unless the folder was named.
                let own = homes.claude.clone().or_else(|| home(".claude"));
                let config = homes.claude.as_ref().or(homes.home.as_ref()).map(|it| it.join(".claude.json"));
                let missing = none("CLAUDE_CONFIG_DIR nor HOME");
                Ok(Places::json(vec![config.ok_or_else(&missing)?], own.ok_or_else(&missing)?))
            }
            Self::Codex => {
                let own = homes.codex.clone().or_else(|| home(".codex"));
                let own = own.ok_or_else(none("CODEX_HOME nor HOME"))?;
                let places = Places::json(vec![own.join("config.toml")], own);
                Ok(Places { format: Format::Toml, container: "mcp_servers", ..places })
            }
            Self::Cursor => {
                let own = home(".cursor").ok_or_else(none("HOME"))?;
                Ok(Places::json(vec![own.join("mcp.json")], own))
            }
            Self::Opencode => {
                let own = homes.config_home.as_ref().map(|it| it.join("opencode"));
                let own = own.ok_or_else(none("XDG_CONFIG_HOME nor HOME"))?;
                let places = Places::json(vec![own.join("opencode.jsonc"), own.join("opencode.json")], own);
                Ok(Places { container: "mcp", ..places })
            }
            Self::Gemini => {
                let own = home(".gemini").ok_or_else(none("HOME"))?;
                Ok(Places::json(vec![own.join("settings.json")], own))
            }
        }
    }
}

impl Places {
    fn json(configs: Vec<PathBuf>, own: PathBuf) -> Self {
        let skills = own.join("skills");
        Self { configs, format: Format::Json, container: "mcpServers", skills, own }
    }
}
