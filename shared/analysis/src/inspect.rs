//! A change in, a report out.

mod code;
mod evidence;
mod file;
mod restored;

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobSet, GlobSetBuilder};
use prevet_domain::change::Change;
use prevet_domain::finding::{Finding, ReportType, Suppressed, assign_ids, sort_worst_first};
use prevet_domain::limits::FINDINGS_MAX;
use prevet_domain::policy::Policy;
use prevet_domain::verdict::{Cause, Coverage, NotReviewed};

/// Changes whenever the engine may judge differently: part of what a stored report is found by.
pub const ENGINE_VERSION: &str = concat!("prevet-", env!("CARGO_PKG_VERSION"), "-3");

/// Why a file in a language without rules was not read.
pub const NO_RULES_REASON: &str = "no rules for this language: only what applies to any text was looked for";

/// What is inspected.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The change.
    pub change: &'a Change,
    /// Files after the change by their shown path, secrets masked; what is missing is inspected from its hunks.
    pub files: &'a BTreeMap<String, Vec<u8>>,
    /// Paths that the base's attributes call generated or vendored, and the word for it.
    pub left_out: &'a BTreeMap<String, &'static str>,
    /// The policy as of the base.
    pub policy: &'a Policy,
    /// The report types that are asked for.
    pub report_types: &'a [ReportType],
}

/// What was found and what was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Worst first.
    pub findings: Vec<Finding>,
    /// What ignore comments took out.
    pub suppressed: Vec<(Finding, Suppressed)>,
    /// What was read and what was not.
    pub coverage: Coverage,
    /// Files that were read from their hunks alone.
    pub fragments: usize,
}

/// A finding with what its id is made of, and its ignore comment.
pub(crate) struct Draft {
    finding: Finding,
    code: String,
    ignore: Option<(String, bool)>,
}

/// Inspects a change with every deterministic engine. Pure, and the same each time.
pub fn inspect(request: &Request<'_>) -> Report {
    let excluded = excludes(&request.policy.exclude);
    let mut report = Report::default();
    let mut drafts: Vec<Draft> = Vec::new();
    for change in &request.change.files {
        let outcome = file::inspect(request, change, &excluded);
        drafts.extend(outcome.drafts);
        report.fragments += usize::from(outcome.fragment);
        report.coverage.reviewed_files += usize::from(outcome.not_reviewed.is_none());
        report.coverage.not_reviewed.extend(outcome.not_reviewed);
    }
    keep_worst(&mut drafts, &mut report.coverage);
    settle(&mut report, drafts);
    report
}

fn keep_worst(drafts: &mut Vec<Draft>, coverage: &mut Coverage) {
    if drafts.len() <= FINDINGS_MAX {
        return;
    }
    let reason = format!("{} findings; only the worst {FINDINGS_MAX} are kept", drafts.len());
    coverage.not_reviewed.push(NotReviewed { file: "*".to_owned(), line: None, reason, cause: Cause::Gap });
    drafts.sort_by_key(|draft| std::cmp::Reverse((draft.finding.severity, draft.finding.confidence)));
    drafts.truncate(FINDINGS_MAX);
}

fn settle(report: &mut Report, drafts: Vec<Draft>) {
    let mut findings: Vec<Finding> = drafts.iter().map(|draft| draft.finding.clone()).collect();
    let code: Vec<String> = drafts.iter().map(|draft| draft.code.clone()).collect();
    assign_ids(&mut findings, &code);
    for (finding, draft) in findings.into_iter().zip(drafts) {
        match draft.ignore {
            None => report.findings.push(finding),
            Some((reason, new)) => {
                let (id, rule) = (finding.id.clone(), finding.rule.clone());
                let entry =
                    Suppressed { id, rule, file: finding.file.clone(), line: finding.line, reason, new };
                report.suppressed.push((finding, entry));
            }
        }
    }
    sort_worst_first(&mut report.findings);
}

/// The policy's globs; one that is no glob leaves nothing out.
pub fn excludes(patterns: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        builder.add(glob);
    }
    builder.build().unwrap_or_default()
}

/// The ids that a report mentions, ignored ones included.
pub fn mentioned_ids(report: &Report) -> BTreeSet<&str> {
    let suppressed = report.suppressed.iter().map(|(_, entry)| entry.id.as_str());
    report.findings.iter().map(|finding| finding.id.as_str()).chain(suppressed).collect()
}

#[cfg(test)]
mod tests;
