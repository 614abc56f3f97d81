//! Paths inside a repository, as bytes, checked.

use std::fmt::{self, Write as _};

use crate::limits::PATH_BYTES_MAX;

/// A path relative to a repository's root: never empty or absolute, without NUL, `..`, `.` or `.git` as a
/// component. Bytes are kept as git has them; [`fmt::Display`] escapes what is not UTF-8 or not printable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Vec<u8>);

/// Why bytes are no path of a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// No bytes at all.
    #[error("a path in the diff is empty")]
    Empty,
    /// Over [`PATH_BYTES_MAX`].
    #[error("a path in the diff has {bytes} bytes; the limit is {PATH_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Absolute, leaving the repository, or naming git's own files.
    #[error("the path {path} in the diff {reason}; only paths inside the repository are accepted")]
    Hostile {
        /// The path, escaped.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl RepoPath {
    /// Checks `bytes` (unquoted, without a diff prefix).
    pub fn parse(bytes: &[u8]) -> Result<Self, PathError> {
        if bytes.is_empty() {
            return Err(PathError::Empty);
        }
        if bytes.len() > PATH_BYTES_MAX {
            return Err(PathError::TooLong { bytes: bytes.len() });
        }
        match hostile(bytes) {
            Some(reason) => Err(PathError::Hostile { path: escape(bytes), reason }),
            None => Ok(Self(bytes.to_vec())),
        }
    }

    /// The path's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or(&self.0)
    }

    /// The file name's part after its last dot, lower case; empty if it has none.
    pub fn extension(&self) -> String {
        let name = self.file_name();
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0);
        dot.map(|at| String::from_utf8_lossy(&name[at + 1..]).to_lowercase()).unwrap_or_default()
    }
}

fn hostile(bytes: &[u8]) -> Option<&'static str> {
    if bytes.contains(&0) {
        return Some("contains a NUL byte");
    }
    if bytes[0] == b'/' {
        return Some("is absolute");
    }
    bytes.split(|byte| *byte == b'/').find_map(|component| match component {
        b".." => Some("leaves the repository"),
        b"." | b"" => Some("has an empty component"),
        name if name.eq_ignore_ascii_case(b".git") => Some("names git's own files"),
        _ => None,
    })
}

/// `bytes` as text: printable UTF-8 as it is, the rest as `\xNN`.
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() {
                let _ = write!(text, "\\x{:02x}", u32::from(character));
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_and_refuses() {
        let check = |bytes: &[u8], expected: &str| {
            let shown =
                RepoPath::parse(bytes).map_or_else(|error| error.to_string(), |path| path.to_string());
            assert!(shown.contains(expected), "{shown:?} lacks {expected:?}");
        };
        check("café/ü b.txt".as_bytes(), "café/ü b.txt");
        check(b"l\xe9.py", "l\\xe9.py");
        check(b"nl\nx", "nl\\x0ax");
        check(b".github/workflows/ci.yml", ".github");
        check(b"", "empty");
        check(b"/etc/passwd", "absolute");
        check(b"a/../b", "leaves");
        check(b"a\0b", "NUL");
        check(b"a//b", "empty component");
        check(b"sub/.GIT/config", "git's own");
        check(&[b'x'; 5000], "5000 bytes; the limit is 4095");
    }
}
