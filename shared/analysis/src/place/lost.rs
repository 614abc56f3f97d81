//! Whether a line that was taken out may have been a guard.

use std::collections::{BTreeMap, BTreeSet};

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
    "replace",
    "match",
    "startswith",
    "endswith",
    "contains",
    "includes",
    "origin",
    "specialchars",
    "entities",
    "intval",
    "regex",
    "signature",
    "cors",
    "admin",
    "owner",
    "role",
    "access",
    "policy",
    "tenant",
    "commonpath",
    "resolve",
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

/// Words of a line that are looked at; more has no line that somebody wrote.
const WORDS_MAX: usize = 200;

/// An edited line stands near where it stood; a moved one is the same wherever it went.
const EDIT_LINES_MAX: u32 = 20;

/// The lines that are gone, by the number of the line before which they stood.
#[derive(Debug, Clone, Default)]
pub(super) struct Lost {
    lines: BTreeMap<u32, Vec<LostLine>>,
}

#[derive(Debug, Clone)]
struct LostLine {
    words: Vec<String>,
    /// It decides or checks, whatever it is about.
    checks: bool,
    /// `@login_required`
    is_decorator: bool,
}

impl Lost {
    /// What of `removed` is not among `added` again.
    pub fn of(added: &BTreeMap<u32, Vec<u8>>, removed: &BTreeMap<u32, Vec<Vec<u8>>>) -> Self {
        let added: BTreeMap<u32, Vec<String>> =
            added.iter().map(|(number, line)| (*number, words_of(line))).collect();
        let same: BTreeSet<&[String]> = added.values().map(Vec::as_slice).collect();
        let mut lines: BTreeMap<u32, Vec<LostLine>> = BTreeMap::new();
        for (number, line) in
            removed.iter().flat_map(|(number, lines)| lines.iter().map(move |line| (number, line)))
        {
            let Some(line) = LostLine::of(line) else { continue };
            let near = number.saturating_sub(EDIT_LINES_MAX)..=number.saturating_add(EDIT_LINES_MAX);
            let is_edited = || added.range(near).any(|(_, words)| is_same(&line.words, words));
            if !same.contains(line.words.as_slice()) && !is_edited() {
                lines.entry(*number).or_default().push(line);
            }
        }
        Self { lines }
    }

    /// Whether the function from line `first` to `last` lost a guard of `code` in it. What was removed before a
    /// function's first line was never in it, but for what is written above its head.
    pub fn has_guard(&self, first: u32, last: u32, code: &[u8]) -> bool {
        let values = values_of(code);
        let above = self.lines.get(&first).into_iter().flatten().filter(|line| line.is_decorator);
        let inside = self.lines.range(first + 1..=last.max(first + 1)).flat_map(|(_, lines)| lines);
        above.chain(inside).any(|line| line.checks || line.words.iter().any(|word| values.contains(word)))
    }
}

impl LostLine {
    /// None for a comment and an empty line.
    fn of(line: &[u8]) -> Option<Self> {
        let text = line.trim_ascii();
        let marks = ["#", "//", "*", "/*", "--", "'''", "\"\"\""];
        let is_prose = marks.iter().any(|mark| text.starts_with(mark.as_bytes()));
        if text.is_empty() || is_prose {
            return None;
        }
        let words = words_of(text);
        let checks = |word: &String| {
            let lower = word.to_lowercase();
            DECIDING.contains(&word.as_str()) || CHECKING.iter().any(|part| lower.contains(part))
        };
        let is_decorator = text.starts_with(b"@");
        Some(Self { checks: words.iter().any(checks), words, is_decorator })
    }
}

/// Whether the one line is the other, edited beside the point.
fn is_same(old: &[String], new: &[String]) -> bool {
    let mut rest: Vec<&String> = new.iter().collect();
    let longest = old.len().max(new.len());
    let is_common = |word: &&String| {
        let at = rest.iter().position(|other| other == word);
        at.map(|at| rest.swap_remove(at)).is_some()
    };
    let common = old.iter().filter(is_common).count();
    common * 10 >= longest * SAME_TENTHS_MIN
}

/// The names in a hit that hold values: neither what is called nor what something is asked of.
fn values_of(code: &[u8]) -> BTreeSet<String> {
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
        .take(WORDS_MAX)
        .map(|word| word.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards() {
        let code = b"run(host, \"ping \" + target.name, 3)";
        let values = values_of(code);
        assert_eq!(values.iter().map(String::as_str).collect::<Vec<_>>(), ["host", "name"]);
        let check = |line: &str, expected: bool| {
            let removed = BTreeMap::from([(5, vec![line.as_bytes().to_vec()])]);
            let lost = Lost::of(&BTreeMap::new(), &removed);
            assert_eq!(lost.has_guard(2, 9, code), expected, "{line}");
            assert!(!lost.has_guard(6, 9, code), "{line}");
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
        let check = |old: &str, number: u32, new: &str, expected: bool| {
            let added = BTreeMap::from([(number, new.as_bytes().to_vec())]);
            let removed = BTreeMap::from([(5, vec![old.as_bytes().to_vec()])]);
            assert_eq!(Lost::of(&added, &removed).lines.is_empty(), expected, "{old} / {new}");
        };
        check("if (a.check(b)) {", 5, "  if (a.check(b))  {", true);
        check("if (a.check(b)) {", 900, "  if (a.check(b))  {", true);
        check("wasm: false", 5, "wasm: false,", true);
        check("a = f(b, c, d, e)", 6, "a = f(b, c, d, e, g)", true);
        check("a = f(b, c, d, e)", 900, "a = f(b, c, d, e, g)", false);
        check("if (ok) {", 5, "if (!ok) {", false);
        check("if host not in HOSTS:", 5, "if host:", false);
        check("if (a && b) {", 5, "if (a) {", false);
    }
}
