//! The plan: which hunks go into which question. A hunk stays whole unless it alone is too large for a question;
//! then it is cut between lines, and a line is never cut.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prevet_domain::change::{FileKind, LineKind};

use super::masked::{MaskedChange, MaskedFile, MaskedHunk, MaskedLine};

/// Parts of one change; what is left over is named as not reviewed.
pub const PARTS_MAX: usize = 200;
/// A name in the intent that is shorter steers nothing.
const STEERING_BYTES_MIN: usize = 3;

/// What is asked in one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Its pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A hunk, or a piece of one that is too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The file, as findings name it.
    pub file: String,
    /// The first line after the change.
    pub line: u32,
    /// What the model sees.
    pub text: String,
}

/// A piece that goes into no question, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOver {
    /// The file.
    pub file: String,
    /// The first line after the change.
    pub line: u32,
    /// Why, for a person.
    pub reason: &'static str,
}

/// What is asked, the most relevant first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The parts.
    pub parts: Vec<Part>,
    /// What goes into none.
    pub left_over: Vec<LeftOver>,
}

impl Part {
    /// What the model sees.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// The files that it shows.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.pieces.iter().map(|piece| piece.file.as_str()).collect()
    }

    /// Whether a piece of that file is in it.
    pub fn has(&self, file: &str) -> bool {
        self.pieces.iter().any(|piece| piece.file == file)
    }
}

/// Cuts `change` into parts of at most `room_bytes`. What `intent` names comes first, then what `known` has
/// findings in, then the order of the patch.
pub fn plan(change: &MaskedChange, intent: &str, known: &[&str], room_bytes: usize) -> Plan {
    let mut files: Vec<&MaskedFile> = change.files.iter().collect();
    files.sort_by_key(|file| (!is_meant(file, intent), !known.contains(&file.path.as_str())));
    let mut plan = Plan::default();
    let mut part = Part::default();
    let mut used = 0;
    for piece in files.into_iter().flat_map(|file| pieces(file, room_bytes)) {
        if piece.text.len() > room_bytes {
            let reason = "one line is larger than a question to the model may be";
            plan.left_over.push(LeftOver { file: piece.file, line: piece.line, reason });
            continue;
        }
        if used + piece.text.len() > room_bytes {
            plan.parts.push(std::mem::take(&mut part));
            used = 0;
        }
        used += piece.text.len();
        part.pieces.push(piece);
    }
    if !part.pieces.is_empty() {
        plan.parts.push(part);
    }
    let too_many = plan.parts.split_off(plan.parts.len().min(PARTS_MAX));
    let reason = "the change is larger than what one inspection asks the model about";
    plan.left_over.extend(too_many.into_iter().flat_map(|part| part.pieces).map(|piece| LeftOver {
        file: piece.file,
        line: piece.line,
        reason,
    }));
    plan
}

/// Whether `intent` names the file or something that the change adds to it.
fn is_meant(file: &MaskedFile, intent: &str) -> bool {
    let words = || {
        intent
            .split(|it: char| it.is_whitespace() || "`'\",;:()".contains(it))
            .map(|word| word.trim_matches('.'))
            .filter(|word| word.len() >= STEERING_BYTES_MIN)
    };
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let named = |word: &str| file.path == word || name == word || file.path.ends_with(&format!("/{word}"));
    // Only what looks like an identifier: other words are in every file.
    let identifier = |word: &str| {
        word.contains('_')
            || word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase)
    };
    let added = |word: &str| {
        let mut lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.any(|line| line.kind != LineKind::Context && line.text.contains(word))
    };
    words().any(|word| named(word) || identifier(word) && added(word))
}

fn pieces(file: &MaskedFile, room_bytes: usize) -> Vec<Piece> {
    if file.hunks.is_empty() {
        let text = format!("{}, no lines to show\n", title(file));
        return vec![Piece { file: file.path.clone(), line: 1, text }];
    }
    file.hunks.iter().flat_map(|hunk| hunk_pieces(file, hunk, room_bytes)).collect()
}

fn hunk_pieces(file: &MaskedFile, hunk: &MaskedHunk, room_bytes: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = hunk.lines.as_slice();
    while !rest.is_empty() {
        let head = header(file, hunk, rest[0].number);
        let count = fitting(rest, room_bytes.saturating_sub(head.len()));
        let (now, later) = rest.split_at(count);
        let mut text = head;
        for line in now {
            push_line(&mut text, line);
        }
        pieces.push(Piece { file: file.path.clone(), line: now[0].number.max(1), text });
        rest = later;
    }
    pieces
}

/// How many of the lines go into one piece: all, or as many as fit, up to a blank line where there is one in the
/// second half. At least one, so that the caller sees a line that is too large.
fn fitting(lines: &[MaskedLine], room_bytes: usize) -> usize {
    let mut used = 0;
    let fits = |line: &&MaskedLine| {
        used += rendered_bytes(line);
        used <= room_bytes
    };
    let count = lines.iter().take_while(fits).count();
    if count == lines.len() || count < 2 {
        return count.max(1);
    }
    let blank = lines[count / 2..count].iter().rposition(|line| line.text.trim().is_empty());
    blank.map_or(count, |at| count / 2 + at + 1)
}

fn header(file: &MaskedFile, hunk: &MaskedHunk, first: u32) -> String {
    format!("{}, from line {first} {}\n", title(file), hunk.section)
}

fn title(file: &MaskedFile) -> String {
    let kind = match file.kind {
        FileKind::Added => "new file",
        FileKind::Renamed => "renamed",
        FileKind::Copied => "copied",
        FileKind::Deleted => "deleted",
        FileKind::Modified => "changed",
    };
    let old = file.shown_old_path.as_deref().map(|old| format!(", was {old}")).unwrap_or_default();
    format!("file: {} ({kind}{old})", file.shown_path)
}

/// `text` in pieces of at most `bytes_max`, cut between lines where that can be.
pub fn text_pieces(text: &str, bytes_max: usize) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while !rest.is_empty() {
            let end = rest.floor_char_boundary(bytes_max.max(4)).max(1);
            let (chunk, next) = rest.split_at(end);
            match pieces.last_mut() {
                Some(last) if last.len() + chunk.len() <= bytes_max => last.push_str(chunk),
                _ => pieces.push(chunk.to_owned()),
            }
            rest = next;
        }
    }
    pieces
}

const NUMBER_WIDTH: usize = 7;

fn rendered_bytes(line: &MaskedLine) -> usize {
    NUMBER_WIDTH.max(line.number.checked_ilog10().map_or(1, |it| it as usize + 1)) + 4 + line.text.len()
}

fn push_line(text: &mut String, line: &MaskedLine) {
    // Writing to a string does not fail.
    let _ = match line.kind {
        LineKind::Removed => writeln!(text, "{:>NUMBER_WIDTH$} - {}", "", line.text),
        LineKind::Added => writeln!(text, "{:>NUMBER_WIDTH$} + {}", line.number, line.text),
        LineKind::Context => writeln!(text, "{:>NUMBER_WIDTH$}   {}", line.number, line.text),
    };
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prevet_domain::change::parse;

    use super::super::masked::masked;
    use super::*;

    fn change(files: &[(&str, usize)]) -> MaskedChange {
        let file = |(path, lines): &(&str, usize)| {
            let body: String = (1..=*lines).map(|at| format!("+{path} line {at}\n")).collect();
            format!(
                "diff --git a/{path} b/{path}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{body}"
            )
        };
        let patch: String = files.iter().map(file).collect();
        masked(&parse(&Bytes::from(patch)).unwrap(), |_| true)
    }

    #[test]
    fn every_line_is_in_one_part_and_whole() {
        let change = change(&[("a.py", 30), ("b.py", 400), ("c.py", 3)]);
        let plan = plan(&change, "", &[], 2_000);
        assert!(plan.parts.iter().all(|part| part.text().len() <= 2_000));
        let all: String = plan.parts.iter().map(Part::text).collect();
        for (path, lines) in [("a.py", 30), ("b.py", 400), ("c.py", 3)] {
            for at in 1..=lines {
                let line = format!("{at:>7} + {path} line {at}\n");
                assert_eq!(all.matches(&line).count(), 1, "{line}");
            }
        }
        assert!(plan.left_over.is_empty());
    }

    #[test]
    fn a_hunk_that_fits_is_not_cut() {
        let change = change(&[("a.py", 30), ("b.py", 30), ("c.py", 30)]);
        let plan = plan(&change, "", &[], 1_000);
        assert_eq!(plan.parts.iter().map(|part| part.pieces.len()).collect::<Vec<_>>(), [1, 1, 1]);
    }

    #[test]
    fn the_intent_steers() {
        let change = change(&[("a.py", 2), ("src/b.py", 2), ("c.py", 2)]);
        let first = |intent: &str, known: &[&str]| {
            plan(&change, intent, known, 9_000).parts[0].pieces[0].file.clone()
        };
        assert_eq!(first("fixed the check in b.py.", &[]), "src/b.py");
        assert_eq!(first("tidied up", &["c.py"]), "c.py");
        assert_eq!(first("line of all", &[]), "a.py");
    }

    #[test]
    fn text_is_cut_between_lines() {
        assert_eq!(text_pieces("ab\ncd\nefghijkl\n", 6), ["ab\ncd\n", "efghij", "kl\n"]);
        assert_eq!(text_pieces("", 6), Vec::<String>::new());
    }

    #[test]
    fn files_without_lines_are_named() {
        let patch = "diff --git a/b.bin b/b.bin\nnew file mode 100644\nBinary files /dev/null and b/b.bin differ\n\
                     diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n";
        let change = masked(&parse(&Bytes::from(patch)).unwrap(), |_| true);
        let text = plan(&change, "", &[], 9_000).parts[0].text();
        let expected = "file: b.bin (new file), no lines to show\n\
                        file: new.py (renamed, was old.py), no lines to show\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_line_that_is_too_large_is_named() {
        let patch = format!(
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,3 @@\n one\n+{}\n+three\n",
            "x y ".repeat(500)
        );
        let change = masked(&parse(&Bytes::from(patch)).unwrap(), |_| true);
        let plan = plan(&change, "", &[], 500);
        assert_eq!(plan.left_over.iter().map(|it| it.line).collect::<Vec<_>>(), [2]);
        let all: String = plan.parts.iter().map(Part::text).collect();
        assert!(all.contains("one") && all.contains("three"));
    }
}
