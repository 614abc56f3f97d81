//! Review rounds from end to end: the real binary, with the real Codex CLI on a scripted model, and with a reviewer
//! that misbehaves on demand.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in a test's helper fails the test")]

mod codex;
mod dashboard;
mod errors;
mod interruptions;
mod places;
mod reviewers;
mod rounds;
mod scene;
mod skills;
