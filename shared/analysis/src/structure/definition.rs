//! The definitions in a text, each with what is its own and not that of a definition inside it.

use std::ops::Range;

use tree_sitter::Node;

use super::grammar::defines;
use crate::language::Language;
use crate::syntax::parse_text;

/// Definitions of one file that are looked at.
const DEFINITIONS_MAX: usize = 20_000;

/// Something that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name, with those around it before it: `Class.method`.
    pub name: String,
    /// `function`, `class` and the like.
    pub word: &'static str,
    /// First and last line, from 1.
    pub lines: (u32, u32),
    /// Its text without its name and without definitions inside it, white space made one.
    pub own: String,
}

struct Found<'tree> {
    node: Node<'tree>,
    name: Range<usize>,
    word: &'static str,
    parent: Option<usize>,
}

/// The definitions in `text`; none where it cannot be parsed.
pub fn definitions(language: Language, text: &[u8]) -> Vec<Definition> {
    let Ok(parsed) = parse_text(language, text) else { return Vec::new() };
    let found = find(language, parsed.tree_root(), parsed.text());
    let all = (0..found.len()).map(|at| definition(&found, at, parsed.text()));
    // A block that adds to a type is only there to name what is in it.
    all.filter(|it| it.word != "impl").collect()
}

fn find<'tree>(language: Language, root: Node<'tree>, text: &str) -> Vec<Found<'tree>> {
    let mut found: Vec<Found<'tree>> = Vec::new();
    let mut open = vec![(root, None)];
    while let Some((node, parent)) = open.pop() {
        let mut inside = parent;
        if let Some(word) = defines(language, node.kind())
            && let Some(name) = name_of(node, text)
            && found.len() < DEFINITIONS_MAX
        {
            inside = Some(found.len());
            found.push(Found { node, name, word, parent });
        }
        let mut cursor = node.walk();
        let mut children: Vec<_> = node.children(&mut cursor).map(|child| (child, inside)).collect();
        children.reverse();
        open.append(&mut children);
    }
    found
}

fn name_of(node: Node<'_>, text: &str) -> Option<Range<usize>> {
    if node.kind() == "variable_declarator" {
        let value = node.child_by_field_name("value")?.kind();
        if !matches!(value, "arrow_function" | "function_expression" | "function" | "class") {
            return None;
        }
    }
    let field = if node.kind() == "impl_item" { "type" } else { "name" };
    let range = node.child_by_field_name(field)?.byte_range();
    text.get(range.clone()).filter(|name| !name.is_empty()).map(|_| range)
}

fn definition(found: &[Found<'_>], at: usize, text: &str) -> Definition {
    let it = &found[at];
    let mut names = vec![text.get(it.name.clone()).unwrap_or_default()];
    let mut parent = it.parent;
    while let Some(outer) = parent.and_then(|at| found.get(at)) {
        names.push(text.get(outer.name.clone()).unwrap_or_default());
        parent = outer.parent;
    }
    if let Some(receiver) = it.node.child_by_field_name("receiver") {
        names.push(receiver_type(text.get(receiver.byte_range()).unwrap_or_default()));
    }
    names.reverse();
    let inner = found[at + 1..].iter().take_while(|inner| inner.node.start_byte() < it.node.end_byte());
    let cuts = inner.filter(|inner| inner.parent == Some(at)).map(|inner| inner.node.byte_range());
    let row = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    Definition {
        name: names.join("."),
        word: it.word,
        lines: (row(it.node.start_position().row), row(it.node.end_position().row)),
        own: own_text(text, it.node.byte_range(), &it.name, cuts),
    }
}

/// `(s *Server)` is a method of `Server`.
fn receiver_type(text: &str) -> &str {
    let bare = text.trim_matches(['(', ')']).rsplit([' ', '*']).next().unwrap_or_default();
    bare.split('[').next().unwrap_or(bare)
}

fn own_text(
    text: &str,
    whole: Range<usize>,
    name: &Range<usize>,
    inner: impl Iterator<Item = Range<usize>>,
) -> String {
    let mut cuts: Vec<Range<usize>> = inner.chain(std::iter::once(name.clone())).collect();
    cuts.sort_by_key(|cut| cut.start);
    let mut own = String::new();
    let mut next = whole.start;
    for cut in cuts {
        own.push_str(text.get(next..cut.start).unwrap_or_default());
        own.push(' ');
        next = cut.end.max(next);
    }
    own.push_str(text.get(next..whole.end).unwrap_or_default());
    own.split_whitespace().collect::<Vec<_>>().join(" ")
}
