//! Formats whose placeholders are counted against the values.

use super::super::parsed::SyntaxNode;
use crate::language::Language;

/// Whether the numbers differ either way.
pub(super) fn differ(node: &SyntaxNode, language: Language) -> bool {
    counts(node, language).is_some_and(|(wanted, given)| given > 0 && wanted > 0 && wanted != given)
}

/// Whether there are more placeholders than values.
pub(super) fn are_missing(node: &SyntaxNode, language: Language) -> bool {
    counts(node, language).is_some_and(|(wanted, given)| wanted > given)
}

/// How many values the format asks for, and how many there are; none where that cannot be told.
fn counts(call: &SyntaxNode, language: Language) -> Option<(usize, usize)> {
    let callee = call.field("function").or_else(|| call.field("name")).or_else(|| call.field("method"))?;
    let arguments = call.field("arguments")?;
    let given: Vec<SyntaxNode> =
        arguments.children().filter(|child| child.is_named() && !child.kind().contains("comment")).collect();
    let receiver = callee.field("object").filter(|receiver| receiver.kind() == "string");
    let (format, values) = if let Some(receiver) = receiver {
        (receiver, given.as_slice())
    } else {
        let at = given.iter().position(|value| is_text(&inside(value)))?;
        // Before it stands at most what is written to.
        if at > 1 || (at == 1 && !is_writer(&callee.text())) {
            return None;
        }
        (inside(&given[at]), &given[at + 1..])
    };
    if !can_be_counted(values, language) {
        return None;
    }
    let text = format.text();
    let wanted = match language {
        Language::CSharp => numbered_holes(&text)?,
        Language::Python if callee.text().ends_with(".format") => automatic_holes(&text)?,
        _ => verbs(&text, language)?,
    };
    let is_keyword = |value: &&SyntaxNode| matches!(value.kind().as_ref(), "keyword_argument" | "pair");
    Some((wanted, values.iter().filter(|value| !is_keyword(value)).count()))
}

/// Whether each of `values` is one value.
fn can_be_counted(values: &[SyntaxNode], language: Language) -> bool {
    let is_open = |value: &SyntaxNode| {
        let (text, kind) = (value.text(), value.kind());
        text.starts_with(['*', '&']) && language != Language::Go
            || text.starts_with("...")
            || text.ends_with("...")
            || ["splat", "spread", "variadic"].iter().any(|open| kind.contains(open))
    };
    let only = values.first().filter(|_| values.len() == 1);
    // One array, or one dictionary, may stand for all values.
    let may_be_array = matches!(language, Language::Java | Language::CSharp)
        && only.is_some_and(|only| !is_single(&inside(only)));
    let may_be_names =
        language == Language::Python && values.first().is_some_and(|first| first.kind() == "dictionary");
    !values.iter().any(is_open) && !may_be_array && !may_be_names
}

fn is_writer(callee: &str) -> bool {
    callee.contains("Fprint") || callee.ends_with("fprintf") || callee.ends_with("Wrapf")
}

/// What an argument holds.
fn inside<'tree>(value: &SyntaxNode<'tree>) -> SyntaxNode<'tree> {
    if value.kind() == "argument" {
        value.children().filter(SyntaxNode::is_named).last().unwrap_or_else(|| value.clone())
    } else {
        value.clone()
    }
}

/// A constant text in one piece.
fn is_text(value: &SyntaxNode) -> bool {
    let kinds =
        ["string", "string_literal", "interpreted_string_literal", "raw_string_literal", "encapsed_string"];
    let text = value.text();
    kinds.contains(&value.kind().as_ref())
        && !value
            .children()
            .any(|child| child.kind().contains("interpolation") || child.kind() == "variable_name")
        && !text.starts_with(['f', 'F', '$'])
}

fn is_single(value: &SyntaxNode) -> bool {
    let kind = value.kind();
    kind.contains("literal") || kind.contains("binary") || kind == "decimal_integer_literal"
}

/// The values that `%`-verbs take; none for numbered or named ones.
fn verbs(text: &str, language: Language) -> Option<usize> {
    const FLAGS: &str = "-+ #0123456789.,'";
    let mut letters = text.chars().peekable();
    let mut count = 0;
    while let Some(letter) = letters.next() {
        if letter != '%' {
            continue;
        }
        loop {
            match letters.peek().copied() {
                Some('*') => count += 1,
                Some('[' | '(' | '<' | '{' | '$') | None => return None,
                Some(flag) if FLAGS.contains(flag) => {}
                Some('%') => break,
                Some('n') if language == Language::Java => break,
                Some('l' | 'h') if language != Language::Java => {}
                Some(verb) if verb.is_ascii_alphabetic() => {
                    count += 1;
                    break;
                }
                Some(_) => return None,
            }
            letters.next();
        }
        letters.next();
        if letters.peek() == Some(&'$') {
            return None;
        }
    }
    Some(count)
}

/// `{0}` and `{1:x}`: one more than the highest number.
fn numbered_holes(text: &str) -> Option<usize> {
    let text = text.replace("{{", "").replace("}}", "");
    let mut wanted = 0;
    for hole in text.split('{').skip(1) {
        let digits: String = hole.chars().take_while(char::is_ascii_digit).collect();
        wanted = wanted.max(digits.parse::<usize>().ok()? + 1);
    }
    Some(wanted)
}

/// `{}` and `{!r:>10}`; none for named, numbered or nested ones.
fn automatic_holes(text: &str) -> Option<usize> {
    let text = text.replace("{{", "").replace("}}", "");
    let holes = text.split('{').skip(1);
    let mut wanted = 0;
    for hole in holes {
        if !hole.starts_with(['}', ':', '!']) || !hole.contains('}') {
            return None;
        }
        wanted += 1;
    }
    Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_counted() {
        let check = |text: &str, expected| assert_eq!(verbs(text, Language::Go), expected, "{text}");
        check("%s and %d", Some(2));
        check("100%% of %-10.2f", Some(1));
        check("%*d", Some(2));
        check("%[1]d %(name)s", None);
        check("%1$s", None);
        check("50% off", Some(1));
        check("50%", None);
        check("plain", Some(0));
        assert_eq!(verbs("%s%n", Language::Java), Some(1));
        assert_eq!(numbered_holes("{0} {2:x} {{x}}"), Some(3));
        assert_eq!(automatic_holes("{} {!r} {{}}"), Some(2));
        assert_eq!(automatic_holes("{name}"), None);
    }
}
