//! The command line.

mod decisions;

#[cfg(feature = "embedded")]
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::decisions::{Answer, Correct, DecisionVerb, Dismiss, Inbox, ListFormat, Said};
use crate::connect::Harness;
use crate::review::RUNNER_VERB;
use crate::stdio::Family;

const ENVIRONMENT: &str = "\
Environment:
  PREVET_API_URL, PREVET_API_KEY, PREVET_TENANT_KEY  the server, in place of what `prevet login` keeps
  PREVET_DATA_DIR         the embedded server's folder
  REVIEW_WAIT_DEFAULT_S   how long `prevet review wait` waits where the call does not say; 50
  PREVET_REVIEW_STALL_SECONDS  a reviewer that is silent for longer is stopped; 1800
  PREVET_TIMEOUT_SECONDS  no single wait for the server is longer than this
  PREVET_THREAD_ID, PREVET_WORKSTREAM_ID  the thread that a decision is requested for
  NO_COLOR                no colours

Exit codes: 0 passed the gate, 1 findings at or above it, 2 usage or configuration, 3 not reviewed";

/// Vets a change before it leaves this machine.
#[derive(Debug, Parser)]
#[command(name = "prevet", version, about, max_term_width = 100, after_help = ENVIRONMENT)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Install the pre-push hook in this repository
    Init(Init),
    /// Print the patch that would be uploaded
    Diff(Diff),
    /// Inspect the work tree's change, untracked files included
    Inspect(Inspect),
    /// Look up, request and share as agents do
    Decision {
        /// What to do.
        #[command(subcommand)]
        verb: DecisionVerb,
    },
    /// List the requests that wait for people
    Inbox(Inbox),
    /// Answer a request
    Answer(Answer),
    /// Dismiss a request: nobody will answer it
    Dismiss(Dismiss),
    /// Show all that is known of a decision
    Why {
        /// The decision's id.
        decision: String,
    },
    /// Correct a decision
    Correct(Correct),
    /// Describe the work tree's change
    Describe(Describe),
    /// Ask a question about the work tree's change
    Ask(Ask),
    /// Check whether the work tree's change does what a task asks for
    Check(Check),
    /// What git's hooks run
    Hook {
        /// Which hook.
        #[command(subcommand)]
        hook: Hook,
    },
    /// Have a plan, a change, a question or a pull request reviewed in rounds; JSON on standard output
    Review {
        /// What to do.
        #[command(subcommand)]
        verb: Review,
    },
    /// Watches over one round; `prevet review begin` and `reply` start it
    #[command(name = RUNNER_VERB, hide = true)]
    ReviewRunner {
        /// The session.
        directory: PathBuf,
        /// The reviewer's program.
        reviewer: PathBuf,
    },
    /// Serve the tools to a coding agent, over standard input and output
    Mcp(Mcp),
    /// Register the tools and skills in a coding agent's own configuration
    Connect(Connect),
    /// Run the whole server on this machine
    #[cfg(feature = "embedded")]
    Serve(Serve),
    /// Set the server and the key that commands use
    Login(Login),
    /// Forget the server and the key
    Logout,
    /// Say what is set up, what is not, and what to do
    Doctor(Doctor),
    /// Tenants, keys and integrations of a server
    #[cfg(feature = "embedded")]
    Admin(Admin),
    /// Show a real push being stopped and passing, in a throw-away repository
    #[cfg(feature = "embedded")]
    Demo,
}

impl Command {
    /// Whether the command has signal handlers of its own.
    pub fn ends_itself_on_signals(&self) -> bool {
        #[cfg(feature = "embedded")]
        if matches!(self, Self::Serve(_)) {
            return true;
        }
        matches!(self, Self::ReviewRunner { .. } | Self::Mcp(_))
    }
}

/// `prevet init`
#[derive(Debug, Args)]
pub struct Init {
    /// Take the hook away again and restore what was there.
    #[arg(long)]
    pub remove: bool,
}

/// `prevet diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// What to compare with; without it the merge base with the branch that changes are reviewed against.
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
}

/// `prevet doctor`
#[derive(Debug, Args)]
pub struct Doctor {
    /// Ask the server's model one real question too, and say what it cost.
    #[arg(long)]
    pub model: bool,
}

/// `prevet inspect`
#[derive(Debug, Args)]
pub struct Inspect {
    /// What to look for: bugs (inspect), security with secrets (security), or both (review).
    #[arg(long, default_value = "review", value_name = "PROFILE")]
    pub profile: String,
    /// One line on what was just changed.
    #[arg(long, default_value = "", value_name = "TEXT")]
    pub intent: String,
    /// Exit with 1 for findings of this severity and above, in place of the policy's gate.
    #[arg(long, value_name = "SEVERITY", value_parser = ["critical", "high", "medium", "low", "never"])]
    pub fail_on: Option<String>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub format: OutputFormat,
    /// What to compare with, as for `prevet diff`.
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
}

/// What `describe`, `ask` and `check` have in common.
#[derive(Debug, Args)]
pub struct Asked {
    /// One line on what was just changed.
    #[arg(long, default_value = "", value_name = "TEXT")]
    pub intent: String,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub format: AnswerFormat,
    /// What to compare with, as for `prevet diff`.
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
}

/// The formats of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Markdown.
    Text,
    /// The tool's result as it is.
    Json,
}

/// `prevet describe`
#[derive(Debug, Args)]
pub struct Describe {
    /// What is common.
    #[command(flatten)]
    pub asked: Asked,
}

/// `prevet ask`
#[derive(Debug, Args)]
pub struct Ask {
    /// The question.
    pub question: String,
    /// What is common.
    #[command(flatten)]
    pub asked: Asked,
}

/// `prevet check`
#[derive(Debug, Args)]
pub struct Check {
    /// Tickets (PROJ-123, owner/repo#42, an issue's URL, several of them) or the task's text; without it the task
    /// that was checked last.
    pub task: Option<String>,
    /// Where the task comes from: github-issue, jira, spec or user-text.
    #[arg(long, default_value = "user-text", value_name = "SOURCE")]
    pub source: String,
    /// What is common.
    #[command(flatten)]
    pub asked: Asked,
}

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For a person.
    Text,
    /// The tool's result as it is.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// For a pull request's comment.
    Markdown,
}

/// `prevet hook`
#[derive(Debug, Subcommand)]
pub enum Hook {
    /// Review what is about to be pushed; reads the lines that git gives the hook
    PrePush {
        /// The remote's name, or its address.
        remote: String,
        /// The remote's address.
        url: Option<String>,
    },
}

/// `prevet review`
#[derive(Debug, Subcommand)]
pub enum Review {
    /// Begin a session and its round 1
    Begin(ReviewBegin),
    /// Wait for the round to end
    Wait {
        /// The session, as begin printed it.
        #[arg(value_name = "DIR")]
        session: PathBuf,
        /// Wait no longer than this; 0 only looks.
        #[arg(long, value_name = "N")]
        max_wait_seconds: Option<u64>,
    },
    /// Send the next round
    Reply {
        /// The session.
        #[arg(value_name = "DIR")]
        session: PathBuf,
        /// The next round's placeholder values; - for standard input.
        #[arg(long, value_name = "FILE")]
        input: PathBuf,
        /// Another model from this round on.
        #[arg(long)]
        model: Option<String>,
        /// Another reasoning effort from this round on.
        #[arg(long)]
        effort: Option<String>,
    },
    /// End the session
    End {
        /// The session.
        #[arg(value_name = "DIR")]
        session: PathBuf,
        /// What review-think or review-pr came to: consensus or stalemate.
        #[arg(long)]
        outcome: Option<String>,
    },
    /// Say how a session stands, or all of this repository
    Status {
        /// The session.
        #[arg(value_name = "DIR")]
        session: Option<PathBuf>,
    },
}

/// `prevet review begin`
#[derive(Debug, Args)]
pub struct ReviewBegin {
    /// What to review: review-plan, review-impl, review-think or review-pr.
    #[arg(long)]
    pub skill: String,
    /// For review-impl: working-tree or branch.
    #[arg(long)]
    pub mode: Option<String>,
    /// The placeholder values, as NAME: value lines between --- lines and ## NAME sections; - for standard input.
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// The repository; this one without it.
    #[arg(long, value_name = "DIR")]
    pub working_dir: Option<PathBuf>,
    /// The reviewer's model.
    #[arg(long)]
    pub model: Option<String>,
    /// The reviewer's reasoning effort; high without it.
    #[arg(long)]
    pub effort: Option<String>,
    /// The deadline of a round; 18000 without it.
    #[arg(long, value_name = "N")]
    pub timeout_seconds: Option<u64>,
    /// The reviewer: codex.
    #[arg(long)]
    pub reviewer: Option<String>,
}

/// `prevet mcp`
#[derive(Debug, Args)]
pub struct Mcp {
    /// Only one family of tools; all of them without it.
    #[arg(long, value_enum, value_name = "FAMILY")]
    pub only: Option<Family>,
}

/// `prevet connect`
#[derive(Debug, Args)]
pub struct Connect {
    /// The agent.
    #[arg(value_enum)]
    pub harness: Harness,
    /// Take everything out again and restore what was there.
    #[arg(long)]
    pub remove: bool,
    /// Show what would be done, and do nothing.
    #[arg(long)]
    pub print: bool,
    /// Register the configured server by its URL, in place of `prevet mcp --only server`.
    #[arg(long, conflicts_with = "remove")]
    pub http: bool,
}

/// `prevet serve`
#[cfg(feature = "embedded")]
#[derive(Debug, Args)]
pub struct Serve {
    /// The address to listen on; port 0 picks one.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "IP:PORT")]
    pub addr: SocketAddr,
    /// The folder for the server's data.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

/// `prevet login`
#[derive(Debug, Args)]
pub struct Login {
    /// The server's base URL, such as <https://host/mcp>.
    #[arg(
        long,
        value_name = "URL",
        required_unless_present = "browser",
        default_value_if("browser", "true", "")
    )]
    pub url: String,
    /// The tenant's key.
    #[arg(
        long,
        value_name = "KEY",
        required_unless_present = "browser",
        default_value_if("browser", "true", "")
    )]
    pub tenant: String,
    /// Print a link that signs a browser in to the inbox, once, with the human key.
    #[arg(long, conflicts_with_all = ["url", "tenant"])]
    pub browser: bool,
}

/// `prevet admin`
#[cfg(feature = "embedded")]
#[derive(Debug, Args)]
pub struct Admin {
    /// The data folder of an embedded server, in place of the table and bucket of the environment.
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub verb: AdminVerb,
}

/// What `prevet admin` acts on.
#[cfg(feature = "embedded")]
#[derive(Debug, Subcommand)]
pub enum AdminVerb {
    /// Tenants
    #[command(subcommand)]
    Tenant(AdminTenant),
    /// API keys
    #[command(subcommand)]
    Key(AdminKey),
    /// Repositories and the branch that their changes are reviewed against
    #[command(subcommand)]
    Repo(AdminRepo),
}

/// `prevet admin tenant`
#[cfg(feature = "embedded")]
#[derive(Debug, Subcommand)]
pub enum AdminTenant {
    /// Make a tenant
    Create {
        /// Its name, for people.
        name: String,
    },
}

/// `prevet admin key`
#[cfg(feature = "embedded")]
#[derive(Debug, Subcommand)]
pub enum AdminKey {
    /// Make a key; it is printed once
    Create {
        /// The tenant's key.
        #[arg(long)]
        tenant: String,
        /// Who will hold it.
        #[arg(long, value_enum)]
        role: KeyRole,
        /// What it is good for.
        #[arg(long, value_enum, value_delimiter = ',', required = true)]
        product: Vec<KeyProduct>,
        /// How long it is good: 90d, 12h, 30m; for ever without it.
        #[arg(long, value_name = "DURATION")]
        expires: Option<String>,
    },
    /// Revoke a key
    Revoke {
        /// The key's id, as `list` names it.
        id: String,
    },
    /// List a tenant's keys, without the keys themselves
    List {
        /// The tenant's key.
        #[arg(long)]
        tenant: String,
    },
}

/// `prevet admin repo`
#[cfg(feature = "embedded")]
#[derive(Debug, Subcommand)]
pub enum AdminRepo {
    /// Connect a repository
    Add {
        /// The tenant's key.
        #[arg(long)]
        tenant: String,
        /// The repository.
        #[arg(value_name = "OWNER/NAME")]
        repository: String,
        /// The branch that changes are reviewed against.
        #[arg(long, value_name = "BRANCH")]
        target: String,
    },
}

/// A key's role.
#[cfg(feature = "embedded")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyRole {
    /// A program.
    Agent,
    /// A person.
    Human,
}

/// What a key is good for.
#[cfg(feature = "embedded")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyProduct {
    /// Inspection.
    CodeReview,
    /// Decisions.
    Decisions,
}
