//! Calls of functions that the same file defines as asynchronous.

use regex::Regex;

use super::super::parsed::SyntaxNode;
use crate::language::Language;

/// Larger files are not searched for each call.
const TEXT_BYTES_MAX: usize = 300_000;

/// Whether `node`, a statement that is a call, calls one of the file's asynchronous functions, and no other of that
/// name can be meant.
pub(super) fn is_of_this_file(node: &SyntaxNode, text: &str, language: Language) -> bool {
    let call =
        if node.kind().contains("statement") { node.children().find(SyntaxNode::is_named) } else { None };
    let Some(callee) = call.and_then(|call| call.field("function")).filter(|_| text.len() <= TEXT_BYTES_MAX)
    else {
        return false;
    };
    let callee = callee.text();
    let own = ["self.", "this."].iter().find_map(|own| callee.strip_prefix(own));
    let name = own.unwrap_or(&callee);
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_name
        && !name.is_empty()
        && text.contains("async")
        && is_only_asynchronous(name, own.is_some(), text, language)
}

/// Whether each definition of `name` is asynchronous, and there is one.
fn is_only_asynchronous(name: &str, is_method: bool, text: &str, language: Language) -> bool {
    let name = regex::escape(name);
    let (asynchronous, every) = match language {
        Language::Python => (
            format!(r"\basync[ \t]+def[ \t]+{name}\b"),
            format!(r"\bdef[ \t]+{name}\b|(?m)^[ \t]*(?:from .*)?import .*\b{name}\b|^[ \t]*{name}[ \t]*="),
        ),
        Language::CSharp => (
            format!(r"\basync\s+(?:Task|ValueTask)(?:<[^\n(]*>)?\s+{name}\s*[(<]"),
            format!(r"(?m)^[^\n=;(]*[\w>\]]\s+{name}\s*\([^\n;]*$"),
        ),
        _ if is_method => (
            format!(r"(?m)^[ \t]*(?:(?:public|private|protected|static|override)\s+)*async\s+{name}\s*[(<]"),
            format!(
                r"(?m)^[ \t]*(?:(?:public|private|protected|static|override|async|get|set)\s+)*{name}\s*[(<][^\n;]*\{{\s*$|\b{name}\s*[:=][^=]"
            ),
        ),
        _ => (
            format!(r"\basync\s+function\s+{name}\b|\bconst\s+{name}\s*=\s*async\b"),
            format!(r"\bfunction\s+{name}\b|\b(?:const|let|var)\s+{name}\b|(?m)^\s*import\b[^\n]*\b{name}\b"),
        ),
    };
    let count = |pattern: &str| Regex::new(pattern).map_or(0, |regex| regex.find_iter(text).count());
    // What a decorator makes of it may be called differently.
    let decorated = format!(r"(?m)^[ \t]*(?:@[^\n]*|\)[^\n:]*)\n[ \t]*async[ \t]+def[ \t]+{name}\b");
    let is_plain = || language != Language::Python || count(&decorated) == 0;
    count(&asynchronous) == 1 && count(&every) == 1 && is_plain()
}
