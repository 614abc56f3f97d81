//! `inspect_diff`: parameters and result.

use std::collections::BTreeMap;

use prevet_domain::finding::{Confidence, Finding, Severity, Status, Suppressed};
use prevet_domain::verdict::{Cause, NotReviewed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InspectParameters {
    /// Id from `POST /session`.
    pub session_id: String,
    /// A one-line note on what was just changed; on a recheck, which findings were already addressed.
    #[serde(default)]
    pub intent: String,
    /// `inspect` (bugs; the default), `security`, or `review` (both). Anything else runs as `inspect`.
    #[serde(default = "inspect_profile")]
    pub profile: String,
    /// Optional extras of this call.
    #[serde(default, deserialize_with = "crate::json::optional_object")]
    pub context: Option<InspectContext>,
}

fn inspect_profile() -> String {
    "inspect".to_owned()
}

/// The optional extras of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InspectContext {
    /// The pull request's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_title: Option<String>,
    /// The pull request's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_description: Option<String>,
    /// Plain-language rules for this call: a text or a list of texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_config: Option<ReviewConfig>,
    /// Report types in place of the profile's, by their exact names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_types: Option<Vec<String>>,
    /// The `cursor` of a result's `more`, to get the findings that follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// SHA-256 (hexadecimal) of the diff that the caller means; another one in the session is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_sha256: Option<String>,
}

/// Plain-language rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a text or a list of texts")]
pub enum ReviewConfig {
    /// One text.
    Text(String),
    /// Several.
    List(Vec<String>),
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InspectResult {
    /// `approve`, `request_changes`, `incomplete` (part of the change was not read) or `error` (nothing was).
    pub verdict: String,
    /// The profile as run.
    pub profile: String,
    /// The session.
    pub session_id: String,
    /// Worst first.
    pub findings: Vec<FindingRecord>,
    /// When there are findings, or ignored ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Earlier findings of this branch that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// Something did not run as assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<Degraded>,
    /// How the files after the change were come by, when not whole from the caller's context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_refresh: Option<Deviation>,
    /// When secrets could not be looked for everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_scan: Option<Deviation>,
    /// When it could not be checked that the files still parse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler_check: Option<Deviation>,
    /// True when the result of an earlier, identical call is given again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// When there are more findings than one result carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingRecord {
    /// Stable over runs.
    pub id: String,
    /// `BUG_REPORT`, `SECURITY_REPORT`, `LLM_SECURITY_REPORT`, `AIAGENT_SECURITY_REPORT`, `MCP_REPORT`, `SECRET_REPORT`.
    pub report_type: String,
    /// `critical`, `high`, `medium`, `low`.
    pub severity: String,
    /// `high`, `medium`, `low`.
    pub confidence: String,
    /// The file.
    pub file: String,
    /// First line after the change, from 1; absent for a finding on the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Last line, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// One short line.
    pub title: String,
    /// What is wrong, what can happen and what to do.
    pub message: String,
    /// The rule's id, or `model`.
    pub rule: String,
    /// The line it stands on, secrets masked.
    pub evidence: String,
    /// `CWE-89` and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwe: Option<String>,
    /// `LLM01:2025` and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owasp: Option<String>,
    /// A replacement for the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// `new` or `persisting`.
    pub status: String,
}

/// How many there are of each kind, over all pages of the result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// All findings.
    pub total: usize,
    /// By severity.
    pub by_severity: BTreeMap<String, usize>,
    /// By report type.
    pub by_report_type: BTreeMap<String, usize>,
    /// First seen in this run.
    pub new: usize,
    /// Seen in the last run too.
    pub persisting: usize,
    /// How many findings ignore comments took out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suppressed_total: usize,
    /// Those findings with the comments' reasons, as many as fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<SuppressedRecord>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A finding that a comment ignores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuppressedRecord {
    /// The finding's id.
    pub id: String,
    /// The rule.
    pub rule: String,
    /// The file.
    pub file: String,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The comment's reason.
    pub reason: String,
    /// Whether the change itself adds the comment.
    pub new: bool,
}

/// A finding that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fixed {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// What was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Degraded {
    /// Why, in one line.
    pub cause: String,
    /// The parts.
    pub not_reviewed: Vec<NotReviewedRecord>,
}

/// A part that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotReviewedRecord {
    /// The file.
    pub file: String,
    /// A hunk's first line, where only that hunk is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Why.
    pub reason: String,
    /// Whether nobody reads it, by a convention or the policy: no gap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_convention: bool,
}

/// Something that went otherwise than assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deviation {
    /// A word for programs.
    pub status: String,
    /// What it means.
    pub reason: String,
}

/// How to get the findings that follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct More {
    /// To be sent as `context.cursor`.
    pub cursor: String,
    /// How many findings follow.
    pub remaining: usize,
    /// What to do.
    pub instruction: String,
}

impl From<Finding> for FindingRecord {
    fn from(finding: Finding) -> Self {
        Self {
            id: finding.id,
            report_type: finding.report_type.as_str().to_owned(),
            severity: finding.severity.as_str().to_owned(),
            confidence: confidence_name(finding.confidence).to_owned(),
            file: finding.file,
            line: finding.line,
            end_line: finding.end_line,
            title: finding.title,
            message: finding.message,
            rule: finding.rule,
            evidence: finding.evidence,
            cwe: finding.cwe,
            owasp: finding.owasp,
            fix: finding.fix,
            status: status_name(finding.status).to_owned(),
        }
    }
}

/// A record that names a report type, severity, confidence or status that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the server's result has {field} {value:?}, which this version does not know; update prevet")]
pub struct UnknownWord {
    /// Which field.
    pub field: &'static str,
    /// What it holds.
    pub value: String,
}

impl TryFrom<FindingRecord> for Finding {
    type Error = UnknownWord;

    fn try_from(record: FindingRecord) -> Result<Self, UnknownWord> {
        let unknown = |field, value: &str| UnknownWord { field, value: value.to_owned() };
        let report_type = prevet_domain::finding::ReportType::parse(&record.report_type);
        let confidences = [Confidence::High, Confidence::Medium, Confidence::Low];
        let confidence = confidences.into_iter().find(|it| confidence_name(*it) == record.confidence);
        let status =
            [Status::New, Status::Persisting].into_iter().find(|it| status_name(*it) == record.status);
        Ok(Self {
            id: record.id,
            report_type: report_type.ok_or_else(|| unknown("report_type", &record.report_type))?,
            severity: Severity::parse(&record.severity)
                .ok_or_else(|| unknown("severity", &record.severity))?,
            confidence: confidence.ok_or_else(|| unknown("confidence", &record.confidence))?,
            file: record.file,
            line: record.line,
            end_line: record.end_line,
            title: record.title,
            message: record.message,
            rule: record.rule,
            evidence: record.evidence,
            cwe: record.cwe,
            owasp: record.owasp,
            fix: record.fix,
            status: status.ok_or_else(|| unknown("status", &record.status))?,
        })
    }
}

fn confidence_name(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::New => "new",
        Status::Persisting => "persisting",
    }
}

impl From<Suppressed> for SuppressedRecord {
    fn from(it: Suppressed) -> Self {
        Self { id: it.id, rule: it.rule, file: it.file, line: it.line, reason: it.reason, new: it.new }
    }
}

impl From<SuppressedRecord> for Suppressed {
    fn from(it: SuppressedRecord) -> Self {
        Self { id: it.id, rule: it.rule, file: it.file, line: it.line, reason: it.reason, new: it.new }
    }
}

impl From<NotReviewed> for NotReviewedRecord {
    fn from(part: NotReviewed) -> Self {
        let by_convention = part.cause == Cause::Convention;
        Self { file: part.file, line: part.line, reason: part.reason, by_convention }
    }
}

impl Counts {
    /// Counts `findings`.
    pub fn of(findings: &[Finding], suppressed: Vec<Suppressed>) -> Self {
        let mut counts = Self { total: findings.len(), ..Self::default() };
        for finding in findings {
            *counts.by_severity.entry(finding.severity.as_str().to_owned()).or_default() += 1;
            *counts.by_report_type.entry(finding.report_type.as_str().to_owned()).or_default() += 1;
        }
        counts.new = findings.iter().filter(|finding| finding.status == Status::New).count();
        counts.persisting = counts.total - counts.new;
        counts.suppressed = suppressed.into_iter().map(Into::into).collect();
        counts
    }
}
