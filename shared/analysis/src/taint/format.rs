//! Text put together from parts, and collections: what of the parts' danger is left in the whole.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;
use tree_sitter::Node;

use super::grammar::{self, Shape};
use super::tracker::Tracker;
use super::value::{Danger, Dangers, Taint};

/// One part of a text.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Written in the code.
    Constant(String),
    /// Kept in a variable, and begins as SQL.
    Sql,
    /// Set by someone.
    Tainted(Taint),
    /// Anything else.
    Unknown,
}

#[expect(clippy::expect_used, reason = "the pattern is a constant and a test compiles it")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Text that can only be SQL: a statement, or a clause that begins or ends a part.
static SQL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?is)\b(?:select\b.{1,400}?\bfrom|insert\s+into|update\s+\S{1,80}\s+set|delete\s+from|drop\s+(?:table|database)|alter\s+table|create\s+(?:table|user|database)|replace\s+into|merge\s+into|truncate\s+table)\b|^\s*(?:where|and|or|order\s+by|limit|having|values)\b|\b(?:where|order\s+by|group\s+by)\s*\S{0,60}\s*(?:=|like|in)?\s*['(]?\s*$|\bunion\s+(?:all\s+)?select\b",
    )
});

/// Whether a text is SQL; most hold none of its words, which is seen faster than the pattern runs.
fn is_sql(text: &str) -> bool {
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let words = [
            "select", "insert", "update", "delete", "drop", "alter", "create", "replace", "merge",
            "truncate", "where", "and", "or", "order", "group", "limit", "having", "values", "union",
        ];
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
    });
    WORDS.as_ref().is_none_or(|words| words.is_match(text)) && SQL.is_match(text)
}

static HTML: LazyLock<Regex> = LazyLock::new(|| regex(r"<[a-zA-Z!/][a-zA-Z0-9]*[\s>/]|<[a-zA-Z0-9]+$"));

/// What before an address leaves its host open: nothing, a header's name, a scheme.
static SCHEME_ONLY: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)^(?:location:)?\s*(?:[a-z][a-z0-9+.-]*:)?(?://)?$"));

/// Longer constants are not searched for SQL.
const SQL_TEXT_BYTES_MAX: usize = 4_000;

const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "cmd", "cmd.exe", "powershell", "pwsh", "powershell.exe"];
const SHELL_FLAGS: &[&str] = &["-c", "-lc", "-ic", "-ec", "/c", "/C", "-Command", "-command"];

/// Whether a constant that others are added to is the beginning of a statement.
fn begins_sql(text: &str) -> bool {
    static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^[^'\x22`]{0,40}['\x22`]+\s*(?:select|insert\s+into|update|delete\s+from|with|alter\s+table|create\s+table|drop\s+table)\b",
        )
    });
    STATEMENT.is_match(text) && SQL.is_match(text)
}

/// What a text of these `parts` is worth.
pub(super) fn built(parts: &[Part]) -> Taint {
    let mut whole = parts.iter().fold(Taint::CLEAN, |sum, part| match part {
        Part::Tainted(taint) => sum.join(*taint),
        _ => sum,
    });
    if whole.is_clean() {
        return whole;
    }
    let first = parts.iter().find(|part| !matches!(part, Part::Constant(text) if text.is_empty()));
    let open = match first {
        Some(Part::Constant(text)) => SCHEME_ONLY.is_match(text),
        Some(Part::Tainted(_)) | None => true,
        Some(Part::Unknown | Part::Sql) => false,
    };
    if !open {
        whole = whole.without(Dangers::PLACES);
    }
    if parts.len() > 1 {
        whole = whole.granted(Dangers::BUILT, Danger::Prompt);
    }
    let constants = || {
        parts.iter().filter_map(|part| match part {
            Part::Constant(text) => Some(text.as_str()),
            _ => None,
        })
    };
    if let Some(Part::Constant(text)) = first
        && SHELL_FLAGS.iter().any(|flag| text.strip_prefix(flag).is_some_and(|rest| rest.starts_with(' ')))
    {
        whole = whole.granted(Dangers::BUILT_COMMAND, Danger::Shell);
    }
    let begun = parts.iter().any(|part| matches!(part, Part::Sql));
    if begun || constants().any(is_sql) {
        whole = whole.granted(Dangers::BUILT_SQL, Danger::Sql);
    }
    if constants().any(|text| HTML.is_match(text)) {
        whole = whole.granted(Dangers::BUILT_HTML, Danger::Html);
    }
    whole
}

/// The parts of a format string up to its first hole; what fills the holes comes after.
pub(super) fn before_hole(text: &str) -> String {
    let hole = text.find(['%', '{', '$', '#']).unwrap_or(text.len());
    text[..hole].to_owned()
}

impl<'t> Tracker<'t> {
    /// A string with what is interpolated in it.
    pub fn text_value(&mut self, node: Node<'t>) -> Taint {
        let mut parts = Vec::new();
        self.text_parts(node, &mut parts);
        built(&parts)
    }

    fn text_parts(&mut self, node: Node<'t>, parts: &mut Vec<Part>) {
        for child in grammar::named(node) {
            let kind = child.kind();
            if kind.ends_with("_content") || kind.ends_with("_fragment") || kind == "escape_sequence" {
                parts.push(Part::Constant(self.text_of(child).to_owned()));
            } else if !matches!(
                kind,
                "string_start" | "string_end" | "interpolation_start" | "interpolation_quote"
            ) {
                let taint = self.value(child);
                parts.push(if taint.is_clean() { Part::Unknown } else { Part::Tainted(taint) });
            }
        }
    }

    /// Whether `node` is, or is made from, constant text that reads as SQL.
    pub fn is_sql_text(&self, node: Node<'t>) -> bool {
        let may_be = matches!(self.shape(node), Shape::Text | Shape::Binary | Shape::New(..) | Shape::Wrap);
        may_be && node.byte_range().len() <= SQL_TEXT_BYTES_MAX && begins_sql(self.text_of(node))
    }

    /// `left operator right`.
    pub fn binary_value(&mut self, node: Node<'t>) -> Taint {
        match operator(node).as_deref() {
            Some("+" | "." | "..") | None => self.concatenation_value(node),
            Some("%") => self.modulo_value(node),
            Some("/") => self.slash_value(node),
            Some("||" | "or" | "??" | "?:" | "|") => self.values(node),
            Some("&&" | "and") => self.and_value(node),
            Some(_) => {
                self.values(node);
                Taint::CLEAN
            }
        }
    }

    fn and_value(&mut self, node: Node<'t>) -> Taint {
        let before = self.state.clone();
        self.field_value(node, "left");
        self.assume(node.child_by_field_name("left"), true);
        let right = self.field_value(node, "right");
        self.state = before;
        right
    }

    fn concatenation_value(&mut self, node: Node<'t>) -> Taint {
        let mut chain = Vec::new();
        operands(node, &mut chain);
        let mut parts = Vec::new();
        for operand in chain {
            self.part(operand, &mut parts);
        }
        built(&parts)
    }

    /// The parts of `operand`, as one of a longer text.
    pub fn part(&mut self, operand: Node<'t>, parts: &mut Vec<Part>) {
        if self.shape(operand) == Shape::Text {
            self.text_parts(operand, parts);
            return;
        }
        let taint = self.value(operand);
        if self.sql_texts.contains(self.text_of(operand)) {
            parts.push(Part::Sql);
        }
        parts.push(if taint.is_clean() { Part::Unknown } else { Part::Tainted(taint) });
    }

    /// `"format" % values`; what else has a `%` is a number.
    fn modulo_value(&mut self, node: Node<'t>) -> Taint {
        let left = node.child_by_field_name("left");
        let Some(format) = left.filter(|left| self.shape(*left) == Shape::Text) else {
            self.values(node);
            return Taint::CLEAN;
        };
        let values = self.field_value(node, "right");
        self.formatted(format, values)
    }

    /// `format` filled with `values`.
    pub fn formatted(&mut self, format: Node<'t>, values: Taint) -> Taint {
        let text =
            self.text_of(format).trim_start_matches(['f', 'r', 'b', 'u']).trim_matches(['"', '\'', '`']);
        let values = if values.is_clean() { Part::Unknown } else { Part::Tainted(values) };
        let own = self.value(format);
        let mut parts = vec![Part::Constant(before_hole(text)), values, Part::Constant(text.to_owned())];
        if !own.is_clean() {
            parts.push(Part::Tainted(own));
        }
        built(&parts)
    }

    /// `base / name`: a path, where one side is text.
    fn slash_value(&mut self, node: Node<'t>) -> Taint {
        let left = self.field_value(node, "left");
        let right = self.field_value(node, "right");
        if left.is_clean() { right.without(Dangers::PLACES) } else { left.join(right) }
    }

    /// A list or an object.
    pub fn collection_value(&mut self, node: Node<'t>) -> Taint {
        self.object_sinks(node);
        let elements: Vec<Node<'t>> = grammar::named(node).collect();
        let taints: Vec<Taint> = elements.iter().map(|element| self.value(*element)).collect();
        let whole = taints.iter().fold(Taint::CLEAN, |sum, taint| sum.join(*taint));
        if whole.is_clean() || self.runs(&elements, &taints).is_some() {
            whole
        } else {
            whole.without(Dangers::of(Danger::Program))
        }
    }

    /// Which of a program and its arguments decides what is run: the program, or a shell's command line.
    pub fn runs(&self, elements: &[Node<'t>], taints: &[Taint]) -> Option<usize> {
        let program = taints.first()?;
        if program.origins(Danger::Program, Dangers::NONE).next().is_some() {
            return Some(0);
        }
        let first = self.key_text(*elements.first()?).unwrap_or_default();
        let flag = elements.iter().position(|element| {
            self.key_text(*element).is_some_and(|text| SHELL_FLAGS.contains(&text.as_str()))
        })?;
        let script = flag + 1;
        let tainted = taints.get(script)?.origins(Danger::Shell, Dangers::NONE).next().is_some();
        (is_shell(&first) && tainted).then_some(script)
    }
}

/// Whether `program` interprets a command line.
pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program.rsplit('/').next().unwrap_or_default())
}

/// The operands of a chain of `+`, without recursion: chains of hundreds are common in generated code.
fn operands<'t>(node: Node<'t>, operands: &mut Vec<Node<'t>>) {
    let mut at = node;
    loop {
        let mut children: Vec<Node<'t>> = grammar::named(at).collect();
        let first = children.first().copied();
        children.drain(..1.min(children.len()));
        operands.extend(children.into_iter().rev());
        match first {
            Some(left) if left.kind() == node.kind() && operator(left) == operator(node) => at = left,
            Some(left) => {
                operands.push(left);
                break;
            }
            None => break,
        }
    }
    operands.reverse();
}

fn operator(node: Node) -> Option<String> {
    let field = node.child_by_field_name("operator").or_else(|| node.child_by_field_name("operators"));
    field.map(|operator| operator.kind().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_patterns_compile() {
        assert!(SQL.is_match("SELECT * FROM users WHERE id = "));
        assert!(SQL.is_match(" AND name = '"));
        assert!(!SQL.is_match("please select an item"));
        assert!(HTML.is_match("<h1>Hello "));
        assert!(!HTML.is_match("a < b"));
        assert!(SCHEME_ONLY.is_match("https://") && !SCHEME_ONLY.is_match("https://example.com/"));
    }
}
