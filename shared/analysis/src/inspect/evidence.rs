//! What a finding shows of the code it stands on.

use crate::secrets;
use crate::source::Source;

/// Characters of evidence.
const EVIDENCE_CHARACTERS_MAX: usize = 240;
/// Lines that enter a finding's id.
const CODE_LINES_MAX: u32 = 8;

/// The first of the lines, trimmed and masked.
pub fn shown(source: &Source<'_>, first: u32) -> String {
    let masked = secrets::mask(source.line(first));
    let text = String::from_utf8_lossy(&masked);
    let trimmed = text.trim();
    match trimmed.char_indices().nth(EVIDENCE_CHARACTERS_MAX) {
        None => trimmed.to_owned(),
        Some((at, _)) => format!("{}…", &trimmed[..at]),
    }
}

/// The masked lines: what a finding's id is made of.
pub fn code(source: &Source<'_>, first: u32, last: u32) -> String {
    let last = last.min(first.saturating_add(CODE_LINES_MAX - 1));
    let lines = (first..=last)
        .map(|number| String::from_utf8_lossy(&secrets::mask(source.line(number))).into_owned());
    lines.collect::<Vec<_>>().join("\n")
}
