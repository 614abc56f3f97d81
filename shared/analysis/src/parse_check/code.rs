//! Programming languages: the errors that a grammar sees, without those that are the grammar's own.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::language::Language;
use crate::syntax::{Parsed, parse_text};

/// Valid code that the TypeScript grammar does not know yet.
static UNKNOWN_TO_TYPESCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"export type \*|<\s*(typeof\s+)?import\(|[>)]`|\busing\b|\baccessor\b|\bdefer\b|\b(in|out|const) [A-Z]\w*\b.*>").ok()
});

/// How many bytes around an error are looked at for what the grammar does not know.
const NEAR_BYTES: usize = 400;

/// Lines that a merge leaves behind.
const CONFLICT_MARKS: &[&str] = &["<<<<<<< ", ">>>>>>> "];

/// The places of errors in `text`; nothing where it cannot be parsed. With `needs_proof` only where brackets do
/// not pair or a merge's marks stand.
pub(super) fn errors(language: Language, text: &[u8], needs_proof: bool) -> Option<Vec<Range<usize>>> {
    if language == Language::Php && !is_all_php(text) {
        return None;
    }
    let parsed = parse_text(language, text).ok()?;
    let mut errors = in_tree(&parsed);
    if matches!(language, Language::TypeScript | Language::Tsx) {
        errors.retain(|span| !is_gap_of_typescript(text, span));
    }
    if needs_proof && !has_conflict(parsed.text()) && brackets_pair(&parsed) {
        errors.clear();
    }
    Some(errors)
}

/// The places of errors in the tree, outermost only.
fn in_tree(parsed: &Parsed) -> Vec<Range<usize>> {
    let mut errors = Vec::new();
    let mut cursor = parsed.tree_root().walk();
    loop {
        let node = cursor.node();
        let is_error = node.is_error() || node.is_missing();
        if is_error {
            errors.push(node.byte_range());
        }
        if !is_error && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

/// The grammar here is of PHP alone; what stands between `?>` and `<?php` is another language.
fn is_all_php(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let closes = text.windows(2).position(|window| window == b"?>");
    text.starts_with(b"<?php") && closes.is_none_or(|at| text[at + 2..].trim_ascii().is_empty())
}

fn is_gap_of_typescript(text: &[u8], span: &Range<usize>) -> bool {
    let start = span.start.saturating_sub(NEAR_BYTES);
    let end = (span.end + NEAR_BYTES).min(text.len());
    UNKNOWN_TO_TYPESCRIPT.as_ref().is_some_and(|regex| regex.is_match(&text[start..end]))
}

fn has_conflict(text: &str) -> bool {
    text.lines().any(|line| CONFLICT_MARKS.iter().any(|mark| line.starts_with(mark)))
}

/// Whether the bracket tokens pair; those in strings and comments are no tokens of their own.
fn brackets_pair(parsed: &Parsed) -> bool {
    let mut open = Vec::new();
    for node in parsed.root().dfs().filter(|node| node.is_leaf() && !node.is_named() && !node.is_missing()) {
        match node.kind().as_ref() {
            "(" => open.push(")"),
            "[" => open.push("]"),
            "{" | "${" | "#{" => open.push("}"),
            closing @ (")" | "]" | "}") if open.pop() != Some(closing) => return false,
            _ => {}
        }
    }
    open.is_empty()
}
