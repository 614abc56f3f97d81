//! Comparisons of one thing with constants, joined so that nothing depends on the thing any more.

use super::super::parsed::SyntaxNode;

/// Operands of one chain that are compared with each other.
const OPERANDS_MAX: usize = 12;
/// Longer expressions are not compared.
const SUBJECT_BYTES_MAX: usize = 80;
/// Parentheses around an operand.
const WRAPS_MAX: usize = 4;

/// What something is compared with.
#[derive(Debug, Clone, PartialEq)]
enum Constant {
    Number(f64),
    Text(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

/// `subject operator constant`.
#[derive(Debug, Clone)]
struct Comparison {
    subject: String,
    operator: Operator,
    constant: Constant,
}

/// `n > 3 || n < 5`, `kind != "a" or kind != "b"`.
pub(super) fn is_always_true(node: &SyntaxNode) -> bool {
    joined_by(node, &["||", "or"]) && any_pair(node, |first, second| covers(first, second, |a, b| a || b))
}

/// `n < 3 && n > 5`, `kind == "a" and kind == "b"`.
pub(super) fn is_never_true(node: &SyntaxNode) -> bool {
    joined_by(node, &["&&", "and"]) && any_pair(node, |first, second| covers(first, second, |a, b| !(a && b)))
}

fn joined_by(node: &SyntaxNode, words: &[&str]) -> bool {
    node.field("operator").is_some_and(|operator| words.contains(&operator.text().as_ref()))
}

/// Whether `test` holds of the right operand and any that stands left of it in the chain.
fn any_pair(node: &SyntaxNode, test: impl Fn(&Comparison, &Comparison) -> bool) -> bool {
    let Some(last) = node.field("right").and_then(|right| comparison(&right)) else { return false };
    let mut left = node.field("left");
    for _ in 0..OPERANDS_MAX {
        let Some(operand) = left else { return false };
        let same = operand.field("operator").map(|own| own.text().into_owned())
            == node.field("operator").map(|own| own.text().into_owned());
        let (own, rest) = if same && operand.kind() == node.kind() {
            (operand.field("right"), operand.field("left"))
        } else {
            (Some(operand), None)
        };
        let found = own.and_then(|own| comparison(&own));
        if found.is_some_and(|found| found.subject == last.subject && test(&found, &last)) {
            return true;
        }
        left = rest;
    }
    false
}

/// Whether `join` of both comparisons holds whatever the subject is.
fn covers(first: &Comparison, second: &Comparison, join: impl Fn(bool, bool) -> bool) -> bool {
    match (&first.constant, &second.constant) {
        (Constant::Number(low), Constant::Number(high)) => {
            let samples =
                [low - 1.0, *low, f64::midpoint(*low, *high), *high, high + 1.0, low + 1.0, high - 1.0];
            // Both sides of one number: a way to tell what is no number.
            (high - low).abs() > f64::EPSILON
                && samples.iter().all(|value| {
                    join(holds(first.operator, *value, *low), holds(second.operator, *value, *high))
                })
        }
        (Constant::Text(one), Constant::Text(other)) if one != other => {
            let values = [Some(one), Some(other), None];
            let is = |comparison: &Comparison, own: &String, value: Option<&String>| match comparison.operator
            {
                Operator::Equal => Some(value == Some(own)),
                Operator::NotEqual => Some(value != Some(own)),
                _ => None,
            };
            values.into_iter().all(|value| {
                let both = is(first, one, value).zip(is(second, other, value));
                both.is_some_and(|(first, second)| join(first, second))
            })
        }
        _ => false,
    }
}

fn holds(operator: Operator, value: f64, constant: f64) -> bool {
    let is_same = (value - constant).abs() < f64::EPSILON;
    match operator {
        Operator::Less => value < constant,
        Operator::LessOrEqual => value <= constant,
        Operator::Greater => value > constant,
        Operator::GreaterOrEqual => value >= constant,
        Operator::Equal => is_same,
        Operator::NotEqual => !is_same,
    }
}

fn comparison(node: &SyntaxNode) -> Option<Comparison> {
    let mut node = node.clone();
    for _ in 0..WRAPS_MAX {
        if !node.kind().starts_with("parenthesized") {
            break;
        }
        let inner = node.children().find(SyntaxNode::is_named)?;
        node = inner;
    }
    let sides: Vec<SyntaxNode> = node.children().filter(SyntaxNode::is_named).collect();
    let [left, right] = sides.as_slice() else { return None };
    let whole = node.text();
    let between =
        whole.get(left.range().end - node.range().start..right.range().start - node.range().start)?;
    let operator = operator(between.trim())?;
    match (constant(left), constant(right)) {
        (None, Some(constant)) => Some(Comparison { subject: subject(left)?, operator, constant }),
        (Some(constant), None) => {
            Some(Comparison { subject: subject(right)?, operator: turned(operator), constant })
        }
        _ => None,
    }
}

fn operator(text: &str) -> Option<Operator> {
    Some(match text {
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        "==" | "===" => Operator::Equal,
        "!=" | "!==" | "<>" => Operator::NotEqual,
        _ => return None,
    })
}

const fn turned(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessOrEqual => Operator::GreaterOrEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterOrEqual => Operator::LessOrEqual,
        same => same,
    }
}

/// What is compared: a name, a field, an element, a length; a call may give something else each time.
fn subject(node: &SyntaxNode) -> Option<String> {
    let text = node.text();
    let is_length = ["len(", "count("].iter().any(|start| text.starts_with(start))
        || ["size()", "length()", "Count()", "len()"].iter().any(|end| text.ends_with(end));
    let is_quiet =
        !text.contains(['(', '+', '-', '=', '\n', '?']) || is_length && text.matches('(').count() == 1;
    (is_quiet && text.len() <= SUBJECT_BYTES_MAX && text.contains(|letter: char| letter.is_alphabetic()))
        .then(|| text.into_owned())
}

fn constant(node: &SyntaxNode) -> Option<Constant> {
    let text = node.text();
    let digits = text.strip_prefix('-').unwrap_or(&text);
    if digits.starts_with(|first: char| first.is_ascii_digit()) {
        return text.replace('_', "").parse().ok().map(Constant::Number);
    }
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\', '#', '$', '{'])).then(|| Constant::Text(inner.to_owned()))
}
