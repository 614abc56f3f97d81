//! The files of a review session, each with a version.

use std::collections::BTreeSet;

use prevet_domain::review::answer::{Answer, Issue, Verdict};
use prevet_domain::review::ledger::Claims;
use prevet_domain::review::session::{Conclusion, Ending, Round, Session};
use prevet_domain::review::subject::{Subject, SubjectError};
use prevet_domain::review::watch::{Broken, BrokenCause, ProcessEnd, Report, StopCause};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::json::{self, JsonError};
use crate::review::LedgerEntry;

/// The version that is written.
pub const VERSION: u32 = 1;

/// Why a file of a session cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Not the JSON of such a file.
    #[error("it is not what this version writes: {0}")]
    Json(#[from] JsonError),
    /// A version from the future.
    #[error("it has format version {found}, this prevet reads {VERSION}: update prevet")]
    Version {
        /// What it says.
        found: u64,
    },
    /// A word that this version does not know.
    #[error("its {field} is {value:?}, which this version does not know")]
    Word {
        /// Which field.
        field: &'static str,
        /// What it holds.
        value: String,
    },
    /// A skill and a mode that are none.
    #[error(transparent)]
    Subject(#[from] SubjectError),
}

/// Reads a file; its version is looked at first.
pub fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, FileError> {
    let value: serde_json::Value = serde_json::from_slice(text).map_err(|_| JsonError::NoObject)?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(found) if found > u64::from(VERSION) => Err(FileError::Version { found }),
        _ => Ok(json::object(text)?),
    }
}

/// `state.json`: what holds for the whole session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFile {
    /// [`VERSION`].
    pub version: u32,
    /// The skill.
    pub skill: String,
    /// Its mode, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The reviewer's CLI.
    pub reviewer: String,
    /// Its model; its own default where none is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its reasoning effort.
    pub effort: String,
    /// The sandbox of every round.
    pub sandbox: String,
    /// The deadline of a round.
    pub timeout_seconds: u64,
    /// Where the reviewer works.
    pub working_dir: String,
    /// When it was begun.
    pub created_at: String,
    /// The last round.
    pub round: u32,
    /// The reviewer's thread, once a round has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// How it was ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndedRecord>,
}

/// How a session was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedRecord {
    /// When.
    pub at: String,
    /// With what; none where it was only stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}

/// `rounds.json`: every round, the running one included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundsFile {
    /// [`VERSION`].
    pub version: u32,
    /// In order.
    pub rounds: Vec<RoundRecord>,
}

/// A round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// From 1.
    pub round: u32,
    /// `running`, `completed`, `failed`, `stalled` or `timeout`.
    pub status: String,
    /// When it was started.
    pub started_at: String,
    /// When its end was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// The issues that the caller said to have fixed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub claimed_fixed: BTreeSet<u32>,
    /// The issues that the caller disputed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub claimed_disputed: BTreeSet<u32>,
    /// The answer, when it completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerRecord>,
    /// Why there is none, when it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenRecord>,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// The verdict's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The verdict's reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The issues.
    pub issues: Vec<IssueRecord>,
    /// What a peer adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insights: Vec<IssueRecord>,
    /// Whether issues were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// An issue or insight.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueRecord {
    /// The reviewer's number.
    pub number: u32,
    /// One line.
    pub title: String,
    /// Names and values, in order.
    pub fields: Vec<(String, String)>,
    /// What stands before them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
}

/// A round without an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenRecord {
    /// Why, in a word.
    pub reason: String,
    /// Why, for people.
    pub error: String,
    /// Whether the reviewer had done anything.
    pub progress: bool,
    /// Whether its thread can go on.
    pub recoverable: bool,
}

/// `meta.json`: what a finalized session came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaFile {
    /// [`VERSION`].
    pub version: u32,
    /// The session's name.
    pub session: String,
    /// The skill.
    pub skill: String,
    /// Its mode, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// `APPROVE`, `STALEMATE` or `CONSENSUS`.
    pub verdict: String,
    /// How many rounds there were.
    pub rounds: u32,
    /// The reviewer's CLI.
    pub reviewer: String,
    /// Its model, where one was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its reasoning effort.
    pub effort: String,
    /// The reviewer's thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// When it was begun.
    pub created_at: String,
    /// When it was finalized.
    pub finalized_at: String,
    /// What became of each issue.
    pub ledger: Vec<LedgerEntry>,
}

/// `outputs/round-NNN.runner.json`: the processes of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerFile {
    /// [`VERSION`].
    pub version: u32,
    /// The process that watches over the round.
    pub runner: ProcessRecord,
    /// The reviewer, which leads a process group.
    pub reviewer: ProcessRecord,
}

/// A process that is told from a later one of the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRecord {
    /// Its number.
    pub pid: u32,
    /// When it was started, in words that only this system compares.
    pub start: String,
}

/// `outputs/round-NNN.end.json`: how the reviewer's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndFile {
    /// [`VERSION`].
    pub version: u32,
    /// `exited`, or why the runner stopped it.
    pub cause: String,
    /// "exit code 1", "signal 9".
    pub how: String,
    /// The last that it said on standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// When.
    pub at: String,
}

const EXITED: &str = "exited";

impl EndFile {
    /// How the process ended, from how it was stopped, if it was.
    pub fn new(stopped: Option<StopCause>, how: String, said: String, at: String) -> Self {
        let cause = stopped.map_or(EXITED, StopCause::as_str).to_owned();
        Self { version: VERSION, cause, how, said, at }
    }

    /// The end as the domain knows it.
    pub fn end(self) -> Result<ProcessEnd, FileError> {
        if self.cause == EXITED {
            return Ok(ProcessEnd::Exited { how: self.how, said: self.said });
        }
        let cause = StopCause::parse(&self.cause);
        cause.map(ProcessEnd::Stopped).ok_or(FileError::Word { field: "cause", value: self.cause })
    }
}

/// The status word of a round.
pub fn status(report: Option<&Report>) -> &'static str {
    match report {
        None => "running",
        Some(Report::Completed(_)) => "completed",
        Some(Report::Broken(broken)) => match broken.cause {
            BrokenCause::Timeout => "timeout",
            BrokenCause::Stalled => "stalled",
            _ => "failed",
        },
    }
}

impl RoundRecord {
    /// A round that begins.
    pub fn begin(round: u32, claims: &Claims, started_at: String) -> Self {
        Self {
            round,
            status: status(None).to_owned(),
            started_at,
            claimed_fixed: claims.fixed.clone(),
            claimed_disputed: claims.disputed.clone(),
            ..Self::default()
        }
    }

    /// Its end.
    pub fn end(&mut self, report: &Report, at: String) {
        status(Some(report)).clone_into(&mut self.status);
        self.ended_at = Some(at);
        match report {
            Report::Completed(answer) => self.answer = Some(answer.into()),
            Report::Broken(broken) => self.broken = Some(broken.into()),
        }
    }

    fn round(&self) -> Result<Round, FileError> {
        let claims = Claims { fixed: self.claimed_fixed.clone(), disputed: self.claimed_disputed.clone() };
        let report = match (&self.answer, &self.broken, self.status.as_str()) {
            (Some(answer), None, "completed") => Some(Report::Completed(answer.into())),
            (None, Some(broken), "failed" | "stalled" | "timeout") => {
                Some(Report::Broken(broken.try_into()?))
            }
            (None, None, "running") => None,
            (_, _, status) => {
                return Err(FileError::Word {
                    field: "status (with what stands beside it)",
                    value: status.into(),
                });
            }
        };
        Ok(Round { claims, report })
    }
}

/// The session that its two files hold.
pub fn session(state: &StateFile, rounds: &RoundsFile) -> Result<Session, FileError> {
    let ending = match &state.ended {
        None => None,
        Some(EndedRecord { verdict: None, .. }) => Some(Ending::Stopped),
        Some(EndedRecord { verdict: Some(verdict), .. }) => {
            let conclusion = Conclusion::parse(verdict);
            let unknown = || FileError::Word { field: "verdict", value: verdict.clone() };
            Some(Ending::Finalized(conclusion.ok_or_else(unknown)?))
        }
    };
    if rounds.rounds.is_empty() {
        return Err(FileError::Word { field: "rounds", value: "[]".to_owned() });
    }
    Ok(Session {
        subject: Subject::parse(&state.skill, state.mode.as_deref())?,
        thread: state.thread_id.clone(),
        rounds: rounds.rounds.iter().map(RoundRecord::round).collect::<Result<_, _>>()?,
        ending,
    })
}

impl From<&Answer> for AnswerRecord {
    fn from(it: &Answer) -> Self {
        Self {
            verdict: it.verdict.as_ref().map(|it| it.status.clone()),
            reason: it.verdict.as_ref().map(|it| it.reason.clone()).unwrap_or_default(),
            issues: it.issues.iter().map(IssueRecord::from).collect(),
            insights: it.insights.iter().map(IssueRecord::from).collect(),
            cut: it.cut,
        }
    }
}

impl From<&AnswerRecord> for Answer {
    fn from(it: &AnswerRecord) -> Self {
        let verdict = |status: &String| Verdict { status: status.clone(), reason: it.reason.clone() };
        Self {
            issues: it.issues.iter().map(Issue::from).collect(),
            insights: it.insights.iter().map(Issue::from).collect(),
            verdict: it.verdict.as_ref().map(verdict),
            cut: it.cut,
        }
    }
}

impl From<&Issue> for IssueRecord {
    fn from(it: &Issue) -> Self {
        let Issue { number, title, fields, body } = it.clone();
        Self { number, title, fields, body }
    }
}

impl From<&IssueRecord> for Issue {
    fn from(it: &IssueRecord) -> Self {
        let IssueRecord { number, title, fields, body } = it.clone();
        Self { number, title, fields, body }
    }
}

impl From<&Broken> for BrokenRecord {
    fn from(it: &Broken) -> Self {
        Self {
            reason: it.cause.as_str().to_owned(),
            error: it.error.clone(),
            progress: it.progress,
            recoverable: it.recoverable,
        }
    }
}

impl TryFrom<&BrokenRecord> for Broken {
    type Error = FileError;

    fn try_from(it: &BrokenRecord) -> Result<Self, FileError> {
        let unknown = || FileError::Word { field: "reason", value: it.reason.clone() };
        Ok(Self {
            cause: BrokenCause::parse(&it.reason).ok_or_else(unknown)?,
            error: it.error.clone(),
            progress: it.progress,
            recoverable: it.recoverable,
        })
    }
}

#[cfg(test)]
mod tests {
    use prevet_domain::review::answer;

    use super::*;

    fn state() -> StateFile {
        let text = r#"{"version":1,"skill":"review-plan","reviewer":"codex","effort":"high","sandbox":"read-only",
            "timeout_seconds":5,"working_dir":"/r","created_at":"t","round":2,"thread_id":"x"}"#;
        parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_session_survives_its_files() {
        let answer =
            answer::parse(["### ISSUE-1: a\nb\n- Severity: low\n### VERDICT\n- Status: REVISE\n- Reason: c"]);
        let broken =
            Broken { cause: BrokenCause::Timeout, error: "e".into(), progress: true, recoverable: true };
        let claims = Claims { fixed: [1].into(), disputed: [2].into() };
        let mut first = RoundRecord::begin(1, &Claims::default(), "t".into());
        first.end(&Report::Completed(answer.clone()), "u".into());
        let mut second = RoundRecord::begin(2, &claims, "t".into());
        second.end(&Report::Broken(broken.clone()), "u".into());
        let third = RoundRecord::begin(3, &claims, "t".into());
        let rounds = RoundsFile { version: VERSION, rounds: vec![first, second, third] };
        let rounds: RoundsFile = parse(&serde_json::to_vec(&rounds).unwrap()).unwrap();
        let session = session(&state(), &rounds).unwrap();
        let reports: Vec<_> = session.rounds.iter().map(|round| round.report.clone()).collect();
        assert_eq!(reports, [Some(Report::Completed(answer)), Some(Report::Broken(broken)), None]);
        assert_eq!(session.rounds[1].claims, claims);
        assert_eq!(rounds.rounds[1].status, "timeout");
    }

    #[test]
    fn what_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = parse::<StateFile>(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        };
        check("", "not a JSON object");
        check("{\"version\":2}", "format version 2");
        check("{\"version\":1}", "skill");
        let record = RoundRecord { round: 1, status: "completed".into(), ..RoundRecord::default() };
        let rounds = RoundsFile { version: 1, rounds: vec![record] };
        assert!(session(&state(), &rounds).unwrap_err().to_string().contains("completed"));
        let none = RoundsFile { version: 1, rounds: vec![] };
        assert!(session(&state(), &none).is_err());
    }
}
