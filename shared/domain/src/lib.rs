//! The nouns and rules of Prevet, free of transport, storage, clock and environment.
//!
//! Everything here is data and pure functions: bytes become types in [`change`], the types are judged in
//! [`verdict`], and what a kind of failure means to a caller stands once in [`kind`].

pub mod change;
pub mod decision;
pub mod finding;
pub mod ids;
pub mod kind;
pub mod limits;
pub mod path;
pub mod policy;
pub mod review;
pub mod session;
pub mod task;
pub mod ticket;
pub mod verdict;
