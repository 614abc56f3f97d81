//! The time of day, as a port.

use std::fmt::Debug;

use jiff::Timestamp;

/// Says what time it is.
pub trait Clock: Debug + Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Whole seconds from `start` (as the session's files have it) to `end`; 0 where they are no such.
pub(super) fn seconds_between(start: &str, end: Timestamp) -> u64 {
    let start: Option<Timestamp> = start.parse().ok();
    start.and_then(|start| u64::try_from(end.as_second() - start.as_second()).ok()).unwrap_or(0)
}
