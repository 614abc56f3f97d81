//! Syntax rules: patterns over the tree of a file.
//!
//! The rules are data, `rules/syntax/<language>/<topic>.yml`, each with code that it has to find and code that
//! it has to pass. Matchers are ast-grep's; the walk is ours, because ast-grep's own scan lets a comment in the
//! file switch rules off, and here only the policy and `prevet: ignore` may.

mod catalogue;
mod check;
mod fix;
mod grammar;
mod guard;
mod load;
mod parsed;
mod scope;
mod select;
mod siblings;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

pub use grammar::Grammar;
pub use parsed::{Document, Parsed, SyntaxNode, TREE_DEPTH_MAX, Unparsed, parse, parse_text};

use load::SyntaxRule;

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
    every_rule().map(|rule| &rule.rule)
}

fn every_rule() -> impl Iterator<Item = &'static SyntaxRule> {
    load::every_file().flat_map(|file| &file.rules)
}

/// What is wrong with rules that do not run: file, id and reason. Compiles every rule.
pub fn broken_rules() -> Vec<String> {
    let unread = load::every_file().flat_map(|file| file.broken.iter().cloned());
    unread.chain(every_rule().flat_map(broken_in)).collect()
}

fn broken_in(rule: &'static SyntaxRule) -> impl Iterator<Item = String> {
    rule.languages.iter().filter_map(|language| {
        let reason = rule.matcher(*language).err()?;
        Some(format!("{} in {}: {reason}", rule.rule.id, language.as_str()))
    })
}
