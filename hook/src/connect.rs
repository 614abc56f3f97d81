//! `prevet connect`: the two MCP servers and the skills, in the configuration of a coding agent.
//!
//! [`read`] looks at what is there, [`plan`] decides (pure, a table of tests), [`apply`] carries it out, and
//! [`handshake`] starts what was registered and speaks to it. Only our own entries are written: everything else in a
//! configuration stays byte for byte, and what was there before is kept beside it until it is restored.

mod apply;
mod document;
mod error;
mod facts;
mod handshake;
mod harness;
mod json;
mod plan;
mod registration;
mod skills;
#[cfg(test)]
mod tests;
mod toml;

pub use self::apply::apply;
pub use self::error::ConnectError;
pub use self::facts::{Facts, SkillFile, read};
pub use self::handshake::{handshake, reach};
pub use self::harness::{Format, Harness, Homes, Places};
pub use self::plan::{Action, Plan, Step, plan};
pub use self::registration::{HttpServer, NAMES, Registration, Server, Transport};

/// A configuration larger than this is not read.
const CONFIG_BYTES_MAX: u64 = 32 << 20;
