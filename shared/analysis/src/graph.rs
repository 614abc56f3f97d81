//! The graph of a repository's code: who defines a name and who uses it, by the trees of the files.
//!
//! [`wanted`] says which names a change makes interesting, [`Names`] finds the files that may have them without
//! parsing any, [`read`] gives one file's symbols and references, [`Graph`] joins files and resolves names, and
//! [`related`] ranks what a reader of the change should see beside it. Files come from the caller: nothing here reads.

mod grammar;
mod imports;
mod index;
mod names;
mod related;
mod symbols;
#[cfg(test)]
mod tests;
mod wanted;

pub use self::grammar::{family, is_covered};
pub use self::imports::Import;
pub use self::index::{By, Graph, Place, Resolution};
pub use self::names::{Found, NAMES_MAX, Names};
pub use self::related::{Candidate, Excerpt, Limits, Related, enclosing_excerpts, related};
pub use self::symbols::{FileSymbols, Receiver, Reference, ReferenceKind, Symbol, read};
pub use self::wanted::{State, Wanted, WantedSymbol, wanted};
