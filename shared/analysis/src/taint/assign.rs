//! Assignments, and what a value was made from.

use tree_sitter::Node;

use super::grammar::{self, Field, Shape};
use super::tracker::Tracker;
use super::value::{Danger, Dangers, Taint};

/// Names remembered as what one value was made from.
const PARENTS_MAX: usize = 12;
/// How deep an expression is searched for them.
const PARENT_DEPTH_MAX: usize = 8;

/// Fields that a check of the whole is made on.
const FACETS: &[&str] = &[
    "hostname", "host", "netloc", "scheme", "protocol", "origin", "port", "pathname", "parents", "parent",
    "parts", "suffix", "name", "Host", "Scheme", "length",
];

impl<'t> Tracker<'t> {
    pub fn assignment(&mut self, node: Node<'t>, left: Field, right: Field) -> Taint {
        let Some(target) = grammar::child(node, left) else { return self.values(node) };
        let Some(value) = grammar::child(node, right).map(single) else {
            self.declare(target);
            return Taint::CLEAN;
        };
        if let Some(pairs) = pairwise(target, value) {
            let taints: Vec<Taint> = pairs.iter().map(|(_, value)| self.value(*value)).collect();
            for ((target, value), taint) in pairs.into_iter().zip(taints) {
                self.assign(target, taint, Some(value));
            }
            return Taint::CLEAN;
        }
        let taint = self.value(value);
        self.assign(target, taint, Some(value));
        if self.learn_declared(node, target) && taint.is_clean() {
            let path = self.path(target).unwrap_or_default();
            self.state.forget(&path);
        }
        taint
    }

    pub fn augmentation(&mut self, node: Node<'t>, left: Field, right: Field) {
        let Some(target) = grammar::child(node, left) else { return };
        let mut parts = Vec::new();
        self.part(target, &mut parts);
        if let Some(value) = grammar::child(node, right) {
            self.part(value, &mut parts);
        }
        let taint = super::format::built(&parts);
        self.assigned_sinks(target, taint);
        if let Some(path) = self.path(target) {
            let taint = self.as_sql(&path, taint);
            self.store(&path, taint, Vec::new());
        }
    }

    /// A variable without a value: whatever held that name before is gone.
    pub fn declare(&mut self, target: Node<'t>) {
        if let Some(path) = self.path(target) {
            self.state.forget(&path);
            self.names.forget(&path);
        }
    }

    /// `target = value`, where the value is worth `taint`.
    pub fn assign(&mut self, target: Node<'t>, taint: Taint, value: Option<Node<'t>>) {
        match self.shape(target) {
            Shape::Name | Shape::Member(..) => self.assign_place(target, taint, value),
            Shape::Index(object, _) => self.assign_element(target, object, taint),
            _ => self.assign_pattern(target, taint, value),
        }
    }

    fn assign_place(&mut self, target: Node<'t>, taint: Taint, value: Option<Node<'t>>) {
        self.assigned_sinks(target, taint);
        let Some(path) = self.path(target) else { return };
        let parents =
            value.filter(|_| !taint.is_clean()).map(|value| self.made_from(value)).unwrap_or_default();
        self.learn_value(&path, value);
        self.sql_texts.remove(&path);
        if value.is_some_and(|value| self.is_sql_text(value)) {
            self.sql_texts.insert(path.clone());
        }
        let stands_for_place =
            value.is_some_and(|value| matches!(self.shape(value), Shape::Name | Shape::Member(..)));
        if taint.is_clean() && stands_for_place && !path.contains('.') {
            self.state.forget(&path);
        } else {
            self.store(&path, taint, parents);
        }
    }

    /// Records a value. A harmless one matters only where it hides a source or takes the place of another.
    fn store(&mut self, path: &str, taint: Taint, parents: Vec<String>) {
        let first = path.split('.').next().unwrap_or(path);
        if taint.is_clean() && self.state.get(path).is_none() && !self.catalogue.names_source(first) {
            self.state.forget(path);
        } else {
            self.state.set(path, taint, parents);
        }
    }

    fn as_sql(&self, path: &str, taint: Taint) -> Taint {
        if self.sql_texts.contains(path) { taint.granted(Dangers::BUILT_SQL, Danger::Sql) } else { taint }
    }

    fn assign_element(&mut self, target: Node<'t>, object: Field, taint: Taint) {
        match self.path(target).filter(|path| !path.ends_with("[]")) {
            Some(path) => self.store(&path, taint, Vec::new()),
            None => self.add_to(grammar::child(target, object), taint),
        }
    }

    /// Adds to what a collection may hold.
    pub fn add_to(&mut self, collection: Option<Node<'t>>, taint: Taint) {
        if let Some(path) = collection.and_then(|object| self.path(object)) {
            // `text.append(a).append(b)` adds to `text`.
            let first = super::pattern::bare(path.split('.').next().unwrap_or(&path));
            let path = if path.to_ascii_lowercase().ends_with("append()") { first.to_owned() } else { path };
            let taint = self.as_sql(&path, taint);
            self.state.add(&path, taint.without(Dangers::of(Danger::Program)));
        }
    }

    fn assign_pattern(&mut self, target: Node<'t>, taint: Taint, value: Option<Node<'t>>) {
        match target.kind() {
            "shorthand_property_identifier_pattern" => {
                let key = self.text_of(target).to_owned();
                self.assign_key(&key, &key, taint, value);
            }
            "pair_pattern" => {
                let key = grammar::child(target, "key").map(|key| self.text_of(key)).unwrap_or_default();
                let Some(name) = grammar::child(target, "value") else { return };
                match self.path(name) {
                    Some(path) => self.assign_key(&path, key, taint, value),
                    None => self.assign_pattern(name, taint, None),
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                if let Some(left) = grammar::child(target, "left") {
                    self.assign(left, taint, value);
                }
            }
            _ => {
                for child in grammar::named(target) {
                    self.assign(child, taint, value);
                }
            }
        }
    }

    /// `{ key: name } = value`.
    fn assign_key(&mut self, name: &str, key: &str, taint: Taint, value: Option<Node<'t>>) {
        let whole = value.and_then(|value| self.path(value));
        let part = whole.map(|whole| format!("{whole}.{key}"));
        let own =
            part.as_ref().and_then(|part| self.path_value(part, value.map_or(0, |value| value.start_byte())));
        self.names.forget(name);
        if let Some(part) = &part {
            self.names.learn(name, part);
        }
        let taint = own.unwrap_or(taint);
        if taint.is_clean() {
            self.state.forget(name);
        } else {
            self.store(name, taint, part.into_iter().collect());
        }
    }

    fn learn_value(&mut self, path: &str, value: Option<Node<'t>>) {
        let named = value.and_then(|value| self.path(value));
        if named.is_some_and(|name| name.starts_with("require()") || name.starts_with("import()")) {
            return;
        }
        self.names.forget(path);
        self.checks.remove(path);
        let Some(value) = value else { return };
        if self.is_check(value) {
            self.checks.insert(path.to_owned(), value);
        }
        let wrapped = self.wrapped(value);
        if let Some(full) = self.path(wrapped).and_then(|full| self.readings(&full).pop()) {
            let first = full.split(['.', '(', '[']).next().unwrap_or_default();
            if first != path && !path.contains('.') {
                self.names.learn(path, &full);
            }
        }
    }

    /// The function that `value` makes another of.
    fn wrapped(&self, value: Node<'t>) -> Node<'t> {
        let is_wrapper = self.callee_path(value).is_some_and(|name| name.ends_with("promisify"));
        let arguments = value.child_by_field_name("arguments").filter(|_| is_wrapper);
        arguments.and_then(|arguments| grammar::named(arguments).next()).unwrap_or(value)
    }

    /// The type that a declaration states, where it states one.
    fn learn_declared(&mut self, node: Node<'t>, target: Node<'t>) -> bool {
        let declared =
            node.child_by_field_name("type").or_else(|| node.parent()?.child_by_field_name("type"));
        let (Some(kind), Some(name)) = (declared, self.path(target)) else { return false };
        let kind = bare_type(self.text_of(kind));
        let tells =
            kind.chars().next().is_some_and(char::is_uppercase) && kind != "String" && kind != "Object";
        if tells {
            self.names.learn(&name, kind);
        }
        tells
    }

    /// The names whose values are in `node`'s.
    pub fn made_from(&self, node: Node<'t>) -> Vec<String> {
        let mut found = Vec::new();
        self.collect_parents(node, PARENT_DEPTH_MAX, &mut found);
        found
    }

    fn collect_parents(&self, node: Node<'t>, depth: usize, found: &mut Vec<String>) {
        if depth == 0 || found.len() >= PARENTS_MAX {
            return;
        }
        match self.shape(node) {
            Shape::Name => found.push(self.text_of(node).to_owned()),
            Shape::Member(object, field) => {
                let name = grammar::child(node, field).map(|field| self.text_of(field)).unwrap_or_default();
                found.extend(self.path(node).filter(|path| !path.contains("()")));
                if FACETS.contains(&name) || self.path(node).is_none_or(|path| path.contains("()")) {
                    self.collect_from(grammar::child(node, object), depth, found);
                }
            }
            Shape::Index(..) => found.extend(self.path(node)),
            Shape::Call(callee, arguments) => {
                let object = grammar::child(node, callee).and_then(|callee| match self.shape(callee) {
                    Shape::Member(object, _) => grammar::child(callee, object),
                    _ => None,
                });
                self.collect_call(node, object, arguments, depth, found);
            }
            Shape::Method(object, _, arguments) => {
                self.collect_call(node, grammar::child(node, object), arguments, depth, found);
            }
            Shape::Keyword => self.collect_from(grammar::child(node, "value"), depth, found),
            Shape::Function(..) | Shape::Skip | Shape::Literal => {}
            _ => {
                for child in grammar::named(node) {
                    self.collect_parents(child, depth - 1, found);
                }
            }
        }
    }

    fn collect_call(
        &self,
        node: Node<'t>,
        object: Option<Node<'t>>,
        arguments: Field,
        depth: usize,
        found: &mut Vec<String>,
    ) {
        let name = self.callee_path(node).unwrap_or_default();
        let last = name.rsplit('.').next().unwrap_or_default();
        // What `get` takes out of a container says nothing of the rest of it.
        if !last.starts_with("get") && !matches!(last, "pop" | "fetch" | "first" | "dig") {
            self.collect_from(object, depth, found);
        }
        if let Some(arguments) = grammar::child(node, arguments) {
            for argument in grammar::named(arguments) {
                self.collect_parents(argument, depth - 1, found);
            }
        }
    }

    fn collect_from(&self, node: Option<Node<'t>>, depth: usize, found: &mut Vec<String>) {
        if let Some(node) = node {
            self.collect_parents(node, depth - 1, found);
        }
    }
}

/// A list of one stands for its element.
fn single(value: Node) -> Node {
    let only = value.kind() == "expression_list" && value.named_child_count() == 1;
    value.named_child(0).filter(|_| only).unwrap_or(value)
}

/// A type without its package's pointer, arguments and nullability.
pub(super) fn bare_type(text: &str) -> &str {
    let text = text.trim().trim_start_matches([':', '*', '?', ' ', '&']);
    text.split(['<', '[', ' ']).next().unwrap_or(text).trim_end_matches('?')
}

/// `a, b = x, y` as pairs.
fn pairwise<'t>(target: Node<'t>, value: Node<'t>) -> Option<Vec<(Node<'t>, Node<'t>)>> {
    let is_list = |node: Node| {
        matches!(
            node.kind(),
            "expression_list" | "pattern_list" | "tuple" | "tuple_pattern" | "left_assignment_list"
        )
    };
    let counts = (target.named_child_count(), value.named_child_count());
    let same = is_list(target) && is_list(value) && counts.0 == counts.1;
    same.then(|| grammar::named(target).zip(grammar::named(value)).collect())
}
