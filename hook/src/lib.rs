//! What runs on the developer's machine.

pub mod hooks;
pub mod report;
