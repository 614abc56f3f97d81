//! A change as a model may see it: secrets taken out, every line at its own number.

use prevet_domain::change::{Change, FileChange, FileKind, Hunk, LineKind};
use std::borrow::Cow;

use crate::secrets;

/// The change without its secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskedChange {
    /// The files that a model is shown.
    pub files: Vec<MaskedFile>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedFile {
    /// Its path, as findings name it.
    pub path: String,
    /// Its path as the model sees it.
    pub shown_path: String,
    /// Its path before the change as the model sees it, where that was another.
    pub shown_old_path: Option<String>,
    /// What happens to it.
    pub kind: FileKind,
    /// Its hunks.
    pub hunks: Vec<MaskedHunk>,
}

/// One hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedHunk {
    /// Its first line after the change.
    pub new_start: u32,
    /// What git prints behind it.
    pub section: String,
    /// Its lines.
    pub lines: Vec<MaskedLine>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedLine {
    /// Context, added, removed.
    pub kind: LineKind,
    /// Its number after the change; for a removed line that of the line that follows.
    pub number: u32,
    /// Its text.
    pub text: String,
}

/// Masks the files of `change` that are `shown`. All of it is masked as one text, so that what one file tells is
/// known in another.
pub fn masked(change: &Change, shown: impl Fn(&FileChange) -> bool) -> MaskedChange {
    let files: Vec<&FileChange> = change.files.iter().filter(|file| shown(file)).collect();
    let (after, before) = (view(&files, LineKind::Removed), view(&files, LineKind::Added));
    let (after, before) = (mask_lines(&after), mask_lines(&before));
    let (mut after, mut before) = (after.into_iter(), before.into_iter());
    let mut line = |kind: LineKind, text: &[u8]| {
        let mut next = |skipped: LineKind| match skipped {
            LineKind::Removed => after.next(),
            _ => before.next(),
        };
        match kind {
            LineKind::Added => next(LineKind::Removed),
            LineKind::Removed => next(LineKind::Added),
            // A context line is in both views; where one of them took something out, that counts.
            LineKind::Context => {
                let (after, before) = (next(LineKind::Removed), next(LineKind::Added));
                let changed = |it: &Option<String>| it.as_deref() != Some(&*String::from_utf8_lossy(text));
                if changed(&before) { before } else { after }
            }
        }
        .unwrap_or_else(|| secrets::MASK.to_owned())
    };
    let files = files.iter().map(|file| masked_file(file, &mut line)).collect();
    MaskedChange { files }
}

fn masked_file(file: &FileChange, line: &mut impl FnMut(LineKind, &[u8]) -> String) -> MaskedFile {
    let path = file.shown_path();
    let mut hunk = |hunk: &Hunk| MaskedHunk {
        new_start: hunk.new_start.max(1),
        section: section(hunk),
        lines: hunk
            .lines
            .iter()
            .map(|it| MaskedLine { kind: it.kind, number: it.new_number, text: line(it.kind, &it.text) })
            .collect(),
    };
    let hunks = file.hunks().iter().map(&mut hunk).collect();
    let old = file.old_path.as_ref().map(ToString::to_string).filter(|old| *old != path);
    let shown_old_path = old.map(|old| masked_text(&old));
    MaskedFile { shown_path: masked_text(&path), shown_old_path, path, kind: file.kind, hunks }
}

/// A line taken out of a key shows nothing of what it is: what has no space is not shown.
fn section(hunk: &Hunk) -> String {
    let text = String::from_utf8_lossy(&hunk.section);
    if text.trim().contains(' ') { masked_text(text.trim()) } else { String::new() }
}

/// The lines of all files but those of one kind.
fn view(files: &[&FileChange], without: LineKind) -> Vec<u8> {
    let lines = files.iter().flat_map(|file| file.hunks()).flat_map(|hunk| &hunk.lines);
    let mut text = Vec::new();
    for line in lines.filter(|line| line.kind != without) {
        text.extend_from_slice(&line.text);
        text.push(b'\n');
    }
    text
}

fn mask_lines(text: &[u8]) -> Vec<String> {
    let masked: Cow<'_, [u8]> = secrets::mask(text);
    let lines = masked.strip_suffix(b"\n").unwrap_or(&masked).split(|byte| *byte == b'\n');
    lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

/// A text of its own, without its secrets.
pub fn masked_text(text: &str) -> String {
    String::from_utf8_lossy(&secrets::mask(text.as_bytes())).into_owned()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prevet_domain::change::parse;

    use super::*;

    #[test]
    fn nothing_of_a_key_is_left_and_numbers_stay() {
        let body = "MIIEowIBAAKCAQEA7bq1Zx0vT9kLm3nRsYw8uJ2hF5dGc6XoP4iQeVtA1zBrNlKy";
        let patch = format!(
            "diff --git a/k.py b/k.py\n--- a/k.py\n+++ b/k.py\n@@ -4,2 +4,7 @@ def f():\n before()\n\
             +KEY = \"\"\"-----BEGIN RSA PRIVATE KEY-----\n+{body}\n+{body}\n+-----END RSA PRIVATE KEY-----\"\"\"\n\
             +aws = \"AKIAQYLPMN5HFIQR7XYA\"\n after()\n"
        );
        let change = parse(&Bytes::from(patch)).unwrap();
        let masked = masked(&change, |_| true);
        let lines = &masked.files[0].hunks[0].lines;
        let all: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert!(!all.join("\n").contains("MIIEow") && !all.join("\n").contains("AKIAQY"), "{all:?}");
        assert_eq!((lines[0].number, all[0]), (4, "before()"));
        assert_eq!((lines[6].number, all[6]), (10, "after()"));
    }
}
