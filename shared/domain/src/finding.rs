//! What an inspection finds.

use std::collections::BTreeMap;
use std::fmt;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The six kinds of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReportType {
    /// Plain bugs.
    #[serde(rename = "BUG_REPORT")]
    Bug,
    /// Security of ordinary code.
    #[serde(rename = "SECURITY_REPORT")]
    Security,
    /// Code around a language model: OWASP Top 10 for LLM applications.
    #[serde(rename = "LLM_SECURITY_REPORT")]
    LlmSecurity,
    /// Agents: OWASP agentic threats.
    #[serde(rename = "AIAGENT_SECURITY_REPORT")]
    AgentSecurity,
    /// MCP servers and clients: OWASP MCP Top 10.
    #[serde(rename = "MCP_REPORT")]
    Mcp,
    /// Credentials in the change.
    #[serde(rename = "SECRET_REPORT")]
    Secret,
}

impl ReportType {
    /// All six.
    pub const ALL: [Self; 6] =
        [Self::Bug, Self::Security, Self::LlmSecurity, Self::AgentSecurity, Self::Mcp, Self::Secret];

    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bug => "BUG_REPORT",
            Self::Security => "SECURITY_REPORT",
            Self::LlmSecurity => "LLM_SECURITY_REPORT",
            Self::AgentSecurity => "AIAGENT_SECURITY_REPORT",
            Self::Mcp => "MCP_REPORT",
            Self::Secret => "SECRET_REPORT",
        }
    }

    /// The type of that name; names are exact.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|report_type| report_type.as_str() == name)
    }
}

impl fmt::Display for ReportType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which prompts and rules run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Bugs only.
    Inspect,
    /// Everything but bugs.
    Security,
    /// All.
    Review,
}

impl Profile {
    /// The profile of that name; an unknown one is [`Profile::Inspect`], never a wider set.
    pub fn parse(name: &str) -> Self {
        match name {
            "security" => Self::Security,
            "review" => Self::Review,
            _ => Self::Inspect,
        }
    }

    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inspect => "inspect",
            Self::Security => "security",
            Self::Review => "review",
        }
    }

    /// Its report types.
    pub fn report_types(self) -> Vec<ReportType> {
        let all = ReportType::ALL.into_iter();
        match self {
            Self::Inspect => vec![ReportType::Bug],
            Self::Security => all.filter(|report_type| *report_type != ReportType::Bug).collect(),
            Self::Review => all.collect(),
        }
    }
}

/// How bad it is. Ordered: [`Severity::Critical`] is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Worth mending.
    Medium,
    /// Stops a push by default.
    High,
    /// Stops a push by default, and is shown first.
    Critical,
}

impl Severity {
    /// All four, worst first.
    pub const ALL: [Self; 4] = [Self::Critical, Self::High, Self::Medium, Self::Low];

    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// The severity of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How sure it is. Ordered: [`Confidence::High`] is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A guess.
    Low,
    /// Likely.
    Medium,
    /// Sure.
    High,
}

/// Whether the last run on this branch had it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// First seen in this run.
    New,
    /// Seen before.
    Persisting,
}

/// One finding, placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable over runs: see [`assign_ids`].
    pub id: String,
    /// Its report.
    pub report_type: ReportType,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// The path after the change (before it, for a deleted file), escaped where it is not UTF-8.
    pub file: String,
    /// First line after the change, from 1; none for a finding on the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Last line, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwe: Option<String>,
    /// `LLM01:2025` and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owasp: Option<String>,
    /// A replacement for the lines from `line` to `end_line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// New or persisting.
    pub status: Status,
}

/// A finding that an ignore comment took out of the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppressed {
    /// The finding's id.
    pub id: String,
    /// The rule that is ignored.
    pub rule: String,
    /// Where.
    pub file: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The reason that the comment gives.
    pub reason: String,
    /// Whether the change itself adds the comment.
    pub new: bool,
}

/// Gives each finding its id: a hash of report type, file, rule and the code it stands on with white space
/// folded, so that it survives lines moving. The second of two alike in one file gets an ordinal.
///
/// `code` is the unmasked text a finding stands on, in the order of `findings`; it enters only the hash.
pub fn assign_ids(findings: &mut [Finding], code: &[String]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (finding, code) in findings.iter_mut().zip(code) {
        let folded = code.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut hash = Sha256::new();
        for part in [finding.report_type.as_str(), &finding.file, &finding.rule, &folded] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let id = HEXLOWER.encode(&hash.finalize()[..10]);
        let count = seen.entry(id.clone()).or_insert(0);
        *count += 1;
        finding.id = if *count == 1 { id } else { format!("{id}-{count}") };
    }
}

/// Worst first: severity, confidence, then place.
pub fn sort_worst_first(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let weight = |finding: &Finding| (finding.severity, finding.confidence);
        weight(b).cmp(&weight(a)).then_with(|| (&a.file, a.line, &a.rule).cmp(&(&b.file, b.line, &b.rule)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str, severity: Severity) -> Finding {
        Finding {
            id: String::new(),
            report_type: ReportType::Bug,
            severity,
            confidence: Confidence::High,
            file: "a.py".into(),
            line: Some(1),
            end_line: Some(1),
            title: String::new(),
            message: String::new(),
            rule: rule.into(),
            evidence: String::new(),
            cwe: None,
            owasp: None,
            fix: None,
            status: Status::New,
        }
    }

    #[test]
    fn ids_survive_space_and_differ_by_ordinal() {
        let mut first =
            vec![finding("r", Severity::Low), finding("r", Severity::Low), finding("s", Severity::Low)];
        assign_ids(&mut first, &["x  = 1".into(), "x = 1".into(), "x = 1".into()]);
        assert_eq!(format!("{}-2", first[0].id), first[1].id);
        assert_ne!(first[0].id, first[2].id);
        let mut moved = vec![finding("r", Severity::Low)];
        moved[0].line = Some(90);
        assign_ids(&mut moved, &["\tx = 1".into()]);
        assert_eq!(moved[0].id, first[0].id);
    }

    #[test]
    fn profiles() {
        let check =
            |name: &str, count: usize| assert_eq!(Profile::parse(name).report_types().len(), count, "{name}");
        check("inspect", 1);
        check("security", 5);
        check("review", 6);
        check("everything", 1);
        check("", 1);
        assert!(!Profile::Security.report_types().contains(&ReportType::Bug));
    }

    #[test]
    fn worst_first() {
        let mut findings = vec![finding("a", Severity::Low), finding("b", Severity::Critical)];
        sort_worst_first(&mut findings);
        assert_eq!(findings[0].rule, "b");
    }
}
