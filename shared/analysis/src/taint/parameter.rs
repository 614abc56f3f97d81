//! Functions whose parameters an outsider sets.

use tree_sitter::Node;

use super::assign::bare_type;
use super::catalogue::Parameters;
use super::grammar::{self, Shape};
use super::pattern::any_matches;
use super::tracker::Tracker;
use super::value::Taint;
use crate::language::Language;

/// From a function up to the call it is given to: a pair, an object, the arguments.
const CALLBACK_DEPTH_MAX: usize = 5;
/// How much of a decorator is looked through for converters.
const SCHEMA_WINDOW_BYTES: usize = 120;

/// Values that a framework makes, not the outsider.
const MADE_BY_FRAMEWORK: &[&str] =
    &["Depends(", "Security(", "Context", "BackgroundTasks", "Inject", "FromServices"];

/// Validators in a schema that leave nothing dangerous.
const PLAIN_SCHEMAS: &[&str] = &[
    "number(",
    "boolean(",
    "enum(",
    "literal(",
    "nativeEnum(",
    "date(",
    "bigint(",
    "int(",
    "coerce.number(",
    "uuid(",
    "string().uuid(",
    "string().regex(",
    "coerce.boolean(",
];

impl<'t> Tracker<'t> {
    /// Gives the parameters of `function` their values.
    pub fn enter_parameters(&mut self, function: Node<'t>, parameters: Option<Node<'t>>) {
        let passed = std::mem::take(&mut self.passed);
        let list = parameters.or_else(|| function.child_by_field_name("parameter"));
        let Some(list) = list else { return };
        let parameters: Vec<Node<'t>> =
            if self.shape(list) == Shape::Name { vec![list] } else { grammar::named(list).collect() };
        for parameter in &parameters {
            self.learn_type(*parameter);
        }
        let catalogue = self.catalogue;
        for (at, parameter) in parameters.iter().enumerate() {
            let source = catalogue.parameters.iter().find(|rule| self.sets(rule, function, &parameters, at));
            let taint = source.map_or(passed, |rule| Taint::new(rule.from, parameter.start_byte()));
            let schema = source.and_then(|_| self.call_around(function).map(|(call, _)| call));
            self.bind(*parameter, taint, schema);
        }
    }

    fn bind(&mut self, parameter: Node<'t>, taint: Taint, schema: Option<Node<'t>>) {
        let mut names = Vec::new();
        self.bound_names(parameter, &mut names);
        for (name, key) in names {
            self.state.forget(&name);
            let plain = schema.is_some_and(|call| self.schema_is_plain(call, &key));
            // In Ruby `params` is a method of the controller, unless it is a parameter.
            let hides = self.grammar.language == Language::Ruby && self.catalogue.names_source(&name);
            if (!taint.is_clean() && !plain) || hides {
                self.state.set(&name, taint, Vec::new());
            }
        }
    }

    /// The names that a parameter binds, with the keys they are taken from.
    pub fn bound_names(&self, node: Node<'t>, names: &mut Vec<(String, String)>) {
        let text = || self.text_of(node).to_owned();
        match node.kind() {
            "pair_pattern" => {
                let key =
                    grammar::child(node, "key").map(|key| self.text_of(key).to_owned()).unwrap_or_default();
                let value = grammar::child(node, "value").map(|value| self.text_of(value).to_owned());
                names.push((value.unwrap_or_default(), key));
            }
            "shorthand_property_identifier_pattern" | "identifier" | "variable_name" => {
                names.push((text(), text()));
            }
            _ => {
                let own = grammar::children_in(node, "name");
                let only = node.child_by_field_name("pattern").or_else(|| node.child_by_field_name("left"));
                let inside: Vec<Node<'t>> = match only {
                    Some(only) => vec![only],
                    None if !own.is_empty() => own,
                    // `*args: str`: the type stands beside the name.
                    None if node.child_by_field_name("type").is_some() => {
                        grammar::named(node).take(1).collect()
                    }
                    None => grammar::named(node).collect(),
                };
                for child in inside {
                    self.bound_names(child, names);
                }
            }
        }
    }

    fn learn_type(&mut self, parameter: Node<'t>) {
        let mut names = Vec::new();
        self.bound_names(parameter, &mut names);
        let kind = parameter.child_by_field_name("type").map(|kind| bare_type(self.text_of(kind)).to_owned());
        for (name, _) in names {
            self.names.forget(&name);
            self.checks.remove(&name);
            if let Some(kind) = &kind {
                self.names.learn(&name, kind);
            }
        }
    }

    /// Whether `rule` says that an outsider sets the parameter at `at`.
    fn sets(&self, rule: &Parameters, function: Node<'t>, parameters: &[Node<'t>], at: usize) -> bool {
        let parameter = parameters[at];
        let conditions = [
            (!rule.decorators.is_empty(), self.is_decorated(function, &rule.decorators)),
            (!rule.callbacks.is_empty(), self.is_callback(function, rule)),
            (!rule.marks.is_empty(), self.is_marked(parameter, &rule.marks)),
            (!rule.beside.is_empty(), self.is_beside(parameters, at, &rule.beside)),
            (!rule.classes.is_empty(), self.is_in_class(function, &rule.classes)),
            (
                !rule.functions.is_empty(),
                rule.functions.iter().any(|name| name == self.function_name(function)),
            ),
            (rule.listed, self.names.tools.contains(self.function_name(function))),
        ];
        conditions.iter().any(|(stated, _)| *stated)
            && conditions.iter().all(|(stated, holds)| !stated || *holds)
            && (!rule.first || at == 0)
            && (!rule.public || self.is_public(function))
            && !self.is_plain_parameter(function, parameter)
    }

    fn function_name(&self, function: Node<'t>) -> &'t str {
        function.child_by_field_name("name").map(|name| self.text_of(name)).unwrap_or_default()
    }

    fn is_plain_parameter(&self, function: Node<'t>, parameter: Node<'t>) -> bool {
        let text = self.text_of(parameter);
        let mut names = Vec::new();
        self.bound_names(parameter, &mut names);
        let plain_name =
            names.len() == 1 && self.catalogue.plain_names.iter().any(|plain| *plain == names[0].0);
        let kind = parameter.child_by_field_name("type").map(|kind| self.text_of(kind)).unwrap_or_default();
        let made = MADE_BY_FRAMEWORK.iter().any(|word| text.contains(word));
        plain_name || made || self.is_plain_type(kind) || self.is_converted(function, &names)
    }

    /// A route converts it: `<int:id>`.
    fn is_converted(&self, function: Node<'t>, names: &[(String, String)]) -> bool {
        let Some((name, _)) = names.first() else { return false };
        let decorated = function.parent().filter(|parent| parent.kind() == "decorated_definition");
        decorated.is_some_and(|decorated| {
            let head = self.text.get(decorated.start_byte()..function.start_byte()).unwrap_or_default();
            ["int", "float", "uuid"].iter().any(|kind| head.contains(&format!("<{kind}:{name}>")))
        })
    }

    /// Whether values of this type can be no text.
    pub fn is_plain_type(&self, kind: &str) -> bool {
        let kind = kind.trim().trim_start_matches(':').trim().trim_matches(['(', ')']);
        let inner = ["Optional[", "Annotated[", "Union[", "list[", "List["]
            .iter()
            .find_map(|outer| kind.strip_prefix(outer));
        let kind = inner.map_or(kind, |inner| {
            let first = if kind.starts_with("Annotated") { inner.split(',').next() } else { Some(inner) };
            first.unwrap_or(inner).trim_end_matches(']')
        });
        if kind.starts_with("Literal[") {
            return true;
        }
        let mut parts = kind.split(['|', ',']).map(str::trim).filter(|part| !part.is_empty()).peekable();
        parts.peek().is_some()
            && parts.all(|part| {
                let part = part.trim_end_matches("[]").trim_end_matches('?').trim_start_matches('*');
                matches!(part, "None" | "null" | "undefined")
                    || self.catalogue.plain_types.iter().any(|plain| plain == part)
            })
    }

    fn is_decorated(&self, function: Node<'t>, patterns: &[super::pattern::Pattern]) -> bool {
        let holder = match self.grammar.language {
            Language::Python => function.parent().filter(|parent| parent.kind() == "decorated_definition"),
            _ => grammar::named(function).find(|child| child.kind() == "modifiers").or(Some(function)),
        };
        holder.is_some_and(|holder| {
            grammar::named(holder).any(|child| match child.kind() {
                "decorator" => grammar::named(child).next().is_some_and(|what| {
                    let path = self.callee_path(what).unwrap_or_default();
                    any_matches(patterns, &self.readings(&path))
                }),
                "annotation" | "marker_annotation" => {
                    let name =
                        child.child_by_field_name("name").map(|name| self.text_of(name)).unwrap_or_default();
                    any_matches(patterns, &[name.to_owned()])
                }
                "attribute_list" => grammar::named(child).any(|attribute| {
                    let name = attribute.child_by_field_name("name").map(|name| self.text_of(name));
                    name.is_some_and(|name| any_matches(patterns, &[name.to_owned()]))
                }),
                _ => false,
            })
        })
    }

    fn is_public(&self, function: Node<'t>) -> bool {
        grammar::named(function).any(|child| child.kind() == "modifier" && self.text_of(child) == "public")
    }

    fn is_callback(&self, function: Node<'t>, rule: &Parameters) -> bool {
        self.call_around(function).is_some_and(|(call, property)| {
            let path = self.callee_path(call).unwrap_or_default();
            let under = match property {
                Some(property) => rule.properties.iter().any(|own| own == property),
                None => rule.properties.is_empty(),
            };
            under && any_matches(&rule.callbacks, &self.readings(&path))
        })
    }

    /// The call that `function` is given to, and under which property.
    fn call_around(&self, function: Node<'t>) -> Option<(Node<'t>, Option<&'t str>)> {
        let mut property = (function.kind() == "method_definition").then(|| self.function_name(function));
        let mut at = function;
        for _ in 0..CALLBACK_DEPTH_MAX {
            at = at.parent()?;
            match self.shape(at) {
                Shape::Pair(key, _) => property = grammar::child(at, key).map(|key| self.text_of(key)),
                Shape::Call(..) | Shape::New(..) | Shape::Method(..) => return Some((at, property)),
                Shape::Function(..) | Shape::Assign(..) => return None,
                _ => {}
            }
        }
        None
    }

    fn is_marked(&self, parameter: Node<'t>, marks: &[String]) -> bool {
        let text = self.text_of(parameter);
        marks.iter().any(|mark| {
            text.strip_prefix(['@', '[']).or_else(|| text.split(" @").nth(1)).is_some_and(|rest| {
                let rest = rest.strip_prefix(mark.as_str());
                rest.is_some_and(|rest| rest.starts_with(['(', ' ', '\n', ']', ',']))
            })
        })
    }

    fn is_beside(&self, parameters: &[Node<'t>], at: usize, kinds: &[String]) -> bool {
        parameters.iter().enumerate().any(|(other, parameter)| {
            let kind = parameter.child_by_field_name("type").map(|kind| bare_type(self.text_of(kind)));
            other != at && kind.is_some_and(|kind| kinds.iter().any(|own| own == kind))
        })
    }

    fn is_in_class(&self, function: Node<'t>, classes: &[String]) -> bool {
        let mut at = function;
        for _ in 0..CALLBACK_DEPTH_MAX {
            let Some(parent) = at.parent() else { return false };
            at = parent;
            // The whole file is no class, and has more children than anything else.
            if at.parent().is_none() {
                return false;
            }
            let bases =
                at.child_by_field_name("superclasses").or_else(|| at.child_by_field_name("superclass"));
            let heritage =
                grammar::named(at).find(|child| matches!(child.kind(), "class_heritage" | "base_list"));
            if let Some(bases) = bases.or(heritage) {
                let text = self.text_of(bases);
                return classes.iter().any(|class| text.contains(class.as_str()));
            }
        }
        false
    }

    /// Whether the schema of the tool says that `key` is a number or one of a list.
    fn schema_is_plain(&self, call: Node<'t>, key: &str) -> bool {
        let near = self.text_of(call);
        [near, self.text].iter().any(|text| {
            text.match_indices(key).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let rest = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
                let Some(rest) = rest.strip_prefix(':').map(str::trim_start) else { return false };
                let end = rest.char_indices().take(SCHEMA_WINDOW_BYTES).last().map_or(0, |(end, _)| end);
                let window: String = rest[..end].chars().filter(|letter| !letter.is_whitespace()).collect();
                let whole = !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
                let schema = window.strip_prefix("z.").or_else(|| window.strip_prefix("zod."));
                whole
                    && schema
                        .is_some_and(|schema| PLAIN_SCHEMAS.iter().any(|plain| schema.starts_with(plain)))
            })
        })
    }
}
