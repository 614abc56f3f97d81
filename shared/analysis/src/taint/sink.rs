//! Sinks: where what arrives does harm.

use tree_sitter::Node;

use super::call::{Argument, Call};
use super::catalogue::{Leader, Sink};
use super::format::is_shell;
use super::grammar::{self, Shape};
use super::pattern::any_matches;
use super::tracker::Tracker;
use super::value::{Danger, Dangers, Origin, Taint};
use crate::hit::Hit;

/// Roles whose text a model takes as instructions.
const INSTRUCTING_ROLES: &[&str] = &["system", "developer"];

impl<'t> Tracker<'t> {
    pub fn call_sinks(&mut self, call: &Call<'t>) {
        let catalogue = self.catalogue;
        for sink in catalogue.sinks.iter().filter(|sink| any_matches(&sink.calls, &call.names)) {
            if any_matches(&sink.except, &call.names) || !self.applies(sink, call) {
                continue;
            }
            if sink.argv {
                self.argv_sink(sink, call);
                continue;
            }
            if sink.built && any_matches(&catalogue.formats, &call.names) {
                let whole = self.format_result(call);
                self.report(sink, whole, call.node);
            }
            for argument in selected(sink, call) {
                if !self.is_options(sink, argument.node) {
                    self.report(sink, argument.taint, argument.node);
                }
            }
            self.option_sinks(sink, call);
            if let Some((node, taint)) = call.receiver.filter(|_| sink.receiver) {
                self.report(sink, taint, node);
            }
        }
    }

    /// Whether `node` is an object of which `sink` only names properties.
    fn is_options(&self, sink: &Sink, node: Node<'t>) -> bool {
        node.kind() == "object" && !sink.keywords.is_empty() && self.shape(node) == Shape::Collection
    }

    /// The properties that `sink` names, of objects among the arguments.
    fn option_sinks(&mut self, sink: &Sink, call: &Call<'t>) {
        for argument in &call.arguments {
            if !self.is_options(sink, argument.node) {
                continue;
            }
            for pair in grammar::named(argument.node) {
                // `{ url }` is a name of its own.
                let is_short = pair.kind() == "shorthand_property_identifier";
                let short = Some(pair)
                    .filter(|_| is_short && sink.keywords.iter().any(|own| own == self.text_of(pair)));
                let own = sink.keywords.iter().find_map(|name| self.value_under(pair, name)).or(short);
                if let Some(value) = own {
                    let taint = self.value(value);
                    self.report(sink, taint, value);
                }
            }
        }
    }

    fn applies(&self, sink: &Sink, call: &Call<'t>) -> bool {
        let positional = call.arguments.iter().filter(|argument| argument.name.is_none()).count();
        let first = call.arguments.first().and_then(|first| self.key_text(first.node));
        sink.count.is_none_or(|count| count == positional)
            && (sink.after != Some(Leader::Shell) || first.is_some_and(|first| is_shell(&first)))
            && sink.when.iter().all(|(name, text)| self.has_option(call, name, text))
            && !sink.unless.iter().any(|(name, text)| self.has_option(call, name, text))
    }

    /// `name=text` among the arguments, or in an object among them.
    fn has_option(&self, call: &Call<'t>, name: &str, text: &str) -> bool {
        call.arguments.iter().any(|argument| {
            let named = argument.name.as_deref() == Some(name) && self.text_of(argument.node).contains(text);
            named || self.object_has(argument.node, name, |value| value.contains(text))
        })
    }

    fn object_has(&self, object: Node<'t>, name: &str, fits: impl Fn(&str) -> bool) -> bool {
        self.shape(object) == Shape::Collection
            && grammar::named(object).any(|pair| match self.shape(pair) {
                Shape::Pair(key, value) => {
                    let key =
                        grammar::child(pair, key).map(|key| self.text_of(key).trim_matches(['"', '\'', ':']));
                    let value =
                        grammar::child(pair, value).map(|value| self.text_of(value)).unwrap_or_default();
                    key == Some(name) && fits(value.trim_matches(['"', '\'']))
                }
                _ => false,
            })
    }

    /// A program and its arguments, in one list or one by one.
    fn argv_sink(&mut self, sink: &Sink, call: &Call<'t>) {
        let mut nodes = Vec::new();
        for argument in selected(sink, call) {
            if self.shape(argument.node) == Shape::Collection {
                nodes.extend(grammar::named(argument.node));
            } else {
                nodes.push(argument.node);
            }
        }
        let taints: Vec<Taint> = nodes.iter().map(|node| self.value(*node)).collect();
        let Some(at) = self.runs(&nodes, &taints) else { return };
        let danger = if at == 0 { Danger::Program } else { Danger::Shell };
        self.report_as(danger, sink, taints[at], nodes[at]);
    }

    /// Nodes that are sinks themselves.
    pub fn node_sinks(&mut self, node: Node<'t>, taint: Taint) {
        let catalogue = self.catalogue;
        // What a called function gives back is judged where its caller uses it.
        if self.is_in_call() && self.shape(node) == Shape::Return {
            return;
        }
        for sink in catalogue.sinks.iter().filter(|sink| !sink.nodes.is_empty()) {
            if sink.nodes.iter().any(|kind| kind == node.kind()) {
                let whole = if taint.is_clean() { self.values(node) } else { taint };
                self.report(sink, whole, node);
            }
        }
    }

    pub fn assigned_sinks(&mut self, target: Node<'t>, taint: Taint) {
        if taint.is_clean() {
            return;
        }
        let names = self.path(target).map(|path| self.readings(&path)).unwrap_or_default();
        let catalogue = self.catalogue;
        for sink in catalogue.sinks.iter().filter(|sink| any_matches(&sink.assigned, &names)) {
            self.report(sink, taint, target.parent().unwrap_or(target));
        }
    }

    /// `{"role": "system", "content": text}` and `("system", text)`.
    pub fn object_sinks(&mut self, node: Node<'t>) {
        let catalogue = self.catalogue;
        let Some(sink) = catalogue.sinks.iter().find(|sink| sink.to == Danger::Prompt) else { return };
        let instructs = self.object_has(node, "role", |role| INSTRUCTING_ROLES.contains(&role));
        let leads = grammar::named(node).next().and_then(|first| self.key_text(first));
        let elements: Vec<Node<'t>> = grammar::named(node).collect();
        let content = if instructs {
            elements.into_iter().find_map(|pair| self.value_under(pair, "content"))
        } else if elements.len() == 2 && leads.is_some_and(|role| INSTRUCTING_ROLES.contains(&role.as_str()))
        {
            elements.last().copied()
        } else {
            None
        };
        if let Some(content) = content {
            let taint = self.value(content);
            self.report(sink, taint, content);
        }
    }

    fn value_under(&self, pair: Node<'t>, name: &str) -> Option<Node<'t>> {
        let Shape::Pair(key, value) = self.shape(pair) else { return None };
        let key = self.text_of(grammar::child(pair, key)?).trim_matches(['"', '\'', ':']);
        grammar::child(pair, value).filter(|_| key == name)
    }

    fn report(&mut self, sink: &Sink, taint: Taint, node: Node<'t>) {
        self.report_as(sink.to, sink, taint, node);
    }

    fn report_as(&mut self, danger: Danger, sink: &Sink, taint: Taint, node: Node<'t>) {
        if taint.is_clean() {
            return;
        }
        let needs = if danger == sink.to { sink.needs() } else { Dangers::NONE };
        let allowed = |origin: &Origin| sink.from.is_empty() || sink.from.contains(origin);
        let catalogue = self.catalogue;
        let rule =
            taint.origins(danger, needs).filter(allowed).find_map(|origin| catalogue.rule(origin, danger));
        let Some(rule) = rule else { return };
        let span = node.byte_range();
        if !self.seen.insert((span.start, span.end, rule.id.clone())) {
            return;
        }
        let scope = self.scope_of(taint.at);
        self.hits.push(Hit { rule: rule.clone(), span, scope, fix: None, confidence: None });
    }

    /// The innermost function around here in which the value came in too.
    fn scope_of(&self, at: usize) -> Option<std::ops::Range<usize>> {
        let around = self.functions.iter().rev().find(|function| function.contains(&at));
        around.or(self.functions.last()).cloned()
    }
}

fn selected<'a, 't>(sink: &'a Sink, call: &'a Call<'t>) -> impl Iterator<Item = &'a Argument<'t>> {
    let every = sink.arguments.is_empty() && sink.keywords.is_empty() && !sink.receiver;
    let mut position = 0_usize;
    call.arguments.iter().filter(move |argument| {
        if let Some(name) = &argument.name {
            return sink.keywords.contains(name);
        }
        position += 1;
        every || sink.arguments.contains(&(position - 1))
    })
}
