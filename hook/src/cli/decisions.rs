//! The arguments of what is about decisions.

use clap::{Args, Subcommand, ValueEnum};

/// `prevet decision`
#[derive(Debug, Subcommand)]
pub enum DecisionVerb {
    /// Search what people decided before
    Lookup {
        /// Question text or keywords.
        query: String,
        /// A product area that scopes the search.
        #[arg(long = "concept", value_name = "CONCEPT")]
        concepts: Vec<String>,
        /// A file or contract that scopes the search.
        #[arg(long = "file", value_name = "FILE")]
        files: Vec<String>,
        /// Matches at the most.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Ask people for one decision, and wait for it
    Request {
        /// One concise question.
        question: String,
        /// An answer that is offered; the others exclude it.
        #[arg(long = "option", value_name = "VALUE")]
        options: Vec<String>,
        /// What would be done without an answer.
        #[arg(long, value_name = "TEXT")]
        recommendation: Option<String>,
        /// A product area.
        #[arg(long = "concept", value_name = "CONCEPT")]
        concepts: Vec<String>,
        /// A file or contract.
        #[arg(long = "file", value_name = "FILE")]
        files: Vec<String>,
        /// How long to wait, 0 to 55.
        #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
        wait: Option<f64>,
    },
    /// Share context with others who work on the same
    Share {
        /// finding, risk, evidence, note …
        kind: String,
        /// The text.
        body: String,
        /// A product area that it applies to.
        #[arg(long = "concept", value_name = "CONCEPT")]
        concepts: Vec<String>,
    },
}

/// `prevet inbox`
#[derive(Debug, Args)]
pub struct Inbox {
    /// Go on, and print requests as they come.
    #[arg(long)]
    pub watch: bool,
    /// How to print them.
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub format: ListFormat,
}

/// The formats of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For a person.
    Text,
    /// As the server gives it.
    Json,
}

/// What is answered.
#[derive(Debug, Args)]
#[group(id = "said", required = true, multiple = false)]
pub struct Said {
    /// The value of one of the options.
    #[arg(long, value_name = "VALUE")]
    pub option: Option<String>,
    /// An answer in words.
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// An earlier decision whose answer holds here too.
    #[arg(long, value_name = "DECISION")]
    pub confirms: Option<String>,
}

/// `prevet answer`
#[derive(Debug, Args)]
pub struct Answer {
    /// The request's lot, as `prevet inbox` names it.
    pub lot: String,
    /// What is answered.
    #[command(flatten)]
    pub said: Said,
}

/// `prevet dismiss`
#[derive(Debug, Args)]
pub struct Dismiss {
    /// The request's lot, as `prevet inbox` names it.
    pub lot: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// `prevet correct`
#[derive(Debug, Args)]
pub struct Correct {
    /// The decision's id.
    pub decision: String,
    /// What is said of it.
    #[arg(value_parser = ["wrong", "too_broad", "only_this_repo", "ask_next_time", "expires_after"])]
    pub verb: String,
    /// For `expires_after`: a duration (90d, 12h) or a date (2027-01-31).
    #[arg(long, value_name = "DURATION|DATE")]
    pub expires_after: Option<String>,
}
