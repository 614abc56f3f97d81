//! Statements: branches, loops and what leaves.

use tree_sitter::Node;

use super::grammar::{self, Field, Shape};
use super::state::State;
use super::tracker::Tracker;
use super::value::Taint;

impl<'t> Tracker<'t> {
    pub fn statement_value(&mut self, node: Node<'t>, shape: Shape) -> Taint {
        match shape {
            Shape::Function(parameters, body) => self.function(node, parameters, body),
            Shape::Assign(left, right) if self.adds(node) => self.augmentation(node, left, right),
            Shape::Assign(left, right) => return self.assignment(node, left, right),
            Shape::Augment(left, right) => self.augmentation(node, left, right),
            Shape::If(condition, yes, no) => self.branch(node, condition, yes, no, true),
            Shape::Unless(condition, yes, no) => self.branch(node, condition, yes, no, false),
            Shape::Each(left, right, body) => self.each(node, left, right, body),
            Shape::While(condition, body) => self.repeat(node, condition, body),
            Shape::Try => self.attempt(node),
            Shape::Switch(value) => self.switch(node, value),
            Shape::Exit | Shape::Return => {
                let taint = self.values(node);
                if shape == Shape::Return {
                    self.give_back(node, taint);
                }
                self.state.left = true;
                return taint;
            }
            _ => return self.sequence(node),
        }
        Taint::CLEAN
    }

    /// `+=`, where the grammar has one kind of node for every assignment.
    fn adds(&self, node: Node<'t>) -> bool {
        node.child_by_field_name("operator").is_some_and(|operator| self.text_of(operator) == "+=")
    }

    /// Children one after the other, as far as they are reached.
    fn sequence(&mut self, node: Node<'t>) -> Taint {
        let mut last = Taint::CLEAN;
        for child in grammar::named(node) {
            if self.state.left && !matches!(self.shape(child), Shape::Function(..)) {
                continue;
            }
            last = self.value(child);
        }
        // Only what stands for its one child hands its value on.
        if node.named_child_count() == 1 { last } else { Taint::CLEAN }
    }

    fn branch(&mut self, node: Node<'t>, condition: Field, yes: Field, no: Field, holds: bool) {
        if let Some(initializer) = node.child_by_field_name("initializer") {
            self.value(initializer);
        }
        let condition = grammar::child(node, condition);
        if let Some(condition) = condition {
            self.value(condition);
        }
        let before = self.state.clone();
        self.assume(condition, holds);
        for body in grammar::children_in(node, yes) {
            self.value(body);
        }
        let after_yes = std::mem::replace(&mut self.state, before);
        self.assume(condition, !holds);
        self.alternatives(&grammar::children_in(node, no));
        let after_no = std::mem::take(&mut self.state);
        self.state = after_yes.join(after_no);
    }

    /// `elif` after `elif`, each under the failed conditions before it.
    fn alternatives(&mut self, rest: &[Node<'t>]) {
        let mut ends: Vec<State> = Vec::new();
        for alternative in rest {
            let condition = match self.shape(*alternative) {
                Shape::If(condition, ..) => grammar::child(*alternative, condition),
                _ => None,
            };
            let before = self.state.clone();
            match condition {
                Some(condition) => {
                    self.value(condition);
                    self.assume(Some(condition), true);
                    self.bodies(*alternative);
                    ends.push(std::mem::replace(&mut self.state, before));
                    self.assume(Some(condition), false);
                }
                None => {
                    self.value(*alternative);
                }
            }
        }
        for end in ends {
            let own = std::mem::take(&mut self.state);
            self.state = own.join(end);
        }
    }

    fn bodies(&mut self, node: Node<'t>) {
        if let Shape::If(_, yes, no) = self.shape(node) {
            let before = self.state.clone();
            self.value_of_field(node, yes);
            let after = std::mem::replace(&mut self.state, before);
            let rest = grammar::children_in(node, no);
            if rest.is_empty() {
                self.state = after;
                return;
            }
            self.alternatives(&rest);
            let own = std::mem::take(&mut self.state);
            self.state = after.join(own);
        }
    }

    fn value_of_field(&mut self, node: Node<'t>, field: Field) {
        for child in grammar::children_in(node, field) {
            self.value(child);
        }
    }

    fn each(&mut self, node: Node<'t>, left: Field, right: Field, body: Field) {
        let taint = self.field_value(node, right);
        let before = self.state.clone();
        if let Some(left) = grammar::child(node, left) {
            self.assign(left, taint, None);
        }
        self.value_of_field(node, body);
        self.meet(before);
    }

    fn repeat(&mut self, node: Node<'t>, condition: Field, body: Field) {
        let head = grammar::named(node)
            .filter(|child| Some(child.id()) != node.child_by_field_name(body).map(|body| body.id()));
        for part in head {
            self.value(part);
        }
        let before = self.state.clone();
        self.assume(grammar::child(node, condition), true);
        self.value_of_field(node, body);
        self.meet(before);
    }

    /// After what may or may not have run since `before`.
    fn meet(&mut self, before: State) {
        let after = std::mem::take(&mut self.state);
        self.state = after.join(before);
    }

    fn attempt(&mut self, node: Node<'t>) {
        let mut children: Vec<Node<'t>> = grammar::named(node).collect();
        let is_handler = |child: &Node<'t>| {
            let kind = child.kind();
            kind.contains("except") || kind.contains("catch") || kind == "rescue"
        };
        let handlers: Vec<Node<'t>> = children.iter().copied().filter(|child| is_handler(child)).collect();
        children.retain(|child| !is_handler(child));
        let before = self.state.clone();
        let (last, main): (Vec<Node>, Vec<Node>) = children
            .into_iter()
            .partition(|child| child.kind().contains("finally") || child.kind() == "ensure");
        for child in main {
            self.value(child);
        }
        let after = std::mem::take(&mut self.state);
        let mut ends = vec![after.clone()];
        for handler in handlers {
            let mut thrown = after.clone();
            thrown.left = false;
            self.state = thrown.join(before.clone());
            self.value(handler);
            ends.push(std::mem::take(&mut self.state));
        }
        self.state = ends.into_iter().reduce(State::join).unwrap_or(before);
        for child in last {
            let left = std::mem::replace(&mut self.state.left, false);
            self.value(child);
            self.state.left |= left;
        }
    }

    fn switch(&mut self, node: Node<'t>, value: Field) {
        let subject = grammar::child(node, value);
        if let Some(subject) = subject {
            self.value(subject);
        }
        let mut cases = Vec::new();
        self.cases(node, &mut cases, 0);
        let before = self.state.clone();
        let mut end = before.clone();
        for case in cases {
            self.state.clone_from(&before);
            if let Some(subject) = subject.filter(|_| !case.kind().contains("default")) {
                self.assume_constant(subject, case);
            }
            self.sequence(case);
            // A `break` ends the case, not the function.
            self.state.left = false;
            let own = std::mem::take(&mut self.state);
            end = end.join(own);
        }
        self.state = end;
    }

    fn cases(&self, node: Node<'t>, cases: &mut Vec<Node<'t>>, depth: usize) {
        const CASE_DEPTH_MAX: usize = 3;
        for child in grammar::named(node) {
            if self.shape(child) == Shape::Case || child.kind() == "else" {
                cases.push(child);
            } else if depth < CASE_DEPTH_MAX {
                self.cases(child, cases, depth + 1);
            }
        }
    }

    /// A function is walked where it stands, with what is known there of the variables it can see.
    fn function(&mut self, node: Node<'t>, parameters: Field, body: Field) {
        let before = self.state.clone();
        self.state.left = false;
        self.functions.push(node.byte_range());
        self.enter_parameters(node, grammar::child(node, parameters));
        self.value_of_field(node, body);
        self.functions.pop();
        self.state.left = before.left;
        self.meet_function(before);
    }

    fn meet_function(&mut self, before: State) {
        // Its parameters and locals are not ours; what it assigns to ours is left out.
        self.state = before;
    }
}
