//! Logs: JSON lines with fields, on standard error.

use tracing_subscriber::EnvFilter;

/// Starts logging at the level of `PREVET_LOG` (`info` without it). A second call does nothing.
pub fn start_logging() {
    let filter =
        EnvFilter::builder().with_env_var("PREVET_LOG").with_default_directive(tracing::Level::INFO.into());
    let subscriber = tracing_subscriber::fmt().json().with_env_filter(filter.from_env_lossy());
    // A subscriber that is there already is as good.
    let _ = subscriber.with_writer(std::io::stderr).try_init();
}
