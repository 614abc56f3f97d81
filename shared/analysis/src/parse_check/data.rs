//! JSON and YAML, where a loader sees more than a grammar.

use std::ops::Range;

use serde::Deserialize;
use serde_yaml_ng::Value;

/// Marks text that is a template's and no YAML of its own.
const YAML_TEMPLATE_MARKS: &[&str] = &["{{", "{%", "<%", "%("];

/// The first error in JSON. Comments and trailing commas are fine but where it is known that readers refuse them.
pub(super) fn json_errors(path: &str, text: &[u8]) -> Vec<Range<usize>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.trim_ascii().is_empty() || std::str::from_utf8(text).is_err() {
        return Vec::new();
    }
    let cleaned = if refuses_comments(path) { text.to_vec() } else { without_comments(text) };
    match serde_json::from_slice::<serde::de::IgnoredAny>(&cleaned) {
        Ok(_) => Vec::new(),
        Err(error) => vec![place(text, error.line(), error.column())],
    }
}

/// The first error in YAML; nothing for a template.
pub(super) fn yaml_errors(text: &[u8]) -> Vec<Range<usize>> {
    let Ok(text) = std::str::from_utf8(text) else { return Vec::new() };
    if YAML_TEMPLATE_MARKS.iter().any(|mark| text.contains(mark)) {
        return Vec::new();
    }
    for document in serde_yaml_ng::Deserializer::from_str(text) {
        if let Err(error) = Value::deserialize(document) {
            let Some(location) = error.location() else { return Vec::new() };
            return vec![place(text.as_bytes(), location.line(), location.column())];
        }
    }
    Vec::new()
}

fn place(text: &[u8], line: usize, column: usize) -> Range<usize> {
    let starts =
        std::iter::once(0).chain(text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1));
    let start = starts.take(line.max(1)).last().unwrap_or(0);
    let at = (start + column.saturating_sub(1)).min(text.len().saturating_sub(1));
    at..(at + 1).min(text.len())
}

fn refuses_comments(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["package.json", "package-lock.json", "composer.json", "manifest.json", "mcp.json"].contains(&name)
}

/// Comments and trailing commas become spaces, so that places stay.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let mut at = 0;
    while at < out.len() {
        let end = match (out[at], out.get(at + 1)) {
            (b'"', _) => {
                at = string_end(&out, at);
                continue;
            }
            (b'/', Some(b'/')) => find(&out, at, b"\n").unwrap_or(out.len()),
            (b'/', Some(b'*')) => find(&out, at + 2, b"*/").map_or(out.len(), |end| end + 2),
            _ => {
                at += 1;
                continue;
            }
        };
        out[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    without_trailing_commas(out)
}

fn without_trailing_commas(mut text: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'"' {
            at = string_end(&text, at);
            continue;
        }
        let next = text[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        if text[at] == b',' && matches!(next, Some(b'}' | b']')) {
            text[at] = b' ';
        }
        at += 1;
    }
    text
}

fn string_end(text: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn find(text: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.windows(needle.len()).position(|window| window == needle).map(|at| from + at)
}
