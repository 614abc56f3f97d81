//! What a finding shows of the code it stands on.

use std::borrow::Cow;

use crate::secrets;
use crate::source::Source;

/// Characters of evidence.
const EVIDENCE_CHARACTERS_MAX: usize = 240;
/// Lines that enter a finding's id.
const CODE_LINES_MAX: u32 = 8;

/// A text with its secrets masked. Whole texts are masked, since a line of a key's body alone does not look like one.
pub struct Masked<'a> {
    text: Cow<'a, [u8]>,
}

impl<'a> Masked<'a> {
    /// Masks the text of `source`.
    pub fn of(source: &Source<'a>) -> Self {
        Self { text: secrets::mask(source.text) }
    }

    /// Its lines: as many as before.
    pub fn lines(&self) -> Source<'_> {
        Source::new("", None, &self.text, true)
    }
}

/// The first of the lines, trimmed.
pub fn shown(masked: &Source<'_>, first: u32) -> String {
    let text = String::from_utf8_lossy(masked.line(first));
    let trimmed = text.trim();
    match trimmed.char_indices().nth(EVIDENCE_CHARACTERS_MAX) {
        None => trimmed.to_owned(),
        Some((at, _)) => format!("{}…", &trimmed[..at]),
    }
}

/// The lines: what a finding's id is made of.
pub fn code(masked: &Source<'_>, first: u32, last: u32) -> String {
    let last = last.min(first.saturating_add(CODE_LINES_MAX - 1));
    let lines = (first..=last).map(|number| String::from_utf8_lossy(masked.line(number)).into_owned());
    lines.collect::<Vec<_>>().join("\n")
}
