//! Coding agents: `prevet mcp` over real standard input and output, `prevet connect`, the real Codex and Claude Code
//! on scripted models, and the protocol's own conformance suite.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod automatic;
mod claude;
mod codex;
mod conformance;
mod connecting;
mod decisions;
mod listing;
mod person;
mod protocol;
mod scene;
