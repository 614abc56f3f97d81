//! Definitions before against definitions after.

use std::collections::BTreeMap;

use prevet_domain::change::FileChange;

use super::Sides;
use super::definition::{Definition, definitions};
use crate::language::Language;

/// A body shorter than this is the same by chance.
const RENAMED_OWN_BYTES_MIN: usize = 12;

/// What became of a file's symbols.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Only after.
    pub added: Vec<Definition>,
    /// Only before.
    pub removed: Vec<Definition>,
    /// Before and after, and not the same.
    pub changed: Vec<Definition>,
    /// The same under another name.
    pub renamed: Vec<Renamed>,
}

/// A symbol under another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// Its name before.
    pub from: String,
    /// As it is after.
    pub to: Definition,
}

/// What became of the symbols of one file.
pub fn symbols(language: Language, sides: &Sides, file: &FileChange) -> Symbols {
    let before = definitions(language, &sides.before);
    let after = definitions(language, &sides.after);
    let mut symbols = compared(before, after);
    if !sides.whole {
        symbols.changed.extend(enclosing(&symbols, file));
    }
    symbols
}

fn compared(before: Vec<Definition>, after: Vec<Definition>) -> Symbols {
    let mut old = by_name(before);
    let mut symbols = Symbols::default();
    for definition in after {
        match old.get_mut(&(definition.name.clone(), definition.word)).and_then(Vec::pop) {
            None => symbols.added.push(definition),
            Some(was) if was.own != definition.own => symbols.changed.push(definition),
            Some(_) => {}
        }
    }
    symbols.removed = old.into_values().flatten().collect();
    symbols.removed.sort_by_key(|it| it.lines);
    pair_renamed(&mut symbols);
    symbols
}

/// Overloads share a name; they are paired in their order.
fn by_name(all: Vec<Definition>) -> BTreeMap<(String, &'static str), Vec<Definition>> {
    let mut named: BTreeMap<_, Vec<Definition>> = BTreeMap::new();
    for definition in all.into_iter().rev() {
        named.entry((definition.name.clone(), definition.word)).or_default().push(definition);
    }
    named
}

fn pair_renamed(symbols: &mut Symbols) {
    for gone in std::mem::take(&mut symbols.removed) {
        let twin = symbols.added.iter().position(|it| is_twin(&gone, it));
        match twin {
            Some(at) => {
                let to = symbols.added.remove(at);
                symbols.renamed.push(Renamed { from: gone.name, to });
            }
            None => symbols.removed.push(gone),
        }
    }
}

fn is_twin(gone: &Definition, come: &Definition) -> bool {
    gone.word == come.word && gone.own == come.own && gone.own.len() >= RENAMED_OWN_BYTES_MIN
}

/// What git names behind a hunk's header, where the hunk itself does not show the definition.
fn enclosing(symbols: &Symbols, file: &FileChange) -> Vec<Definition> {
    let known = symbols.added.iter().chain(&symbols.changed).map(|it| it.lines).collect::<Vec<_>>();
    let mut found: Vec<Definition> = Vec::new();
    for hunk in file.hunks() {
        let Some(name) = section_name(&String::from_utf8_lossy(&hunk.section)) else { continue };
        let covered = known.iter().any(|(first, _)| *first <= hunk.new_start);
        if !covered && !found.iter().any(|it| it.name == name) {
            let lines = (hunk.new_start, hunk.new_start + hunk.new_lines.saturating_sub(1));
            found.push(Definition { name, word: "in", lines, own: String::new() });
        }
    }
    found
}

/// The name in a line such as `def total(items):`.
fn section_name(section: &str) -> Option<String> {
    let head = section.split(['(', '{', ':', '<']).next()?;
    let name = head.split_whitespace().next_back()?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    (head.split_whitespace().count() > 1 && name.chars().all(is_name)).then(|| name.to_owned())
}
