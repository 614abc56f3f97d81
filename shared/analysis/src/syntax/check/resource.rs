//! What is opened, and neither closed nor handed on.

use super::super::parsed::SyntaxNode;

/// Longer functions are not searched.
const FUNCTION_BYTES_MAX: usize = 40_000;

/// Whether the variable that the assignment `node` sets is only used through its methods, and none of them closes it.
pub(super) fn is_left_open(node: &SyntaxNode) -> bool {
    let Some(name) = node.field("left").map(|left| left.text().into_owned()) else { return false };
    let Some(function) = node.ancestors().find(|around| around.kind() == "function_definition") else {
        return false;
    };
    let text = function.text();
    if text.len() > FUNCTION_BYTES_MAX {
        return false;
    }
    let is_part =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let own = node.range().start - function.range().start;
    let mut uses = 0;
    for (at, _) in text.match_indices(&name) {
        let after = &text[at + name.len()..];
        if at == own || is_part(text[..at].chars().next_back()) || is_part(after.chars().next()) {
            continue;
        }
        let method = after.strip_prefix('.').map(|rest| rest.split('(').next().unwrap_or(rest));
        if !method.is_some_and(|method| {
            matches!(method, "read" | "readline" | "readlines" | "write" | "writelines")
        }) {
            return false;
        }
        uses += 1;
    }
    uses > 0
}
