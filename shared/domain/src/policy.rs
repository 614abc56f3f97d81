//! A repository's policy: what stops a push, what is left out, how rules are weighed.

use std::collections::BTreeMap;

use crate::finding::{Finding, ReportType, Severity};

/// `.prevet.toml` as types. Its defaults are the contract's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    /// What stops a push.
    pub gate: Gate,
    /// Whether findings in what is not pushed stop the push too.
    pub gate_uncommitted: bool,
    /// What becomes of a push whose review did not happen.
    pub on_error: OnError,
    /// Globs of paths that are left out (secrets are looked for in them all the same).
    pub exclude: Vec<String>,
    /// Whether an ignore comment that the change adds lifts the gate.
    pub new_ignores: NewIgnores,
    /// Rule id to what is done with it.
    pub rules: BTreeMap<String, RuleSetting>,
    /// Plain-language rules for the model.
    pub guidelines: Vec<Guideline>,
    /// US dollars that the model may cost a day.
    pub budget_usd_per_day: Option<f64>,
    /// Settings of the review rounds.
    pub review: ReviewSettings,
}

/// The lowest severity that stops a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Findings of this severity and above.
    At(Severity),
    /// Nothing stops a push.
    Never,
}

impl Default for Gate {
    fn default() -> Self {
        Self::At(Severity::High)
    }
}

impl Gate {
    /// Whether a finding of this type and severity reaches the gate. Secrets do from medium on.
    pub fn reached_by(self, report_type: ReportType, severity: Severity) -> bool {
        match self {
            Self::Never => false,
            Self::At(gate) if report_type == ReportType::Secret => severity >= gate.min(Severity::Medium),
            Self::At(gate) => severity >= gate,
        }
    }

    /// Whether any of `findings` reaches it.
    pub fn reached_by_any<'a>(self, findings: impl IntoIterator<Item = &'a Finding>) -> bool {
        findings.into_iter().any(|finding| self.reached_by(finding.report_type, finding.severity))
    }
}

/// What becomes of a push whose review could not run, or is incomplete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnError {
    /// It goes on, with one line on stderr.
    #[default]
    Allow,
    /// It stops.
    Block,
}

/// Whether ignore comments that the change itself adds lift the gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NewIgnores {
    /// They do.
    #[default]
    Allow,
    /// They do not.
    Block,
}

/// What is done with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleSetting {
    /// It does not run.
    Off,
    /// It runs with this severity.
    Severity(Severity),
}

/// One plain-language rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guideline {
    /// Globs of the paths it is for; all where there is none.
    pub paths: Vec<String>,
    /// The rule.
    pub text: String,
}

/// The `[review]` table: settings of the review rounds; what is not set falls through to the next file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewSettings {
    /// The reviewer's CLI.
    pub reviewer: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Its reasoning effort.
    pub effort: Option<String>,
    /// The runner's deadline in seconds.
    pub timeout_seconds: Option<u64>,
    /// Whether the dashboard follows reviews.
    pub open_dashboard: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gate_table() {
        use ReportType::{Bug, Secret};
        use Severity::{Critical, High, Low, Medium};
        let check = |gate, report_type, severity, expected| {
            assert_eq!(
                Gate::reached_by(gate, report_type, severity),
                expected,
                "{gate:?} {report_type} {severity}"
            );
        };
        check(Gate::default(), Bug, High, true);
        check(Gate::default(), Bug, Medium, false);
        check(Gate::default(), Secret, Medium, true);
        check(Gate::default(), Secret, Low, false);
        check(Gate::At(Critical), Secret, Medium, true);
        check(Gate::At(Critical), Bug, High, false);
        check(Gate::At(Low), Secret, Low, true);
        check(Gate::Never, Secret, Critical, false);
    }
}
