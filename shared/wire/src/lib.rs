//! What travels and what is kept: HTTP bodies, tool parameters and results, files with a version.
//!
//! Types here hold no rules; they parse into `prevet-domain`'s types and are made from them.

pub mod context_pack;
pub mod decisions;
pub mod error;
pub mod inbox;
pub mod inspect;
pub mod json;
pub mod policy_file;
pub mod session;
pub mod time;
pub mod upload_body;
pub mod user_config;
