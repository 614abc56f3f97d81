//! What a model is asked: the change, masked, cut into parts, and fenced as data.
//!
//! [`masked`] takes the secrets out, [`part`] cuts, [`question`] writes the text, with a fresh marker each time
//! around everything that somebody else wrote ([`fence`]). [`surroundings`] says what stands around the change.

pub mod fence;
pub mod masked;
pub mod part;
mod passes;
pub mod question;
pub mod surroundings;

/// Changes whenever a question or the reading of its answer changes: part of what a stored report is found by.
pub const PROMPT_VERSION: &str = "model-2";

/// A token is counted as this many bytes: low for English and code, so that the limit errs to the safe side.
pub const BYTES_PER_TOKEN: usize = 3;
