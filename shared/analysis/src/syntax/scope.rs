//! Which nodes are functions, and which function a node is in.

use std::ops::Range;

use ast_grep_core::tree_sitter::LanguageExt;

use super::grammar::Grammar;
use crate::language::Language;

/// The kinds of function nodes. Lambdas and closures are left out where the language has named functions for
/// anything larger: the scope is the function that a reader would name.
const fn function_kinds(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python | Language::Shell => &["function_definition"],
        Language::JavaScript | Language::TypeScript | Language::Tsx => &[
            "function_declaration",
            "generator_function_declaration",
            "function_expression",
            "arrow_function",
            "method_definition",
        ],
        Language::Go => &["function_declaration", "method_declaration"],
        Language::Java => {
            &["method_declaration", "constructor_declaration", "compact_constructor_declaration"]
        }
        Language::Rust => &["function_item"],
        Language::Ruby => &["method", "singleton_method"],
        Language::Php => &["function_definition", "method_declaration"],
        Language::CSharp => &[
            "method_declaration",
            "constructor_declaration",
            "local_function_statement",
            "accessor_declaration",
        ],
        Language::Terraform => &["block"],
        Language::Yaml | Language::Json | Language::Dockerfile => &[],
    }
}

/// The enclosing functions of a walk in document order.
pub(super) struct Scopes {
    is_function: Vec<bool>,
    open: Vec<Range<usize>>,
}

impl Scopes {
    pub fn new(language: Language) -> Self {
        let grammar = Grammar(language).get_ts_language();
        let mut is_function = vec![false; grammar.node_kind_count()];
        for kind in function_kinds(language) {
            if let Some(flag) = is_function.get_mut(usize::from(grammar.id_for_node_kind(kind, true))) {
                *flag = true;
            }
        }
        Self { is_function, open: Vec::new() }
    }

    /// Goes on to the next node.
    pub fn enter(&mut self, kind: u16, span: &Range<usize>) {
        while self.open.last().is_some_and(|function| function.end <= span.start && !function.is_empty()) {
            self.open.pop();
        }
        if self.is_function.get(usize::from(kind)).copied().unwrap_or(false) {
            self.open.push(span.clone());
        }
    }

    /// The innermost function around the current node.
    pub fn current(&self) -> Option<Range<usize>> {
        self.open.last().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_exists() {
        for language in Language::ALL {
            let grammar = Grammar(language).get_ts_language();
            for kind in function_kinds(language) {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{kind} in {}", language.as_str());
            }
        }
    }
}
