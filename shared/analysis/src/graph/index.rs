//! Files joined: name to definitions and references, and which definition a reference means.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use super::grammar::family;
use super::imports;
use super::symbols::{FileSymbols, Receiver, Reference, ReferenceKind, Symbol};
use crate::language::Language;

/// Files of one graph.
pub const FILES_MAX: usize = 20_000;

/// A file of the graph.
#[derive(Debug, Clone)]
struct Member {
    path: String,
    language: Language,
    symbols: FileSymbols,
}

/// A symbol or a reference, by its file and its place in the file's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub file: usize,
    /// The place.
    pub at: usize,
}

/// What tells which definition a reference means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// It is in the same file.
    SameFile,
    /// The file imports it.
    Imported,
    /// It is in the same folder.
    SamePackage,
    /// It is the only one of its name.
    Only,
    /// Nothing: any of them may be meant.
    Ambiguous,
}

/// The definitions that a reference may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The definitions; none for a name from elsewhere.
    pub definitions: Vec<Place>,
    /// What tells it.
    pub by: By,
}

/// The graph of some files.
#[derive(Debug, Default)]
pub struct Graph {
    files: Vec<Member>,
    /// Which file imports which, once it was asked: a common name is asked for again and again.
    imported: Mutex<HashMap<(usize, usize), bool>>,
    definitions: BTreeMap<String, Vec<Place>>,
    references: BTreeMap<String, Vec<Place>>,
}

impl Graph {
    /// Adds a file, and gives its number; `None` beyond `FILES_MAX`.
    pub fn add(&mut self, path: &str, language: Language, symbols: FileSymbols) -> Option<usize> {
        let file = self.files.len();
        if file == FILES_MAX {
            return None;
        }
        for (at, symbol) in symbols.symbols.iter().enumerate().filter(|(_, it)| it.word != "impl") {
            self.definitions.entry(symbol.name.clone()).or_default().push(Place { file, at });
        }
        for (at, reference) in symbols.references.iter().enumerate() {
            self.references.entry(reference.name.clone()).or_default().push(Place { file, at });
        }
        self.files.push(Member { path: path.to_owned(), language, symbols });
        Some(file)
    }

    /// The definitions of `name`.
    pub fn definitions(&self, name: &str) -> &[Place] {
        self.definitions.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The references to `name`.
    pub fn references(&self, name: &str) -> &[Place] {
        self.references.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// A file's path.
    pub fn path(&self, file: usize) -> &str {
        self.files.get(file).map(|it| it.path.as_str()).unwrap_or_default()
    }

    /// A file's symbols and references.
    pub fn file(&self, file: usize) -> Option<&FileSymbols> {
        self.files.get(file).map(|it| &it.symbols)
    }

    /// The symbol at `place`.
    pub fn symbol(&self, place: Place) -> Option<&Symbol> {
        self.file(place.file)?.symbols.get(place.at)
    }

    /// The reference at `place`.
    pub fn reference(&self, place: Place) -> Option<&Reference> {
        self.file(place.file)?.references.get(place.at)
    }

    /// The innermost symbol around a reference.
    pub fn inside(&self, reference: Place) -> Option<&Symbol> {
        self.file(reference.file)?.symbols.get(self.reference(reference)?.inside?)
    }

    /// The references that mean the definition, or may.
    pub fn users(&self, definition: Place) -> Vec<(Place, By)> {
        let Some(symbol) = self.symbol(definition) else { return Vec::new() };
        let means = |place: &Place| {
            let resolution = self.resolve(*place)?;
            resolution.definitions.contains(&definition).then_some((*place, resolution.by))
        };
        self.references(&symbol.name).iter().filter_map(means).collect()
    }

    /// [`Graph::users`] that call it.
    pub fn callers(&self, definition: Place) -> Vec<(Place, By)> {
        let mut users = self.users(definition);
        users.retain(|(place, _)| self.reference(*place).is_some_and(|it| it.kind == ReferenceKind::Call));
        users
    }

    /// Whether the file imports something that can be the file at `path`.
    pub fn imports(&self, file: usize, path: &str) -> bool {
        let Some(from) = self.files.get(file) else { return false };
        let mut imports = from.symbols.imports.iter();
        imports.any(|it| imports::means(from.language, it, &from.path, path))
    }

    fn imports_file(&self, file: usize, other: usize) -> bool {
        let mut known = self.imported.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry((file, other)).or_insert_with(|| self.imports(file, self.path(other)))
    }

    /// Which definitions a reference may mean: those of its file, else those that the file imports, else those of its
    /// folder, else all of its name.
    pub fn resolve(&self, reference: Place) -> Option<Resolution> {
        let (file, it) = (self.files.get(reference.file)?, self.reference(reference)?);
        let mut all: Vec<Place> = self.definitions(&it.name).to_vec();
        all.retain(|place| {
            let other = &self.files[place.file];
            family(other.language) == family(file.language) && self.can_mean(file.language, it, *place)
        });
        let of = |by: By, keep: &dyn Fn(&Place) -> bool| {
            let definitions: Vec<Place> = all.iter().copied().filter(|place| keep(place)).collect();
            (!definitions.is_empty()).then_some(Resolution { definitions, by })
        };
        let same = |place: &Place| place.file == reference.file;
        let imported = |place: &Place| !same(place) && self.imports_file(reference.file, place.file);
        let folder = |file: usize| self.path(file).rsplit_once('/').map_or("", |(folder, _)| folder);
        let near = |place: &Place| folder(place.file) == folder(reference.file);
        let own_method = |place: &Place| same(place) && self.is_method(*place);
        let own = match it.receiver {
            Receiver::None if file.language == Language::Go => {
                // What is not qualified is the package's own.
                of(By::SameFile, &same).or_else(|| of(By::SamePackage, &near))
            }
            Receiver::None => of(By::SameFile, &same),
            Receiver::Own => of(By::SameFile, &own_method).or_else(|| of(By::SameFile, &same)),
            // What the object is cannot be told: what the file defines and what it imports are as likely.
            Receiver::Named(_) | Receiver::Other => of(By::Imported, &|place| same(place) || imported(place)),
        };
        let found = own.or_else(|| of(By::Imported, &imported)).or_else(|| of(By::SamePackage, &near));
        let found = found.unwrap_or_else(|| {
            let by = if all.len() == 1 { By::Only } else { By::Ambiguous };
            Resolution { definitions: all.clone(), by }
        });
        let several = found.definitions.len() > 1 && found.by != By::SameFile;
        Some(Resolution { by: if several { By::Ambiguous } else { found.by }, ..found })
    }

    /// A name without anything before it does not mean a method, where methods need their object.
    fn can_mean(&self, language: Language, reference: &Reference, definition: Place) -> bool {
        let needs_object = matches!(
            family(language),
            Language::Python | Language::JavaScript | Language::Go | Language::Rust | Language::Php
        );
        let bare = reference.receiver == Receiver::None && reference.kind != ReferenceKind::Import;
        !(needs_object && bare && self.is_method(definition))
    }

    fn is_method(&self, place: Place) -> bool {
        let Some(symbol) = self.symbol(place) else { return false };
        if symbol.word == "method" {
            return true;
        }
        let parent = symbol.parent.and_then(|at| self.file(place.file)?.symbols.get(at));
        let holds = |it: &Symbol| matches!(it.word, "class" | "impl" | "trait" | "interface");
        symbol.word == "function" && parent.is_some_and(holds)
    }
}
