//! A parsed patch: which files a change touches and which lines it adds and removes.
//!
//! The text is git's own extended unified diff. Hunks are read by the counts in their headers and never by how
//! a line looks, so that a removed `-- comment` is not mistaken for a file header.

mod image;
mod names;
mod parse;

use bytes::Bytes;

pub use self::image::{ImageError, post_fragment, post_image, pre_fragment, pre_image, verify_post_image};
pub use self::names::unquote;
pub use self::parse::{ParseError, parse};
use crate::path::RepoPath;

/// A whole patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The files in the order of the patch.
    pub files: Vec<FileChange>,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path before; `None` for a new file.
    pub old_path: Option<RepoPath>,
    /// The path after; `None` for a deleted file.
    pub new_path: Option<RepoPath>,
    /// Added, deleted, modified, renamed, copied.
    pub kind: FileKind,
    /// The octal mode before, where the patch states it.
    pub old_mode: Option<u32>,
    /// The octal mode after, where the patch states it.
    pub new_mode: Option<u32>,
    /// What the patch says of the content.
    pub content: Content,
}

/// The kinds of change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Not there before.
    Added,
    /// Not there after.
    Deleted,
    /// Same path before and after.
    Modified,
    /// Another path before.
    Renamed,
    /// Made from another file, which stays.
    Copied,
}

/// The content part of a file's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Lines; none for a change of mode or a pure rename.
    Text(Vec<Hunk>),
    /// Git holds the file to be binary and shows nothing of it.
    Binary,
    /// A merge conflict, or a combined diff of one: nothing that can be placed on lines.
    Unmerged,
}

/// One `@@` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// First line before, counted from 1 (0 where the file was empty).
    pub old_start: u32,
    /// Lines before.
    pub old_lines: u32,
    /// First line after, counted from 1 (0 where the file is empty).
    pub new_start: u32,
    /// Lines after.
    pub new_lines: u32,
    /// What git prints behind the second `@@`: usually the enclosing function.
    pub section: Bytes,
    /// The lines in order.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Context, added, removed.
    pub kind: LineKind,
    /// Its number before; for an added line the number that the next old line has.
    pub old_number: u32,
    /// Its number after; for a removed line the number that the next new line has.
    pub new_number: u32,
    /// Its bytes, without the newline.
    pub text: Bytes,
    /// Whether a newline follows.
    pub newline: bool,
}

/// The kinds of a hunk's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// The same before and after.
    Context,
    /// Only after.
    Added,
    /// Only before.
    Removed,
}

impl FileChange {
    /// The path to speak of: the one after, or before for a deleted file.
    pub fn path(&self) -> Option<&RepoPath> {
        self.new_path.as_ref().or(self.old_path.as_ref())
    }

    /// The path as text; escaped where it is not UTF-8.
    pub fn shown_path(&self) -> String {
        self.path().map(ToString::to_string).unwrap_or_default()
    }

    /// The hunks; none where there is no text.
    pub fn hunks(&self) -> &[Hunk] {
        match &self.content {
            Content::Text(hunks) => hunks,
            Content::Binary | Content::Unmerged => &[],
        }
    }

    /// The added lines, in order.
    pub fn added_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines_of(LineKind::Added)
    }

    /// The removed lines, in order.
    pub fn removed_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines_of(LineKind::Removed)
    }

    fn lines_of(&self, kind: LineKind) -> impl Iterator<Item = &Line> {
        self.hunks().iter().flat_map(|hunk| &hunk.lines).filter(move |line| line.kind == kind)
    }

    /// Whether this is a submodule's entry (mode 160000) and no file.
    pub fn is_submodule(&self) -> bool {
        self.new_mode.or(self.old_mode) == Some(0o160_000)
    }
}

#[cfg(test)]
mod tests;
