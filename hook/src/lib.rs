//! What runs on the developer's machine.

pub mod git;
