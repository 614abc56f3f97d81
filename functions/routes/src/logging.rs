//! Logs: JSON lines with fields, on standard error.

use tracing_subscriber::EnvFilter;

/// These print headers, bodies and arguments when they are asked for everything, and there may be secrets in those.
const QUIET: &[&str] =
    &["genai=info", "h2=info", "hyper=info", "hyper_util=info", "reqwest=info", "rmcp=info"];

/// Starts logging at the level of `PREVET_LOG` (`info` without it). A second call does nothing.
pub fn start_logging() {
    let filter =
        EnvFilter::builder().with_env_var("PREVET_LOG").with_default_directive(tracing::Level::INFO.into());
    let quiet = QUIET.iter().filter_map(|directive| directive.parse().ok());
    let filter = quiet.fold(filter.from_env_lossy(), tracing_subscriber::EnvFilter::add_directive);
    let subscriber = tracing_subscriber::fmt().json().with_env_filter(filter);
    // A subscriber that is there already is as good.
    let _ = subscriber.with_writer(std::io::stderr).try_init();
}
