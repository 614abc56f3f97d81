//! Calls: what goes in, what comes out.

use tree_sitter::Node;

use super::format::{Part, built};
use super::grammar::{self, Field, Shape};
use super::pattern::any_matches;
use super::tracker::Tracker;
use super::value::{Danger, Dangers, Taint};

/// A call, taken apart.
pub(super) struct Call<'t> {
    pub node: Node<'t>,
    /// The name as written, and what it stands for.
    pub names: Vec<String>,
    pub receiver: Option<(Node<'t>, Taint)>,
    pub arguments: Vec<Argument<'t>>,
}

/// One argument.
#[derive(Clone)]
pub(super) struct Argument<'t> {
    pub name: Option<String>,
    pub node: Node<'t>,
    pub taint: Taint,
}

/// Methods that put their argument into their object.
const FILLING: &[&str] = &[
    "append",
    "push",
    "add",
    "extend",
    "insert",
    "unshift",
    "put",
    "set",
    "update",
    "concat",
    "<<",
    "WriteString",
    "Append",
    "AppendLine",
    "AppendFormat",
    "Add",
];

/// Methods that write what they read into what their arguments point to.
const DECODING: &[&str] = &["Decode", "Unmarshal", "DecodeJSON", "UnmarshalStrict"];

/// Words in the names of functions that check or clean; what went through one is left alone.
const CHECKING_WORDS: &[&str] = &[
    "validate",
    "validates",
    "validated",
    "validator",
    "valid",
    "sanitize",
    "sanitise",
    "sanitized",
    "sanitizer",
    "allowed",
    "allow",
    "permitted",
    "permit",
    "verify",
    "verified",
    "assert",
    "ensure",
    "check",
    "checked",
    "authorize",
    "confine",
    "confined",
    "inside",
    "within",
    "whitelist",
    "allowlist",
    "blocklist",
    "guard",
    "reject",
    "restrict",
    "forbidden",
    "secure",
    "escape",
    "escaped",
    "quote",
    "quoted",
    "safe",
    "clean",
    "contained",
    "traversal",
    "blocked",
    "readonly",
];

impl<'t> Tracker<'t> {
    pub fn call_value(&mut self, node: Node<'t>, arguments: Field) -> Taint {
        let call = self.take_apart(node, arguments);
        self.call_sinks(&call);
        let taint = self.result(&call);
        self.fill(&call);
        let name = call.names.first().map(String::as_str).unwrap_or_default();
        if self.grammar.exits.contains(&name) {
            self.state.left = true;
        }
        taint
    }

    fn take_apart(&mut self, node: Node<'t>, field: Field) -> Call<'t> {
        let name = self.callee_path(node);
        let names = name.map(|name| self.readings(&name)).unwrap_or_default();
        self.inner_call(node);
        let receiver = self.receiver(node).or_else(|| node.child_by_field_name("initializer"));
        let receiver = receiver.map(|receiver| (receiver, self.value(receiver)));
        let passed = receiver.map(|(_, taint)| taint).unwrap_or_default();
        let list = grammar::child(node, field);
        let mut nodes: Vec<Node<'t>> = match list {
            Some(list) if self.shape(list) == Shape::Other => grammar::named(list).collect(),
            Some(list) if self.shape(list) == Shape::Comprehension => vec![list],
            // A tagged template is not a text; what is in it goes to its tag.
            Some(list) => {
                self.values(list);
                Vec::new()
            }
            None => Vec::new(),
        };
        nodes.extend(node.child_by_field_name("block"));
        let arguments = nodes.into_iter().map(|argument| self.argument(argument, passed)).collect();
        Call { node, names, receiver, arguments }
    }

    /// What is called without a name is worth nothing, but may do something.
    fn inner_call(&mut self, node: Node<'t>) {
        if let Shape::Call(callee, _) = self.shape(node)
            && let Some(callee) = grammar::child(node, callee)
            && !matches!(self.shape(callee), Shape::Name | Shape::Member(..))
        {
            self.value(callee);
        }
    }

    fn receiver(&self, node: Node<'t>) -> Option<Node<'t>> {
        match self.shape(node) {
            Shape::Method(object, ..) => grammar::child(node, object),
            Shape::Call(callee, _) => {
                let callee = grammar::child(node, callee)?;
                match self.shape(callee) {
                    Shape::Member(object, _) => grammar::child(callee, object),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn argument(&mut self, node: Node<'t>, passed: Taint) -> Argument<'t> {
        let is_function = matches!(self.shape(node), Shape::Function(..));
        let outer = std::mem::replace(&mut self.passed, if is_function { passed } else { Taint::CLEAN });
        let (name, value) = self.named_argument(node);
        let taint = self.value(value);
        self.passed = outer;
        Argument { name, node: value, taint }
    }

    fn named_argument(&self, node: Node<'t>) -> (Option<String>, Node<'t>) {
        let field = match self.shape(node) {
            Shape::Keyword => "name",
            Shape::Pair(key, _) => key,
            _ => {
                let inner = if node.kind() == "argument" {
                    grammar::named(node).last().unwrap_or(node)
                } else {
                    node
                };
                return (None, inner);
            }
        };
        let name = grammar::child(node, field)
            .map(|name| self.text_of(name).trim_matches([':', '"', '\'']).to_owned());
        (name, node.child_by_field_name("value").unwrap_or(node))
    }

    /// What the call gives back.
    fn result(&mut self, call: &Call<'t>) -> Taint {
        let catalogue = self.catalogue;
        if let Some(source) = catalogue.sources.iter().find(|source| any_matches(&source.calls, &call.names))
        {
            return Taint::new(source.from, call.node.start_byte());
        }
        let whole = call.everything();
        if let Some(sanitizer) = catalogue.sanitizers.iter().find(|own| any_matches(&own.calls, &call.names))
        {
            return whole.without(sanitizer.dangers());
        }
        let last = call.last_name();
        let is_checking = is_checking(last);
        if !is_checking && let Some(taint) = self.local_result(call) {
            return taint;
        }
        if whole.is_clean() {
            return whole;
        }
        if any_matches(&catalogue.formats, &call.names) {
            return self.format_result(call);
        }
        if any_matches(&catalogue.passes_on, &call.names) {
            return call.passed_on();
        }
        if is_checking {
            for node in
                call.arguments.iter().map(|argument| argument.node).chain(call.receiver.map(|own| own.0))
            {
                self.clear(node, Dangers::EVERY);
            }
            return Taint::CLEAN;
        }
        if catalogue.stops.iter().any(|stop| stop == last) {
            return Taint::CLEAN;
        }
        call.receiver.map(|(_, taint)| taint).unwrap_or_default()
    }

    /// `"format".format(values)`, `sprintf("format", values)`.
    pub fn format_result(&mut self, call: &Call<'t>) -> Taint {
        let in_receiver = call.receiver.filter(|(node, _)| self.shape(*node) == Shape::Text);
        let format = in_receiver.map(|(node, _)| node).or_else(|| {
            call.arguments.iter().map(|argument| argument.node).find(|node| self.shape(*node) == Shape::Text)
        });
        let values = call.arguments.iter().fold(Taint::CLEAN, |sum, argument| sum.join(argument.taint));
        match format {
            Some(format) => self.formatted(format, values),
            None => built(&[Part::Tainted(call.everything())]),
        }
    }

    fn fill(&mut self, call: &Call<'t>) {
        let catalogue = self.catalogue;
        let source = catalogue.sources.iter().find(|source| any_matches(&source.fills, &call.names));
        if let Some(source) = source {
            for argument in &call.arguments {
                let taint = Taint::new(source.from, call.node.start_byte());
                self.add_to(Some(self.inside_pointer(argument.node)), taint);
            }
        }
        if DECODING.contains(&call.last_name()) {
            for argument in &call.arguments {
                let target = self.inside_pointer(argument.node);
                if target.id() != argument.node.id() {
                    self.add_to(Some(target), call.everything());
                }
            }
        }
        if FILLING.contains(&call.last_name()) {
            self.note_sql(call);
            let taint = call.arguments.iter().fold(Taint::CLEAN, |sum, argument| sum.join(argument.taint));
            self.add_to(call.receiver.map(|(node, _)| node), taint.without(Dangers::of(Danger::Program)));
        }
    }

    /// Remembers that a text is put together whose constant parts are SQL.
    fn note_sql(&mut self, call: &Call<'t>) {
        let is_sql = call.arguments.iter().any(|argument| self.is_sql_text(argument.node));
        let path = call.receiver.filter(|_| is_sql).and_then(|(node, _)| self.path(node));
        if let Some(path) = path {
            self.sql_texts.insert(super::pattern::bare(path.split('.').next().unwrap_or(&path)).to_owned());
        }
    }

    fn inside_pointer(&self, node: Node<'t>) -> Node<'t> {
        match self.shape(node) {
            Shape::Unary(argument) => grammar::child(node, argument).unwrap_or(node),
            _ => node,
        }
    }
}

impl Call<'_> {
    pub fn last_name(&self) -> &str {
        self.names.first().and_then(|name| name.rsplit('.').next()).unwrap_or_default()
    }

    fn everything(&self) -> Taint {
        let receiver = self.receiver.map(|(_, taint)| taint).unwrap_or_default();
        self.arguments.iter().fold(receiver, |sum, argument| sum.join(argument.taint))
    }

    /// The same, of a call that joins its arguments in order.
    fn passed_on(&self) -> Taint {
        let whole = self.everything();
        let first = self.arguments.first().map(|argument| argument.taint).unwrap_or_default();
        let led = self.arguments.len() > 1 && first.is_clean() && self.last_name() != "join_all";
        if led { whole.without(Dangers::of(Danger::Program)) } else { whole }
    }
}

/// Whether a function of that name checks what it is given.
pub(super) fn is_checking(name: &str) -> bool {
    words(name).iter().any(|word| CHECKING_WORDS.contains(&word.as_str()))
}

/// `isSafePath` and `is_safe_path` as words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous_is_lower = false;
    for letter in name.chars() {
        let starts = !letter.is_alphanumeric() || (letter.is_uppercase() && previous_is_lower);
        if starts {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        previous_is_lower = letter.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_check() {
        for name in ["validatePath", "is_safe_url", "ensureAllowed", "_check_host"] {
            assert!(is_checking(name), "{name}");
        }
        for name in ["checkout", "get", "unsafe", "quotes"] {
            assert!(!is_checking(name), "{name}");
        }
    }
}
