//! The whole server in one process on loopback, over the embedded stores: `prevet serve`, and what every command
//! uses that has no server set.
//!
//! A data folder has one server at a time: whoever holds the lock on it. A running `prevet serve` leaves its address
//! in the folder, readable by its owner alone, and takes it away when it ends.

pub mod administration;
mod error;
mod files;
pub mod reviews;
mod server;

pub use self::error::LocalError;
pub use self::files::{RunningServer, reachable};
pub use self::server::{LocalKeys, LocalServer, Presence};
pub use prevet_routes::{start_logging, tools};
