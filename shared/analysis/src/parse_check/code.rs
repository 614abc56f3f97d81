//! Programming languages: the errors that a grammar sees, without those that are the grammar's own.

use std::ops::Range;

use super::{Errors, gaps};
use crate::language::Language;
use crate::syntax::{Parsed, parse_text};

/// Lines that a merge leaves behind.
const CONFLICT_MARKS: &[&str] = &["<<<<<<< ", ">>>>>>> "];

/// The errors in `text`; nothing where it cannot be parsed. They are proven where brackets do not pair or a merge's
/// marks stand.
pub(super) fn errors(language: Language, text: &[u8]) -> Option<Errors> {
    if language == Language::Php && !is_all_php(text) {
        return None;
    }
    let parsed = parse_text(language, text).ok()?;
    let mut spans = in_tree(&parsed);
    spans.retain(|span| !gaps::is_gap(language, text, span));
    let is_proven = !spans.is_empty() && (has_conflict(parsed.text()) || !brackets_pair(&parsed));
    Some(Errors { spans, is_proven })
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
