//! Whether what is put into a text can itself be text, by the types that the file declares.

use std::sync::LazyLock;

use regex::Regex;

use super::super::parsed::SyntaxNode;

/// Names looked up for one text.
const NAMES_MAX: usize = 12;
/// Larger files are not searched.
const TEXT_BYTES_MAX: usize = 400_000;

/// `"…" + name`, `{name}`: the names, of what they are a part of the last.
static SLOT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"["']\s*\+\s*(?:\w+\.)*([A-Za-z_]\w*)|\{(?:\w+\.)*([A-Za-z_]\w*)"#).ok());

/// Whether one of the names in `node` is not declared, and nowhere else in the file, as a number or the like.
pub(super) fn may_be_text(node: &SyntaxNode, text: &str) -> bool {
    let Some(slot) = SLOT.as_ref().filter(|_| text.len() <= TEXT_BYTES_MAX) else { return true };
    let built = node.text();
    let names = slot.captures_iter(&built).filter_map(|found| found.get(1).or_else(|| found.get(2)));
    let mut names = names.map(|name| name.as_str()).take(NAMES_MAX).peekable();
    names.peek().is_none() || names.any(|name| !is_declared_plain(name, text))
}

fn is_declared_plain(name: &str, text: &str) -> bool {
    let name = regex::escape(name);
    let holds = |kinds: &str| {
        Regex::new(&format!(r"\b(?:{kinds})\??\s+{name}\b")).is_ok_and(|regex| regex.is_match(text))
    };
    holds(
        "int|long|short|byte|Integer|Long|Short|UUID|Guid|boolean|bool|Boolean|double|float|Double|BigInteger",
    ) && !holds(r"(?:final\s+)?(?:String|string|var|Object|object|CharSequence)")
}
