//! A file before and after a change, made from one side and the hunks.

use super::{FileChange, Line, LineKind};

/// Why hunks and a text do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the diff does not apply: line {line} of {file} is not what the diff says it is")]
pub struct ImageError {
    /// The file, escaped.
    pub file: String,
    /// The line after the change, from 1.
    pub line: u32,
}

/// Checks that `post` is the file after the change: each added and context line stands where the hunks say.
///
/// `is_masked` says which lines of `post` were altered on purpose (secrets), and are taken as they are.
/// A carriage return before the newline is not held against a line: filters may have taken it away.
pub fn verify_post_image(
    file: &FileChange,
    post: &[u8],
    is_masked: impl Fn(&[u8]) -> bool,
) -> Result<(), ImageError> {
    let lines: Vec<&[u8]> = split_lines(post);
    let expected =
        file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != LineKind::Removed);
    for line in expected {
        let found = (line.new_number as usize).checked_sub(1).and_then(|at| lines.get(at));
        let same = |found: &&&[u8]| same_text(bare(found), bare(&line.text)) || is_masked(found);
        if !found.as_ref().is_some_and(same) {
            return Err(ImageError { file: file.shown_path(), line: line.new_number });
        }
    }
    Ok(())
}

/// A file that came as text has its bad bytes replaced.
fn same_text(found: &[u8], line: &[u8]) -> bool {
    found == line || (std::str::from_utf8(line).is_err() && String::from_utf8_lossy(line).as_bytes() == found)
}

fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n').collect()
}

/// The file before the change, from the file after it. Call [`verify_post_image`] first.
pub fn pre_image(file: &FileChange, post: &[u8]) -> Vec<u8> {
    let lines = split_lines(post);
    let mut pre = Vec::with_capacity(post.len());
    let mut next = 0;
    for hunk in file.hunks() {
        let skip = usize::from(hunk.new_lines > 0);
        let start = (hunk.new_start as usize).saturating_sub(skip).min(lines.len());
        let between = lines.get(next..start).unwrap_or_default();
        for line in between {
            push_line(&mut pre, line, true);
        }
        for line in hunk.lines.iter().filter(|line| line.kind != LineKind::Added) {
            push(&mut pre, line);
        }
        next = start + hunk.new_lines as usize;
    }
    let rest = lines.get(next..).unwrap_or_default();
    let last_newline = post.ends_with(b"\n");
    for (at, line) in rest.iter().enumerate() {
        push_line(&mut pre, line, at + 1 < rest.len() || last_newline);
    }
    pre
}

/// The file after the change, from the file before it. Each removed and context line has to stand where the hunks say:
/// otherwise the diff was taken from another file, and there is no result.
pub fn post_image(file: &FileChange, pre: &[u8]) -> Result<Vec<u8>, ImageError> {
    let lines = if pre.is_empty() { Vec::new() } else { split_lines(pre) };
    let error = |line: u32| ImageError { file: file.shown_path(), line };
    let mut post = Vec::with_capacity(pre.len());
    let mut next = 0;
    for hunk in file.hunks() {
        let skip = usize::from(hunk.old_lines > 0);
        let start = (hunk.old_start as usize).saturating_sub(skip);
        let between = lines.get(next..start).ok_or_else(|| error(hunk.old_start))?;
        for line in between {
            push_line(&mut post, line, true);
        }
        next = start;
        for line in &hunk.lines {
            if line.kind != LineKind::Added {
                let same = lines.get(next).is_some_and(|found| *found == line.text.as_ref());
                next += 1;
                if !same {
                    return Err(error(line.old_number));
                }
            }
            if line.kind != LineKind::Removed {
                push(&mut post, line);
            }
        }
    }
    let rest = lines.get(next..).unwrap_or_default();
    for (at, line) in rest.iter().enumerate() {
        push_line(&mut post, line, at + 1 < rest.len() || pre.ends_with(b"\n"));
    }
    Ok(post)
}

/// What the hunks alone show of the file after the change, each line at its own number, blank lines between.
pub fn post_fragment(file: &FileChange) -> Vec<u8> {
    fragment(file, LineKind::Removed, |line| line.new_number)
}

/// What the hunks alone show of the file before the change, each line at its own number, blank lines between.
pub fn pre_fragment(file: &FileChange) -> Vec<u8> {
    fragment(file, LineKind::Added, |line| line.old_number)
}

fn fragment(file: &FileChange, other_side: LineKind, number_of: fn(&Line) -> u32) -> Vec<u8> {
    let mut text = Vec::new();
    let mut number = 1;
    let shown = file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != other_side);
    for line in shown {
        // A hunk far down a huge file would cost a blank line for each line before it.
        let gap = (number_of(line).saturating_sub(number) as usize).min(BLANK_LINES_MAX);
        text.extend(std::iter::repeat_n(b'\n', gap));
        push_line(&mut text, &line.text, true);
        number = number_of(line) + 1;
    }
    text
}

const BLANK_LINES_MAX: usize = 4_000_000;

fn push(text: &mut Vec<u8>, line: &Line) {
    push_line(text, &line.text, line.newline);
}

fn push_line(text: &mut Vec<u8>, line: &[u8], newline: bool) {
    text.extend_from_slice(line);
    if newline {
        text.push(b'\n');
    }
}
