//! A reviewer's output to events: in pieces as they come, or from its file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use prevet_domain::review::stream::{Activity, ReviewerEvent, Stream};

use super::codex::shorten;
use super::error::ReviewError;
use super::reviewer::Reviewer;

/// A longer line is no event.
const LINE_BYTES_MAX: usize = 16 << 20;
/// What stands for a line that was too long: the beginning of an object.
const TOO_LONG: &[u8] = b"{";
/// What a round's output file may hold: a reviewer that prints more is stopped.
pub(super) const OUTPUT_BYTES_MAX: u64 = 64 << 20;
const PIECE_BYTES: usize = 64 << 10;

/// Cuts output into lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    too_long: bool,
}

impl Lines {
    /// The lines that `piece` ends; of one that was too long, an object that cannot be read.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        let mut parts = piece.split(|byte| *byte == b'\n');
        let last = parts.next_back().unwrap_or_default();
        for part in parts {
            self.push(part);
            lines.push(std::mem::take(&mut self.line));
            self.too_long = false;
        }
        self.push(last);
        lines
    }

    /// What is left when the output has ended.
    pub(super) fn rest(self) -> Vec<u8> {
        self.line
    }

    fn push(&mut self, part: &[u8]) {
        if self.too_long || self.line.len() + part.len() > LINE_BYTES_MAX {
            self.too_long = true;
            self.line = TOO_LONG.to_vec();
        } else {
            self.line.extend_from_slice(part);
        }
    }
}

/// What a round's output says.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// For the machine.
    pub stream: Stream,
    /// For people, in order.
    pub activities: Vec<Activity>,
    begun: BTreeSet<String>,
}

impl Told {
    /// Reads a round's output so far; there may be none yet.
    pub(super) fn read(reviewer: Reviewer, path: &Path) -> Result<Self, ReviewError> {
        let failed = |error| ReviewError::io("read", path, &error);
        let mut told = Self::default();
        let mut file = match File::open(path) {
            Ok(file) => file.take(OUTPUT_BYTES_MAX),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(told),
            Err(error) => return Err(failed(error)),
        };
        let (mut lines, mut piece) = (Lines::default(), vec![0; PIECE_BYTES]);
        loop {
            let count = file.read(&mut piece).map_err(failed)?;
            if count == 0 {
                break;
            }
            for line in lines.feed(&piece[..count]) {
                told.line(reviewer, &line);
            }
        }
        told.line(reviewer, &lines.rest());
        Ok(told)
    }

    fn line(&mut self, reviewer: Reviewer, line: &[u8]) {
        if let Some(event) = reviewer.event(line) {
            self.stream.observe(&event);
            let activity = self.activity(&event);
            self.activities.extend(activity);
        } else {
            // What was meant as an event, and is lost.
            self.stream.unread |= line.trim_ascii_start().starts_with(b"{");
        }
    }

    /// What a person wants to see of an event: a command when it begins, and again only if it failed.
    fn activity(&mut self, event: &ReviewerEvent) -> Option<Activity> {
        let plain = |kind, text: &str| Activity { kind, text: shorten(text), failed: false };
        match event {
            ReviewerEvent::Started { id, activity } => {
                self.begun.insert(id.clone());
                Some(activity.clone())
            }
            ReviewerEvent::Finished { id, activity } => {
                (!self.begun.contains(id) || activity.failed).then(|| activity.clone())
            }
            ReviewerEvent::Message(text) => Some(plain("message", text)),
            ReviewerEvent::Warning(text) => Some(plain("warning", text)),
            ReviewerEvent::TurnFailed(text) => Some(Activity { failed: true, ..plain("turn", text) }),
            ReviewerEvent::Thread(_) | ReviewerEvent::TurnCompleted | ReviewerEvent::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_pieces() {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in ["a", "b\nc", "\n\nd"] {
            found.extend(lines.feed(piece.as_bytes()));
        }
        found.push(lines.rest());
        assert_eq!(found, [&b"ab"[..], b"c", b"", b"d"]);
    }

    #[test]
    fn a_line_without_end_is_not_held() {
        let mut lines = Lines::default();
        for _ in 0..3 {
            assert_eq!(lines.feed(&vec![b'x'; LINE_BYTES_MAX]), Vec::<Vec<u8>>::new());
        }
        assert!(lines.line.len() <= LINE_BYTES_MAX);
        assert_eq!(lines.feed(b"\nok\n"), [b"{".to_vec(), b"ok".to_vec()]);
    }
}
