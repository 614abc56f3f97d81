//! Findings as results.

use std::collections::BTreeMap;

use prevet_domain::finding::{Severity, Status, Suppressed};
use serde_json::json;
use serde_sarif::sarif::{
    ArtifactChange, Fix, Region, Replacement, Result as SarifResult, ResultLevel, Suppression,
};

use super::super::model::{Inspection, ReportedFinding};
use super::super::text::{confidence, status};
use super::rules::{self, to_index};
use super::{artifact, bag, content, location, message, region};

/// The key of our id among a result's fingerprints; its number rises when ids are made in another way.
const FINGERPRINT: &str = "prevetFindingId/v1";

pub(super) fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Critical | Severity::High => ResultLevel::Error,
        Severity::Medium => ResultLevel::Warning,
        Severity::Low => ResultLevel::Note,
    }
}

pub(super) fn results(inspection: &Inspection) -> Vec<SarifResult> {
    let ids = rules::ids(inspection);
    let found = inspection.worst_first().into_iter().map(|reported| result(inspection, &ids, reported));
    found.chain(inspection.suppressed.iter().map(|entry| suppressed(&ids, entry))).collect()
}

fn result(inspection: &Inspection, ids: &[&str], reported: &ReportedFinding) -> SarifResult {
    let finding = &reported.finding;
    let taxa: Vec<_> =
        rules::taxa(finding).map(|(name, id)| rules::reference(inspection, name, id)).collect();
    let said = format!("{}\n\n{}", finding.title, finding.message);
    let mut result = base(ids, &finding.rule, &finding.id, &said);
    result.level = Some(level(finding.severity));
    result.locations = Some(vec![location(&finding.file, snippet_region(reported))]);
    result.baseline_state = Some(json!(match finding.status {
        Status::New => "new",
        Status::Persisting => "unchanged",
    }));
    result.taxa = Some(taxa).filter(|taxa| !taxa.is_empty());
    result.fixes = fix(reported).map(|fix| vec![fix]);
    let mut properties = bag([
        ("severity", json!(finding.severity)),
        ("confidence", json!(confidence(finding.confidence))),
        ("reportType", json!(finding.report_type)),
        ("status", json!(status(finding.status))),
        ("uncommitted", json!(reported.uncommitted)),
    ]);
    if let Some(commit) = &reported.commit {
        properties.additional_properties.insert("commit".to_owned(), json!(commit));
    }
    result.properties = Some(properties);
    result
}

fn base(ids: &[&str], rule: &str, id: &str, said: &str) -> SarifResult {
    let index = ids.iter().position(|one| *one == rule).map_or(-1, to_index);
    SarifResult::builder()
        .rule_id(rule)
        .rule_index(index)
        .message(message(said))
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), id.to_owned())]))
        .build()
}

fn line_region(reported: &ReportedFinding) -> Option<Region> {
    let lines = reported.lines()?;
    let mut region = region(*lines.start());
    region.end_line = Some(i64::from(*lines.end()));
    Some(region)
}

/// The snippet is the evidence, in which secrets are masked.
fn snippet_region(reported: &ReportedFinding) -> Option<Region> {
    let mut region = line_region(reported)?;
    let evidence = &reported.finding.evidence;
    region.snippet = (!evidence.is_empty()).then(|| content(evidence));
    Some(region)
}

/// A region of whole lines ends before its last line end, so the replacement has none either.
fn fix(reported: &ReportedFinding) -> Option<Fix> {
    let text = reported.fix()?.trim_end_matches(['\r', '\n']);
    let inserted = serde_sarif::sarif::ArtifactContent::builder().text(text).build();
    let replacement =
        Replacement::builder().deleted_region(line_region(reported)?).inserted_content(inserted).build();
    let change = ArtifactChange::builder()
        .artifact_location(artifact(&reported.finding.file))
        .replacements(vec![replacement])
        .build();
    Some(Fix::builder().description(message("Replace the lines.")).artifact_changes(vec![change]).build())
}

fn suppressed(ids: &[&str], entry: &Suppressed) -> SarifResult {
    let mut result = base(ids, &entry.rule, &entry.id, &format!("Suppressed in the code: {}", entry.reason));
    result.level = Some(ResultLevel::Note);
    result.locations = Some(vec![location(&entry.file, entry.line.map(region))]);
    let justification = super::plain(&entry.reason);
    let suppression = Suppression::builder().kind(json!("inSource")).justification(justification).build();
    result.suppressions = Some(vec![suppression]);
    result.properties = Some(bag([("newIgnore", json!(entry.new))]));
    result
}
