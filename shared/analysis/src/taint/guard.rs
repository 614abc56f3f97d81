//! What a condition proves where it holds, and where it does not.

use tree_sitter::Node;

use super::grammar::{self, Field, Shape};
use super::tracker::Tracker;
use super::value::{Danger, Dangers};

/// Conditions in conditions, followed so far.
const CONDITION_DEPTH_MAX: usize = 12;

/// Tests of a text's form; what a person tests for is taken to be what matters, whichever way it is put.
const FORM_TESTS: &[&str] = &[
    "match",
    "fullmatch",
    "IsMatch",
    "IndexOf",
    "IndexOfAny",
    "Any",
    "All",
    "Equals",
    "search",
    "test",
    "matches",
    "match?",
    "preg_match",
    "MatchString",
    "Match",
    "find",
    "findall",
    "any",
    "all",
    "some",
    "every",
    "strpos",
    "stripos",
    "indexOf",
    "IndexAny",
    "ContainsAny",
    "any?",
    "all?",
    "none?",
    "isdisjoint",
    "issubset",
    "intersection",
    "equals",
    "equalsIgnoreCase",
    "EqualFold",
];
/// Those whose outcome is kept for what they found, not for whether they did.
const CAPTURING: &[&str] = &["match", "search", "find", "findall", "Match"];
/// Tests that leave nothing dangerous.
const PLAIN_TESTS: &[&str] = &[
    "isdigit",
    "isnumeric",
    "isdecimal",
    "isalnum",
    "isalpha",
    "isidentifier",
    "is_numeric",
    "is_int",
    "ctype_digit",
    "ctype_alnum",
    "ctype_alpha",
    "isInteger",
    "isSafeInteger",
    "isUUID",
    "isUuid",
    "isAlphanumeric",
    "isFinite",
    "is_a?",
    "in_array",
    "array_key_exists",
    "isset",
    "contains",
    "includes",
    "include?",
    "has",
    "containsKey",
    "hasOwnProperty",
    "hasOwn",
    "Contains",
    "ContainsFunc",
    "member?",
    "key?",
    "has_key?",
    "some_in",
    "ContainsKey",
    "TryGetValue",
    "TryParse",
    "IsDefined",
    "IsLocalUrl",
];
/// Tests of how a place begins.
const PREFIX_TESTS: &[&str] = &[
    "startswith",
    "startsWith",
    "StartsWith",
    "EndsWith",
    "IsPathFullyQualified",
    "IsPathRooted",
    "start_with?",
    "HasPrefix",
    "is_relative_to",
    "str_starts_with",
    "isSubpath",
    "relative_to",
    "strncmp",
    "IsLocal",
    "isPathInside",
    "is_subpath",
    "endsWith",
    "endswith",
    "HasSuffix",
    "commonpath",
    "samefile",
    "isAbs",
    "IsAbs",
    "isAbsolute",
    "is_absolute",
];

impl<'t> Tracker<'t> {
    /// From here on `condition` is known to hold, or not to.
    pub fn assume(&mut self, condition: Option<Node<'t>>, holds: bool) {
        if let Some(condition) = condition {
            self.assume_within(condition, holds, CONDITION_DEPTH_MAX);
        }
    }

    fn assume_within(&mut self, condition: Node<'t>, holds: bool, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match self.shape(condition) {
            Shape::Unary(argument) => {
                let turns = condition.child(0).is_some_and(|first| matches!(first.kind(), "!" | "not"));
                if let Some(inner) = grammar::child(condition, argument).filter(|_| turns) {
                    self.assume_within(inner, !holds, depth);
                }
            }
            Shape::Wrap => {
                if let Some(inner) = grammar::named(condition).last() {
                    self.assume_within(inner, holds, depth);
                }
            }
            Shape::Binary => self.assume_binary(condition, holds, depth),
            Shape::Call(_, arguments) | Shape::Method(_, _, arguments) => {
                self.assume_call(condition, arguments, holds);
            }
            Shape::Index(_, index) if holds => {
                if let Some(index) = grammar::child(condition, index) {
                    self.clear(index, Dangers::EVERY);
                }
            }
            Shape::Assign(_, right) => {
                if let Some(right) = grammar::child(condition, right).filter(|right| self.is_check(*right)) {
                    self.assume_within(right, holds, depth);
                }
            }
            Shape::Name => {
                let name = self.text_of(condition);
                if let Some(check) = self.checks.get(name).copied() {
                    self.assume_within(check, holds, depth);
                }
            }
            _ => {}
        }
    }

    fn assume_binary(&mut self, condition: Node<'t>, holds: bool, depth: usize) {
        let mut sides = grammar::named(condition);
        let (Some(left), Some(right)) = (sides.next(), sides.last()) else { return };
        match self.operator_text(condition, left, right) {
            "and" | "&&" if holds => {
                self.assume_within(left, true, depth);
                self.assume_within(right, true, depth);
            }
            "or" | "||" if !holds => {
                self.assume_within(left, false, depth);
                self.assume_within(right, false, depth);
            }
            "in" => self.assume_member(left, right, holds),
            "not in" => self.assume_member(left, right, !holds),
            "==" | "===" | "is" => self.assume_equal(left, right, holds),
            "!=" | "!==" | "<>" | "is not" => self.assume_equal(left, right, !holds),
            "=~" | "!~" => self.clear(left, Dangers::EVERY),
            "<" | ">" | "<=" | ">=" if self.is_form_test(left) => self.clear(left, Dangers::EVERY),
            _ => {}
        }
    }

    fn operator_text(&self, condition: Node<'t>, left: Node<'t>, right: Node<'t>) -> &'t str {
        self.text.get(left.end_byte()..right.start_byte()).map_or("", |text| {
            let field = condition.child_by_field_name("operator");
            field.map_or_else(|| text.trim(), |operator| self.text_of(operator))
        })
    }

    /// `left in right`: an element of a list, or a piece of a text.
    fn assume_member(&mut self, left: Node<'t>, right: Node<'t>, holds: bool) {
        if let Some(piece) = self.key_text(left) {
            if !holds {
                self.clear(right, absent(&piece));
            }
        } else if holds {
            self.clear(left, Dangers::EVERY);
            // `ROOT in path.parents`
            self.clear(right, Dangers::of(Danger::Path));
        } else if !self.made_from(right).is_empty() {
            // Each of the forbidden pieces, looked for in a loop.
            let taint = self.value(right);
            if !taint.is_clean() {
                self.clear(right, Dangers::EVERY);
            }
        }
    }

    fn assume_equal(&mut self, left: Node<'t>, right: Node<'t>, holds: bool) {
        let number = |node: Node| {
            let text = self.text_of(node);
            text.contains("number") || text.contains("boolean")
        };
        let is_type_test = self.text_of(left).starts_with("typeof");
        if self.is_form_test(left) {
            self.clear(left, Dangers::EVERY);
        } else if is_type_test {
            if holds && number(right) {
                self.clear(left, Dangers::EVERY);
            }
        } else if holds && !is_nothing(self.text_of(right)) && !is_nothing(self.text_of(left)) {
            if self.value(right).is_clean() {
                self.clear(left, Dangers::EVERY);
            } else if self.value(left).is_clean() {
                self.clear(right, Dangers::EVERY);
            }
        }
    }

    fn is_form_test(&self, node: Node<'t>) -> bool {
        let name = match self.shape(node) {
            Shape::Call(..) | Shape::Method(..) => self.callee_path(node).unwrap_or_default(),
            _ => return false,
        };
        let last = name.rsplit('.').next().unwrap_or_default();
        FORM_TESTS.contains(&last) || PREFIX_TESTS.contains(&last)
    }

    fn assume_call(&mut self, call: Node<'t>, arguments: Field, holds: bool) {
        let name = self.callee_path(call).unwrap_or_default();
        let last = name.rsplit('.').next().unwrap_or_default();
        let arguments: Vec<Node<'t>> =
            grammar::child(call, arguments).map(|list| grammar::named(list).collect()).unwrap_or_default();
        if matches!(last, "any" | "some" | "any?" | "ContainsAny") && !holds && self.is_blocklist(call) {
            // A command with a few words forbidden is still a command.
            let whole = [Danger::Shell, Danger::Program, Danger::Eval].map(Dangers::of);
            self.clear(call, whole.into_iter().fold(Dangers::EVERY, Dangers::without));
        } else if FORM_TESTS.contains(&last) {
            self.clear(call, Dangers::EVERY);
        } else if last == "isinstance" {
            let plain = arguments.get(1).is_some_and(|kind| self.is_plain_type(self.text_of(*kind)));
            if let Some(subject) = arguments.first().filter(|_| holds && plain) {
                self.clear(*subject, Dangers::EVERY);
            }
        } else if PLAIN_TESTS.contains(&last) {
            self.assume_contains(call, &arguments, holds);
        } else if PREFIX_TESTS.contains(&last) {
            self.assume_prefix(call, &arguments, holds);
        }
    }

    /// `any(word in text for word in WORDS)`, where the words are not single characters.
    fn is_blocklist(&self, call: Node<'t>) -> bool {
        let text = self.text_of(call).to_lowercase();
        let looks_in = text.contains(" in ") || text.contains("includes(") || text.contains("include?");
        let characters = ["char", "meta", "\";\"", "';'", "\"|\"", "'|'", "\"&\"", "'&'", "\"..\"", "'..'"];
        looks_in && !characters.iter().any(|sign| text.contains(sign))
    }

    /// `LIST.includes(x)`, `x.includes("..")`, `x.isdigit()`.
    fn assume_contains(&mut self, call: Node<'t>, arguments: &[Node<'t>], holds: bool) {
        let piece = arguments.iter().find_map(|argument| self.key_text(*argument));
        match piece {
            Some(piece) if !holds => self.clear(call, absent(&piece)),
            None if holds => self.clear(call, Dangers::EVERY),
            _ => {}
        }
    }

    /// `x.startswith(BASE)`: proves a place only if nothing in it climbs out again.
    fn assume_prefix(&mut self, call: Node<'t>, arguments: &[Node<'t>], holds: bool) {
        let constant = arguments.iter().rev().map(|argument| self.text_of(*argument)).collect::<String>();
        let constant = constant.trim_matches(['"', '\'', '`', '(', ')']);
        if constant.starts_with("..") && !holds {
            return self.clear(call, absent(".."));
        }
        let scheme = constant.starts_with("http") && !constant.trim_end_matches(['"', '\'']).contains('.');
        if scheme || constant == "/" || constant == "-" {
            return;
        }
        if holds {
            let dotted = self.value(call_subject(call)).is_dotted();
            let path = if dotted { Dangers::NONE } else { Dangers::of(Danger::Path) };
            self.clear(call, Dangers::PLACES.and(path).and(Dangers::of(Danger::Import)));
        }
    }

    /// In a case of a switch whose constants are those of `case`.
    pub fn assume_constant(&mut self, subject: Node<'t>, case: Node<'t>) {
        let constant = grammar::named(case).next().and_then(|first| {
            let first = if self.key_text(first).is_none() {
                grammar::named(first).next().unwrap_or(first)
            } else {
                first
            };
            self.key_text(first)
        });
        if constant.is_some() {
            self.clear(subject, Dangers::EVERY);
        }
    }

    /// Takes `dangers` from every name in `node`.
    pub fn clear(&mut self, node: Node<'t>, dangers: Dangers) {
        for name in self.made_from(node) {
            let now = self.path_value(&name, node.start_byte()).unwrap_or_default();
            if !now.is_clean() {
                self.state.clear(&name, now, dangers);
            }
        }
    }

    /// Whether a variable that holds `node` holds the outcome of a check.
    pub fn is_check(&self, node: Node<'t>) -> bool {
        match self.shape(node) {
            Shape::Binary | Shape::Unary(_) | Shape::Index(..) => true,
            Shape::Call(..) | Shape::Method(..) => {
                let name = self.callee_path(node).unwrap_or_default();
                let last = name.rsplit('.').next().unwrap_or_default();
                !CAPTURING.contains(&last)
                    && [FORM_TESTS, PLAIN_TESTS, PREFIX_TESTS].iter().any(|tests| tests.contains(&last))
            }
            Shape::Wrap => grammar::named(node).last().is_some_and(|inner| self.is_check(inner)),
            _ => false,
        }
    }
}

/// What is ruled out by `piece` not being in a text.
fn absent(piece: &str) -> Dangers {
    if piece.contains("..") || piece == "/" || piece == "\\\\" {
        Dangers::of(Danger::Path).and(Dangers::DOTTED)
    } else if piece.contains([';', '|', '&', '$', '`']) {
        Dangers::of(Danger::Shell)
    } else {
        Dangers::NONE
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(
        text,
        "None" | "null" | "undefined" | "nil" | "true" | "false" | "True" | "False" | "\"\"" | "''" | "NULL"
    )
}

/// What a test is made on: the object of a method, or the first argument.
fn call_subject(call: Node) -> Node {
    let callee = call.child_by_field_name("function");
    let object = callee
        .and_then(|callee| {
            callee.child_by_field_name("object").or_else(|| callee.child_by_field_name("expression"))
        })
        .or_else(|| call.child_by_field_name("object"))
        .or_else(|| call.child_by_field_name("receiver"));
    let arguments = call.child_by_field_name("arguments");
    object.or_else(|| arguments?.named_child(0)).unwrap_or(call)
}
