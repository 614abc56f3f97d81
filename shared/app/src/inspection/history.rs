//! What earlier runs on a branch found: makes findings `new`, `persisting` and `fixed`.

use std::collections::BTreeMap;

use prevet_analysis::answer::settle::MODEL_RULE;
use prevet_domain::finding::{Finding, ReportType};
use serde::{Deserialize, Serialize};

use super::StoredReport;

/// The findings of a branch's last run, for each report type that ever ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// By finding id.
    pub findings: BTreeMap<String, Remembered>,
    /// The same before the last run that changed them: what the further pages of that run are compared with.
    #[serde(default)]
    pub before: BTreeMap<String, Remembered>,
}

/// What is remembered of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// Its report.
    pub report_type: ReportType,
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
    /// The finding itself, where a model made it: a rule finds its own again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

impl History {
    /// The history after a run of `types` that came to `report`: what ran is replaced, the rest stays.
    /// A finding in a file that was not read this time is not forgotten.
    #[must_use]
    pub fn after(&self, report: &StoredReport, types: &[ReportType]) -> Self {
        let kept = self
            .findings
            .iter()
            .filter(|(_, it)| !types.contains(&it.report_type) || report.is_gap(&it.file));
        let mut findings: BTreeMap<String, Remembered> =
            kept.map(|(id, remembered)| (id.clone(), remembered.clone())).collect();
        for finding in &report.findings {
            let remembered = Remembered {
                report_type: finding.report_type,
                title: finding.title.clone(),
                file: finding.file.clone(),
                finding: (finding.rule == MODEL_RULE).then(|| finding.clone()),
            };
            findings.insert(finding.id.clone(), remembered);
        }
        Self { findings, before: self.findings.clone() }
    }

    /// The history as it was before the last run that changed it.
    #[must_use]
    pub fn previous(self) -> Self {
        Self { findings: self.before, before: BTreeMap::new() }
    }

    /// What models found of `types`.
    pub fn of_models(&self, types: &[ReportType]) -> Vec<Finding> {
        let findings = self.findings.values().filter_map(|it| it.finding.as_ref());
        findings.filter(|finding| types.contains(&finding.report_type)).cloned().collect()
    }

    /// Id and title of what was there before and is gone in a run of `types` that came to `report`.
    pub fn fixed(&self, report: &StoredReport, types: &[ReportType]) -> Vec<(String, String)> {
        let gone = |(id, it): &(&String, &Remembered)| {
            types.contains(&it.report_type) && !report.mentions(id) && !report.is_gap(&it.file)
        };
        self.findings.iter().filter(gone).map(|(id, it)| (id.clone(), it.title.clone())).collect()
    }
}
