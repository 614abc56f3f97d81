//! Standard output for data, standard error for people.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use prevet_domain::kind::Kind;

use crate::config::Config;
use crate::error::CommandError;
use crate::report::{Colour, escape};

const SPINNER_INTERVAL_MILLISECONDS: u64 = 100;

/// Writes data to standard output. A reader that has gone is no error.
pub fn data(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::new(Kind::Internal, format!("writing to standard output failed: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a value as JSON on one line to standard output.
pub fn json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    let mut text = serde_json::to_vec(value).map_err(|error| CommandError::of(Kind::Internal, &error))?;
    text.push(b'\n');
    data(&text)
}

/// Says something on one line, on standard error.
pub fn say(line: &str) {
    // There is nobody to tell if standard error is gone.
    let _ = writeln!(io::stderr().lock(), "prevet: {}", escape::line(line));
}

/// Writes text that is ready to be shown to standard error.
pub fn show(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether text on standard output may be coloured.
pub fn colour_of_stdout(config: &Config) -> Colour {
    colour(!config.no_color && io::stdout().is_terminal())
}

/// Whether text on standard error may be coloured.
pub fn colour_of_stderr(config: &Config) -> Colour {
    colour(!config.no_color && io::stderr().is_terminal())
}

fn colour(wanted: bool) -> Colour {
    if wanted { Colour::On } else { Colour::Off }
}

/// What is being done, shown while it lasts, where standard error is a terminal.
#[derive(Clone)]
pub struct Progress(Arc<Shown>);

/// Wiped out with the last who could show something.
struct Shown(ProgressBar);

impl Progress {
    /// Begins to show `step`.
    pub fn start(step: &'static str) -> Self {
        let bar = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_message(step);
        bar.enable_steady_tick(Duration::from_millis(SPINNER_INTERVAL_MILLISECONDS));
        Self(Arc::new(Shown(bar)))
    }

    /// Goes on to `step`.
    pub fn step(&self, step: &'static str) {
        self.0.0.set_message(step);
    }

    /// Goes on to what somebody else says, which is ready to be shown.
    pub fn say(&self, step: String) {
        self.0.0.set_message(step);
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
