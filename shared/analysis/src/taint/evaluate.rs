//! What an expression is worth.

use tree_sitter::Node;

use super::grammar::{self, Field, Shape};
use super::pattern::any_matches;
use super::tracker::Tracker;
use super::value::Taint;

impl<'t> Tracker<'t> {
    pub fn value_of_shape(&mut self, node: Node<'t>) -> Taint {
        match self.shape(node) {
            Shape::Skip | Shape::Literal => Taint::CLEAN,
            Shape::Name | Shape::Member(..) | Shape::Index(..) => self.place_value(node),
            Shape::Call(_, arguments) | Shape::New(_, arguments) | Shape::Method(_, _, arguments) => {
                self.call_value(node, arguments)
            }
            Shape::Text => self.text_value(node),
            Shape::Binary => self.binary_value(node),
            Shape::Unary(argument) => self.unary_value(node, argument),
            Shape::Choice(condition, yes, no) => self.choice_value(node, condition, yes, no),
            Shape::Wrap => self.last_value(node),
            Shape::WrapField(field) => self.field_value(node, field),
            Shape::Cast(kind, value) => self.cast_value(node, kind, value),
            Shape::Collection => self.collection_value(node),
            Shape::Pair(_, value) => self.pair_value(node, value),
            Shape::Keyword => self.field_value(node, "value"),
            Shape::Comprehension => self.comprehension_value(node),
            shape => self.statement_value(node, shape),
        }
    }

    pub fn field_value(&mut self, node: Node<'t>, field: Field) -> Taint {
        grammar::child(node, field).map_or(Taint::CLEAN, |child| self.value(child))
    }

    fn last_value(&mut self, node: Node<'t>) -> Taint {
        grammar::named(node).fold(Taint::CLEAN, |_, child| self.value(child))
    }

    /// A variable, a field, an element: what was assigned to it, else what a source says, else its object's.
    pub fn place_value(&mut self, node: Node<'t>) -> Taint {
        let own = self.path(node).and_then(|path| self.path_value(&path, node.start_byte()));
        if let Some(taint) = own {
            return taint;
        }
        match self.shape(node) {
            Shape::Member(object, field) => {
                let whole = self.field_value(node, object);
                let name = grammar::child(node, field).map(|field| self.text_of(field)).unwrap_or_default();
                if self.catalogue.stops.iter().any(|stop| stop == name) { Taint::CLEAN } else { whole }
            }
            Shape::Index(object, index) => {
                self.field_value(node, index);
                self.field_value(node, object)
            }
            _ => Taint::CLEAN,
        }
    }

    /// What `path` holds, where anything is known of it.
    pub fn path_value(&self, path: &str, at: usize) -> Option<Taint> {
        self.state
            .exact(path)
            .or_else(|| self.source_value(path, at))
            .or_else(|| self.state.get(path))
            .filter(|_| {
                let last = path.rsplit('.').next().unwrap_or_default();
                !self.catalogue.stops.iter().any(|stop| stop == last)
            })
    }

    fn source_value(&self, path: &str, at: usize) -> Option<Taint> {
        let first = path.split('.').next().unwrap_or(path);
        if self.state.exact(first).is_some_and(|taint| taint.at != 0 && taint.is_clean()) {
            return None;
        }
        let readings = self.readings(path);
        let source = self.catalogue.sources.iter().find(|source| any_matches(&source.names, &readings))?;
        Some(Taint::new(source.from, at))
    }

    fn unary_value(&mut self, node: Node<'t>, argument: Field) -> Taint {
        let taint = self.field_value(node, argument);
        let operator = node.child(0).map(|first| first.kind()).unwrap_or_default();
        // A pointer is as good as what it points to; `not x` and `-x` are no text.
        if matches!(operator, "&" | "*" | "<-") { taint } else { Taint::CLEAN }
    }

    fn cast_value(&mut self, node: Node<'t>, kind: Field, value: Field) -> Taint {
        let taint = self.field_value(node, value);
        let kind = grammar::child(node, kind).map(|kind| self.text_of(kind)).unwrap_or_default();
        if self.is_plain_type(kind) { Taint::CLEAN } else { taint }
    }

    fn choice_value(&mut self, node: Node<'t>, condition: Field, yes: Field, no: Field) -> Taint {
        let condition = grammar::child(node, condition);
        if let Some(condition) = condition {
            self.value(condition);
        }
        let before = self.state.clone();
        self.assume(condition, true);
        let first = self.field_value(node, yes);
        self.state.clone_from(&before);
        self.assume(condition, false);
        let second = self.field_value(node, no);
        self.state = before;
        first.join(second)
    }

    /// The value of a comprehension: what its variables take from what it runs over.
    fn comprehension_value(&mut self, node: Node<'t>) -> Taint {
        let before = self.state.clone();
        let clauses: Vec<Node<'t>> =
            grammar::named(node).filter(|child| child.kind() == "for_in_clause").collect();
        for clause in clauses {
            let taint = grammar::children_in(clause, "right").into_iter().fold(Taint::CLEAN, |sum, right| {
                let own = self.value(right);
                sum.join(own)
            });
            if let Some(left) = clause.child_by_field_name("left") {
                self.assign(left, taint, None);
            }
        }
        for filter in grammar::named(node).filter(|child| child.kind() == "if_clause") {
            let condition = grammar::named(filter).next();
            self.assume(condition, true);
        }
        let taint = self.field_value(node, "body");
        self.state = before;
        taint
    }

    fn pair_value(&mut self, node: Node<'t>, value: Field) -> Taint {
        self.field_value(node, value)
    }
}
