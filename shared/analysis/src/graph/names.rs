//! Which files may have a name, told from their bytes: parsing a whole repository for each change would take too long.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, MatchKind};

use super::wanted::Wanted;

/// Names that one change makes interesting, at most.
pub const NAMES_MAX: usize = 500;

/// The names of a change.
#[derive(Debug)]
pub struct Names {
    entries: Vec<Entry>,
    set: HashSet<String>,
    search: Option<AhoCorasick>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    changed: bool,
}

/// Names that one text may have, by their place in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Names of changed symbols.
    pub changed: Vec<usize>,
    /// Names that the change calls, where a definition may stand.
    pub defined: Vec<usize>,
}

impl Found {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.defined.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.changed.iter().chain(&self.defined).copied()
    }
}

impl Names {
    /// The names of `wanted`, those of changed symbols first.
    pub fn of(wanted: &Wanted) -> Self {
        let changed = wanted.changed.iter().map(|it| (it.name.as_str(), true));
        let called = wanted.called.iter().map(|it| (it.name.as_str(), false));
        let (mut entries, mut set) = (Vec::new(), HashSet::new());
        for (name, changed) in changed.chain(called) {
            if entries.len() < NAMES_MAX && set.insert(name.to_owned()) {
                entries.push(Entry { name: name.to_owned(), changed });
            }
        }
        let names = entries.iter().map(|it: &Entry| it.name.as_bytes());
        let search = AhoCorasick::builder().match_kind(MatchKind::Standard).build(names).ok();
        Self { search: search.filter(|_| !entries.is_empty()), set, entries }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether `name` is one.
    pub fn has(&self, name: &str) -> bool {
        self.set.contains(name)
    }

    /// The names that `text` may have. A word that is only called counts where it may be defined.
    pub fn find(&self, text: &[u8]) -> Found {
        let mut found = Found::default();
        let Some(search) = &self.search else { return found };
        let mut seen = vec![false; self.entries.len()];
        for hit in search.find_overlapping_iter(text) {
            let at = hit.pattern().as_usize();
            let Some(entry) = self.entries.get(at).filter(|_| !seen[at]) else { continue };
            let (before, after) = (&text[..hit.start()], &text[hit.end()..]);
            let word = !before.last().is_some_and(|it| is_word(*it))
                && !after.first().is_some_and(|it| is_word(*it));
            if word && (entry.changed || may_define(before, after)) {
                seen[at] = true;
                if entry.changed { &mut found.changed } else { &mut found.defined }.push(at);
            }
        }
        found
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A definition has its line to itself, a word or a closing sign before it, or an assignment behind it.
fn may_define(before: &[u8], after: &[u8]) -> bool {
    let assigned = after.trim_ascii_start().first().is_some_and(|it| matches!(it, b'=' | b':'));
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let last = line.trim_ascii_end();
    let spaced = last.len() < line.len();
    match last.last() {
        None => true,
        Some(byte) => assigned || spaced && (is_word(*byte) || b")]>*?&".contains(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::wanted::{State, WantedSymbol};
    use super::*;
    use crate::language::Language;

    fn names() -> Names {
        let symbol = |name: &str| WantedSymbol {
            name: name.to_owned(),
            qualified: name.to_owned(),
            file: "a.py".to_owned(),
            language: Language::Python,
            state: State::Changed,
        };
        Names::of(&Wanted {
            changed: vec![symbol("total")],
            called: vec![symbol("price"), symbol("price_of")],
        })
    }

    #[test]
    fn words_are_whole_and_called_names_are_definitions() {
        let check = |text: &str, changed: usize, defined: &[usize]| {
            let found = names().find(text.as_bytes());
            assert_eq!((found.changed.len(), found.defined.as_slice()), (changed, defined), "{text}");
        };
        check("x = total(1)", 1, &[]);
        check("subtotal(1) totals(2) total_of(3)", 0, &[]);
        check("x = price(1)", 0, &[]);
        check("def price(x):", 0, &[1]);
        check("func (s *Shop) price_of(x int)", 0, &[2]);
        check("exports.price = function () {}", 0, &[1]);
        check("  price(x) {", 0, &[1]);
        check("y = item.price", 0, &[]);
        check("", 0, &[]);
    }
}
