//! Whether the places that a text speaks of exist.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use prevet_domain::change::{Change, FileKind};
use regex::{Captures, Regex};

/// What stands behind a place that does not exist.
const MARK: &str = " (not a line that was read)";

/// The places that a text may speak of.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// By path: ranges of lines, first and last.
    files: BTreeMap<String, Vec<(u32, u32)>>,
}

impl Places {
    /// The lines of the hunks, and all lines of the files that are known whole.
    pub fn of(change: &Change, files: &BTreeMap<String, Vec<u8>>) -> Self {
        let mut places = Self::default();
        for file in &change.files {
            let of_file = places.files.entry(file.shown_path()).or_default();
            for hunk in file.hunks() {
                let (start, count) = match file.kind {
                    FileKind::Deleted => (hunk.old_start, hunk.old_lines),
                    _ => (hunk.new_start, hunk.new_lines),
                };
                of_file.push((start, start + count.saturating_sub(1)));
            }
        }
        for (path, text) in files {
            let lines = text.split(|byte| *byte == b'\n').count();
            let last = u32::try_from(lines).unwrap_or(u32::MAX);
            places.files.entry(path.clone()).or_default().push((1, last));
        }
        places
    }

    /// More lines that were read, first and last, by path.
    pub fn extend(&mut self, files: BTreeMap<String, Vec<(u32, u32)>>) {
        for (path, ranges) in files {
            self.files.entry(path).or_default().extend(ranges);
        }
    }

    fn has(&self, path: &str, first: u32, last: u32) -> bool {
        let inside = |(start, end): &(u32, u32)| *start <= first && last <= *end;
        first <= last && self.files.get(path).is_some_and(|ranges| ranges.iter().any(inside))
    }
}

/// `file.ext:12`, `file.ext:12-14`, `file.ext#L12`.
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?P<path>[\w@+~./\\-]*[\w+-](?:\.\w+)?)(?::|#L|, lines? |:L)(?P<first>\d{1,7})(?:(?:-|\u{2013}|-L)(?P<last>\d{1,7}))?(?P<tail>\b)",
    )
    .ok()
});

/// `text` with the number taken off, and a mark behind, wherever it names a line that was not read.
pub fn check(text: &str, places: &Places) -> String {
    let Some(reference) = REFERENCE.as_ref() else { return text.to_owned() };
    reference.replace_all(text, |found: &Captures<'_>| checked(found, places)).into_owned()
}

fn checked(found: &Captures<'_>, places: &Places) -> String {
    let whole = &found[0];
    let path = found["path"].trim_start_matches("./");
    // A time, a port of a host or a ratio is no place in a file.
    if !looks_like_path(path) && !places.files.contains_key(path) {
        return whole.to_owned();
    }
    let number = |name: &str| found.name(name).and_then(|it| it.as_str().parse::<u32>().ok());
    let Some(first) = number("first") else { return whole.to_owned() };
    if places.has(path, first, number("last").unwrap_or(first)) {
        return whole.to_owned();
    }
    format!("{path}{MARK}")
}

fn looks_like_path(text: &str) -> bool {
    let extension = text.rsplit_once('.').map(|(_, extension)| extension);
    let lettered = extension.is_some_and(|it| {
        (1..=10).contains(&it.len()) && it.starts_with(|c: char| c.is_ascii_alphabetic()) && !it.contains('/')
    });
    (lettered && !text.starts_with("//")) || text.contains('/') && !text.starts_with("//")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn places_that_are_none_are_marked() {
        let text =
            "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -5,1 +5,2 @@\n a\n+b\n";
        let change = prevet_domain::change::parse(&Bytes::from(text)).unwrap();
        let files = BTreeMap::from([("Makefile".to_owned(), b"a\nb\n".to_vec())]);
        let places = Places::of(&change, &files);
        let same = |text: &str| assert_eq!(check(text, &places), text);
        let marked = |text: &str, expected: &str| assert_eq!(check(text, &places), expected);
        same("see `src/a.py:5`, src/a.py:5-6 and ./src/a.py:6; Makefile:2");
        same("at 10:30 on localhost:8080, 3:1, https://example.com:443/x");
        marked("see `src/a.py:7`", "see `src/a.py (not a line that was read)`");
        marked("src/a.py#L99", "src/a.py (not a line that was read)");
        marked("other/b.py:1", "other/b.py (not a line that was read)");
        marked("src/a.py:6-9", "src/a.py (not a line that was read)");
        marked("Makefile:40", "Makefile (not a line that was read)");
        marked("src/a.py, line 70", "src/a.py (not a line that was read)");
    }
}
