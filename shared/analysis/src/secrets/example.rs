//! Values in the examples of an API's description: what a request or an answer looks like, made up or long expired.

/// How far back the keys around a value are looked for.
const LOOK_BYTES_MAX: usize = 16_384;
/// Their names.
const KEYS: [&[u8]; 4] = [b"example", b"examples", b"x-example", b"x-examples"];

/// Whether a key that says `example` is around what stands at `at`, by the margins of the lines before.
pub(super) fn is_in_example(text: &[u8], at: usize) -> bool {
    let line_end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end);
    let head = &text[at.saturating_sub(LOOK_BYTES_MAX)..line_end];
    let mut margin = usize::MAX;
    for line in head.rsplit(|byte| *byte == b'\n') {
        let own = margin_of(line);
        if line.trim_ascii().is_empty() || own >= margin {
            continue;
        }
        if names_example(line) {
            return true;
        }
        margin = own;
        if margin == 0 {
            return false;
        }
    }
    false
}

/// A list's dash belongs to the margin: its key may stand right under it.
fn margin_of(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn names_example(line: &[u8]) -> bool {
    let content = line.trim_ascii().strip_prefix(b"- ").unwrap_or_else(|| line.trim_ascii());
    let Some(colon) = content.iter().position(|byte| *byte == b':') else { return false };
    let key = content[..colon].trim_ascii();
    let key = key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")).unwrap_or(key);
    KEYS.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples() {
        let check = |text: &str, expected: bool| {
            let at = text.find("VALUE").unwrap();
            assert_eq!(is_in_example(text.as_bytes(), at), expected, "{text}");
        };
        check("a:\n  example:\n    token: VALUE\n", true);
        check("a:\n  example:\n    b: 1\n    c:\n      - token: VALUE\n", true);
        check("a:\n  examples:\n    one:\n      value:\n        token: VALUE\n", true);
        check("{\n  \"example\": {\n    \"token\": \"VALUE\"\n  }\n}\n", true);
        check("a:\n  token:\n    type: string\n    example: VALUE\n", true);
        check("a:\n  example:\n    b: 1\n  token: VALUE\n", false);
        check("example:\n  b: 1\ntoken: VALUE\n", false);
        check("for_example: 1\n  token: VALUE\n", false);
    }
}
