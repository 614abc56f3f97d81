//! Review rounds on this machine: the session's directory, the reviewer's process, and the four tools over them.
//!
//! The rules are in `prevet_domain::review`; here they are carried out. A round's reviewer is watched over by a
//! process of its own (`runner`), which outlives whoever began the round and keeps every event. Whoever looks at a
//! session next, in whichever process, finds the round's end in its files and writes down what it comes to, under
//! the session's lock. So two that wait for one session agree, and none of them has to live on.

mod begin;
#[cfg(feature = "embedded")]
mod board;
mod clock;
mod codex;
mod dashboard;
mod end;
mod error;
mod folder;
mod launch;
mod page;
mod process;
mod reply;
mod reviewer;
mod runner;
mod settings;
mod status;
mod stream_reader;
mod template;
mod wait;
mod working_dir;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "embedded")]
pub use self::board::Board;
pub use self::clock::{Clock, SystemClock};
pub use self::error::{Code, ReviewError};
pub use self::folder::{OWN_FOLDER, SessionFolder, Stored, sessions_folder};
pub use self::launch::RUNNER_VERB;
pub use self::reviewer::Reviewer;
pub use self::runner::{SILENCE_SECONDS_DEFAULT, run as run_round};
pub use self::settings::Settings;

/// How long `review_wait` waits where nothing says otherwise: most clients give a call a minute.
pub const WAIT_SECONDS_DEFAULT: u64 = 50;

/// The review tools. Each call stands alone: what is known between two is in the session's directory.
#[derive(Debug, Clone)]
pub struct Rounds {
    /// This program, to start runners with.
    pub prevet: PathBuf,
    /// Where programs are looked for.
    pub search_path: Option<OsString>,
    /// The user's own file, beside which their templates are.
    pub user_config_file: Option<PathBuf>,
    /// Where private files may live for as long as a call runs.
    pub temp_dir: PathBuf,
    /// The folder of this machine's own server, whose page shows reviews.
    pub data_dir: Option<PathBuf>,
    /// How long `wait` waits where the call does not say.
    pub wait_default_seconds: u64,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
}
