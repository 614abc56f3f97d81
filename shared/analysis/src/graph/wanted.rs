//! The names that a change makes interesting: what it changes and removes, and what its new lines call.

use std::collections::{BTreeMap, BTreeSet};

use prevet_domain::change::{Change, FileChange, LineKind};

use super::grammar::{family, is_covered};
use super::symbols::{FileSymbols, ReferenceKind, Symbol, read};
use crate::language::{Language, TextKind, detect};
use crate::structure::sides;

/// A shorter name of a changed symbol is everywhere.
const CHANGED_NAME_BYTES_MIN: usize = 2;
/// A shorter name that is called is not looked for.
const CALLED_NAME_BYTES_MIN: usize = 3;
/// Files of one change that are looked at.
const FILES_MAX: usize = 2_000;
/// Bytes of one change that are parsed, on each side of it.
const PARSED_BYTES_MAX: usize = 8 << 20;

/// What became of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It is new, or not what it was.
    Changed,
    /// It is gone, or has another name.
    Removed,
    /// New lines use it.
    Called,
}

/// A symbol of interest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedSymbol {
    /// Its name.
    pub name: String,
    /// With those around it.
    pub qualified: String,
    /// The file that defines it; that uses it, where it is called.
    pub file: String,
    /// The family of its language.
    pub language: Language,
    /// Why it is of interest.
    pub state: State,
}

/// The symbols of interest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Changed and removed ones.
    pub changed: Vec<WantedSymbol>,
    /// Called ones that the changed file does not define itself.
    pub called: Vec<WantedSymbol>,
}

/// The language of the file at `path`, where the graph knows it.
pub(super) fn language_of(file: &FileChange, text: &[u8]) -> Option<Language> {
    match detect(file.path()?, text) {
        TextKind::Known(language) if is_covered(language) => Some(language),
        _ => None,
    }
}

/// The symbols that `change` makes interesting; `files` holds those that are known after it, by shown path.
pub fn wanted(change: &Change, files: &BTreeMap<String, Vec<u8>>) -> Wanted {
    let (mut wanted, mut bytes) = (Wanted::default(), 0);
    for file in change.files.iter().filter(|file| !file.hunks().is_empty()).take(FILES_MAX) {
        let sides = sides(file, files);
        let Some(language) = language_of(file, &sides.after) else { continue };
        bytes += sides.after.len().max(sides.before.len());
        if bytes > PARSED_BYTES_MAX {
            break;
        }
        let after = read(language, &sides.after, |_| true).unwrap_or_default();
        let before = read(language, &sides.before, |_| false).unwrap_or_default();
        let symbol = |name: &str, qualified: &str, state| WantedSymbol {
            name: name.to_owned(),
            qualified: qualified.to_owned(),
            file: file.shown_path(),
            language: family(language),
            state,
        };
        let changed = touched(file, &after).into_iter();
        wanted.changed.extend(changed.map(|it| symbol(&it.name, &it.qualified, State::Changed)));
        let removed = gone(file, &before, &after);
        wanted.changed.extend(removed.into_iter().map(|it| symbol(&it.name, &it.qualified, State::Removed)));
        wanted
            .called
            .extend(called(file, &after).into_iter().map(|name| symbol(&name, &name, State::Called)));
    }
    wanted.changed.retain(|it| it.name.len() >= CHANGED_NAME_BYTES_MIN);
    let names: BTreeSet<(String, String)> =
        wanted.changed.iter().map(|it| (it.name.clone(), it.file.clone())).collect();
    wanted.called.retain(|it| !names.contains(&(it.name.clone(), it.file.clone())));
    wanted
}

/// The innermost symbols that the change touches.
fn touched<'a>(file: &FileChange, after: &'a FileSymbols) -> Vec<&'a Symbol> {
    let lines = file.hunks().iter().flat_map(|hunk| &hunk.lines);
    let mut found: BTreeSet<usize> = BTreeSet::new();
    for line in lines.filter(|line| line.kind != LineKind::Context) {
        let number = line.new_number;
        // A line that is gone was inside what is on both sides of it.
        let first = if line.kind == LineKind::Removed { number.saturating_sub(1) } else { number };
        found.extend(innermost(after, first, number));
    }
    found.into_iter().filter_map(|at| after.symbols.get(at)).filter(|it| it.word != "impl").collect()
}

/// The last symbol that has both lines: those inside another come after it.
pub(super) fn innermost(file: &FileSymbols, first: u32, last: u32) -> Option<usize> {
    file.symbols.iter().rposition(|it| it.lines.0 <= first && last <= it.lines.1)
}

fn gone<'a>(file: &FileChange, before: &'a FileSymbols, after: &FileSymbols) -> Vec<&'a Symbol> {
    let kept: BTreeSet<&str> = after.symbols.iter().map(|it| it.qualified.as_str()).collect();
    let removed: BTreeSet<u32> = file.removed_lines().map(|line| line.old_number).collect();
    let is_gone = |it: &&Symbol| {
        it.word != "impl"
            && !kept.contains(it.qualified.as_str())
            && removed.range(it.lines.0..=it.lines.1).next().is_some()
    };
    before.symbols.iter().filter(is_gone).collect()
}

/// What added lines call or name as a type, and the file does not define.
fn called(file: &FileChange, after: &FileSymbols) -> BTreeSet<String> {
    let added: BTreeSet<u32> = file.added_lines().map(|line| line.new_number).collect();
    let own: BTreeSet<&str> = after.symbols.iter().map(|it| it.name.as_str()).collect();
    let references = after.references.iter().filter(|it| {
        let typed = it.name.starts_with(char::is_uppercase);
        added.contains(&it.line)
            && (it.kind == ReferenceKind::Call || typed)
            && it.name.len() >= CALLED_NAME_BYTES_MIN
            && !own.contains(it.name.as_str())
    });
    references.map(|it| it.name.clone()).collect()
}
