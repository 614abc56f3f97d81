//! A report as it is kept, and as it is given to one caller.

use prevet_analysis::answer::admit::Dropped;
use prevet_analysis::inspect::Report;
use prevet_domain::finding::{Finding, Profile, ReportType, Status, Suppressed};
use prevet_domain::policy::Policy;
use prevet_domain::session::Session;
use prevet_domain::verdict::{Coverage, NotReviewed, Verdict, decide};
use serde::{Deserialize, Serialize};

use super::History;
use crate::refresh::Refresh;

/// What one run came to, without what depends on earlier runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReport {
    /// The format's version.
    pub version: u32,
    /// Computed from findings and coverage.
    pub verdict: Verdict,
    /// Worst first.
    pub findings: Vec<Finding>,
    /// What ignore comments took out.
    pub suppressed: Vec<Suppressed>,
    /// What was read and what was not.
    pub coverage: Coverage,
    /// Whether a context pack came with the diff.
    pub has_context: bool,
    /// Files that were read from their hunks alone.
    pub fragments: usize,
    /// What the model did, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelNotes>,
    /// What came of asking the repository's provider for files, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<Refresh>,
}

/// What the model did in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelNotes {
    /// Which model.
    pub name: String,
    /// Questions that it answered.
    pub questions: usize,
    /// Tokens of the questions.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// What it said that did not become a finding, and why.
    pub dropped: Vec<Dropped>,
    /// Whether something was not answered: such a report is not given again for another call.
    pub degraded: bool,
}

/// The version of [`StoredReport`] that is written.
pub const VERSION: u32 = 1;

impl StoredReport {
    /// The report of a run under `policy`.
    pub fn new(report: Report, policy: &Policy, has_context: bool) -> Self {
        let verdict =
            decide(policy.gate, policy.new_ignores, &report.findings, &report.suppressed, &report.coverage);
        Self {
            version: VERSION,
            verdict,
            findings: report.findings,
            suppressed: report.suppressed.into_iter().map(|(_, entry)| entry).collect(),
            coverage: report.coverage,
            has_context,
            fragments: report.fragments,
            model: None,
            refresh: None,
        }
    }

    /// Whether it is as good for the next identical call.
    pub fn is_settled(&self) -> bool {
        let degraded = self.model.as_ref().is_some_and(|notes| notes.degraded);
        !degraded && !self.refresh.as_ref().is_some_and(|refresh| refresh.may_pass)
    }

    /// Whether a finding of that id is in it, ignored or not.
    pub fn mentions(&self, id: &str) -> bool {
        self.findings.iter().any(|finding| finding.id == id)
            || self.suppressed.iter().any(|entry| entry.id == id)
    }

    /// Whether `file` ought to have been read and was not.
    pub fn is_gap(&self, file: &str) -> bool {
        self.coverage.gaps().any(|part: &NotReviewed| part.file == file)
    }
}

/// What one call was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The profile as run.
    pub profile: Profile,
    /// Whether an earlier run's report is given again.
    pub cached: bool,
    /// Whether it changed the branch's history: further pages are compared with what was before.
    pub changed_history: bool,
    /// What the report is kept under.
    pub report_key: String,
}

/// A report as one caller gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// The session.
    pub session_id: String,
    /// The call.
    pub run: Run,
    /// The report, its findings marked new or persisting.
    pub report: StoredReport,
    /// Id and title of what is gone.
    pub fixed: Vec<(String, String)>,
}

impl Inspection {
    /// Marks the findings by the history before this run.
    pub fn new(
        session: &Session,
        run: Run,
        mut report: StoredReport,
        history: &History,
        types: &[ReportType],
    ) -> Self {
        for finding in &mut report.findings {
            let known = history.findings.contains_key(&finding.id);
            finding.status = if known { Status::Persisting } else { Status::New };
        }
        let fixed = history.fixed(&report, types);
        Self { session_id: session.id.to_string(), run, report, fixed }
    }
}
