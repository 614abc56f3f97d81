//! Calls of functions of the same file: their bodies are walked with what the call hands them.
//!
//! Only a name that the file defines once is followed, so far deep and so often; what a walk finds stands in the
//! called function, where the harm is done.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::assign::bare_type;
use super::call::Call;
use super::grammar::{self, Field, Shape};
use super::names::Names;
use super::state::State;
use super::tracker::Tracker;
use super::value::{Dangers, Taint};
use crate::language::Language;

/// Calls in calls that are followed.
const CALL_DEPTH_MAX: usize = 2;
/// Bodies walked for calls in one file.
const WALKS_MAX: usize = 400;
/// Functions that one file is searched for.
const FUNCTIONS_MAX: usize = 2_000;
/// How deep a function may stand in the file.
const FUNCTION_DEPTH_MAX: usize = 24;
/// What a method calls its own object.
const OWN: &[&str] = &["self", "this", "cls", "$this", "static"];

/// The functions of a file, and the walks through them that are going on.
#[derive(Default)]
pub(super) struct Local<'t> {
    by_name: HashMap<&'t str, Option<Node<'t>>>,
    frames: Vec<Frame>,
    walks: usize,
    /// What functions give back whose arguments nobody outside sets, by where they begin.
    given_back: HashMap<usize, Taint>,
}

/// One called function.
struct Frame {
    function: usize,
    returned: Taint,
    parameters: Vec<String>,
    /// What the parameters hold where the function is left without an error.
    kept: Option<Vec<Taint>>,
}

/// What is set aside while a called function is walked.
struct Aside<'t> {
    state: State,
    names: Names,
    checks: HashMap<String, Node<'t>>,
    sql_texts: HashSet<String>,
    passed: Taint,
}

impl<'t> Tracker<'t> {
    /// Finds the functions of the file.
    pub fn learn_functions(&mut self, root: Node<'t>) {
        let mut open: Vec<(Node<'t>, usize)> = vec![(root, 0)];
        while let Some((node, depth)) = open.pop() {
            if self.local.by_name.len() >= FUNCTIONS_MAX {
                return;
            }
            if let Some((name, function)) = self.named_function(node) {
                // A name that stands for two functions stands for neither.
                let slot = self.local.by_name.entry(name).or_insert(Some(function));
                if slot.is_some_and(|known| known.id() != function.id()) {
                    *slot = None;
                }
            }
            if depth < FUNCTION_DEPTH_MAX {
                open.extend(grammar::named(node).map(|child| (child, depth + 1)));
            }
        }
    }

    /// `function name() {}` and `const name = () => {}`.
    fn named_function(&self, node: Node<'t>) -> Option<(&'t str, Node<'t>)> {
        match self.shape(node) {
            Shape::Function(..) => Some((self.text_of(node.child_by_field_name("name")?), node)),
            Shape::Assign(left, right) => {
                let function = grammar::child(node, right)?;
                let is_function = matches!(self.shape(function), Shape::Function(..));
                let name = grammar::child(node, left)
                    .filter(|name| is_function && self.shape(*name) == Shape::Name)?;
                Some((self.text_of(name), function))
            }
            _ => None,
        }
    }

    /// What a call of one of the file's own functions gives back; none where it is not one.
    pub fn local_result(&mut self, call: &Call<'t>) -> Option<Taint> {
        let function = self.local_function(call)?;
        let (Shape::Function(parameters, body), id) = (self.shape(function), function.start_byte()) else {
            return None;
        };
        let is_open = self.local.frames.iter().any(|frame| frame.function == id);
        let is_handed = call.arguments.iter().any(|argument| !argument.taint.is_clean());
        if is_open || self.local.frames.len() >= CALL_DEPTH_MAX {
            return None;
        }
        if let Some(known) = self.local.given_back.get(&id).filter(|_| !is_handed) {
            return Some(*known);
        }
        if self.local.walks >= WALKS_MAX || self.is_half_spent() {
            return None;
        }
        self.local.walks += 1;
        let list = grammar::child(function, parameters).or_else(|| function.child_by_field_name("parameter"));
        let bound = self.handed_over(list, call);
        let returned = self.walk_called(function, body, &bound);
        if !is_handed {
            self.local.given_back.insert(id, returned);
        }
        Some(returned)
    }

    fn local_function(&self, call: &Call<'t>) -> Option<Node<'t>> {
        let name = call.names.first()?;
        let (own, last) = name.rsplit_once('.').unwrap_or(("", name));
        let function = (*self.local.by_name.get(last)?)?;
        if !own.is_empty() && !OWN.contains(&own) && !self.is_receiver(function, own) {
            return None;
        }
        // A method is called on its object, and hides no function of that name.
        let is_bare = own.is_empty() && call.receiver.is_none();
        (is_bare || !own.is_empty()).then_some(function)
    }

    /// Whether Go's method `function` calls its own object `name`, as its neighbours are taken to do.
    fn is_receiver(&self, function: Node<'t>, name: &str) -> bool {
        let receiver = function.child_by_field_name("receiver");
        let only = receiver.and_then(|receiver| grammar::named(receiver).next());
        only.and_then(|only| only.child_by_field_name("name")).is_some_and(|own| self.text_of(own) == name)
    }

    /// The parameters' names with what the call gives them.
    fn handed_over(&self, list: Option<Node<'t>>, call: &Call<'t>) -> Vec<(String, Taint, Option<Node<'t>>)> {
        let Some(list) = list else { return Vec::new() };
        let mut parameters: Vec<Node<'t>> =
            if self.shape(list) == Shape::Name { vec![list] } else { grammar::named(list).collect() };
        if parameters.first().is_some_and(|first| OWN.contains(&self.text_of(*first))) {
            parameters.remove(0);
        }
        let mut bound = Vec::new();
        let mut position = 0_usize;
        for parameter in parameters {
            let mut names = Vec::new();
            self.bound_names(parameter, &mut names);
            let kind = parameter.child_by_field_name("type").map(|kind| self.text_of(kind));
            let is_plain = kind.is_some_and(|kind| self.is_plain_type(kind));
            let positional = call.arguments.iter().filter(|argument| argument.name.is_none());
            let by_position = positional.clone().nth(position);
            // `a, b string` is two parameters, `{ a, b }` one.
            let is_several = names.len() > 1 && parameter.kind() == "parameter_declaration";
            for (at, (name, _)) in names.iter().enumerate() {
                let by_name =
                    call.arguments.iter().find(|argument| argument.name.as_deref() == Some(name.as_str()));
                let argument = by_name
                    .or_else(|| if is_several { positional.clone().nth(position + at) } else { by_position });
                let taint = argument.map(|argument| argument.taint).filter(|_| !is_plain);
                bound.push((name.clone(), taint.unwrap_or_default(), argument.map(|argument| argument.node)));
            }
            position += if is_several { names.len() } else { 1 };
        }
        bound
    }

    fn walk_called(
        &mut self,
        function: Node<'t>,
        body: Field,
        bound: &[(String, Taint, Option<Node<'t>>)],
    ) -> Taint {
        let aside = Aside {
            state: std::mem::take(&mut self.state),
            names: self.names.clone(),
            checks: std::mem::take(&mut self.checks),
            sql_texts: std::mem::take(&mut self.sql_texts),
            passed: std::mem::take(&mut self.passed),
        };
        self.enter_called(function, bound);
        let body_value = self.called_body(function, body);
        if !self.state.left {
            self.note_left();
        }
        self.functions.pop();
        let frame = self.local.frames.pop();
        self.state = aside.state;
        self.names = aside.names;
        self.checks = aside.checks;
        self.sql_texts = aside.sql_texts;
        self.passed = aside.passed;
        let Some(frame) = frame else { return Taint::CLEAN };
        self.take_over_checks(&frame, bound);
        frame.returned.join(body_value)
    }

    fn enter_called(&mut self, function: Node<'t>, bound: &[(String, Taint, Option<Node<'t>>)]) {
        self.functions.push(function.byte_range());
        self.local.frames.push(Frame {
            function: function.start_byte(),
            returned: Taint::CLEAN,
            parameters: bound.iter().map(|(name, ..)| name.clone()).collect(),
            kept: None,
        });
        let parameters = function.child_by_field_name("parameters");
        let kinds = parameters.into_iter().flat_map(grammar::named).filter_map(|parameter| {
            let kind = parameter.child_by_field_name("type")?;
            let mut names = Vec::new();
            self.bound_names(parameter, &mut names);
            Some((names, bare_type(self.text_of(kind)).to_owned()))
        });
        let kinds: Vec<_> = kinds.collect();
        for (name, taint, _) in bound {
            self.names.forget(name);
            if !taint.is_clean() || self.catalogue.names_source(name) {
                self.state.set(name, *taint, Vec::new());
            }
        }
        for (names, kind) in kinds {
            for (name, _) in names {
                self.names.learn(&name, &kind);
            }
        }
    }

    /// The body; what it is worth where it is an expression.
    fn called_body(&mut self, function: Node<'t>, body: Field) -> Taint {
        let mut last = Taint::CLEAN;
        for part in grammar::children_in(function, body) {
            let is_block = part.kind().contains("block") || part.kind().contains("body");
            // In Ruby a body is worth its last expression.
            let is_expression = !is_block || self.grammar.language == Language::Ruby;
            let value = self.value(part);
            last = if is_expression { value } else { Taint::CLEAN };
        }
        last
    }

    /// Whether a called function is being walked, and not one of the functions where they stand.
    pub const fn is_in_call(&self) -> bool {
        !self.local.frames.is_empty()
    }

    /// The innermost called function gives back `taint`.
    pub fn give_back(&mut self, node: Node<'t>, taint: Taint) {
        let Some(frame) = self.local.frames.last_mut() else { return };
        // What a callback inside of it gives back is not its own.
        let inner = self.functions.last().is_some_and(|function| function.start != frame.function);
        if !inner && node.kind() != "throw_statement" {
            frame.returned = frame.returned.join(taint);
            self.note_left();
        }
    }

    /// The called function is left here: what its parameters hold now.
    fn note_left(&mut self) {
        let Some(frame) = self.local.frames.last_mut() else { return };
        let now = frame.parameters.iter().map(|name| self.state.get(name).unwrap_or_default());
        frame.kept = Some(match frame.kept.take() {
            Some(kept) => kept.into_iter().zip(now).map(|(kept, now)| kept.join(now)).collect(),
            None => now.collect(),
        });
    }

    /// What the called function refuses, its caller has not after the call.
    fn take_over_checks(&mut self, frame: &Frame, bound: &[(String, Taint, Option<Node<'t>>)]) {
        let Some(kept) = &frame.kept else { return };
        for ((_, taint, node), kept) in bound.iter().zip(kept) {
            if let Some(node) = node.filter(|_| !taint.is_clean() && kept.is_clean()) {
                self.clear(node, Dangers::EVERY);
            }
        }
    }
}
