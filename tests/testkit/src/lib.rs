//! What tests share: a world of their own for the real binary and real repositories, and servers that misbehave.

pub mod stub;
pub mod world;
