//! Syntax rules: patterns over the tree of a file.
//!
//! The rules are data, `rules/syntax/<language>/<topic>.yml`, each with code that it has to find and code that
//! it has to pass. Matchers are ast-grep's; the walk is ours, because ast-grep's own scan lets a comment in the
//! file switch rules off, and here only the policy and `prevet: ignore` may.

mod catalogue;
mod fix;
mod grammar;
mod guard;
mod load;
mod parsed;
mod scope;
mod select;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

pub use grammar::Grammar;
pub use parsed::{Document, Parsed, SyntaxNode, TREE_DEPTH_MAX, Unparsed, parse, parse_text};

use crate::hit::Hit;
use crate::rule::Rule;
use crate::source::Source;

/// The hits in `source`; none where it cannot be parsed (ask [`parse`] for the reason).
pub fn scan(source: &Source) -> Vec<Hit> {
    parse(source).map(|parsed| scan_parsed(source, &parsed)).unwrap_or_default()
}

/// The hits in `source`, which was parsed before.
pub fn scan_parsed(source: &Source, parsed: &Parsed) -> Vec<Hit> {
    let selected = select::select(parsed.language, source.path, source.text);
    walk::walk(source, parsed, &selected)
}

/// Every rule.
pub fn rules() -> impl Iterator<Item = &'static Arc<Rule>> {
    load::CATALOGUE.rules.iter().map(|rule| &rule.rule)
}

/// What is wrong with rules that do not run: file, id and reason. Compiles every rule.
pub fn broken_rules() -> Vec<String> {
    let catalogue = &*load::CATALOGUE;
    let mut broken = catalogue.broken.clone();
    for rule in &catalogue.rules {
        let failures = rule.languages.iter().filter_map(|language| {
            let reason = rule.matcher(*language).err()?;
            Some(format!("{} in {}: {reason}", rule.rule.id, language.as_str()))
        });
        broken.extend(failures);
    }
    broken
}
