//! The `context` part of an upload: files after the change, secrets masked, and what the base says of them.
//!
//! Version 2 added [`ContextPack::related`]. A pack of version 1 is one without it.

use serde::{Deserialize, Serialize};

/// The version that is written.
pub const VERSION: u32 = 2;
/// The oldest version that is read.
const VERSION_MIN: u32 = 1;
/// Files in one pack.
pub const FILES_MAX: usize = 5_000;
/// Related files in one pack.
pub const RELATED_MAX: usize = 200;

/// The pack, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPack {
    /// [`VERSION`].
    pub version: u32,
    /// `.prevet.toml` as of the base, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Changed files after the change. Paths are escaped where they are not UTF-8.
    #[serde(default)]
    pub files: Vec<PackedFile>,
    /// Paths that the base's `.gitattributes` call `linguist-generated`.
    #[serde(default)]
    pub generated: Vec<String>,
    /// Paths that the base's `.gitattributes` call `linguist-vendored`.
    #[serde(default)]
    pub vendored: Vec<String>,
    /// Files outside the change that define what it calls or use what it changes, the most relevant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedFile>,
}

/// One file of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Its path.
    pub path: String,
    /// Its text after the change, secrets masked; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// A file outside the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedFile {
    /// Its path.
    pub path: String,
    /// Why it is here: `calls total()`, `defines Money`.
    pub reasons: Vec<String>,
    /// Its lines that count, secrets masked.
    pub excerpts: Vec<PackedExcerpt>,
}

/// Lines that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedExcerpt {
    /// The number of the first one, from 1.
    pub first_line: u32,
    /// The lines.
    pub text: String,
}

/// Why a pack is refused.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// Not the JSON of a pack.
    #[error("the context part is not a context pack: {0}")]
    Json(#[from] crate::json::JsonError),
    /// A version from the future.
    #[error("the context pack has version {found}, this server reads {VERSION}; update the server")]
    Version {
        /// What it says.
        found: u32,
    },
    /// Over [`FILES_MAX`], or [`RELATED_MAX`].
    #[error(
        "the context pack has {files} files; the limit is {FILES_MAX}, {RELATED_MAX} of them related ones"
    )]
    TooManyFiles {
        /// How many.
        files: usize,
    },
}

impl ContextPack {
    /// A pack of nothing.
    pub fn empty() -> Self {
        Self {
            version: VERSION,
            policy: None,
            files: Vec::new(),
            generated: Vec::new(),
            vendored: Vec::new(),
            related: Vec::new(),
        }
    }

    /// Reads a pack.
    pub fn parse(json: &[u8]) -> Result<Self, PackError> {
        let pack: Self = crate::json::object(json)?;
        if !(VERSION_MIN..=VERSION).contains(&pack.version) {
            return Err(PackError::Version { found: pack.version });
        }
        if pack.files.len() > FILES_MAX || pack.related.len() > RELATED_MAX {
            return Err(PackError::TooManyFiles { files: pack.files.len() + pack.related.len() });
        }
        Ok(pack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let check = |json: &str, expected: &str| {
            let found = ContextPack::parse(json.as_bytes())
                .map_or_else(|error| error.to_string(), |pack| format!("{} related", pack.related.len()));
            assert!(found.contains(expected), "{json}: {found}");
        };
        check(r#"{"version": 1, "files": []}"#, "0 related");
        let related =
            r#"{"path": "a.py", "reasons": ["calls f()"], "excerpts": [{"first_line": 3, "text": "f()\n"}]}"#;
        check(&format!(r#"{{"version": 2, "related": [{related}]}}"#), "1 related");
        check(r#"{"version": 3}"#, "version 3, this server reads 2");
        check(r#"{"version": 0}"#, "version 0");
        let many = vec![related; RELATED_MAX + 1].join(",");
        check(&format!(r#"{{"version": 2, "related": [{many}]}}"#), "201 files");
    }
}
