//! What travels and what is kept: HTTP bodies, tool parameters and results, files with a version.
//!
//! Types here hold no rules; they parse into `prevet-domain`'s types and are made from them.

pub mod ask;
pub mod check_task;
pub mod context_pack;
pub mod decisions;
pub mod describe;
pub mod error;
pub mod inbox;
pub mod inspect;
pub mod json;
pub mod model_trial;
pub mod policy_file;
pub mod review;
pub mod review_files;
pub mod schema;
pub mod session;
pub mod time;
pub mod tool;
pub mod upload_body;
pub mod user_config;
