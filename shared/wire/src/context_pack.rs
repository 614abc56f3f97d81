//! The `context` part of an upload: files after the change, secrets masked, and what the base says of them.

use serde::{Deserialize, Serialize};

/// The version that is written.
pub const VERSION: u32 = 1;
/// Files in one pack.
pub const FILES_MAX: usize = 5_000;

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
}

/// One file of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Its path.
    pub path: String,
    /// Its text after the change, secrets masked; bytes that are not UTF-8 are replaced.
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
    /// Over [`FILES_MAX`].
    #[error("the context pack has {files} files; the limit is {FILES_MAX}")]
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
        }
    }

    /// Reads a pack.
    pub fn parse(json: &[u8]) -> Result<Self, PackError> {
        let pack: Self = crate::json::object(json)?;
        if pack.version != VERSION {
            return Err(PackError::Version { found: pack.version });
        }
        if pack.files.len() > FILES_MAX {
            return Err(PackError::TooManyFiles { files: pack.files.len() });
        }
        Ok(pack)
    }
}
