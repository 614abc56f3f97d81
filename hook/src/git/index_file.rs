//! The index file's format, as far as adding intent-to-add entries needs it (gitformat-index(5)).

use std::ops::Range;

use super::cache_tree;

/// Device, inode, times, mode, owner and size: what an entry records of `lstat`.
const STAT_BYTES: usize = 40;
const MODE_OFFSET: usize = 24;
const HEADER_BYTES: usize = 12;
const FLAG_EXTENDED: u16 = 0x4000;
const FLAGS_STAGE: u16 = 0x3000;
const NAME_LENGTH_MAX: u16 = 0x0fff;
const EXTENDED_INTENT_TO_ADD: u16 = 0x2000;
/// The first version that has extended flags.
const VERSION_EXTENDED: u32 = 3;
const VERSION_COMPRESSED: u32 = 4;
const EMPTY_BLOB_SHA1: [u8; 20] = [
    0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4,
    0x8c, 0x53, 0x91,
];
const EMPTY_BLOB_SHA256: [u8; 32] = [
    0x47, 0x3a, 0x0f, 0x4c, 0x3b, 0xe8, 0xa9, 0x36, 0x81, 0xa2, 0x67, 0xe3, 0xb1, 0xe9, 0xa7, 0xdc, 0xda,
    0x11, 0x85, 0x43, 0x6f, 0xe1, 0x41, 0xf7, 0x74, 0x91, 0x20, 0xa3, 0x03, 0x72, 0x18, 0x13,
];

/// The hash that names a repository's objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectFormat {
    /// 20 bytes.
    Sha1,
    /// 32 bytes.
    Sha256,
}

impl ObjectFormat {
    pub(super) const fn empty_blob(self) -> &'static [u8] {
        match self {
            Self::Sha1 => &EMPTY_BLOB_SHA1,
            Self::Sha256 => &EMPTY_BLOB_SHA256,
        }
    }

    const fn bytes(self) -> usize {
        self.empty_blob().len()
    }
}

/// A file to announce.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NewEntry {
    /// Its path from the work tree's root.
    pub path: Vec<u8>,
    /// Its mode as git records it.
    pub mode: u32,
}

/// What an index is, judged without git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Every entry stands in this file, once.
    Plain,
    /// Conflicts, a split or sparse index, or something unknown: only git may change it.
    Special,
}

/// One entry as it stands in the file.
struct Entry<'a> {
    /// Stat data, object id and flags.
    fixed: &'a [u8],
    path: &'a [u8],
}

impl Entry<'_> {
    fn stage(&self, format: ObjectFormat) -> u16 {
        flags(self.fixed, format) & FLAGS_STAGE
    }
}

/// Judges the bytes of an index file; no bytes are an index without entries.
pub(super) fn layout(bytes: &[u8], format: ObjectFormat) -> Layout {
    if bytes.is_empty() {
        return Layout::Plain;
    }
    let mut merged = true;
    let extensions = visit(bytes, format, |entry| merged &= entry.stage(format) == 0);
    if merged && extensions.is_some_and(only_optional) { Layout::Plain } else { Layout::Special }
}

/// `bytes` with an intent-to-add entry for each of `new` (sorted); `None` where git has to do it.
///
/// Of the extensions, which are caches, the one that the comparison profits from is kept. The checksum is left at
/// zero, which stands for "not computed".
/// Where git ignores case it may put a new file into a folder that is written otherwise; then it has to be one
/// whose folder is known as it is written.
pub(super) fn with_intent_to_add(
    bytes: &[u8],
    format: ObjectFormat,
    new: &[NewEntry],
    ignore_case: bool,
) -> Option<Vec<u8>> {
    let paths = if bytes.is_empty() { Paths::default() } else { Paths::of(bytes, format)? };
    let certain = |entry: &NewEntry| {
        !paths.conflict(&entry.path) && (!ignore_case || paths.know_folder_of(&entry.path))
    };
    if !new.iter().all(certain) {
        return None;
    }
    let count = u32::try_from(paths.ranges.len() + new.len()).ok()?;
    let mut written = Vec::with_capacity(bytes.len() + new.iter().map(|e| e.path.len() + 96).sum::<usize>());
    written.extend_from_slice(b"DIRC");
    written.extend_from_slice(&VERSION_EXTENDED.to_be_bytes());
    written.extend_from_slice(&count.to_be_bytes());
    let mut pending = new.iter().peekable();
    let mut extensions: &[u8] = &[];
    if !bytes.is_empty() {
        extensions = visit(bytes, format, |entry| {
            while let Some(earlier) = pending.next_if(|next| next.path.as_slice() < entry.path) {
                write_new(&mut written, format, earlier);
            }
            write_entry(&mut written, entry.fixed, entry.path);
        })?;
    }
    pending.for_each(|entry| write_new(&mut written, format, entry));
    write_cache_tree(&mut written, extensions, format, new);
    written.resize(written.len() + format.bytes(), 0);
    Some(written)
}

fn write_cache_tree(written: &mut Vec<u8>, extensions: &[u8], format: ObjectFormat, new: &[NewEntry]) {
    let record = Extensions(extensions).find(|(name, _)| *name == cache_tree::SIGNATURE);
    let kept = record.and_then(|(_, record)| cache_tree::without_folders_of(new, record, format));
    if let Some((record, size)) =
        kept.and_then(|kept| u32::try_from(kept.len()).ok().map(|size| (kept, size)))
    {
        written.extend_from_slice(cache_tree::SIGNATURE);
        written.extend_from_slice(&size.to_be_bytes());
        written.extend_from_slice(&record);
    }
}

/// Every path of an index, for look-ups.
#[derive(Default)]
struct Paths {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Paths {
    fn of(index: &[u8], format: ObjectFormat) -> Option<Self> {
        let mut paths = Self::default();
        visit(index, format, |entry| {
            let start = paths.bytes.len();
            paths.bytes.extend_from_slice(entry.path);
            paths.ranges.push(start..paths.bytes.len());
        })?;
        Some(paths)
    }

    /// The first path that is not before `path`.
    fn not_before(&self, path: &[u8]) -> Option<&[u8]> {
        let at = self.ranges.partition_point(|range| &self.bytes[range.clone()] < path);
        self.ranges.get(at).map(|range| &self.bytes[range.clone()])
    }

    fn know_folder_of(&self, path: &[u8]) -> bool {
        let Some(slash) = path.iter().rposition(|byte| *byte == b'/') else { return true };
        let folder = &path[..=slash];
        self.not_before(folder).is_some_and(|next| next.starts_with(folder))
    }

    /// Whether `path` is there already, stands where a folder stands, or is inside something that is a file.
    fn conflict(&self, path: &[u8]) -> bool {
        let folder = [path, b"/"].concat();
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let mut files = slashes.map(|(at, _)| &path[..at]).chain([path]);
        files.any(|file| self.not_before(file) == Some(file))
            || self.not_before(&folder).is_some_and(|next| next.starts_with(&folder))
    }
}

/// Shows each entry to `each`; returns the extensions behind them, or `None` for what is no index.
fn visit(bytes: &[u8], format: ObjectFormat, mut each: impl FnMut(&Entry<'_>)) -> Option<&[u8]> {
    let version = number(bytes, 4).filter(|_| bytes.starts_with(b"DIRC"))?;
    if !(2..=VERSION_COMPRESSED).contains(&version) {
        return None;
    }
    let body = bytes.get(..bytes.len().checked_sub(format.bytes())?)?;
    let mut rest = body.get(HEADER_BYTES..)?;
    let mut previous = Vec::new();
    for _ in 0..number(bytes, 8)? {
        let flags_end = STAT_BYTES + format.bytes() + 2;
        let extended = flags(rest.get(..flags_end)?, format) & FLAG_EXTENDED != 0;
        let (fixed, after) = rest.split_at_checked(flags_end + if extended { 2 } else { 0 })?;
        if version == VERSION_COMPRESSED {
            rest = expand(after, &mut previous)?;
            each(&Entry { fixed, path: &previous });
        } else {
            let length = path_length(flags(fixed, format), after)?;
            each(&Entry { fixed, path: after.get(..length)? });
            rest = after.get(padded(fixed.len(), length) - fixed.len()..)?;
        }
    }
    Some(rest)
}

/// Stated in the flags, unless it is too long for them.
fn path_length(flags: u16, path: &[u8]) -> Option<usize> {
    match flags & NAME_LENGTH_MAX {
        NAME_LENGTH_MAX => path.iter().position(|byte| *byte == 0),
        length => Some(usize::from(length)),
    }
}

/// Reads a version 4 path: how many bytes to drop from the one before, and what follows instead.
fn expand<'a>(bytes: &'a [u8], path: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (mut byte, mut rest) = bytes.split_first()?;
    let mut dropped = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        (byte, rest) = rest.split_first()?;
        dropped = dropped.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    path.truncate(path.len().checked_sub(dropped)?);
    let length = rest.iter().position(|byte| *byte == 0)?;
    path.extend_from_slice(&rest[..length]);
    rest.get(length + 1..)
}

/// Name and content of each extension; a cut one ends them.
struct Extensions<'a>(&'a [u8]);

impl<'a> Iterator for Extensions<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let size = usize::try_from(number(self.0, 4)?).ok()?;
        let (extension, rest) = self.0.split_at_checked(size.checked_add(8)?)?;
        self.0 = rest;
        Some((&extension[..4], &extension[8..]))
    }
}

/// Whether all extensions are ones that a reader may ignore: their names begin with a capital.
fn only_optional(extensions: &[u8]) -> bool {
    let mut known = Extensions(extensions);
    known.by_ref().all(|(name, _)| name[0].is_ascii_uppercase()) && known.0.is_empty()
}

fn write_new(written: &mut Vec<u8>, format: ObjectFormat, entry: &NewEntry) {
    let mut fixed = vec![0; STAT_BYTES];
    fixed[MODE_OFFSET..MODE_OFFSET + 4].copy_from_slice(&entry.mode.to_be_bytes());
    fixed.extend_from_slice(format.empty_blob());
    let length = u16::try_from(entry.path.len()).unwrap_or(NAME_LENGTH_MAX).min(NAME_LENGTH_MAX);
    fixed.extend_from_slice(&(length | FLAG_EXTENDED).to_be_bytes());
    fixed.extend_from_slice(&EXTENDED_INTENT_TO_ADD.to_be_bytes());
    write_entry(written, &fixed, &entry.path);
}

fn write_entry(written: &mut Vec<u8>, fixed: &[u8], path: &[u8]) {
    let end = written.len() + padded(fixed.len(), path.len());
    written.extend_from_slice(fixed);
    written.extend_from_slice(path);
    written.resize(end, 0);
}

/// An entry's length: a multiple of eight, with one NUL or more behind the path.
const fn padded(fixed: usize, path: usize) -> usize {
    (fixed + path + 8) & !7
}

fn flags(fixed: &[u8], format: ObjectFormat) -> u16 {
    let at = STAT_BYTES + format.bytes();
    u16::from_be_bytes([fixed[at], fixed[at + 1]])
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
