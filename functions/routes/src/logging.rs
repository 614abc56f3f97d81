//! Logs: JSON lines with fields, on standard error.

use tracing_subscriber::EnvFilter;

use crate::config::log_level;

/// Starts logging at the level that `PREVET_LOG` names (`info` without it). A second call does nothing.
///
/// Libraries only report errors: at finer levels some of them write whole requests, keys included.
pub fn start_logging() {
    let filter = EnvFilter::new(format!("error,prevet={}", log_level()));
    let subscriber = tracing_subscriber::fmt().json().with_env_filter(filter);
    // A subscriber that is there already is as good.
    let _ = subscriber.with_writer(std::io::stderr).try_init();
}
