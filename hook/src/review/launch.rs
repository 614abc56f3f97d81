//! Starting a round's runner, and hearing from it that the reviewer runs.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use super::error::{Code, ReviewError};
use super::folder::SessionFolder;

/// The verb that a runner is started with.
pub const RUNNER_VERB: &str = "review-runner";
const LAUNCH_SECONDS_MAX: u64 = 30;
const LINE_BYTES_MAX: u64 = 16 << 10;

/// What a runner says on its standard output, once.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Launched {
    /// Why the reviewer does not run; none where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Starts a process that outlives this one and watches over the session's last round. `prevet` is this program, and
/// `reviewer` the reviewer's.
pub(super) async fn launch(
    prevet: &Path,
    reviewer: &Path,
    folder: &SessionFolder,
) -> Result<(), ReviewError> {
    let failed = |why: String| {
        ReviewError::new(Code::LaunchFailed, format!("the reviewer could not be started: {why}"))
    };
    let mut command = Command::new(prevet);
    command.arg(RUNNER_VERB).arg(folder.path()).arg(reviewer);
    // It leads no group here, so that it can begin a session of its own.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(format!("{} ({error})", prevet.display())))?;
    let Some(output) = child.stdout.take() else { return Err(failed("it has no output".to_owned())) };
    let mut line = String::new();
    let mut reader = BufReader::new(output.take(LINE_BYTES_MAX));
    match timeout(Duration::from_secs(LAUNCH_SECONDS_MAX), reader.read_line(&mut line)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Err(_) => {
            let _ = child.start_kill();
            return Err(failed(format!("its runner said nothing within {LAUNCH_SECONDS_MAX} seconds")));
        }
    }
    match serde_json::from_str::<Launched>(&line) {
        Ok(Launched { error: None }) => Ok(()),
        Ok(Launched { error: Some(error) }) => Err(failed(error)),
        Err(_) => Err(failed("its runner ended at once".to_owned())),
    }
}
