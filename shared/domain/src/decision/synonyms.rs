//! A tenant's own synonyms, learned where a person confirmed that an answer holds for another wording.

use std::collections::{BTreeMap, BTreeSet};

use super::canonical::{Canonical, Class};
use super::words::tables;

/// Pairs that a tenant may have; the oldest make room.
pub const SYNONYM_PAIRS_MAX: usize = 200;
/// Letters that a learned word has at the least.
const LETTERS_MIN: usize = 3;
/// Other forms of one question that are looked up.
const VARIANTS_MAX: usize = 4;

/// Words that mean the same to a tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synonyms {
    canonical: BTreeMap<String, String>,
}

impl Synonyms {
    /// From pairs of stems.
    pub fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut canonical: BTreeMap<String, String> = BTreeMap::new();
        for (one, other) in pairs {
            let root = |word: &str| canonical.get(word).cloned().unwrap_or_else(|| word.to_owned());
            let (one_root, other_root) = (root(one), root(other));
            let (low, high) =
                if one_root < other_root { (one_root, other_root) } else { (other_root, one_root) };
            for value in canonical.values_mut().filter(|value| **value == high) {
                value.clone_from(&low);
            }
            canonical.insert(high, low.clone());
            canonical.insert(one.to_owned(), low.clone());
            canonical.insert(other.to_owned(), low);
        }
        Self { canonical }
    }

    /// What stands for a stem.
    pub fn canonical<'a>(&'a self, stem: &'a str) -> &'a str {
        self.canonical.get(stem).map_or(stem, String::as_str)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.canonical.is_empty()
    }

    /// Hashes of the forms that a question, taken without these synonyms, has with one word in place of another.
    pub fn variants(&self, form: &Canonical) -> Vec<String> {
        let mut hashes = BTreeSet::new();
        for (at, token) in form.tokens.iter().enumerate() {
            let Some(class) = self.canonical.get(&token.stem) else { continue };
            let others = self.canonical.iter().filter(|(word, root)| *root == class && **word != token.stem);
            for (word, _) in others.take(VARIANTS_MAX) {
                let mut variant = form.clone();
                variant.tokens[at].stem.clone_from(word);
                hashes.insert(variant.hash());
            }
        }
        hashes.into_iter().take(VARIANTS_MAX).collect()
    }
}

/// The pair of words that a confirmed reuse teaches: the one word that differs on each side, where neither says
/// anything that can turn a decision. Names, numbers, environments and opposites are never learned.
pub fn learned(one: &Canonical, other: &Canonical) -> Option<(String, String)> {
    let same_kind = (one.asks, one.allow, one.need) == (other.asks, other.allow, other.need);
    let (left, right) = (only_in(one, other), only_in(other, one));
    let ([left], [right]) = (left.as_slice(), right.as_slice()) else { return None };
    let pair = (left.stem.clone(), right.stem.clone());
    let plain = [left, right].iter().all(|token| {
        token.class == Class::Content
            && token.stem.len() >= LETTERS_MIN
            && token.stem.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    });
    (same_kind && plain && !tables().antonyms.contains(&pair)).then_some(pair)
}

fn only_in<'a>(one: &'a Canonical, other: &Canonical) -> Vec<&'a super::canonical::Token> {
    let stems = other.stems();
    one.tokens.iter().filter(|token| !stems.contains(token.stem.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_confirmation_teaches() {
        let check = |one: &str, other: &str, expected: Option<(&str, &str)>| {
            let none = Synonyms::default();
            let pair = learned(&Canonical::of(one, &none), &Canonical::of(other, &none));
            let pair = pair.as_ref().map(|(one, other)| (one.as_str(), other.as_str()));
            assert_eq!(pair, expected, "{one} / {other}");
        };
        check("Should we cache avatars?", "Should we cache portraits?", Some(("avatar", "portrait")));
        check("Should we show the price?", "Should we hide the price?", None);
        check("Should we log in staging?", "Should we log in production?", None);
        check("Should we keep 5 copies?", "Should we keep 6 copies?", None);
        check("Should we cache avatars?", "Should we not cache avatars?", None);
        check("Should we cache avatars?", "Which avatars do we cache?", None);
        check("Should we read a.b?", "Should we read a.c?", None);
        check("Should we cache avatars in memory?", "Should we cache portraits on disk?", None);
    }

    #[test]
    fn classes_join() {
        let synonyms = Synonyms::new([("b", "c"), ("a", "b"), ("x", "y")]);
        assert_eq!(["a", "b", "c"].map(|word| synonyms.canonical(word)), ["a", "a", "a"]);
        assert_eq!(synonyms.canonical("y"), "x");
        assert_eq!(synonyms.canonical("z"), "z");
    }
}
