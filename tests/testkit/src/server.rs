//! A real server for tests, and the plain HTTP that clients speak to it.
//!
//! [`Served`] is the binary as a process; [`Assembled`] is the same routes in this process, over stores that a test
//! can watch, break, or choose. Both give a [`Client`].

#![expect(clippy::expect_used, clippy::panic, reason = "what a test kit cannot do ends the test")]

mod answer;
mod assembled;
mod browser;
mod chromium;
mod client;
mod config;
mod history;
mod mcp;
mod ministack;
mod multipart;
pub mod patch;
mod relay;
mod served;

pub use self::answer::Answer;
pub use self::assembled::{Assembled, Stores};
pub use self::browser::{Browser, form};
pub use self::chromium::Chromium;
pub use self::client::Client;
pub use self::config::Parts;
pub use self::history::question as remembered_question;
pub use self::mcp::{Era, MODERN_VERSION};
pub use self::ministack::Ministack;
pub use self::multipart::Multipart;
pub use self::relay::Relay;
pub use self::served::Served;

/// The longest that a test waits for anything.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_mins(1);
/// Where tickets and files are kept.
pub use prevet_upstream::{GitHubSettings, JiraSettings, Settings};
