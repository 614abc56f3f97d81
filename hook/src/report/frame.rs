//! Which lines of code a report shows.

use super::model::{Inspection, ReportedFinding, SourceLines};

/// Lines of a finding beyond this are not shown.
const FRAME_LINES_MAX: u32 = 12;

/// The code of a finding: its lines from `source` where it is sure that no secret is among them, else its
/// evidence, which is masked.
pub(super) fn code(inspection: &Inspection, reported: &ReportedFinding, source: &dyn SourceLines) -> String {
    from_source(inspection, reported, source).unwrap_or_else(|| reported.finding.evidence.clone())
}

fn from_source(
    inspection: &Inspection,
    reported: &ReportedFinding,
    source: &dyn SourceLines,
) -> Option<String> {
    if reported.is_secret() || touches_what_is_masked(inspection, reported) {
        return None;
    }
    // Evidence that is not in the text was masked, or the text is of another state of the file.
    let evidence = reported.finding.evidence.trim();
    if evidence.is_empty() {
        return None;
    }
    let lines = reported.lines()?;
    let last = (*lines.end()).min(lines.start().saturating_add(FRAME_LINES_MAX - 1));
    let text = source.lines(&reported.finding.file, *lines.start()..=last)?;
    text.contains(evidence).then_some(text)
}

/// Whether a secret stands on one of the lines, or something that is suppressed, which may be one.
fn touches_what_is_masked(inspection: &Inspection, reported: &ReportedFinding) -> bool {
    let Some(lines) = reported.lines() else { return true };
    let file = &reported.finding.file;
    let secrets = inspection.findings.iter().filter(|other| other.is_secret() && other.finding.file == *file);
    let mut secret_lines = secrets.map(ReportedFinding::lines);
    let overlaps =
        |other: std::ops::RangeInclusive<u32>| other.start() <= lines.end() && lines.start() <= other.end();
    let mut suppressed = inspection.suppressed.iter().filter(|entry| entry.file == *file);
    secret_lines.any(|other| other.is_none_or(overlaps))
        || suppressed.any(|entry| entry.line.is_none_or(|line| lines.contains(&line)))
}
