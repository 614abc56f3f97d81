//! One file: what it defines, what it refers to, what it imports.

use std::collections::BTreeMap;

use tree_sitter::{Node, TreeCursor};

use super::grammar::{
    Defining, Step, binds, defining, is_call, is_callee, is_import, is_loader, is_member, is_name, is_wrapper,
};
use super::imports::{self, Import};
use crate::language::Language;
use crate::syntax::parse_text;

/// Definitions of one file that are kept.
const SYMBOLS_MAX: usize = 20_000;
/// References of one file that are kept.
const REFERENCES_MAX: usize = 50_000;
/// Imports of one file that are kept.
const IMPORTS_MAX: usize = 2_000;
/// Nodes between a name and the call of it.
const CLIMB_MAX: usize = 6;

/// Something with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its own name.
    pub name: String,
    /// With those around it before it: `Cart.total`.
    pub qualified: String,
    /// `function`, `class` and the like.
    pub word: &'static str,
    /// First and last line, from 1, decorators included.
    pub lines: (u32, u32),
    /// The symbol around it, by its place in the list.
    pub parent: Option<usize>,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// It is called, made or rendered.
    Call,
    /// It is named: as a value, a type, a base.
    Use,
    /// It is brought in.
    Import,
}

/// What stands before a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receiver {
    /// Nothing.
    None,
    /// The object or type that the code is part of.
    Own,
    /// A name.
    Named(String),
    /// Something else.
    Other,
}

/// One use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name that is meant: that of the definition, where an import gave it another.
    pub name: String,
    /// Its line, from 1.
    pub line: u32,
    /// How.
    pub kind: ReferenceKind,
    /// What stands before it.
    pub receiver: Receiver,
    /// The innermost symbol that it is in.
    pub inside: Option<usize>,
}

/// What one file has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSymbols {
    /// In the order of the text.
    pub symbols: Vec<Symbol>,
    /// In the order of the text.
    pub references: Vec<Reference>,
    /// In the order of the text.
    pub imports: Vec<Import>,
}

/// The symbols of `text`, and its references to names that `wanted` takes; `None` where it cannot be parsed.
pub fn read(language: Language, text: &[u8], wanted: impl Fn(&str) -> bool) -> Option<FileSymbols> {
    let parsed = parse_text(language, text).ok()?;
    let mut walk = Walk {
        language,
        text: parsed.text(),
        wanted,
        file: FileSymbols::default(),
        above: Vec::new(),
        before: Vec::new(),
        open: Vec::new(),
        import_end: 0,
        aliases: BTreeMap::new(),
    };
    let mut cursor = parsed.tree_root().walk();
    walk.all(&mut cursor);
    Some(walk.file)
}

struct Walk<'a, 'tree, F> {
    language: Language,
    text: &'a str,
    wanted: F,
    file: FileSymbols,
    /// The way to the node.
    above: Vec<Step<'tree>>,
    /// What stands before each of them, and before the node.
    before: Vec<&'tree str>,
    /// Symbols that are open, and where they end.
    open: Vec<(usize, usize)>,
    import_end: usize,
    aliases: BTreeMap<String, String>,
}

impl<'tree, F: Fn(&str) -> bool> Walk<'_, 'tree, F> {
    fn all(&mut self, cursor: &mut TreeCursor<'tree>) {
        self.before.push("");
        loop {
            self.enter(cursor);
            let step = Step { node: cursor.node(), field: cursor.field_name() };
            if cursor.goto_first_child() {
                self.above.push(step);
                self.before.push("");
                continue;
            }
            loop {
                let kind = cursor.node().kind();
                if let Some(before) = self.before.last_mut() {
                    *before = kind;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
                self.above.pop();
                self.before.pop();
            }
        }
    }

    fn enter(&mut self, cursor: &TreeCursor<'tree>) {
        let node = cursor.node();
        if !node.is_named() {
            return;
        }
        while self.open.last().is_some_and(|(_, end)| *end <= node.start_byte()) {
            self.open.pop();
        }
        if is_import(self.language, node) {
            self.import_end = node.end_byte();
            for import in imports::parse(self.language, self.of(node)) {
                self.bring_in(import);
            }
        } else if let Some(found) = defining(self.language, node, &self.above) {
            self.define(node, &found);
        }
        // A shell's word of a command is a leaf inside its name.
        if node.child_count() == 0 && is_name(node.kind()) {
            self.refer(cursor);
        }
    }

    fn of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn bring_in(&mut self, import: Import) {
        self.aliases.extend(import.aliases.iter().cloned());
        if self.file.imports.len() < IMPORTS_MAX {
            self.file.imports.push(import);
        }
    }

    fn define(&mut self, node: Node<'_>, found: &Defining<'_>) {
        let name = self.of(found.name).to_owned();
        if name.is_empty() || self.file.symbols.len() >= SYMBOLS_MAX {
            return;
        }
        let parent = self.open.last().map(|(at, _)| *at);
        let around = match node.child_by_field_name("receiver") {
            Some(receiver) => Some(receiver_type(self.of(receiver)).to_owned()),
            None => parent.map(|at| self.file.symbols[at].qualified.clone()),
        };
        let qualified = around.map_or_else(|| name.clone(), |around| format!("{around}.{name}"));
        let lines = (row(found.whole.start_position().row), row(found.whole.end_position().row));
        self.open.push((self.file.symbols.len(), node.end_byte()));
        self.file.symbols.push(Symbol { name, qualified, word: found.word, lines, parent });
    }

    fn refer(&mut self, cursor: &TreeCursor<'tree>) {
        let node = cursor.node();
        self.load(node);
        let written = self.of(node);
        let alias = self.aliases.get(written).map(String::as_str);
        let wanted = (self.wanted)(written) || alias.is_some_and(&self.wanted);
        let full = self.file.references.len() >= REFERENCES_MAX;
        if !wanted || full || self.is_own_name(node, cursor.field_name()) {
            return;
        }
        let Some((kind, receiver)) = self.used(cursor) else { return };
        // A member of that name is another's.
        let name = alias.filter(|_| receiver == Receiver::None).unwrap_or(written);
        if !(self.wanted)(name) {
            return;
        }
        let reference = Reference {
            name: name.to_owned(),
            line: row(node.start_position().row),
            kind,
            receiver,
            inside: self.open.last().map(|(at, _)| *at),
        };
        self.file.references.push(reference);
    }

    /// A call that loads a file is an import.
    fn load(&mut self, node: Node<'tree>) {
        if !is_loader(self.language, self.of(node)) {
            return;
        }
        let call = self.above.iter().rev().take(CLIMB_MAX).find(|step| is_call(step.node.kind()));
        let arguments = call.and_then(|Step { node: call, .. }| {
            call.child_by_field_name("arguments").or_else(|| call.child_by_field_name("argument"))
        });
        let Some(arguments) = arguments.filter(|it| it.start_byte() >= node.end_byte()) else { return };
        let path = self.of(arguments).trim_matches(['(', ')', ' ']);
        let mut import = imports::loaded(path);
        if self.of(node) == "require_relative" {
            import.up = import.up.max(1);
        }
        self.bring_in(import);
    }

    /// Whether a node is the name in a definition, or one that code gives to something of its own.
    fn is_own_name(&self, node: Node<'tree>, field: Option<&str>) -> bool {
        let Some((parent, further)) = self.above.split_last() else { return false };
        if binds(parent.node.kind(), field) {
            return true;
        }
        let named = |it: Node<'tree>, above: &[Step<'tree>]| {
            defining(self.language, it, above).is_some_and(|found| found.name.id() == node.id())
        };
        let outer = further.split_last();
        named(parent.node, further) || outer.is_some_and(|(outer, above)| named(outer.node, above))
    }

    fn used(&self, cursor: &TreeCursor<'tree>) -> Option<(ReferenceKind, Receiver)> {
        let leaf = cursor.node();
        if leaf.start_byte() < self.import_end {
            return Some((ReferenceKind::Import, Receiver::None));
        }
        let mut at = Step { node: leaf, field: cursor.field_name() };
        let mut receiver = Receiver::None;
        for parent in self.above.iter().rev().take(CLIMB_MAX) {
            let (node, kind) = (at.node, parent.node.kind());
            if is_call(kind) {
                let called = at.field.is_some_and(is_callee);
                if receiver == Receiver::None && called {
                    receiver = self.receiver(parent.node, node);
                }
                let kind = if called { ReferenceKind::Call } else { ReferenceKind::Use };
                return (called || leaf.kind() != "word").then_some((kind, receiver));
            }
            if kind == "decorator" {
                return Some((ReferenceKind::Call, receiver));
            }
            if kind == "token_tree" {
                return Some(self.in_macro(cursor));
            }
            if is_member(kind) && parent.node.end_byte() == node.end_byte() {
                if receiver == Receiver::None {
                    receiver = self.receiver(parent.node, node);
                }
            } else if !(is_wrapper(kind) && first_name(parent.node, node)) {
                break;
            }
            at = *parent;
        }
        // A word of the shell that is no command is a text.
        (leaf.kind() != "word").then_some((ReferenceKind::Use, receiver))
    }

    /// Inside a macro's tokens there is no tree: a name with brackets behind it is called.
    fn in_macro(&self, cursor: &TreeCursor<'tree>) -> (ReferenceKind, Receiver) {
        let mut next = cursor.clone();
        let called = next.goto_next_sibling()
            && next.node().kind() == "token_tree"
            && next.node().child(0).is_some_and(|it| it.kind() == "(");
        let member = matches!(self.before.last(), Some(&("." | "::")));
        let receiver = if member { Receiver::Other } else { Receiver::None };
        (if called { ReferenceKind::Call } else { ReferenceKind::Use }, receiver)
    }

    fn receiver(&self, parent: Node<'_>, name: Node<'_>) -> Receiver {
        const FIELDS: &[&str] =
            &["object", "receiver", "scope", "operand", "value", "path", "expression", "argument"];
        let before = FIELDS.iter().find_map(|field| parent.child_by_field_name(field));
        let before = before.or_else(|| parent.named_child(0)).filter(|it| it.id() != name.id());
        let Some(before) = before.filter(|it| it.end_byte() <= name.start_byte()) else {
            return Receiver::None;
        };
        let text = self.of(before);
        if matches!(text, "self" | "this" | "cls" | "Self" | "$this" | "super" | "static" | "super()") {
            return Receiver::Own;
        }
        let plain = text.chars().all(|c| c.is_alphanumeric() || "_$.:\\".contains(c));
        if plain { Receiver::Named(text.trim_start_matches('$').to_owned()) } else { Receiver::Other }
    }
}

fn first_name(parent: Node<'_>, node: Node<'_>) -> bool {
    parent.named_child(0).is_some_and(|first| first.id() == node.id())
}

/// `(s *Server)` is a method of `Server`.
fn receiver_type(text: &str) -> &str {
    let bare = text.trim_matches(['(', ')']).rsplit([' ', '*']).next().unwrap_or_default();
    bare.split('[').next().unwrap_or(bare)
}

fn row(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}
