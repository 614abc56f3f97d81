//! Takes out every secret, and keeps the lines.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::detector::is_word;
use super::place::Place;
use super::search::{Found, everything};

/// What stands where a secret stood.
pub const MASK: &str = "[masked]";

/// Masking can bring two halves of another match together; this often at most.
const PASSES_MAX: usize = 6;
/// A told secret this long is masked wherever it recurs in the text, also where nothing says what it is.
const RECURRING_BYTES_MIN: usize = 6;
/// Lines of base64 that may be the middle of a key.
const BODY_LINE_BYTES: std::ops::RangeInclusive<usize> = 60..=76;
const BODY_LINES_MIN: usize = 2;

/// Whether something was masked in `line`.
pub fn is_masked(line: &[u8]) -> bool {
    line.windows(MASK.len()).any(|window| window == MASK.as_bytes())
}

/// `text` with [`MASK`] where secrets stood: nothing of them remains, and every line keeps its number. Masking
/// what is masked changes nothing.
pub fn mask(text: &[u8]) -> Cow<'_, [u8]> {
    let mut masked = Cow::Borrowed(text);
    for _ in 0..PASSES_MAX {
        let Some(next) = pass(&masked) else { return masked };
        masked = Cow::Owned(next);
    }
    // Only text made to resist comes here: all of it goes.
    let mut output = Vec::new();
    mask_lines(&masked, &mut output);
    Cow::Owned(output)
}

fn pass(text: &[u8]) -> Option<Vec<u8>> {
    replaced(text, merged(text, spans(text)))
}

/// Everything to mask, in any order.
fn spans(text: &[u8]) -> Vec<Range<usize>> {
    let found = everything(text, Place::UNKNOWN, usize::MAX, true);
    // A doubtful value that could be a name is one wherever nothing says otherwise.
    let recurs = |found: &&Found| {
        found.grade.is_some_and(|grade| !grade.is_quiet || !could_be_name(&text[found.span.clone()]))
    };
    let told = found.iter().filter(recurs).map(|found| &text[found.span.clone()]);
    let values: BTreeSet<&[u8]> = told.filter(|value| value.len() >= RECURRING_BYTES_MIN).collect();
    let mut spans = recurring(text, &values);
    spans.extend(body_runs(text));
    spans.extend(found.into_iter().map(|found| found.span));
    spans
}

/// Whether code may use it as a name.
pub(super) fn could_be_name(value: &[u8]) -> bool {
    value.first().is_some_and(u8::is_ascii_alphabetic) && value.iter().all(|byte| is_word(*byte))
}

fn recurring(text: &[u8], values: &BTreeSet<&[u8]>) -> Vec<Range<usize>> {
    let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values);
    let Ok(search) = search else { return Vec::new() };
    if values.is_empty() {
        return Vec::new();
    }
    search.find_iter(text).map(|found| found.start()..found.end()).collect()
}

/// Runs of lines that are base64 of a key's width: the middle of a key whose both ends are out of sight.
fn body_runs(text: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let content = body_of(line);
        if BODY_LINE_BYTES.contains(&content.len()) && is_dense(&line[content.clone()]) {
            let span = start + content.start..start + content.end;
            match runs
                .last_mut()
                .filter(|(run, _)| text[run.end..span.start].iter().all(|byte| is_margin(*byte)))
            {
                Some((run, lines)) => (run.end, *lines) = (span.end, *lines + 1),
                None => runs.push((span, 1)),
            }
        }
        start += line.len();
    }
    runs.into_iter().filter(|(_, lines)| *lines >= BODY_LINES_MIN).map(|(run, _)| run).collect()
}

fn is_margin(byte: u8) -> bool {
    b" \t\r\n\"'`,;+-#*\\".contains(&byte)
}

fn body_of(line: &[u8]) -> Range<usize> {
    let start = line.iter().position(|byte| !is_margin(*byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !is_margin(*byte)).map_or(start, |at| at + 1);
    start..end
}

fn is_dense(line: &[u8]) -> bool {
    line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        && super::checks::has_three_classes(line)
}

/// Sorted, joined where they touch or only a word's end lies between, without those that are masked already.
fn merged(text: &[u8], mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| span.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for mut span in spans {
        span.end += text[span.end..].iter().take_while(|byte| is_word(**byte)).count();
        match merged.last_mut().filter(|last| last.end >= span.start) {
            Some(last) => last.end = last.end.max(span.end),
            None => merged.push(span),
        }
    }
    merged
}

/// None where nothing changes.
fn replaced(text: &[u8], spans: Vec<Range<usize>>) -> Option<Vec<u8>> {
    let mut output = Vec::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        output.extend_from_slice(&text[done..span.start]);
        mask_lines(&text[span.clone()], &mut output);
        done = span.end;
    }
    output.extend_from_slice(&text[done..]);
    (output != text).then_some(output)
}

fn mask_lines(secret: &[u8], output: &mut Vec<u8>) {
    for line in secret.split_inclusive(|byte| *byte == b'\n') {
        let content = line.trim_ascii_end();
        if !content.is_empty() {
            output.extend_from_slice(MASK.as_bytes());
        }
        output.extend_from_slice(&line[content.len()..]);
    }
}
