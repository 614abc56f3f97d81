//! A comment on a pull request: a table, then the details.

use std::fmt::Write as _;

use prevet_domain::verdict::Cause;

use super::escape;
use super::model::{Inspection, ReportedFinding, place};
use super::text::{confidence, status};

/// Services refuse comments that are longer than some 65,000 characters.
const COMMENT_BYTES_MAX: usize = 60_000;
/// What of them the table may take, so that the worst findings keep their details.
const TABLE_BYTES_MAX: usize = 20_000;
/// What the notes below the findings may take.
const NOTES_BYTES_MAX: usize = 10_000;

/// The comment.
pub fn render(inspection: &Inspection) -> String {
    let findings = inspection.worst_first();
    let mut out = format!("### Prevet: {}\n\n", escape::markdown(&inspection.headline()));
    if !findings.is_empty() {
        out.push_str("| severity | place | finding | rule |\n|---|---|---|---|\n");
        let rows = findings.iter().map(|reported| row(reported));
        push_up_to(&mut out, TABLE_BYTES_MAX, rows, "| … | | and {} more, in the full report | |\n");
        out.push('\n');
        let details = findings.iter().map(|reported| detail(reported));
        let limit = COMMENT_BYTES_MAX - NOTES_BYTES_MAX;
        push_up_to(&mut out, limit, details, "Details of {} more are in the full report.\n\n");
    }
    push_up_to(
        &mut out,
        COMMENT_BYTES_MAX,
        notes(inspection).into_iter(),
        "- and {} more, in the full report\n",
    );
    out
}

/// Adds `parts` while they fit; of the rest it says how many there are.
fn push_up_to(
    out: &mut String,
    limit_bytes: usize,
    parts: impl ExactSizeIterator<Item = String>,
    rest: &str,
) {
    let total = parts.len();
    for (index, part) in parts.enumerate() {
        if out.len() + part.len() > limit_bytes {
            out.push_str(&rest.replace("{}", &(total - index).to_string()));
            return;
        }
        out.push_str(&part);
    }
}

fn row(reported: &ReportedFinding) -> String {
    let finding = &reported.finding;
    let label = if reported.uncommitted { " *(uncommitted)*" } else { "" };
    format!(
        "| {} | {} | {}{label} | {} |\n",
        finding.severity,
        escape::markdown(&reported.place()),
        escape::markdown(&finding.title),
        escape::markdown(&finding.rule)
    )
}

fn detail(reported: &ReportedFinding) -> String {
    let finding = &reported.finding;
    let mut out = format!(
        "<details><summary>{}: {} in {}</summary>\n\n",
        finding.severity,
        escape::html(&finding.title),
        escape::html(&reported.place())
    );
    for line in finding.message.lines() {
        let _ = write!(out, "{}\n\n", escape::markdown(line.trim()));
    }
    if !finding.evidence.trim().is_empty() {
        out.push_str(&escape::fenced(&finding.evidence));
        out.push('\n');
    }
    if let Some(fix) = reported.fix() {
        let _ = write!(out, "Replace the lines with:\n\n{}\n", escape::fenced(fix));
    }
    let _ = write!(out, "{}\n\n</details>\n\n", facts(reported));
    out
}

fn facts(reported: &ReportedFinding) -> String {
    let finding = &reported.finding;
    let mut parts = vec![
        escape::markdown(finding.report_type.as_str()),
        format!("{} confidence", confidence(finding.confidence)),
        status(finding.status).to_owned(),
    ];
    parts.extend([&finding.cwe, &finding.owasp].into_iter().flatten().map(|id| escape::markdown(id)));
    let commit = reported.commit.as_ref();
    parts.extend(commit.map(|id| format!("in commit {}, gone from the end state", escape::markdown(id))));
    parts.push(format!("id {}", escape::markdown(&finding.id)));
    parts.join(", ")
}

fn notes(inspection: &Inspection) -> Vec<String> {
    let mut notes = Vec::new();
    let mut add = |text: String| notes.push(format!("- {text}\n"));
    if let Some(degraded) = &inspection.degraded {
        add(format!("not as planned: {}", escape::markdown(&degraded.cause)));
    }
    for (cause, what) in [(Cause::Gap, "not read"), (Cause::Convention, "left out")] {
        for (reason, parts) in inspection.not_reviewed(cause) {
            let reason = escape::markdown(reason);
            for part in parts {
                add(format!("{what}, {reason}: {}", escape::markdown(&place(&part.file, part.line))));
            }
        }
    }
    for entry in &inspection.suppressed {
        add(format!(
            "suppressed: {} at {}: {}{}",
            escape::markdown(&entry.rule),
            escape::markdown(&place(&entry.file, entry.line)),
            escape::markdown(&entry.reason),
            if entry.new { " (new in this change)" } else { "" }
        ));
    }
    for entry in &inspection.fixed {
        add(format!("fixed: {} ({})", escape::markdown(&entry.title), escape::markdown(&entry.id)));
    }
    inspection.notes.iter().for_each(|note| add(escape::markdown(note)));
    notes
}
