//! One walk over one file.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use super::catalogue::Catalogue;
use super::grammar::{self, Grammar, Shape};
use super::local::Local;
use super::names::Names;
use super::state::State;
use super::value::Taint;
use crate::hit::Hit;

/// Nodes looked at in one file; the rest of a larger one is left out.
const STEPS_MAX: usize = 2_000_000;
/// What is nested deeper is taken for harmless: the walk recurses, and a stack has an end.
const DEPTH_MAX: usize = 160;

/// The walk.
pub(super) struct Tracker<'t> {
    pub grammar: &'static Grammar,
    pub catalogue: &'static Catalogue,
    pub text: &'t str,
    pub state: State,
    pub names: Names,
    /// The functions around the current node, outermost first.
    pub functions: Vec<Range<usize>>,
    /// Variables that hold the outcome of a check.
    pub checks: HashMap<String, Node<'t>>,
    /// Variables whose text began as SQL.
    pub sql_texts: HashSet<String>,
    /// What a function that is being handed over gets for its parameters.
    pub passed: Taint,
    pub hits: Vec<Hit>,
    pub seen: HashSet<(usize, usize, String)>,
    /// The functions of the file, for calls of them.
    pub local: Local<'t>,
    depth: usize,
    steps: usize,
}

impl<'t> Tracker<'t> {
    pub fn new(grammar: &'static Grammar, catalogue: &'static Catalogue, text: &'t str) -> Self {
        Self {
            grammar,
            catalogue,
            text,
            state: State::default(),
            names: Names::default(),
            functions: Vec::new(),
            checks: HashMap::new(),
            sql_texts: HashSet::new(),
            passed: Taint::CLEAN,
            hits: Vec::new(),
            seen: HashSet::new(),
            local: Local::default(),
            depth: 0,
            steps: 0,
        }
    }

    /// The hits in the file whose root is `root`, in order.
    pub fn run(mut self, root: Node<'t>) -> Vec<Hit> {
        self.names.read_imports(self.grammar.language, root, self.text);
        self.learn_functions(root);
        self.value(root);
        self.hits.sort_by_key(|hit| (hit.span.start, hit.span.end));
        self.hits
    }

    /// Whether what is left is needed for the file itself.
    pub const fn is_half_spent(&self) -> bool {
        self.steps > STEPS_MAX / 2
    }

    pub fn shape(&self, node: Node<'t>) -> Shape {
        self.grammar.shape(node)
    }

    pub fn text_of(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// What `node` is worth; its effects happen.
    pub fn value(&mut self, node: Node<'t>) -> Taint {
        self.steps += 1;
        if self.steps > STEPS_MAX || self.depth > DEPTH_MAX {
            return Taint::CLEAN;
        }
        self.depth += 1;
        let taint = self.value_of_shape(node);
        self.depth -= 1;
        self.node_sinks(node, taint);
        taint
    }

    /// All named children in order; what they are worth together.
    pub fn values(&mut self, node: Node<'t>) -> Taint {
        grammar::named(node).fold(Taint::CLEAN, |sum, child| {
            let own = self.value(child);
            sum.join(own)
        })
    }
}
