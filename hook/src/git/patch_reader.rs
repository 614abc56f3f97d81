//! Cuts the output of `git log --patch` into parts made of whole files.

use std::io::{self, BufRead};

use prevet_domain::change::unquote;
use prevet_domain::path::escape;

use super::capture::LeftOut;
use super::combined;
use super::commits::CommitPatch;

/// Begins the line before a commit's patch. Lines of a patch never begin so: each has its `+`, `-` or space.
pub(super) const COMMIT_MARK: &str = "commit ";
const FILE_MARK: &[u8] = b"diff --";

/// Reads parts of at most a number of bytes.
pub(super) struct PatchReader<R> {
    input: R,
    limit_bytes: usize,
    commit: String,
    /// The line that ended the section before.
    ahead: Option<Vec<u8>>,
    /// A file that did not fit into the part before.
    held: Option<Vec<u8>>,
}

enum Section {
    Commit(String),
    File(Vec<u8>),
    TooLarge(LeftOut),
}

impl<R: BufRead> PatchReader<R> {
    pub(super) fn new(input: R, limit_bytes: usize) -> Self {
        Self { input, limit_bytes, commit: String::new(), ahead: None, held: None }
    }

    /// The next part; `None` at the end.
    pub(super) fn next_part(&mut self) -> io::Result<Option<CommitPatch>> {
        let patch = self.held.take().unwrap_or_default();
        let mut part = CommitPatch { commit: self.commit.clone(), patch, ..CommitPatch::default() };
        while let Some(section) = self.section()? {
            match section {
                Section::Commit(commit) => {
                    self.commit.clone_from(&commit);
                    if !part.is_empty() {
                        return Ok(Some(part));
                    }
                    part.commit = commit;
                }
                Section::TooLarge(left_out) => part.left_out.push(left_out),
                Section::File(file) if combined::is_combined(&file) => add_combined(&mut part, &file),
                Section::File(file) if self.fits(&part, &file) => part.patch.extend(file),
                Section::File(file) => {
                    self.held = Some(file);
                    return Ok(Some(part));
                }
            }
        }
        Ok((!part.is_empty()).then_some(part))
    }

    fn fits(&self, part: &CommitPatch, file: &[u8]) -> bool {
        part.patch.is_empty() || part.patch.len() + file.len() <= self.limit_bytes
    }

    fn section(&mut self) -> io::Result<Option<Section>> {
        loop {
            let mut text = self.ahead.take().unwrap_or_default();
            if text.is_empty() && !self.line(&mut text)? {
                return Ok(None);
            }
            if let Some(id) = text.strip_prefix(COMMIT_MARK.as_bytes()) {
                return Ok(Some(Section::Commit(String::from_utf8_lossy(id).trim().to_owned())));
            }
            if text.starts_with(FILE_MARK) {
                return self.file(text).map(Some);
            }
        }
    }

    fn file(&mut self, mut text: Vec<u8>) -> io::Result<Section> {
        let header_bytes = text.len();
        loop {
            let start = text.len();
            if !self.line(&mut text)? {
                break;
            }
            if text[start..].starts_with(COMMIT_MARK.as_bytes()) || text[start..].starts_with(FILE_MARK) {
                self.ahead = Some(text.split_off(start));
                break;
            }
            if text.len() > self.limit_bytes {
                text.truncate(self.limit_bytes.max(header_bytes) + 1);
            }
        }
        if text.len() <= self.limit_bytes {
            return Ok(Section::File(text));
        }
        let reason = format!("its patch has more than {} bytes", self.limit_bytes);
        Ok(Section::TooLarge(LeftOut { path: path_in_header(&text[..header_bytes]), reason }))
    }

    /// Adds the next line to `text`; of a line that is longer than the limit only as much as shows that.
    fn line(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let start = text.len();
        let room = self.limit_bytes.max(FILE_MARK.len()) + 1;
        let mut any = false;
        loop {
            let available = self.input.fill_buf()?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let kept = taken.min(room.saturating_sub(text.len() - start));
            text.extend_from_slice(&available[..kept]);
            self.input.consume(taken);
            any |= taken > 0;
            if newline.is_some() || taken == 0 {
                return Ok(any);
            }
        }
    }
}

fn add_combined(part: &mut CommitPatch, file: &[u8]) {
    let ordinary = combined::ordinary(file);
    if ordinary.windows(14).any(|text| text == b"\nBinary files ") && !ordinary.contains(&b'@') {
        let path = path_in_header(ordinary.split(|byte| *byte == b'\n').next().unwrap_or_default());
        part.left_out.push(LeftOut { path, reason: "a binary file changed in a merge".into() });
    }
    part.patch.extend(ordinary);
}

/// The path on a `diff` line, for a message: exact but for renames, which show both names.
fn path_in_header(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let names = line.splitn(3, |byte| *byte == b' ').nth(2).unwrap_or(line);
    if names.starts_with(b"\"") {
        let name = unquote(names).map(|(name, _)| name).unwrap_or_default();
        return escape(name.strip_prefix(b"a/").unwrap_or(&name));
    }
    let (old, new) = names.split_at(names.len() / 2);
    let same = old.strip_prefix(b"a/").zip(new.strip_prefix(b" b/")).filter(|(old, new)| old == new);
    escape(same.map_or(names, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, limit_bytes: usize) -> Vec<(String, String, usize)> {
        let mut reader = PatchReader::new(text.as_bytes(), limit_bytes);
        let mut found = Vec::new();
        while let Some(part) = reader.next_part().unwrap() {
            found.push((part.commit, String::from_utf8(part.patch).unwrap(), part.left_out.len()));
        }
        found
    }

    #[test]
    fn cuts_at_files_and_commits() {
        let one = "diff --git a/x b/x\n@@ -0,0 +1 @@\n+commit 9\n";
        let two = "diff --git a/y b/y\n@@ -0,0 +1 @@\n+diff --git\n";
        let text = format!("commit 1\n\n{one}{two}commit 2\ncommit 3\n\n{one}");
        let whole = vec![("1".into(), format!("{one}{two}"), 0), ("3".into(), one.into(), 0)];
        assert_eq!(parts(&text, 1000), whole);
        let cut = vec![("1".into(), one.into(), 0), ("1".into(), two.into(), 0), ("3".into(), one.into(), 0)];
        assert_eq!(parts(&text, one.len().max(two.len())), cut);
    }

    #[test]
    fn names_what_is_too_large() {
        let long = "x".repeat(500);
        let text = format!(
            "commit 1\n\ndiff --git a/big b/big\n@@ -0,0 +1,2 @@\n+{long}\n+{long}\ndiff --git a/y b/y\n+y\n"
        );
        assert_eq!(parts(&text, 100), vec![("1".into(), "diff --git a/y b/y\n+y\n".into(), 1)]);
        assert_eq!(path_in_header(b"diff --git a/b c b/b c\n"), "b c");
        assert_eq!(path_in_header(b"diff --git \"a/\\303\\251\" \"b/\\303\\251\"\n"), "é");
        assert_eq!(path_in_header(b"diff --git a/old b/new\n"), "a/old b/new");
    }
}
