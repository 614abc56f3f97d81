//! One parse of a file, for every engine that needs the tree.

use std::borrow::Cow;
use std::ops::ControlFlow;

use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_core::{AstGrep, Node};
use prevet_domain::limits::PARSED_FILE_BYTES_MAX;
use tree_sitter::{ParseOptions, Parser, Tree};

use super::grammar::Grammar;
use super::guard::overflows_scanner;
use crate::language::Language;
use crate::source::Source;

/// A document as ast-grep holds it.
pub type Document = StrDoc<Grammar>;

/// A node of a [`Parsed`] file.
pub type SyntaxNode<'tree> = Node<'tree, Document>;

/// Deeper trees are not walked: some matchers recurse, and a stack has an end.
pub const TREE_DEPTH_MAX: usize = 1_000;

/// How often the parser may report progress for each KiB. Real code takes up to 25, minified text 60; hostile text makes error
/// recovery quadratic.
const PROGRESS_REPORTS_PER_KIB_MAX: usize = 100;

/// What it may report on top, so that small files are never cut off.
const PROGRESS_REPORTS_FLOOR: usize = 1_000;

/// A file with its tree.
pub struct Parsed {
    /// Its language.
    pub language: Language,
    document: AstGrep<Document>,
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unparsed {
    /// No grammar for it.
    #[error("no grammar for this file")]
    NoGrammar,
    /// Over the limit.
    #[error("larger than {PARSED_FILE_BYTES_MAX} bytes")]
    TooLarge,
    /// Nested beyond [`TREE_DEPTH_MAX`].
    #[error("nested deeper than {TREE_DEPTH_MAX} levels")]
    TooDeep,
    /// The parser gave up.
    #[error("too hard to parse")]
    TooHard,
}

impl Parsed {
    /// The root node.
    pub fn root(&self) -> SyntaxNode<'_> {
        self.document.root()
    }

    /// The tree as tree-sitter has it.
    pub fn tree_root(&self) -> tree_sitter::Node<'_> {
        self.document.root().get_inner_node()
    }

    /// Wraps a node of [`Parsed::tree_root`].
    pub fn node<'tree>(&'tree self, inner: tree_sitter::Node<'tree>) -> SyntaxNode<'tree> {
        self.document.adopt(inner)
    }

    /// The text as parsed: as long as the source's, byte for byte, with `?` for what is not UTF-8.
    pub fn text(&self) -> &str {
        self.document.source()
    }
}

/// Parses `source`.
pub fn parse(source: &Source) -> Result<Parsed, Unparsed> {
    let language = source.language.ok_or(Unparsed::NoGrammar)?;
    parse_text(language, source.text)
}

/// Parses `text`.
pub fn parse_text(language: Language, text: &[u8]) -> Result<Parsed, Unparsed> {
    if text.len() > PARSED_FILE_BYTES_MAX {
        return Err(Unparsed::TooLarge);
    }
    let grammar = Grammar(language);
    let src = same_length_utf8(text).into_owned();
    if overflows_scanner(language, &src) {
        return Err(Unparsed::TooDeep);
    }
    let tree = tree_of(grammar, &src).ok_or(Unparsed::TooHard)?;
    if deeper_than(&tree, TREE_DEPTH_MAX) {
        return Err(Unparsed::TooDeep);
    }
    Ok(Parsed { language, document: AstGrep::doc(StrDoc { src, lang: grammar, tree }) })
}

fn tree_of(grammar: Grammar, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.get_ts_language()).ok()?;
    let mut budget = PROGRESS_REPORTS_FLOOR + text.len() / 1024 * PROGRESS_REPORTS_PER_KIB_MAX;
    let mut spend = |_: &tree_sitter::ParseState| {
        budget = budget.saturating_sub(1);
        if budget == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut spend)))
}

fn deeper_than(tree: &Tree, limit: usize) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0_usize;
    loop {
        if depth > limit {
            return true;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// Offsets in the tree have to be offsets in the file, so what is not UTF-8 is replaced byte by byte.
fn same_length_utf8(text: &[u8]) -> Cow<'_, str> {
    if let Ok(valid) = std::str::from_utf8(text) {
        return Cow::Borrowed(valid);
    }
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_survive_bad_bytes() {
        let parsed = parse_text(Language::Python, b"x = '\xff\xfe'\ny = 1\n").unwrap();
        assert_eq!(parsed.text(), "x = '??'\ny = 1\n");
    }

    #[test]
    fn hostile_nesting_is_refused() {
        for language in Language::ALL {
            for opening in ["(", "["] {
                let text = opening.repeat(100_000);
                let _ = parse_text(language, text.as_bytes());
            }
        }
        let balanced = format!("x = {}{}\n", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(parse_text(Language::Python, balanced.as_bytes()).err(), Some(Unparsed::TooDeep));
    }

    #[test]
    fn large_files_are_refused() {
        let text = vec![b'\n'; PARSED_FILE_BYTES_MAX + 1];
        assert_eq!(parse_text(Language::Go, &text).err(), Some(Unparsed::TooLarge));
    }
}
