//! Patch text to [`Change`].

use bytes::Bytes;

use super::names::{Prefixes, header_names, marker_name, unquote};
use super::{Change, Content, FileChange, FileKind, Hunk, Line, LineKind};
use crate::limits::{CHANGE_FILES_MAX, DIFF_BYTES_MAX};
use crate::path::{PathError, RepoPath, escape};

/// Why a text is no patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Over [`DIFF_BYTES_MAX`].
    #[error("the diff has {bytes} bytes; the limit is {DIFF_BYTES_MAX}")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// Over [`CHANGE_FILES_MAX`].
    #[error("the diff touches more than {CHANGE_FILES_MAX} files, which is the limit")]
    TooManyFiles,
    /// A path that is none.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A line that has no place where it stands.
    #[error("line {line} of the diff {problem}{text}; send what `git diff` prints, unchanged and whole")]
    Malformed {
        /// The patch's line, from 1.
        line: usize,
        /// What is wrong.
        problem: &'static str,
        /// The line's beginning, where it is a header: other lines may hold a secret.
        text: String,
    },
}

/// Parses what `git diff` prints. An empty text is a change of no files.
pub fn parse(patch: &Bytes) -> Result<Change, ParseError> {
    if patch.len() > DIFF_BYTES_MAX {
        return Err(ParseError::TooLarge { bytes: patch.len() });
    }
    let mut reader = Reader { patch, offset: 0, number: 0 };
    let mut files: Vec<FileChange> = Vec::new();
    while let Some(line) = reader.next_line() {
        let file = reader.file(&line)?;
        if files.len() == CHANGE_FILES_MAX {
            return Err(ParseError::TooManyFiles);
        }
        files.extend(file);
    }
    Ok(Change { files })
}

struct Reader<'a> {
    patch: &'a Bytes,
    offset: usize,
    number: usize,
}

/// On which sides of the change the file exists.
#[derive(Default, PartialEq)]
enum Presence {
    #[default]
    Both,
    After,
    Before,
}

/// What the extended header of one file says, as far as it was read.
#[derive(Default)]
struct Header {
    names: Option<(Vec<u8>, Vec<u8>)>,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    copied: bool,
    presence: Presence,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    binary: bool,
    /// Whether the `index` line states a content after the change that is another one, and not empty.
    content_changed: bool,
    markers: Option<(Vec<u8>, Vec<u8>)>,
    hunks: Vec<Hunk>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<Bytes> {
        let rest = &self.patch[self.offset..];
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        Some(self.patch.slice(self.offset..self.offset + end))
    }

    fn next_line(&mut self) -> Option<Bytes> {
        let line = self.peek()?;
        self.offset = (self.offset + line.len() + 1).min(self.patch.len());
        self.number += 1;
        Some(line)
    }

    fn malformed(&self, problem: &'static str, line: &[u8]) -> ParseError {
        let is_header = line.starts_with(b"diff ") || line.starts_with(b"@@ ");
        let text =
            if is_header { format!(" ({})", escape(&line[..line.len().min(80)])) } else { String::new() };
        ParseError::Malformed { line: self.number, problem, text }
    }

    /// One file, whose first line is `line`.
    fn file(&mut self, line: &Bytes) -> Result<Option<FileChange>, ParseError> {
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            let header = Header { names: header_names(rest), ..Header::default() };
            return self.git_file(header).map(Some);
        }
        let combined = line.strip_prefix(b"diff --cc ").or_else(|| line.strip_prefix(b"diff --combined "));
        if let Some(name) = combined {
            let (name, _) = unquote(name).ok_or_else(|| self.malformed("has a broken quoted name", line))?;
            self.skip_combined();
            return Ok(Some(unmerged(RepoPath::parse(&name)?)));
        }
        if let Some(name) = line.strip_prefix(b"* Unmerged path ") {
            let (name, _) = unquote(name).ok_or_else(|| self.malformed("has a broken quoted name", line))?;
            return Ok(Some(unmerged(RepoPath::parse(&name)?)));
        }
        if line.starts_with(b"Submodule ") || line.starts_with(b"  > ") || line.starts_with(b"  < ") {
            return Ok(None);
        }
        if line.starts_with(b"--- ") {
            return self.plain_file(line).map(Some);
        }
        let problem = if line.contains(&0x1b) {
            "carries terminal colours (use `git diff --no-color`)"
        } else {
            "is not part of a patch"
        };
        Err(self.malformed(problem, line))
    }

    fn skip_combined(&mut self) {
        let begins = |line: &Bytes| line.starts_with(b"diff --") || line.starts_with(b"* Unmerged path ");
        while self.peek().is_some_and(|line| !begins(&line)) {
            self.next_line();
        }
    }

    /// A file without git's header, as `diff -u` prints it.
    fn plain_file(&mut self, first: &Bytes) -> Result<FileChange, ParseError> {
        let mut header = Header::default();
        self.markers(&mut header, first)?;
        self.hunks(&mut header)?;
        if header.hunks.is_empty() {
            return Err(self.malformed("names a file but no hunk follows", first));
        }
        self.finish(header)
    }

    fn git_file(&mut self, mut header: Header) -> Result<FileChange, ParseError> {
        while let Some(line) = self.peek() {
            if line.starts_with(b"--- ") {
                self.next_line();
                self.markers(&mut header, &line)?;
                self.hunks(&mut header)?;
                if header.hunks.is_empty() {
                    return Err(self.malformed("is a `+++` line after which no hunk follows", &line));
                }
                break;
            }
            if line.as_ref() == b"GIT binary patch" {
                self.next_line();
                header.binary = true;
                self.skip_binary_patch();
                break;
            }
            if !self.extended(&mut header, &line)? {
                break;
            }
            self.next_line();
        }
        let expected = header.content_changed && !header.binary && header.presence != Presence::Before;
        if expected && header.hunks.is_empty() {
            return Err(self.malformed("ends a file whose content does not follow (the diff was cut)", b""));
        }
        self.finish(header)
    }

    /// Whether `line` is one of git's extended header lines; what it says goes into `header`.
    fn extended(&self, header: &mut Header, line: &[u8]) -> Result<bool, ParseError> {
        let name = |rest: &[u8]| {
            unquote(rest)
                .map(|(name, _)| Some(name))
                .ok_or_else(|| self.malformed("has a broken quoted name", line))
        };
        let mode =
            |rest: &[u8]| octal_mode(rest).map(Some).ok_or_else(|| self.malformed("has no octal mode", line));
        if let Some(rest) = line.strip_prefix(b"old mode ") {
            header.old_mode = mode(rest)?;
        } else if let Some(rest) = line.strip_prefix(b"new mode ") {
            header.new_mode = mode(rest)?;
        } else if let Some(rest) = line.strip_prefix(b"new file mode ") {
            (header.presence, header.new_mode) = (Presence::After, mode(rest)?);
        } else if let Some(rest) = line.strip_prefix(b"deleted file mode ") {
            (header.presence, header.old_mode) = (Presence::Before, mode(rest)?);
        } else if let Some(rest) = line.strip_prefix(b"rename from ") {
            header.from = name(rest)?;
        } else if let Some(rest) = line.strip_prefix(b"rename to ") {
            header.to = name(rest)?;
        } else if let Some(rest) = line.strip_prefix(b"copy from ") {
            (header.copied, header.from) = (true, name(rest)?);
        } else if let Some(rest) = line.strip_prefix(b"copy to ") {
            header.to = name(rest)?;
        } else if let Some(rest) = line.strip_prefix(b"index ") {
            let last = rest.rsplit(|byte| *byte == b' ').next().unwrap_or(rest);
            let stated = rest.contains(&b' ').then(|| octal_mode(last)).flatten();
            header.new_mode = header.new_mode.or(stated);
            header.content_changed = content_changed(rest);
        } else if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
            header.binary = true;
        } else {
            return Ok(line.starts_with(b"similarity index ") || line.starts_with(b"dissimilarity index "));
        }
        Ok(true)
    }

    fn skip_binary_patch(&mut self) {
        while self.peek().is_some_and(|line| !line.starts_with(b"diff --")) {
            self.next_line();
        }
    }

    fn markers(&mut self, header: &mut Header, old_line: &Bytes) -> Result<(), ParseError> {
        let broken = "has a broken quoted name";
        let old = marker_name(&old_line[4..]).ok_or_else(|| self.malformed(broken, old_line))?;
        let Some(new_line) = self.next_line().filter(|line| line.starts_with(b"+++ ")) else {
            return Err(self.malformed("has no `+++` line after it", old_line));
        };
        let new = marker_name(&new_line[4..]).ok_or_else(|| self.malformed(broken, &new_line))?;
        header.markers = Some((old, new));
        Ok(())
    }

    fn hunks(&mut self, header: &mut Header) -> Result<(), ParseError> {
        while self.peek().is_some_and(|line| line.starts_with(b"@@ ")) {
            let hunk = self.hunk()?;
            header.hunks.push(hunk);
        }
        Ok(())
    }

    fn hunk(&mut self) -> Result<Hunk, ParseError> {
        let line = self.next_line().unwrap_or_default();
        let mut hunk = hunk_header(&line).ok_or_else(|| self.malformed("is no hunk header", &line))?;
        let (mut old_left, mut new_left) = (hunk.old_lines, hunk.new_lines);
        while old_left > 0 || new_left > 0 {
            let Some(body) = self.next_line() else {
                return Err(self.malformed("ends before its hunk does (the diff was cut)", &line));
            };
            let kind = match body.first() {
                Some(b'+') if new_left > 0 => LineKind::Added,
                Some(b'-') if old_left > 0 => LineKind::Removed,
                // `diff.suppressBlankEmpty` prints an empty context line without its space.
                Some(b' ') | None if old_left > 0 && new_left > 0 => LineKind::Context,
                _ => return Err(self.malformed("does not fit the hunk's line counts", &body)),
            };
            let (old_number, new_number) = hunk.position(old_left, new_left);
            old_left -= u32::from(kind != LineKind::Added);
            new_left -= u32::from(kind != LineKind::Removed);
            let text = body.slice(body.len().min(1)..);
            let newline = !self.no_newline_follows();
            hunk.lines.push(Line { kind, old_number, new_number, text, newline });
        }
        Ok(hunk)
    }

    /// Consumes git's `\ No newline at end of file`, in whatever language it is written.
    fn no_newline_follows(&mut self) -> bool {
        let follows = self.peek().is_some_and(|line| line.starts_with(b"\\ "));
        if follows {
            self.next_line();
        }
        follows
    }

    fn finish(&self, header: Header) -> Result<FileChange, ParseError> {
        let (old_path, new_path) = self.paths(&header)?;
        if old_path.is_none() && new_path.is_none() {
            return Err(self.malformed("ends a file whose name cannot be read", b""));
        }
        let kind = match (&old_path, &new_path) {
            (None, _) => FileKind::Added,
            (_, None) => FileKind::Deleted,
            _ if header.copied => FileKind::Copied,
            (old, new) if old != new => FileKind::Renamed,
            _ => FileKind::Modified,
        };
        let content = if header.binary { Content::Binary } else { Content::Text(header.hunks) };
        Ok(FileChange {
            old_path,
            new_path,
            kind,
            old_mode: header.old_mode,
            new_mode: header.new_mode,
            content,
        })
    }

    fn paths(&self, header: &Header) -> Result<(Option<RepoPath>, Option<RepoPath>), ParseError> {
        if let (Some(from), Some(to)) = (&header.from, &header.to) {
            return Ok((Some(RepoPath::parse(from)?), Some(RepoPath::parse(to)?)));
        }
        let prefixes = Prefixes::of_header(header.names.as_ref());
        let (old, new) = match (&header.markers, &header.names) {
            (Some((old, new)), _) | (None, Some((old, new))) => (prefixes.path(old)?, prefixes.path(new)?),
            (None, None) => return Err(self.malformed("ends a file whose name cannot be read", b"")),
        };
        Ok((
            old.filter(|_| header.presence != Presence::After),
            new.filter(|_| header.presence != Presence::Before),
        ))
    }
}

impl Hunk {
    /// The numbers of the next line where this many lines of each side are still to come.
    fn position(&self, old_left: u32, new_left: u32) -> (u32, u32) {
        // A side without lines states the line before it, so the next line is one further.
        let next = |start: u32, count: u32, left: u32| start + u32::from(count == 0) + (count - left);
        (next(self.old_start, self.old_lines, old_left), next(self.new_start, self.new_lines, new_left))
    }
}

fn unmerged(path: RepoPath) -> FileChange {
    FileChange {
        old_path: Some(path.clone()),
        new_path: Some(path),
        kind: FileKind::Modified,
        old_mode: None,
        new_mode: None,
        content: Content::Unmerged,
    }
}

/// `1111111..2222222 100644`
fn content_changed(index: &[u8]) -> bool {
    let ids = index.split(|byte| *byte == b' ').next().unwrap_or(index);
    let Some(at) = ids.windows(2).position(|pair| pair == b"..") else { return false };
    let (old, new) = (&ids[..at], &ids[at + 2..]);
    old != new && !EMPTY_BLOBS.iter().any(|empty| empty.starts_with(new))
}

/// The ids of an empty file, by SHA-1 and by SHA-256.
const EMPTY_BLOBS: [&[u8]; 2] = [
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

fn octal_mode(text: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()
}

/// `@@ -1,2 +3,4 @@ section`
fn hunk_header(line: &Bytes) -> Option<Hunk> {
    let rest = line.strip_prefix(b"@@ -")?;
    let end = rest.windows(3).position(|window| window == b" @@")?;
    let (old, new) = std::str::from_utf8(&rest[..end]).ok()?.split_once(" +")?;
    let (old_start, old_lines) = range(old)?;
    let (new_start, new_lines) = range(new)?;
    let section = rest[end + 3..].strip_prefix(b" ").unwrap_or_default();
    let section = line.slice(line.len() - section.len()..);
    Some(Hunk { old_start, old_lines, new_start, new_lines, section, lines: Vec::new() })
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    start.checked_add(count)?.checked_add(1)?;
    Some((start, count))
}
