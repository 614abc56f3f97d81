//! A change as text for a model: masked, each line with its number, in parts that fit.

use std::collections::BTreeSet;

use prevet_domain::change::{Change, FileChange, FileKind, Hunk, LineKind};

use crate::secrets;

/// A longer line is cut, which is said where it is: no reader of a diff reads it whole either.
const LINE_BYTES_MAX: usize = 4_000;
const CUT: &str = " \u{2026}[line cut]";

/// Hunks of one or more files that go together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The text.
    pub text: String,
    /// The files that it shows.
    pub paths: BTreeSet<String>,
}

/// One line of the change as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine {
    /// Context, added, removed.
    pub kind: LineKind,
    /// Its number after the change.
    pub number: u32,
    /// Its text, masked.
    pub text: String,
}

/// The lines of a file's hunks as they are shown, hunk by hunk. Each side is masked as the text that it is, since
/// a secret of several lines is only seen in lines that follow each other.
pub fn shown_hunks(file: &FileChange) -> Vec<Vec<ShownLine>> {
    let after = masked_side(file, LineKind::Removed);
    let before = masked_side(file, LineKind::Added);
    let (mut after, mut before) = (after.into_iter(), before.into_iter());
    let mut shown = |hunk: &Hunk| {
        let line = |line: &prevet_domain::change::Line| {
            let old = if line.kind == LineKind::Added { None } else { before.next() };
            let new = if line.kind == LineKind::Removed { None } else { after.next() };
            let text = new.or(old).unwrap_or_default();
            ShownLine { kind: line.kind, number: line.new_number, text }
        };
        hunk.lines.iter().map(line).collect()
    };
    file.hunks().iter().map(&mut shown).collect()
}

fn masked_side(file: &FileChange, other_side: LineKind) -> Vec<String> {
    let lines = file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != other_side);
    let texts: Vec<&[u8]> = lines.map(|line| line.text.as_ref()).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let joined = texts.join(&b'\n');
    let masked = secrets::mask(&joined);
    masked.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

/// The change in parts of at most `part_bytes_max`, in the order of the patch. A hunk is only cut, between two
/// lines, where it does not fit a part by itself.
pub fn parts(change: &Change, part_bytes_max: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for file in &change.files {
        let path = file.shown_path();
        for piece in pieces(file, part_bytes_max) {
            match parts.last_mut() {
                Some(last) if last.text.len() + piece.len() <= part_bytes_max => {
                    last.text.push_str(&piece);
                    last.paths.insert(path.clone());
                }
                _ => parts.push(Part { text: piece, paths: BTreeSet::from([path.clone()]) }),
            }
        }
    }
    parts
}

fn pieces(file: &FileChange, bytes_max: usize) -> Vec<String> {
    let head = head(file);
    let hunks = shown_hunks(file);
    if hunks.is_empty() {
        return vec![format!("{head}(no lines to show)\n")];
    }
    let room = bytes_max.saturating_sub(head.len());
    let mut pieces: Vec<String> = Vec::new();
    let mut push = |text: &str| match pieces.last_mut() {
        Some(last) if last.len() + text.len() <= bytes_max => last.push_str(text),
        _ => pieces.push(format!("{head}{text}")),
    };
    for (hunk, lines) in file.hunks().iter().zip(hunks) {
        let title = title(hunk);
        let lines: Vec<String> = lines.iter().map(numbered).collect();
        let whole: usize = lines.iter().map(String::len).sum::<usize>() + title.len();
        if whole <= room {
            push(&format!("{title}{}", lines.concat()));
        } else {
            push(&title);
            for line in &lines {
                push(line);
            }
        }
    }
    pieces
}

fn head(file: &FileChange) -> String {
    let path = file.shown_path();
    let what = match file.kind {
        FileKind::Added => "new file",
        FileKind::Deleted => "deleted file",
        FileKind::Modified => "modified file",
        FileKind::Renamed => "renamed file",
        FileKind::Copied => "copied file",
    };
    let old = file.old_path.as_ref().map(ToString::to_string).filter(|old| *old != path);
    let old = old.map(|old| format!(", was {old}")).unwrap_or_default();
    format!("\n=== {path} ({what}{old})\n")
}

fn title(hunk: &Hunk) -> String {
    let section = String::from_utf8_lossy(&secrets::mask(&hunk.section)).into_owned();
    format!("@@ line {} @@ {}\n", hunk.new_start, section.trim())
}

/// `12 + text`; a removed line has no number after the change.
fn numbered(line: &ShownLine) -> String {
    let text = cut(&line.text);
    match line.kind {
        LineKind::Removed => format!("- {text}\n"),
        LineKind::Added => format!("{} + {text}\n", line.number),
        LineKind::Context => format!("{}   {text}\n", line.number),
    }
}

fn cut(text: &str) -> String {
    if text.len() <= LINE_BYTES_MAX {
        return text.to_owned();
    }
    format!("{}{CUT}", &text[..text.floor_char_boundary(LINE_BYTES_MAX)])
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prevet_domain::change::parse;

    use super::*;

    fn change() -> Change {
        let text = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n one\n-two\n+zwei\n+drei\n\
                    @@ -10,1 +11,2 @@ def f():\n ten\n+eleven\n\
                    diff --git a/b.bin b/b.bin\nnew file mode 100644\nBinary files /dev/null and b/b.bin differ\n";
        parse(&Bytes::from(text)).unwrap()
    }

    #[test]
    fn lines_have_their_numbers() {
        let [part] = parts(&change(), 10_000).try_into().unwrap();
        let expected = "\n=== a.py (modified file)\n@@ line 1 @@ \n1   one\n- two\n2 + zwei\n3 + drei\n\
                        @@ line 11 @@ def f():\n11   ten\n12 + eleven\n\
                        \n=== b.bin (new file)\n(no lines to show)\n";
        assert_eq!(part.text, expected);
        assert_eq!(part.paths.len(), 2);
    }

    #[test]
    fn small_limits_lose_no_line() {
        for limit in [1, 40, 60, 100, 150] {
            let whole: String = parts(&change(), limit).into_iter().map(|part| part.text).collect();
            for line in ["1   one\n", "- two\n", "2 + zwei\n", "3 + drei\n", "11   ten\n", "12 + eleven\n"] {
                assert_eq!(whole.matches(line).count(), 1, "{limit} {line}");
            }
        }
    }

    #[test]
    fn secrets_of_both_sides_are_masked() {
        let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
        let text = format!(
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-aws_key = {key}\n+aws_access = {key}\n"
        );
        let [part] = parts(&parse(&Bytes::from(text)).unwrap(), 10_000).try_into().unwrap();
        assert!(!part.text.contains(&key), "{}", part.text);
    }

    #[test]
    fn text_is_cut_between_lines() {
        assert_eq!(text_pieces("ab\ncd\nefghijkl\n", 6), ["ab\ncd\n", "efghij", "kl\n"]);
        assert_eq!(text_pieces("", 6), Vec::<String>::new());
    }
}
