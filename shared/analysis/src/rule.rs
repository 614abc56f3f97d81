//! What every rule says of itself, whichever engine runs it.

use prevet_domain::finding::{Confidence, ReportType, Severity};

/// A rule without its pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// `language.what-is-wrong`, or `secrets.provider`; unique.
    pub id: String,
    /// Its report.
    pub report_type: ReportType,
    /// How bad, unless the policy says otherwise.
    pub severity: Severity,
    /// How sure, unless the hit says otherwise.
    pub confidence: Confidence,
    /// One short line, without a full stop.
    pub title: String,
    /// What is wrong, what can happen, what to do.
    pub message: String,
    /// `CWE-89`, where one applies.
    pub cwe: Option<String>,
    /// `A03:2021`, `LLM01:2025`, `ASI02:2026`, `MCP05:2025`, where one applies.
    pub owasp: Option<String>,
}
