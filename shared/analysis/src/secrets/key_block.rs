//! Private keys between BEGIN and END, whole, escaped inside a string, or cut by the edge of a hunk.

use std::ops::Range;

/// A key's lines; no private key in use is longer.
const KEY_LINES_MAX: usize = 200;
/// A key's bytes, where it stands on one line.
const KEY_BYTES_MAX: usize = 32 << 10;
/// How far back a line's beginning is looked for; no key's line is longer.
const LINE_BYTES_MAX: usize = 4 << 10;
/// A header's name between its dashes.
const LABEL_BYTES_MAX: usize = 48;
/// Base64 on one line, from which on it is a key's body.
const BODY_LINE_BYTES_MIN: usize = 16;

/// A private key's kind, as its label says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// PKCS#1, PKCS#8, SEC1.
    Plain,
    /// OpenSSH's own form.
    OpenSsh,
    /// An exported PGP key.
    Pgp,
    /// Any, under a passphrase.
    Encrypted,
}

/// A private key, or what is visible of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KeyBlock {
    pub span: Range<usize>,
    pub kind: Kind,
    /// Whether anything of the key itself is visible.
    pub has_body: bool,
    /// Whether the header is alone on its line and the rest is out of sight.
    pub is_cut: bool,
}

/// The key whose `-----BEGIN` or `-----END` stands at `at`, if its label says that it is private.
fn label(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..text.len().min(at + LABEL_BYTES_MAX + 11)];
    let start = rest.iter().position(|byte| *byte == b' ')? + 1;
    let length = rest[start..].windows(5).position(|window| window == b"-----")?;
    let name = &rest[start..start + length];
    let is_label =
        name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ');
    let is_private = name.windows(11).any(|window| window == b"PRIVATE KEY");
    (is_label && is_private).then_some(at + start..at + start + length)
}

/// The key that begins at `begin`.
pub(super) fn from_begin(text: &[u8], begin: usize) -> Option<KeyBlock> {
    let label = label(text, begin)?;
    let head_end = label.end + 5;
    let limit = limit_of(text, head_end);
    let body = &text[head_end..limit];
    let end = end_marker(body).filter(|at| label_matches(&text[head_end + at..]));
    let (span_end, has_body) = match end {
        Some(at) => {
            (end_of_marker(text, head_end + at), pieces(&body[..at]).any(|piece| is_body(&text_of(piece))))
        }
        None => open_end(text, head_end, limit),
    };
    let span = begin..span_end;
    let kind = kind_of(&text[label], &text[span.clone()]);
    Some(KeyBlock { is_cut: end.is_none() && is_alone(text, begin, head_end), span, kind, has_body })
}

/// What is visible of the key that ends with the marker at `end`.
pub(super) fn from_end(text: &[u8], end: usize) -> Option<KeyBlock> {
    let label = label(text, end)?;
    let mut start = line_start(text, end);
    let mut has_body = false;
    for _ in 0..KEY_LINES_MAX {
        let previous = line_start(text, start.saturating_sub(1));
        let line = &text[previous..start];
        let is_line = start > 0
            && !line.trim_ascii().is_empty()
            && pieces(line).all(|piece| is_body_or_tail(&text_of(piece)));
        if !is_line {
            break;
        }
        has_body |= pieces(line).any(|piece| is_body(&text_of(piece)));
        start = previous;
    }
    let kind = kind_of(&text[label.clone()], &[]);
    Some(KeyBlock { span: start..label.end + 5, kind, has_body, is_cut: false })
}

fn kind_of(label: &[u8], block: &[u8]) -> Kind {
    // The second is `aes256-` where an OpenSSH key names its cipher; without a passphrase that reads `none`.
    let marks: [&[u8]; 4] = [b"ENCRYPTED", b"AAAAACmFlczI1Ni1", b"AAAAACmFlczEyOC1", b"AAAAAKYWVzMjU2L"];
    let head = &block[..block.len().min(256)];
    let has = |text: &[u8], mark: &[u8]| text.windows(mark.len()).any(|window| window == mark);
    if marks.iter().any(|mark| has(head, mark)) || has(label, b"ENCRYPTED") {
        return Kind::Encrypted;
    }
    match label {
        _ if has(label, b"OPENSSH") => Kind::OpenSsh,
        _ if has(label, b"PGP") => Kind::Pgp,
        _ => Kind::Plain,
    }
}

/// Where to stop looking for END: after so many lines or bytes, or at the next key.
fn limit_of(text: &[u8], start: usize) -> usize {
    let window = &text[start..text.len().min(start + KEY_BYTES_MAX)];
    let next = window.windows(11).position(|window| window == b"-----BEGIN ");
    let window = &window[..next.unwrap_or(window.len())];
    let lines = window.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(KEY_LINES_MAX);
    start + lines.map_or(window.len(), |(at, _)| at)
}

fn end_marker(body: &[u8]) -> Option<usize> {
    body.windows(9).position(|window| window == b"-----END ")
}

fn label_matches(end: &[u8]) -> bool {
    label(end, 0).is_some()
}

fn end_of_marker(text: &[u8], end: usize) -> usize {
    label(text, end).map_or(end, |label| label.end + 5)
}

/// Without END: over the lines that look like a key's, up to a blank one after the body.
fn open_end(text: &[u8], start: usize, limit: usize) -> (usize, bool) {
    let mut end = start;
    let mut has_body = false;
    for line in text[start..limit].split_inclusive(|byte| *byte == b'\n') {
        let is_body_line = pieces(line).any(|piece| is_body(&text_of(piece)));
        let is_blank = line.trim_ascii().is_empty();
        let is_part = is_body_line
            || is_blank && !has_body
            || pieces(line).all(|piece| is_body_or_tail(&text_of(piece)));
        if !is_part || is_blank && has_body {
            break;
        }
        has_body |= is_body_line;
        end += line.len();
    }
    let end = if has_body { end } else { start };
    let trailing = text[start..end].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    (end - trailing, has_body)
}

fn is_alone(text: &[u8], begin: usize, head_end: usize) -> bool {
    let before = &text[line_start(text, begin)..begin];
    let mut after =
        text[head_end..text.len().min(head_end + LINE_BYTES_MAX)].splitn(3, |byte| *byte == b'\n');
    let rest = after.next().unwrap_or_default();
    let next = after.next().unwrap_or_default();
    let is_margin = |byte: &u8| b" \t+|#".contains(byte);
    before.iter().all(is_margin) && rest.trim_ascii().is_empty() && next.trim_ascii().is_empty()
}

fn line_start(text: &[u8], at: usize) -> usize {
    let first = at.saturating_sub(LINE_BYTES_MAX);
    text[first..at].iter().rposition(|byte| *byte == b'\n').map_or(first, |newline| first + newline + 1)
}

/// The parts of a text between newlines, real or escaped.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let current = rest?;
        let is_break = |at: &usize| {
            current[*at] == b'\n' || current[*at] == b'\\' && matches!(current.get(at + 1), Some(b'n' | b'r'))
        };
        let Some(at) = (0..current.len()).find(is_break) else {
            rest = None;
            return Some(current);
        };
        let skip = if current[at] == b'\n' { 1 } else { 2 };
        rest = Some(&current[at + skip..]);
        Some(&current[..at])
    })
}

/// `piece` without the margin of a diff, a comment or a string.
fn text_of(piece: &[u8]) -> Vec<u8> {
    let is_margin = |byte: &u8| b" \t\r\"'`,;+-\\>|#*()".contains(byte);
    let start = piece.iter().position(|byte| !is_margin(byte)).unwrap_or(piece.len());
    let end = piece.iter().rposition(|byte| !is_margin(byte)).map_or(start, |at| at + 1);
    piece[start..end].to_vec()
}

fn is_base64(line: &[u8]) -> bool {
    line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

fn is_body(line: &[u8]) -> bool {
    line.len() >= BODY_LINE_BYTES_MIN
        && is_base64(line)
        && line.iter().any(u8::is_ascii_uppercase)
        && line.iter().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// The last, short line of a body, a checksum line, or `Proc-Type: 4,ENCRYPTED` and its like.
fn is_body_or_tail(line: &[u8]) -> bool {
    const HEADERS: [&[u8]; 6] =
        [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:"];
    is_base64(line) || HEADERS.iter().any(|header| line.starts_with(header))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "MIIEpAIBAAKCAQEAwq3mYx7b2T8kZ0sVhJ4nL1cR6eDfGpQvXyUo9iWtBaSdKj5H";

    fn marker(word: &str) -> String {
        format!("-----{word} RSA PRIVATE KEY-----")
    }

    fn check(text: &str, expected: &str, has_body: bool) {
        let begin = text.find("-----BEGIN").expect("a header");
        let block = from_begin(text.as_bytes(), begin).expect("a key");
        assert_eq!((&text[block.span.clone()], block.has_body), (expected, has_body));
    }

    #[test]
    fn whole_escaped_and_cut() {
        let (begin, end) = (marker("BEGIN"), marker("END"));
        let whole = format!("{begin}\n{BODY}\n{BODY}\nab==\n{end}");
        check(&format!("x\n{whole}\ny"), &whole, true);
        let escaped = format!("{begin}\\n{BODY}\\nab==\\n{end}");
        check(&format!("{{\"key\": \"{escaped}\\n\"}}"), &escaped, true);
        let cut = format!("{begin}\n{BODY}\n{BODY}");
        check(&format!("{cut}\n\nfn main() {{}}"), &cut, true);
        check(&format!("if text.contains(\"{begin}\") {{"), &begin, false);
    }

    #[test]
    fn from_the_end() {
        let text = format!("fn a() {{}}\n{BODY}\nab==\n{}\nrest", marker("END"));
        let block = from_end(text.as_bytes(), text.find("-----END").expect("a marker")).expect("a key");
        assert!(block.has_body);
        assert_eq!(&text[block.span], format!("{BODY}\nab==\n{}", marker("END")));
    }

    #[test]
    fn certificates_are_no_keys() {
        assert_eq!(from_begin(b"-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----", 0), None);
    }
}
