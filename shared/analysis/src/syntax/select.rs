//! Which rules a file needs: those of which a literal occurs in it.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

use super::load::{SyntaxRule, rules_for};
use crate::language::Language;

/// One language's rules with their literals.
struct Index {
    rules: Vec<&'static SyntaxRule>,
    literals: Option<AhoCorasick>,
    owners: Vec<usize>,
}

static INDEXES: [OnceLock<Index>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];

/// The rules that may match `text`.
pub(super) fn select(language: Language, path: &str, text: &[u8]) -> Vec<&'static SyntaxRule> {
    let Some(slot) = INDEXES.get(language as usize) else { return Vec::new() };
    let index = slot.get_or_init(|| build(language));
    let wanted = index.wanted(text);
    let rules = index.rules.iter().zip(wanted);
    rules.filter(|(rule, wanted)| *wanted && rule.applies_to(path)).map(|(rule, _)| *rule).collect()
}

fn build(language: Language) -> Index {
    let rules: Vec<_> = rules_for(language).collect();
    let pairs =
        rules.iter().enumerate().flat_map(|(at, rule)| rule.literals.iter().map(move |text| (text, at)));
    let (texts, owners): (Vec<_>, Vec<_>) = pairs.unzip();
    Index { literals: AhoCorasick::new(texts).ok(), rules, owners }
}

impl Index {
    fn wanted(&self, text: &[u8]) -> Vec<bool> {
        let Some(literals) = &self.literals else { return vec![true; self.rules.len()] };
        let mut wanted: Vec<bool> = self.rules.iter().map(|rule| rule.literals.is_empty()).collect();
        for found in literals.find_overlapping_iter(text) {
            let owner = self.owners.get(found.pattern().as_usize());
            if let Some(flag) = owner.and_then(|at| wanted.get_mut(*at)) {
                *flag = true;
            }
        }
        wanted
    }
}
