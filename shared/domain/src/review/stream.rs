//! What a reviewer's process shows while it works, whichever program it is.

use std::collections::BTreeSet;

/// One event of a reviewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewerEvent {
    /// The thread that it works on, new or resumed.
    Thread(String),
    /// It has begun something that ends with another event: a command, a tool's call.
    Started {
        /// Told again at its end.
        id: String,
        /// What it is.
        activity: Activity,
    },
    /// Something has ended, or happened at once.
    Finished {
        /// As told at its start, where there was one.
        id: String,
        /// What it was.
        activity: Activity,
    },
    /// A message of the turn; the last one is the answer.
    Message(String),
    /// The turn has ended.
    TurnCompleted,
    /// The turn has ended without an answer.
    TurnFailed(String),
    /// Something went wrong, and the turn goes on.
    Warning(String),
    /// A sign of life.
    Other,
}

/// What a reviewer does, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// `command`, `tool`, `reasoning`, `message`, `search`, `warning`.
    pub kind: &'static str,
    /// In a line.
    pub text: String,
    /// Whether it failed.
    pub failed: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// With an answer.
    Completed,
    /// Without.
    Failed(String),
}

/// A round's events so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stream {
    /// The thread, once it is known.
    pub thread: Option<String>,
    /// The turn's messages.
    pub messages: Vec<String>,
    /// How the turn ended, once it has.
    pub turn: Option<Turn>,
    /// Whether anything was done beyond the beginning.
    pub progress: bool,
    /// What went wrong last without ending the turn.
    pub warning: Option<String>,
    /// Whether an event of it could not be read.
    pub unread: bool,
    /// What has begun and not ended, and may take its time.
    running: BTreeSet<String>,
}

impl Stream {
    /// Adds an event. What follows the end of the turn changes nothing.
    pub fn observe(&mut self, event: &ReviewerEvent) {
        if self.turn.is_some() {
            return;
        }
        match event {
            ReviewerEvent::Thread(id) => self.thread = Some(id.clone()),
            ReviewerEvent::Started { id, activity } => {
                self.progress = true;
                // A plan or a thought is under way for as long as the turn is, and excuses no silence.
                if matches!(activity.kind, "command" | "tool") {
                    self.running.insert(id.clone());
                }
            }
            ReviewerEvent::Finished { id, .. } => {
                self.progress = true;
                self.running.remove(id);
            }
            ReviewerEvent::Message(text) => {
                self.progress = true;
                self.messages.push(text.clone());
            }
            ReviewerEvent::TurnCompleted => self.turn = Some(Turn::Completed),
            ReviewerEvent::TurnFailed(message) => self.turn = Some(Turn::Failed(message.clone())),
            ReviewerEvent::Warning(text) => self.warning = Some(text.clone()),
            ReviewerEvent::Other => {}
        }
    }

    /// Whether a command or a tool's call is under way, which may be silent for as long as it lives.
    pub fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }
}
