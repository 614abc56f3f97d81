//! File names as git writes them in a patch: quoted like C strings, with or without prefixes.

use super::parse::ParseError;
use crate::path::RepoPath;

/// Decodes git's quoting: `"caf\303\251"` becomes the bytes it stands for; an unquoted name is itself.
///
/// Returns the name and what follows it on the line. See `core.quotePath` in git-config(1).
pub fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let Some(mut rest) = text.strip_prefix(b"\"") else {
        return Some((text.to_vec(), &[]));
    };
    let mut name = Vec::with_capacity(rest.len());
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (decoded, after) = unescape(rest)?;
                name.push(decoded);
                rest = after;
            }
            other => name.push(*other),
        }
    }
}

fn unescape(rest: &[u8]) -> Option<(u8, &[u8])> {
    let (escape, after) = rest.split_first()?;
    let simple = match escape {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' | b'\\' => *escape,
        b'0'..=b'3' => return octal(rest),
        _ => return None,
    };
    Some((simple, after))
}

fn octal(rest: &[u8]) -> Option<(u8, &[u8])> {
    let digits = rest.get(..3)?;
    let text = std::str::from_utf8(digits).ok()?;
    Some((u8::from_str_radix(text, 8).ok()?, &rest[3..]))
}

/// The two names of a `diff --git` line, still prefixed, where the line can be cut at all.
///
/// An unquoted line is ambiguous when names hold spaces; git means it to be cut where both names are the same
/// but for their prefixes, and names a rename in lines of its own.
pub fn header_names(rest: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if rest.first() == Some(&b'"') {
        let (old, after) = unquote(rest)?;
        let (new, _) = unquote(after.strip_prefix(b" ")?)?;
        return Some((old, new));
    }
    if rest.last() == Some(&b'"') {
        let at = rest.windows(2).position(|pair| pair == b" \"")?;
        let (new, _) = unquote(&rest[at + 1..])?;
        return Some((rest[..at].to_vec(), new));
    }
    let cuts = || rest.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
    let same = |at: &usize| {
        let (old, new) = (&rest[..*at], &rest[*at + 1..]);
        old == new || without_prefix(old).is_some_and(|bare| without_prefix(new) == Some(bare))
    };
    cuts().find(same).map(|at| (rest[..at].to_vec(), rest[at + 1..].to_vec()))
}

fn without_prefix(name: &[u8]) -> Option<&[u8]> {
    name.iter().position(|byte| *byte == b'/').map(|at| &name[at + 1..])
}

/// How a file's names are prefixed in the patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefixes {
    /// `a/` and `b/`, or other single components, as `diff.mnemonicPrefix` and `--src-prefix` make them.
    One,
    /// None at all (`diff.noprefix`).
    None,
}

impl Prefixes {
    /// What the `diff --git` line shows: two identical names have no prefix.
    pub fn of_header(names: Option<&(Vec<u8>, Vec<u8>)>) -> Self {
        match names {
            Some((old, new)) if old == new => Self::None,
            _ => Self::One,
        }
    }

    /// The path behind a `---` or `+++` line's name; `None` for `/dev/null`.
    pub fn path(self, name: &[u8]) -> Result<Option<RepoPath>, ParseError> {
        if name == b"/dev/null" {
            return Ok(None);
        }
        let bare = match self {
            Self::One => without_prefix(name).unwrap_or(name),
            Self::None => name,
        };
        Ok(Some(RepoPath::parse(bare)?))
    }
}

/// The name on a `---` or `+++` line: unquoted, and without the TAB that git puts behind names with spaces.
pub fn marker_name(text: &[u8]) -> Option<Vec<u8>> {
    if text.first() == Some(&b'"') {
        return unquote(text).map(|(name, _)| name);
    }
    Some(text.strip_suffix(b"\t").unwrap_or(text).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        let check = |text: &[u8], expected: &[u8]| assert_eq!(unquote(text).unwrap().0, expected);
        check(br#""b/caf\303\251.txt""#, "b/café.txt".as_bytes());
        check(br#""b/quo\"te\\.txt""#, br#"b/quo"te\.txt"#);
        check(br#""b/nl\nx\ty\177""#, b"b/nl\nx\ty\x7f");
        check(b"b/plain", b"b/plain");
        assert!(unquote(br#""open"#).is_none());
        assert!(unquote(br#""bad\q""#).is_none());
        assert!(unquote(br#""bad\40""#).is_none());
    }

    #[test]
    fn headers() {
        let check = |line: &str, old: &str, new: &str| {
            let (found_old, found_new) = header_names(line.as_bytes()).unwrap();
            assert_eq!((found_old.as_slice(), found_new.as_slice()), (old.as_bytes(), new.as_bytes()));
        };
        check("a/x b/x", "a/x", "b/x");
        check("a/x b/x b/x b/x", "a/x b/x", "b/x b/x");
        check("x y x y", "x y", "x y");
        check("i/f w/f", "i/f", "w/f");
        check(r#""a/\303\251" "b/\303\251""#, "a/é", "b/é");
        check(r#"a/x "b/\303\251""#, "a/x", "b/é");
        assert!(header_names(b"a/old b/new").is_none());
    }
}
