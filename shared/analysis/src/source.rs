//! One file's text after the change, with its line index.

use std::ops::Range;

use crate::language::Language;

/// A text to look at.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The path, escaped where it is not UTF-8.
    pub path: &'a str,
    /// Its language, where it has rules.
    pub language: Option<Language>,
    /// The bytes.
    pub text: &'a [u8],
    /// Whether this is the whole file; otherwise only the hunks stand in it, at their own lines.
    pub whole: bool,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    /// Indexes `text`.
    pub fn new(path: &'a str, language: Option<Language>, text: &'a [u8], whole: bool) -> Self {
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(breaks).collect();
        Self { path, language, text, whole, line_starts }
    }

    /// The line, from 1, on which the byte at `offset` stands.
    pub fn line_of(&self, offset: usize) -> u32 {
        u32::try_from(self.line_starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// First and last line, inclusive, that `span` touches.
    pub fn lines_of(&self, span: &Range<usize>) -> (u32, u32) {
        let last = span.end.max(span.start + 1) - 1;
        (self.line_of(span.start), self.line_of(last))
    }

    /// The bytes of line `number`, from 1, without its newline; empty where there is none.
    pub fn line(&self, number: u32) -> &'a [u8] {
        let at = (number as usize).wrapping_sub(1);
        let Some(start) = self.line_starts.get(at).copied() else { return &[] };
        let end = self.line_starts.get(at + 1).map_or(self.text.len(), |next| next - 1);
        &self.text[start..end]
    }

    /// How many lines there are.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.line_starts.len()).unwrap_or(u32::MAX)
    }

    /// The offset of the first byte of line `number`.
    pub fn line_start(&self, number: u32) -> usize {
        let at = (number as usize).wrapping_sub(1);
        self.line_starts.get(at).copied().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let source = Source::new("a", None, b"one\ntwo\n\nfour", true);
        assert_eq!(
            (source.line_of(0), source.line_of(3), source.line_of(4), source.line_of(12)),
            (1, 1, 2, 4)
        );
        assert_eq!(
            (source.line(1), source.line(3), source.line(4), source.line(9)),
            (&b"one"[..], &b""[..], &b"four"[..], &b""[..])
        );
        assert_eq!(source.lines_of(&(0..8)), (1, 2));
        assert_eq!(source.lines_of(&(4..4)), (2, 2));
    }
}
