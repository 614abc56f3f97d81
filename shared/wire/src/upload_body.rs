//! How an upload is kept: one object with the diff and, where there was one, the context pack.
//!
//! `prevet-upload 1 <diff bytes> <context bytes or ->` and a newline, then the two one after the other.

use std::fmt::Write as _;

const MAGIC: &str = "prevet-upload";
const VERSION: &str = "1";

/// The parts of a kept upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadBody<'a> {
    /// The diff.
    pub diff: &'a [u8],
    /// The context pack.
    pub context: Option<&'a [u8]>,
}

/// The object is not one that this version wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a stored upload cannot be read (damaged, or written by another version); upload the diff again")]
pub struct UnreadableBody;

impl<'a> UploadBody<'a> {
    /// As one object.
    pub fn write(&self) -> Vec<u8> {
        let mut head = format!("{MAGIC} {VERSION} {} ", self.diff.len());
        match self.context {
            Some(context) => writeln!(head, "{}", context.len()),
            None => writeln!(head, "-"),
        }
        .unwrap_or_default();
        let mut body = head.into_bytes();
        body.extend_from_slice(self.diff);
        body.extend_from_slice(self.context.unwrap_or_default());
        body
    }

    /// Reads what [`UploadBody::write`] wrote.
    pub fn parse(body: &'a [u8]) -> Result<Self, UnreadableBody> {
        let end = body.iter().take(80).position(|byte| *byte == b'\n').ok_or(UnreadableBody)?;
        let head = std::str::from_utf8(&body[..end]).map_err(|_| UnreadableBody)?;
        let [MAGIC, VERSION, diff_length, context_length] = head.split(' ').collect::<Vec<_>>()[..] else {
            return Err(UnreadableBody);
        };
        let diff_length: usize = diff_length.parse().map_err(|_| UnreadableBody)?;
        let rest = &body[end + 1..];
        let (diff, rest) = rest.split_at_checked(diff_length).ok_or(UnreadableBody)?;
        let context = match context_length {
            "-" => None,
            length => Some(length.parse::<usize>().map_err(|_| UnreadableBody)?),
        };
        if rest.len() != context.unwrap_or(0) {
            return Err(UnreadableBody);
        }
        Ok(Self { diff, context: context.map(|_| rest) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        for context in [None, Some(&b""[..]), Some(&b"{}"[..])] {
            let body = UploadBody { diff: b"a\nb", context };
            let written = body.write();
            assert_eq!(UploadBody::parse(&written), Ok(body));
            assert!(UploadBody::parse(&written[..written.len() - 1]).is_err());
        }
        assert!(UploadBody::parse(b"prevet-upload 2 0 -\n").is_err());
        assert!(UploadBody::parse(b"").is_err());
    }
}
