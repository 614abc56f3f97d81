//! Whether a line that was taken out may have been a guard.

use std::collections::BTreeSet;

/// Statements that decide or refuse.
const DECIDING: &[&str] = &[
    "if", "elif", "elsif", "unless", "assert", "raise", "die", "panic", "throw", "abort", "guard", "match",
    "switch", "case", "when",
];

/// Parts of names of what checks a value or makes it harmless.
const CHECKING: &[&str] = &[
    "check",
    "valid",
    "verif",
    "sanit",
    "escap",
    "allow",
    "auth",
    "permi",
    "ensure",
    "guard",
    "safe",
    "trust",
    "clean",
    "forbid",
    "deny",
    "denied",
    "quot",
    "encod",
    "normaliz",
    "realpath",
    "abspath",
    "basename",
    "limit",
    "strip",
    "whitelist",
    "blacklist",
    "denylist",
    "csrf",
    "login",
    "restrict",
    "purif",
    "prepare",
    "bind",
    "param",
    "filter",
    "reject",
    "require",
    "secure",
];

/// Words that stand in any line.
const COMMON: &[&str] = &[
    "self",
    "this",
    "new",
    "await",
    "async",
    "return",
    "const",
    "let",
    "var",
    "def",
    "fn",
    "func",
    "function",
    "for",
    "in",
    "of",
    "is",
    "else",
    "true",
    "false",
    "True",
    "False",
    "null",
    "None",
    "nil",
    "undefined",
    "string",
    "public",
    "private",
    "static",
    "final",
];

/// Of two lines with this share of their words in common, in tenths, the one is the other, edited.
const SAME_TENTHS_MIN: usize = 8;

/// Whether `line` may have guarded something: it decides, it checks, or it says what one of `values` is.
pub(super) fn is_guard(line: &[u8], values: &BTreeSet<String>) -> bool {
    let words = words_of(line);
    let is_prose = ["#", "//", "*", "/*", "--", "'''", "\"\"\""]
        .iter()
        .any(|mark| line.trim_ascii_start().starts_with(mark.as_bytes()));
    let checks = |word: &String| {
        let lower = word.to_lowercase();
        CHECKING.iter().any(|part| lower.contains(part))
    };
    let decides = |word: &String| DECIDING.contains(&word.as_str());
    !is_prose && words.iter().any(|word| decides(word) || checks(word) || values.contains(word))
}

/// `@login_required`
pub(super) fn is_decorator(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"@")
}

/// Whether one of the `added` lines says the same: moved, or edited beside the point.
pub(super) fn is_kept(line: &[u8], added: &[&[u8]]) -> bool {
    let old = words_of(line);
    added.iter().any(|line| {
        let mut rest = words_of(line);
        let longest = old.len().max(rest.len());
        let is_common = |word: &&String| {
            let at = rest.iter().position(|other| other == *word);
            at.map(|at| rest.swap_remove(at)).is_some()
        };
        let common = old.iter().filter(is_common).count();
        common * 10 >= longest * SAME_TENTHS_MIN
    })
}

/// The names in a hit that hold values: neither what is called nor what something is asked of.
pub(super) fn values_of(code: &[u8]) -> BTreeSet<String> {
    let code = String::from_utf8_lossy(code);
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut values = BTreeSet::new();
    let mut rest = code.as_ref();
    while let Some(start) = rest.find(is_word) {
        let word = rest.get(start..).unwrap_or_default();
        let end = word.find(|character| !is_word(character)).unwrap_or(word.len());
        let (name, after) = word.split_at(end);
        let is_asked = after.trim_start().starts_with(['(', '.', ':', '"', '\'']);
        let is_name = !name.starts_with(|character: char| character.is_ascii_digit());
        if is_name && !is_asked && !COMMON.contains(&name) {
            values.insert(name.to_owned());
        }
        rest = after;
    }
    values
}

/// Names, and signs that compare or negate; brackets, commas and quotes are how a line is written.
fn words_of(line: &[u8]) -> Vec<String> {
    let line = String::from_utf8_lossy(line);
    let kind = |character: char| match character {
        _ if character.is_alphanumeric() || character == '_' => 1,
        '!' | '=' | '<' | '>' | '&' | '|' => 2,
        _ => 0_u8,
    };
    let characters: Vec<char> = line.chars().collect();
    let words = characters.chunk_by(|first, second| kind(*first) == kind(*second));
    words
        .filter(|word| word.first().is_some_and(|first| kind(*first) != 0))
        .map(|word| word.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards() {
        let values = values_of(b"run(host, \"ping \" + target.name, 3)");
        assert_eq!(values.iter().map(String::as_str).collect::<Vec<_>>(), ["host", "name"]);
        let check = |line: &str, expected: bool| {
            assert_eq!(is_guard(line.as_bytes(), &values), expected, "{line}");
        };
        check("    if not ok:", true);
        check("    raise Denied()", true);
        check("    requirePermission(user)", true);
        check("    html = escape(html)", true);
        check("    host = HOSTS[key]", true);
        check("    'gateway': gateway,", false);
        check("    wasm: false", false);
        check("    # check the host", false);
        check("    log(other)", false);
    }

    #[test]
    fn kept_lines() {
        let check = |old: &str, new: &str, expected: bool| {
            assert_eq!(is_kept(old.as_bytes(), &[new.as_bytes()]), expected, "{old} / {new}");
        };
        check("if (a.check(b)) {", "  if (a.check(b))  {", true);
        check("wasm: false", "wasm: false,", true);
        check("if (ok) {", "if (!ok) {", false);
        check("if host not in HOSTS:", "if host:", false);
        check("if (a && b) {", "if (a) {", false);
    }
}
