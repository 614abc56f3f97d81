//! What a failure means to whoever called, whatever went wrong underneath.

use std::fmt;

/// The classes of failure. Each error type of the workspace maps to one of them, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The caller sent something that cannot be used.
    Invalid,
    /// No key, or one that is unknown, expired or revoked.
    Unauthenticated,
    /// A good key that may not do this.
    Denied,
    /// What was named does not exist.
    Missing,
    /// Somebody else changed it first.
    Conflict,
    /// Over a stated limit.
    TooLarge,
    /// The other side asks to be called later.
    Busy,
    /// The other side cannot be reached.
    Unavailable,
    /// A defect of ours.
    Internal,
}

impl Kind {
    /// The HTTP status of this kind.
    pub const fn http_status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Unauthenticated => 401,
            Self::Denied => 403,
            Self::Missing => 404,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::Busy => 429,
            Self::Unavailable => 503,
            Self::Internal => 500,
        }
    }

    /// The `code` of a tool error of this kind, where the error has no narrower one.
    pub const fn tool_code(self) -> &'static str {
        match self {
            Self::Invalid | Self::TooLarge | Self::Conflict => "INVALID_INPUT",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::Denied => "DENIED",
            Self::Missing => "NOT_FOUND",
            Self::Busy | Self::Unavailable => "BUSY",
            Self::Internal => "INTERNAL",
        }
    }

    /// The exit code of the binary: 2 for what the user has to change, 3 for a review that did not happen.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Invalid | Self::Unauthenticated | Self::Denied | Self::Missing => 2,
            Self::Conflict | Self::TooLarge | Self::Busy | Self::Unavailable | Self::Internal => 3,
        }
    }

    /// The kind behind an HTTP status that came from elsewhere.
    pub const fn from_http_status(status: u16) -> Self {
        match status {
            401 => Self::Unauthenticated,
            403 => Self::Denied,
            404 => Self::Missing,
            409 => Self::Conflict,
            413 => Self::TooLarge,
            429 => Self::Busy,
            400..=499 => Self::Invalid,
            502..=504 => Self::Unavailable,
            _ => Self::Internal,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tool_code())
    }
}
