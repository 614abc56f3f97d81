//! Servers in JSON, comments and trailing commas allowed. The text is spliced: only the bytes of the named server,
//! and a comma, are written.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

/// What an empty file begins with.
const NOTHING: &str = "{\n}\n";
const INDENT: &str = "  ";

/// The server's entry.
pub fn get(text: &str, container: &str, name: &str) -> Result<Option<Value>, String> {
    let Some(text) = filled(text) else { return Ok(None) };
    let root = parse(text)?;
    let Some(servers) = object_in(&root, container)? else { return Ok(None) };
    Ok(servers.properties.iter().find(|it| it.name.as_str() == name).map(|it| value_of(&it.value)))
}

/// The text with that entry.
pub fn set(text: &str, container: &str, name: &str, entry: &Value) -> Result<String, String> {
    let text = filled(text).unwrap_or(NOTHING);
    let root = parse(text)?;
    let style = Style::of(text, &root);
    let Some(servers) = object_in(&root, container)? else {
        let mut servers = serde_json::Map::new();
        servers.insert(name.to_owned(), entry.clone());
        return Ok(style.insert(text, &root, container, &Value::Object(servers)));
    };
    match servers.properties.iter().find(|it| it.name.as_str() == name) {
        Some(found) if value_of(&found.value) == *entry => Ok(text.to_owned()),
        Some(found) => {
            let indent = indent_before(text, found.start());
            Ok(replaced(text, found.value.start()..found.value.end(), &style.render(entry, indent)))
        }
        None => Ok(style.insert(text, servers, name, entry)),
    }
}

/// The text without that entry; a container that is empty then goes as well.
pub fn remove(text: &str, container: &str, name: &str) -> Result<String, String> {
    let Some(filled) = filled(text) else { return Ok(text.to_owned()) };
    let root = parse(filled)?;
    let Some(servers) = object_in(&root, container)? else { return Ok(filled.to_owned()) };
    let Some(at) = servers.properties.iter().position(|it| it.name.as_str() == name) else {
        return Ok(filled.to_owned());
    };
    if servers.properties.len() > 1 {
        return Ok(cut(filled, servers, at));
    }
    let at = root.properties.iter().position(|it| it.name.as_str() == container);
    Ok(at.map_or_else(|| filled.to_owned(), |at| cut(filled, &root, at)))
}

/// Whether nothing is left but an empty object.
pub fn is_empty(text: &str) -> bool {
    filled(text).is_none_or(|text| parse(text).is_ok_and(|root| root.properties.is_empty()))
}

/// A file of white space alone holds nothing.
fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.trim().is_empty())
}

fn parse(text: &str) -> Result<Object<'_>, String> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| error.to_string())?;
    match parsed.value {
        Some(Node::Object(root)) => Ok(root),
        _ => Err("it holds no JSON object".to_owned()),
    }
}

fn object_in<'a, 'text>(
    root: &'a Object<'text>,
    container: &str,
) -> Result<Option<&'a Object<'text>>, String> {
    match root.properties.iter().find(|it| it.name.as_str() == container).map(|it| &it.value) {
        None => Ok(None),
        Some(Node::Object(servers)) => Ok(Some(servers)),
        Some(_) => Err(format!("{container} is no object")),
    }
}

fn value_of(node: &Node<'_>) -> Value {
    match node {
        Node::NullKeyword(_) => Value::Null,
        Node::BooleanLit(it) => it.value.into(),
        Node::StringLit(it) => it.value.as_ref().into(),
        Node::NumberLit(it) => it.value.parse::<serde_json::Number>().map_or(Value::Null, Value::Number),
        Node::Array(it) => it.elements.iter().map(value_of).collect(),
        Node::Object(it) => {
            let properties = it.properties.iter();
            Value::Object(properties.map(|it| (it.name.as_str().to_owned(), value_of(&it.value))).collect())
        }
    }
}

/// How the text is laid out.
struct Style {
    newline: &'static str,
    indent: String,
}

impl Style {
    fn of(text: &str, root: &Object<'_>) -> Self {
        let first = root.properties.first().map(|it| indent_before(text, it.start()));
        let indent = first.filter(|indent| !indent.is_empty()).unwrap_or(INDENT).to_owned();
        Self { newline: if text.contains("\r\n") { "\r\n" } else { "\n" }, indent }
    }

    /// A value, its lines but the first behind `prefix`.
    fn render(&self, value: &Value, prefix: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.indent.as_bytes());
        // A value of strings, numbers and lists is always written.
        let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        let text = String::from_utf8_lossy(&bytes);
        text.replace('\n', &format!("{}{prefix}", self.newline))
    }

    /// The text with a property at the end of `object`.
    fn insert(&self, text: &str, object: &Object<'_>, name: &str, value: &Value) -> String {
        let (open, close) = (object.start() + 1, object.end() - 1);
        let name = Value::from(name).to_string();
        let Some(last) = object.properties.last() else {
            let outer = line_indent(text, object.start());
            let indent = format!("{outer}{}", self.indent);
            let end = if text[open..close].contains('\n') {
                String::new()
            } else {
                format!("{}{outer}", self.newline)
            };
            let property = format!("{}{indent}{name}: {}{end}", self.newline, self.render(value, &indent));
            return replaced(text, open..open, &property);
        };
        if !text[open..close].contains('\n') {
            let comma = if comma_after(text, last.end(), close).is_some() { " " } else { ", " };
            let at = open + text[open..close].trim_end().len();
            return replaced(text, at..at, &format!("{comma}{name}: {value}"));
        }
        let indent = indent_before(text, last.start());
        let property = format!("{}{indent}{name}: {}", self.newline, self.render(value, indent));
        // Behind whatever is said of the last property on its line and below.
        let at = open + text[open..close].trim_end().len();
        match comma_after(text, last.end(), close) {
            Some(_) => replaced(text, at..at, &format!("{property},")),
            None => replaced(&replaced(text, at..at, &property), last.end()..last.end(), ","),
        }
    }
}

/// The text without a property of `object`, the space before it, and one comma.
fn cut(text: &str, object: &Object<'_>, at: usize) -> String {
    let property: &ObjectProp<'_> = &object.properties[at];
    let (open, close) = (object.start() + 1, object.end() - 1);
    let before = &text[open..property.start()];
    let start = open + before.trim_end().len();
    let after = comma_after(text, property.end(), close);
    let end = after.map_or(property.end(), |comma| comma + 1);
    let rest = replaced(text, start..end, "");
    let is_last = at + 1 == object.properties.len();
    let previous = at.checked_sub(1).map(|at| object.properties[at].end());
    // The comma that stood between the last two.
    match previous.and_then(|previous| comma_after(text, previous, start)) {
        Some(comma) if is_last && after.is_none() => replaced(&rest, comma..comma + 1, ""),
        _ => rest,
    }
}

/// The comma behind a property, comments skipped.
fn comma_after(text: &str, from: usize, until: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < until {
        match &bytes[at..until] {
            [b',', ..] => return Some(at),
            [b'/', b'/', ..] => at += text[at..until].find('\n')?,
            [b'/', b'*', ..] => at += text[at..until].find("*/")? + 2,
            _ => at += 1,
        }
    }
    None
}

/// The white space between the line's begin and `at`; none where something else stands there.
fn indent_before(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    if line.trim().is_empty() { line } else { "" }
}

/// The white space that the line around `at` begins with.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn replaced(text: &str, range: Range<usize>, with: &str) -> String {
    [&text[..range.start], with, &text[range.end..]].concat()
}
