//! Values followed through one function, from where an outsider sets them to where they do harm.
//!
//! One engine walks every language's tree: a `grammar` says what each kind of node means, a `catalogue`
//! (rules under `rules/taint/`) says which names are sources, sinks and sanitizers. It goes statement by
//! statement with a `state` of what each variable holds, joins branches, runs loops once, and takes a failed
//! check that leaves the function as proof for what follows (`guard`).
//!
//! Calls of the file's own functions are followed into their bodies (`local`). Absent on purpose: calls into other
//! files, aliases, fields of other objects. What is not known to pass a value on does not.

mod assign;
mod call;
mod catalogue;
mod evaluate;
#[cfg(test)]
mod examples;
mod format;
mod grammar;
mod guard;
mod local;
mod names;
mod parameter;
mod pattern;
mod sink;
mod state;
mod statement;
mod tracker;
mod value;

use std::sync::Arc;

use crate::hit::Hit;
use crate::rule::Rule;
use crate::source::Source;
use crate::syntax::{Parsed, parse};

/// The hits in `source`; none where it cannot be parsed.
pub fn scan(source: &Source) -> Vec<Hit> {
    parse(source).map(|parsed| scan_parsed(&parsed)).unwrap_or_default()
}

/// The hits in a file that was parsed before.
pub fn scan_parsed(parsed: &Parsed) -> Vec<Hit> {
    let Some(catalogue) = catalogue::of(parsed.language) else { return Vec::new() };
    let Some(grammar) = grammar::of(parsed.language) else { return Vec::new() };
    if !catalogue.has_source(parsed.text()) {
        return Vec::new();
    }
    tracker::Tracker::new(grammar, catalogue, parsed.text()).run(parsed.tree_root())
}

/// Every rule.
pub fn rules() -> impl Iterator<Item = &'static Arc<Rule>> {
    catalogue::all().flat_map(catalogue::Catalogue::rules)
}

/// What is wrong with rule files that cannot be read.
pub fn broken_rules() -> Vec<String> {
    catalogue::broken().to_vec()
}
