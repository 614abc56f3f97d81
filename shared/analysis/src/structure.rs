//! What the structure of a change shows without anybody judging it: kinds of files, and symbols that come, go,
//! change or get another name.

mod compare;
mod definition;
mod grammar;
mod render;
#[cfg(test)]
mod tests;
mod trivial;

use std::collections::BTreeMap;

use prevet_domain::change::{Change, Content, FileChange, FileKind, post_fragment, pre_fragment, pre_image};

pub use self::compare::{Renamed, Symbols};
pub use self::definition::Definition;
pub(crate) use self::grammar::defines;
pub use self::render::{bullet, describe};
pub use self::trivial::trivial;
use crate::language::{Language, TextKind, detect};

/// What one file's part of a change shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutline {
    /// The path to speak of.
    pub path: String,
    /// The path before, where it was another.
    pub old_path: Option<String>,
    /// Added, deleted, modified, renamed, copied.
    pub kind: FileKind,
    /// What its text is.
    pub text: TextKind,
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
    /// Why there are no lines to look at.
    pub unreadable: Option<&'static str>,
    /// Whether only the hunks were there to be read.
    pub fragment: bool,
    /// Its symbols.
    pub symbols: Symbols,
}

/// The whole file before and after; only the hunks of it where the file after is not known.
pub(crate) struct Sides {
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
    pub(crate) whole: bool,
}

/// The outline of each file of `change`; `files` holds those that are known after it, by shown path.
pub fn outline(change: &Change, files: &BTreeMap<String, Vec<u8>>) -> Vec<FileOutline> {
    change.files.iter().map(|file| file_outline(file, files)).collect()
}

fn file_outline(file: &FileChange, files: &BTreeMap<String, Vec<u8>>) -> FileOutline {
    let path = file.shown_path();
    let sides = sides(file, files);
    let text = file.path().map_or(TextKind::Plain, |path| detect(path, &sides.after));
    let old_path = file.old_path.as_ref().map(ToString::to_string).filter(|old| *old != path);
    FileOutline {
        old_path,
        kind: file.kind,
        text,
        added: file.added_lines().count(),
        removed: file.removed_lines().count(),
        unreadable: unreadable(file),
        fragment: !sides.whole,
        symbols: language(text).map(|it| compare::symbols(it, &sides, file)).unwrap_or_default(),
        path,
    }
}

pub(crate) fn sides(file: &FileChange, files: &BTreeMap<String, Vec<u8>>) -> Sides {
    match files.get(&file.shown_path()) {
        Some(after) => Sides { before: pre_image(file, after), after: after.clone(), whole: true },
        // Of a file that is new or gone, the hunks are all there is.
        None => Sides {
            before: pre_fragment(file),
            after: post_fragment(file),
            whole: matches!(file.kind, FileKind::Added | FileKind::Deleted),
        },
    }
}

fn language(text: TextKind) -> Option<Language> {
    match text {
        TextKind::Known(language) => Some(language),
        TextKind::UnknownCode | TextKind::Plain => None,
    }
}

fn unreadable(file: &FileChange) -> Option<&'static str> {
    match file.content {
        _ if file.is_submodule() => Some("submodule"),
        Content::Binary => Some("binary"),
        Content::Unmerged => Some("unresolved merge conflict"),
        Content::Text(_) => None,
    }
}
