//! Texts that name variables in braces, and are no formatted ones.

use std::sync::LazyLock;

use regex::Regex;

use super::super::parsed::SyntaxNode;

/// Longer functions are not searched.
const FUNCTION_BYTES_MAX: usize = 40_000;

static HOLE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\{([a-z_][a-z0-9_]*)\}").ok());

/// Whether each name in braces in `node` is one that its function assigns or takes.
pub(super) fn names_variables(node: &SyntaxNode) -> bool {
    let Some(function) = node.ancestors().find(|around| around.kind() == "function_definition") else {
        return false;
    };
    let (text, whole) = (node.text(), function.text());
    let Some(hole) = HOLE.as_ref().filter(|_| whole.len() <= FUNCTION_BYTES_MAX) else { return false };
    let mut names =
        hole.captures_iter(&text).filter_map(|found| found.get(1)).map(|name| name.as_str()).peekable();
    names.peek().is_some() && names.all(|name| is_variable(name, &whole))
}

fn is_variable(name: &str, function: &str) -> bool {
    let name = regex::escape(name);
    let pattern = format!(
        r"(?m)^\s*(?:async\s+)?def\s+\w+\([^)]*\b{name}\b|^\s*{name}\s*(?::[^=\n]+)?=[^=]|\bfor\s+(?:\w+,\s*)*{name}\b|\bas\s+{name}\b"
    );
    Regex::new(&pattern).is_ok_and(|regex| regex.is_match(function))
}
