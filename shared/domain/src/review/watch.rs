//! The machine over one running round: when is it over, and how did it end. Time is told, never asked.

use std::time::Duration;

use super::answer::{self, Answer};
use super::stream::{ReviewerEvent, Stream, Turn};

/// How long a reviewer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its end.
    pub deadline: Duration,
    /// Between two events, unless it waits for a command of its own.
    pub silence: Duration,
    /// From the end of its turn to the end of its process.
    pub linger: Duration,
}

/// Something that the runner sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// The reviewer has told something.
    Event(ReviewerEvent),
    /// Output that is no event.
    Noise,
    /// Time has passed.
    Tick,
    /// More output than is kept.
    TooMuchOutput,
    /// The output cannot be kept.
    OutputLost,
    /// Somebody asks for the end.
    StopAsked,
}

/// Why a process was ended by its runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// The deadline passed.
    Deadline,
    /// It fell silent.
    Silence,
    /// It had said all, and stayed.
    Lingered,
    /// It printed too much.
    TooMuchOutput,
    /// Its output could not be written.
    OutputLost,
    /// Somebody asked.
    Asked,
}

impl StopCause {
    const NAMES: [(Self, &'static str); 6] = [
        (Self::Deadline, "deadline"),
        (Self::Silence, "silence"),
        (Self::Lingered, "lingered"),
        (Self::TooMuchOutput, "too_much_output"),
        (Self::OutputLost, "output_lost"),
        (Self::Asked, "asked"),
    ];

    /// The name on disk.
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(cause, _)| *cause == self).map_or("asked", |(_, name)| name)
    }

    /// The cause of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(cause, _)| *cause)
    }
}

/// A round that runs.
#[derive(Debug, Clone)]
pub struct Watch {
    limits: Limits,
    stream: Stream,
    last_sign: Duration,
    turn_ended: Option<Duration>,
}

impl Watch {
    /// At time zero.
    pub fn start(limits: Limits) -> Self {
        Self { limits, stream: Stream::default(), last_sign: Duration::ZERO, turn_ended: None }
    }

    /// What was seen at `now` since the start; the effect is to end the process.
    #[must_use]
    pub fn step(mut self, now: Duration, seen: &Observation) -> (Self, Option<StopCause>) {
        match seen {
            Observation::Event(event) => {
                self.stream.observe(event);
                self.last_sign = now;
            }
            // What is no event is no sign of life either.
            Observation::Noise | Observation::Tick => {}
            Observation::TooMuchOutput => return (self, Some(StopCause::TooMuchOutput)),
            Observation::OutputLost => return (self, Some(StopCause::OutputLost)),
            Observation::StopAsked => return (self, Some(StopCause::Asked)),
        }
        if self.stream.turn.is_some() && self.turn_ended.is_none() {
            self.turn_ended = Some(now);
        }
        let effect = self.overdue(now);
        (self, effect)
    }

    fn overdue(&self, now: Duration) -> Option<StopCause> {
        let silent = now.saturating_sub(self.last_sign);
        match self.turn_ended {
            Some(ended) => (now.saturating_sub(ended) >= self.limits.linger).then_some(StopCause::Lingered),
            None if now >= self.limits.deadline => Some(StopCause::Deadline),
            None if self.stream.is_busy() => None,
            None => (silent >= self.limits.silence).then_some(StopCause::Silence),
        }
    }
}

/// How a reviewer's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessEnd {
    /// By itself, or by a stranger's signal.
    Exited {
        /// "exit code 1", "signal 9".
        how: String,
        /// The last that it said on standard error.
        said: String,
    },
    /// By its runner.
    Stopped(StopCause),
    /// Nobody knows: the runner is gone without a word.
    Lost,
}

/// How a round ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// With an answer, which may be empty.
    Completed(Answer),
    /// Without one.
    Broken(Broken),
}

impl Report {
    /// How the round came out, in a few words for people.
    pub fn outcome(&self) -> String {
        match self {
            Self::Completed(answer) => {
                let verdict = answer.verdict.as_ref().map_or("no verdict", |verdict| verdict.status.as_str());
                format!("{verdict}, {} raised", answer.raised().count())
            }
            Self::Broken(broken) => broken.cause.as_str().to_owned(),
        }
    }
}

/// A round without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Why.
    pub cause: BrokenCause,
    /// For people.
    pub error: String,
    /// Whether the reviewer had done anything.
    pub progress: bool,
    /// Whether its thread can go on from there.
    pub recoverable: bool,
}

/// Why a round has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenCause {
    /// The runner's deadline passed.
    Timeout,
    /// The reviewer fell silent.
    Stalled,
    /// It said that its turn failed.
    TurnFailed,
    /// Its process ended before its turn did.
    ProcessExit,
    /// It went on on another thread than it was asked to.
    ThreadChanged,
    /// It printed more than is kept.
    OutputLimit,
    /// Its output could not be written.
    OutputLost,
    /// The session was ended.
    SessionEnded,
}

impl BrokenCause {
    const NAMES: [(Self, &'static str); 8] = [
        (Self::Timeout, "timeout"),
        (Self::Stalled, "stalled"),
        (Self::TurnFailed, "turn_failed"),
        (Self::ProcessExit, "reviewer_process_exit"),
        (Self::ThreadChanged, "thread_changed"),
        (Self::OutputLimit, "output_limit"),
        (Self::OutputLost, "output_lost"),
        (Self::SessionEnded, "session_ended"),
    ];

    /// The word in results and on disk.
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(cause, _)| *cause == self).map_or("turn_failed", |(_, name)| name)
    }

    /// The cause of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(cause, _)| *cause)
    }
}

/// What a round comes to, from all that it showed. `thread` is the one that it was asked to go on with.
pub fn report(stream: &Stream, end: &ProcessEnd, thread: Option<&str>) -> Report {
    let strange = stream.thread.as_deref().zip(thread).filter(|(now, before)| now != before);
    let broken = |cause: BrokenCause, error: String| {
        let recoverable = stream.progress && stream.thread.is_some() && strange.is_none();
        Report::Broken(Broken { cause, error, progress: stream.progress, recoverable })
    };
    if let Some((now, before)) = strange {
        let error = format!("the reviewer answered on thread {now} in place of {before}");
        return broken(BrokenCause::ThreadChanged, error);
    }
    match (&stream.turn, end) {
        // A turn that was not kept whole says nothing by its end.
        (_, ProcessEnd::Stopped(cause @ (StopCause::OutputLost | StopCause::TooMuchOutput))) => {
            stopped(*cause, broken)
        }
        (Some(Turn::Completed), _) => {
            let mut answer = answer::parse(stream.messages.iter().map(String::as_str));
            answer.cut |= stream.unread;
            Report::Completed(answer)
        }
        (Some(Turn::Failed(message)), _) => broken(BrokenCause::TurnFailed, message.clone()),
        (None, ProcessEnd::Stopped(cause)) => stopped(*cause, broken),
        (None, ProcessEnd::Lost) => broken(
            BrokenCause::ProcessExit,
            "the reviewer's runner is gone without a record of the end: it was killed, or the machine restarted"
                .to_owned(),
        ),
        (None, ProcessEnd::Exited { how, said }) => {
            let said = if said.is_empty() { stream.warning.as_deref().unwrap_or_default() } else { said };
            let because = if said.is_empty() { String::new() } else { format!(": {said}") };
            broken(BrokenCause::ProcessExit, format!("the reviewer ended ({how}) before its turn did{because}"))
        }
    }
}

fn stopped(cause: StopCause, broken: impl FnOnce(BrokenCause, String) -> Report) -> Report {
    let (cause, error) = match cause {
        StopCause::Deadline => (BrokenCause::Timeout, "the runner's deadline passed before the turn ended"),
        StopCause::Silence => (BrokenCause::Stalled, "the reviewer fell silent and was stopped"),
        StopCause::TooMuchOutput => {
            (BrokenCause::OutputLimit, "the reviewer printed more than is kept and was stopped")
        }
        StopCause::OutputLost => {
            (BrokenCause::OutputLost, "the reviewer's output could not be written, so it was stopped")
        }
        // One that lingers has ended its turn, which was looked at before.
        StopCause::Lingered | StopCause::Asked => {
            (BrokenCause::SessionEnded, "the reviewer was stopped because the session was ended")
        }
    };
    broken(cause, error.to_owned())
}

#[cfg(test)]
mod tests;
