//! What tests share: a world of their own for the real binary and real repositories, a server to speak to, and
//! servers that misbehave.

pub mod bridge;
pub mod injection;
pub mod messages;
pub mod model;
pub mod scripted_model;
pub mod server;
pub mod stdio;
pub mod stub;
pub mod world;
