//! Names and identifiers that come from outside, checked once.

use std::fmt;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::limits::NAME_BYTES_MAX;

/// Why a name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing but white space.
    #[error("{what} is empty")]
    Empty {
        /// Which name.
        what: &'static str,
    },
    /// Over [`NAME_BYTES_MAX`].
    #[error("{what} has {bytes} bytes; the limit is {NAME_BYTES_MAX}")]
    TooLong {
        /// Which name.
        what: &'static str,
        /// Its length.
        bytes: usize,
    },
    /// A character that has no place there.
    #[error("{what} {reason}")]
    Malformed {
        /// Which name.
        what: &'static str,
        /// What is wrong.
        reason: &'static str,
    },
}

fn checked(what: &'static str, text: &str) -> Result<String, NameError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(NameError::Empty { what });
    }
    if text.len() > NAME_BYTES_MAX {
        return Err(NameError::TooLong { what, bytes: text.len() });
    }
    if text.chars().any(char::is_control) {
        return Err(NameError::Malformed { what, reason: "contains a control character" });
    }
    Ok(text.to_owned())
}

macro_rules! text_name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $extra:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks `text`, trimmed of white space.
            pub fn parse(text: &str) -> Result<Self, NameError> {
                Self::parse_as($what, text)
            }

            /// Checks `text`; errors call it `what`, as the caller does.
            pub fn parse_as(what: &'static str, text: &str) -> Result<Self, NameError> {
                let text = checked(what, text)?;
                let problem: Option<&'static str> = $extra(&text);
                match problem {
                    Some(reason) => Err(NameError::Malformed { what, reason }),
                    None => Ok(Self(text)),
                }
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_name!(
    /// A tenant's key: names the tenant, is no secret.
    TenantKey, "tenant_key", |_: &str| None
);
text_name!(
    /// A repository as a caller names it: `name` or `owner/name`.
    RepositoryName, "repo", repository_problem
);
text_name!(
    /// Who works: scopes a session.
    Developer, "user_name", |_: &str| None
);
text_name!(
    /// A branch name that is safe to hand to git: see [`branch_problem`].
    Branch, "branch", branch_problem
);
text_name!(
    /// A commit (or tree) id: 40 or 64 lower-case hexadecimal digits.
    CommitId, "commit", commit_problem
);
text_name!(
    /// A revision that a caller states (`head`, `base_sha`): letters and digits, as in an object id.
    Revision, "revision", revision_problem
);
text_name!(
    /// A session's id: an unguessable capability.
    SessionId, "session_id", token_problem
);

text_name!(
    /// A lot's id: a request that waits for people, or waited.
    LotId, "lot", token_problem
);
text_name!(
    /// A decision's id. Ids of one tenant sort by the time at which they were made.
    DecisionId, "decision", token_problem
);
text_name!(
    /// A review session's id on this machine's dashboard.
    ReviewId, "review", token_problem
);

fn repository_problem(text: &str) -> Option<&'static str> {
    let path = text.split('/').any(|part| matches!(part, "" | "." | ".."));
    path.then_some("is a path, not a repository's name")
}

/// What git's own rules (git-check-ref-format) and safety on a command line forbid in a branch name.
pub fn branch_problem(text: &str) -> Option<&'static str> {
    if text.starts_with('-') {
        return Some("begins with a dash, which git would read as an option");
    }
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
    if text.contains(forbidden) || text.contains("..") || text.contains("@{") || text.contains("//") {
        return Some("has characters that no branch name has");
    }
    let edges = text.starts_with('/') || text.ends_with('/') || text.ends_with('.') || text == "@";
    let component = |part: &str| part.starts_with('.') || part.to_lowercase().ends_with(".lock");
    (edges || text.split('/').any(component)).then_some("is not a branch name that git accepts")
}

fn commit_problem(text: &str) -> Option<&'static str> {
    let hexadecimal = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (!(hexadecimal && matches!(text.len(), 40 | 64)))
        .then_some("is not a full commit id (40 or 64 hexadecimal digits)")
}

fn revision_problem(text: &str) -> Option<&'static str> {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (!plain || text.len() > 64).then_some("is not a commit id")
}

fn token_problem(text: &str) -> Option<&'static str> {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (!plain || text.len() > 64).then_some("is not an id that this server makes")
}

impl CommitId {
    /// Whether this is git's null id, "no commit".
    pub fn is_null(&self) -> bool {
        self.0.bytes().all(|byte| byte == b'0')
    }
}

impl ReviewId {
    /// The id of the session in `directory`: 128 bits of the path's SHA-256.
    pub fn of(directory: &[u8]) -> Self {
        Self(HEXLOWER.encode(&Sha256::digest(directory)[..16]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches() {
        let check =
            |text: &str, accepted: bool| assert_eq!(Branch::parse(text).is_ok(), accepted, "{text:?}");
        for good in
            ["main", "feature/x-1", "release/1.2", "fix#12", "dependabot/npm/a", "größe", "HEAD", "a+b@c"]
        {
            check(good, true);
        }
        for bad in
            ["-x", "--upload-pack=touch x", "a b", "a..b", "a~1", "", "/a", "a/", "a.lock", "x\ny", "@", ".a"]
        {
            check(bad, false);
        }
    }

    #[test]
    fn commits_and_repositories() {
        assert!(CommitId::parse(&"a".repeat(40)).is_ok());
        assert!(CommitId::parse(&"0".repeat(64)).unwrap().is_null());
        assert!(CommitId::parse("HEAD").is_err());
        assert!(CommitId::parse(&"A".repeat(40)).is_err());
        assert!(RepositoryName::parse("owner/name.js").is_ok());
        assert!(RepositoryName::parse("../x").is_err());
        assert!(SessionId::parse("../../etc").is_err());
    }
}
