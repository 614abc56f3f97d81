//! Secrets in files of which a patch shows no text: binary ones, and text in UTF-16. Nothing of them leaves the machine.

use bytes::Bytes;
use prevet_analysis::secrets::mask;
use prevet_domain::change::{Change, Content, FileChange, FileKind, Hunk, Line, LineKind};
use prevet_domain::finding::{Confidence, Finding};
use prevet_domain::path::RepoPath;
use prevet_domain::policy::Policy;

use super::history::secret_report;
use crate::context::After;
use crate::error::CommandError;
use crate::git::Repository;

/// A larger file is not looked through.
const FILE_BYTES_MAX: usize = 16 << 20;
/// All files of one change together.
const ALL_BYTES_MAX: usize = 128 << 20;
/// Fewer printable characters in a row are no text.
const RUN_BYTES_MIN: usize = 8;

/// What was found.
#[derive(Debug, Default)]
pub struct BinarySecrets {
    /// Secrets that the files before the change do not have.
    pub findings: Vec<Finding>,
    /// Files that were not looked through: too large, or not there.
    pub unread: usize,
}

/// Where the files of a change are, before and after it.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The commit before.
    pub base: &'a str,
    /// Where files after the change are.
    pub after: After<'a>,
}

/// Looks through the binary files of `change`.
pub fn secrets(sides: Sides<'_>, change: &Change, policy: &Policy) -> Result<BinarySecrets, CommandError> {
    let mut found = BinarySecrets::default();
    let mut bytes_left = ALL_BYTES_MAX;
    let binary = |file: &&FileChange| file.content == Content::Binary && file.kind != FileKind::Deleted;
    for file in change.files.iter().filter(binary) {
        let bytes = file.new_path.as_ref().map(|path| after(sides, path)).transpose()?.flatten();
        match bytes.filter(|bytes| bytes.len() <= FILE_BYTES_MAX.min(bytes_left)) {
            None => found.unread += 1,
            Some(bytes) => {
                bytes_left -= bytes.len();
                found.findings.extend(new_secrets(sides, file, &bytes, policy)?);
            }
        }
    }
    Ok(found)
}

fn after(sides: Sides<'_>, path: &RepoPath) -> Result<Option<Vec<u8>>, CommandError> {
    Ok(match sides.after {
        After::Commit(commit) => sides.repository.file_at(commit, path)?,
        After::WorkTree => sides.repository.work_tree_file(path)?,
    })
}

fn new_secrets(
    sides: Sides<'_>,
    file: &FileChange,
    bytes: &[u8],
    policy: &Policy,
) -> Result<Vec<Finding>, CommandError> {
    let found = secrets_in(file, bytes, policy);
    let before = match file.old_path.as_ref().filter(|_| !found.is_empty()) {
        Some(old_path) => sides.repository.file_at(sides.base, old_path)?.unwrap_or_default(),
        None => Vec::new(),
    };
    Ok(without_known(found, &before))
}

/// Those whose value is not in `before`: what stands around a value in binary bytes changes by itself.
fn without_known(found: Vec<Found>, before: &[u8]) -> Vec<Finding> {
    let before = text_of(before).0;
    let known = |it: &Found| !it.value.is_empty() && before.contains(&it.value);
    found.into_iter().filter(|it| !known(it)).map(|it| it.finding).collect()
}

/// A finding, and the value that it is about.
struct Found {
    finding: Finding,
    value: String,
}

/// Whether a patch that shows everything as text shows bytes here that are none.
pub fn is_binary(file: &FileChange) -> bool {
    file.hunks().iter().flat_map(|hunk| &hunk.lines).any(|line| line.text.contains(&0))
}

/// The secrets that the added bytes of such a file have and the removed ones do not.
pub fn added_secrets(file: &FileChange, policy: &Policy) -> Vec<Finding> {
    let bytes = |kind| {
        let lines = file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind);
        lines.map(|line| line.text.as_ref()).collect::<Vec<&[u8]>>().join(&b'\n')
    };
    without_known(secrets_in(file, &bytes(LineKind::Added), policy), &bytes(LineKind::Removed))
}

/// The text of a file, and whether its lines are the file's own.
fn text_of(bytes: &[u8]) -> (String, bool) {
    utf16_text(bytes).map_or_else(|| (printable_runs(bytes), false), |text| (text, true))
}

/// The secrets of one file, as if all of its text had been added.
fn secrets_in(file: &FileChange, bytes: &[u8], policy: &Policy) -> Vec<Found> {
    let (text, has_lines) = text_of(bytes);
    let change = Change { files: vec![as_added(file, &text)] };
    let masked = String::from_utf8_lossy(&mask(text.as_bytes())).into_owned();
    let with_value = |mut finding: Finding| {
        let line = finding.line.unwrap_or(1).saturating_sub(1) as usize;
        let value = taken_out(text.lines().nth(line), masked.lines().nth(line));
        if !has_lines {
            (finding.line, finding.end_line) = (None, None);
        }
        Found { finding, value }
    };
    // Compressed bytes look like anything: there only what has a form of its own counts.
    let counts = |finding: &Finding| has_lines || finding.confidence == Confidence::High;
    secret_report(&change, policy).findings.into_iter().filter(counts).map(with_value).collect()
}

/// What a mask took out of a line; nothing where it took out nothing.
fn taken_out(line: Option<&str>, masked: Option<&str>) -> String {
    let (line, masked) = (line.unwrap_or_default(), masked.unwrap_or_default());
    let same = |one: &(char, char)| one.0 == one.1;
    let start: usize =
        line.chars().zip(masked.chars()).take_while(same).map(|(sign, _)| sign.len_utf8()).sum();
    let ends = line[start..].chars().rev().zip(masked[start..].chars().rev());
    let end: usize = ends.take_while(same).map(|(sign, _)| sign.len_utf8()).sum();
    line[start..line.len() - end].to_owned()
}

fn as_added(file: &FileChange, text: &str) -> FileChange {
    let mut number = 0;
    let line = |text: &str| {
        number += 1;
        Line {
            kind: LineKind::Added,
            old_number: 0,
            new_number: number,
            text: Bytes::copy_from_slice(text.as_bytes()),
            newline: true,
        }
    };
    let lines: Vec<Line> = text.lines().map(line).collect();
    let hunk = Hunk {
        old_start: 0,
        old_lines: 0,
        new_start: 1,
        new_lines: u32::try_from(lines.len()).unwrap_or(u32::MAX),
        section: Bytes::new(),
        lines,
    };
    FileChange { old_path: None, kind: FileKind::Added, content: Content::Text(vec![hunk]), ..file.clone() }
}

/// The text of a file that begins with UTF-16's byte order mark.
fn utf16_text(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// What of binary bytes can be read, a run to a line.
fn printable_runs(bytes: &[u8]) -> String {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let dense: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    // Every other byte of text in UTF-16 that has lost its beginning is zero.
    let wide = (bytes.len() - dense.len()) * 3 > bytes.len();
    let shown = if wide { dense.as_slice() } else { bytes };
    let runs = shown.split(|byte| !is_text(byte)).filter(|run| run.len() >= RUN_BYTES_MIN);
    let mut text = String::new();
    for run in runs {
        text.push_str(&String::from_utf8_lossy(run));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_both_orders() {
        let units: Vec<u16> = "key=é\n".encode_utf16().collect();
        let little =
            [&[0xFF, 0xFE][..], &units.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>()].concat();
        let big =
            [&[0xFE, 0xFF][..], &units.iter().flat_map(|it| it.to_be_bytes()).collect::<Vec<_>>()].concat();
        assert_eq!(utf16_text(&little).as_deref(), Some("key=é\n"));
        assert_eq!(utf16_text(&big).as_deref(), Some("key=é\n"));
        assert_eq!(utf16_text(b"key"), None);
        assert_eq!(utf16_text(&[0xFF, 0xFE, 0x41]).as_deref(), Some(""));
    }

    #[test]
    fn what_a_mask_takes_out() {
        assert_eq!(taken_out(Some("a KEY b"), Some("a [masked] b")), "KEY");
        assert_eq!(taken_out(Some("a b"), Some("a b")), "");
        assert_eq!(taken_out(Some("é KEY"), Some("é [masked]")), "KEY");
        assert_eq!(taken_out(None, None), "");
    }

    #[test]
    fn runs_of_text() {
        assert_eq!(
            printable_runs(b"\x00\x01long enough\x00short\x00also long enough"),
            "long enough\nalso long enough\n"
        );
    }
}
