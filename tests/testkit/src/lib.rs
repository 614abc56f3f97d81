//! What tests share.

pub mod server;
