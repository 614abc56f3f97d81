//! JSON objects out of whatever a model wrote: prose around them, fences, JSON as a string, an array as a string,
//! JSON that was cut.

use serde_json::{Deserializer, Map, Value};

/// Places in a text at which JSON is looked for.
const STARTS_MAX: usize = 32;
/// JSON in a string in a string is no answer any more.
const DEPTH_MAX: usize = 3;
/// Entries of one answer.
const ENTRIES_MAX: usize = 100;
/// What of an answer is looked at.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// What could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovered<T> {
    /// The entries of the list that was asked for.
    pub entries: Vec<T>,
    /// The whole answer, where it is one object.
    pub whole: Map<String, Value>,
    /// Whether the list is there to its end.
    pub complete: bool,
}

/// An entry as it is wanted; none where it is something else.
type Entry<T> = fn(Value) -> Option<T>;

/// The objects of the list `key` in `text`; none where there is no such list.
pub fn objects(text: &str, key: &str) -> Option<Recovered<Map<String, Value>>> {
    entries(text, key, object)
}

/// The entries of the list `key` in `text`; none where there is no such list, or something else is in it.
pub fn entries<T>(text: &str, key: &str, entry: Entry<T>) -> Option<Recovered<T>> {
    let end = (0..=text.len().min(ANSWER_BYTES_MAX)).rev().find(|at| text.is_char_boundary(*at))?;
    let cut = end < text.len();
    let mut found = search(text[..end].trim(), key, entry, 0)?;
    found.complete &= !cut && found.entries.len() <= ENTRIES_MAX;
    found.entries.truncate(ENTRIES_MAX);
    Some(found)
}

/// An object, which may be written as a string.
fn object(item: Value) -> Option<Map<String, Value>> {
    match item {
        Value::Object(object) => Some(object),
        Value::String(text) => serde_json::from_str::<Map<String, Value>>(&text).ok(),
        _ => None,
    }
}

fn search<T>(text: &str, key: &str, entry: Entry<T>, depth: usize) -> Option<Recovered<T>> {
    if depth > DEPTH_MAX {
        return None;
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        return from_value(value, key, entry, depth);
    }
    let fenced = fenced_blocks(text).filter_map(|block| serde_json::from_str::<Value>(block.trim()).ok());
    // Where the list itself is there, what stands inside it is no answer of its own.
    let is_named = text.contains(&format!("\"{key}\""));
    let inside = embedded(text).into_iter().filter(|value| is_answer(value, key, is_named));
    let candidates = fenced.chain(inside).filter_map(|value| from_value(value, key, entry, depth));
    // A model that thinks aloud gives the form first and the answer later: the one that says most counts.
    let best = candidates.max_by_key(|it| it.entries.len());
    best.or_else(|| cut_list(text, key, entry))
}

fn from_value<T>(value: Value, key: &str, entry: Entry<T>, depth: usize) -> Option<Recovered<T>> {
    let complete = |entries, whole| Recovered { entries, whole, complete: true };
    match value {
        Value::String(text) => search(text.trim(), key, entry, depth + 1),
        Value::Array(items) => list(items, entry).map(|entries| complete(entries, Map::new())),
        Value::Object(mut whole) => {
            let entries = match whole.remove(key) {
                Some(Value::Array(items)) => list(items, entry)?,
                Some(Value::String(text)) => {
                    let mut inner = search(text.trim(), key, entry, depth + 1)?;
                    inner.whole = whole;
                    return Some(inner);
                }
                Some(one @ Value::Object(_)) => list(vec![one], entry)?,
                None if whole.contains_key("title") || whole.contains_key("quote") => {
                    list(vec![Value::Object(std::mem::take(&mut whole))], entry)?
                }
                Some(_) | None => return None,
            };
            Some(complete(entries, whole))
        }
        _ => None,
    }
}

fn list<T>(items: Vec<Value>, entry: Entry<T>) -> Option<Vec<T>> {
    items.into_iter().map(entry).collect()
}

/// Whether a value inside prose is the answer: an empty list there may be anything.
fn is_answer(value: &Value, key: &str, is_named: bool) -> bool {
    match value {
        Value::Object(object) => object.contains_key(key) || !is_named && object.contains_key("title"),
        Value::Array(items) => !is_named && !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    }
}

fn fenced_blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").skip(1).step_by(2).map(|block| {
        let language = block.split_once('\n').filter(|(first, _)| !first.contains(['{', '[']));
        language.map_or(block, |(_, rest)| rest)
    })
}

/// The JSON values that stand in a text, outermost first.
fn embedded(text: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let mut at = 0;
    for _ in 0..STARTS_MAX {
        let Some(start) = text[at..].find(['{', '[']).map(|found| at + found) else { break };
        let mut stream = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                values.push(value);
                at = start + stream.byte_offset().max(1);
            }
            _ => at = start + 1,
        }
    }
    values
}

/// The whole entries of a list that was cut.
fn cut_list<T>(text: &str, key: &str, entry: Entry<T>) -> Option<Recovered<T>> {
    let quoted = format!("\"{key}\"");
    let after = text.find(&quoted).map(|at| &text[at + quoted.len()..]);
    let after = after.or_else(|| text.starts_with('[').then_some(text))?;
    let start = after.find('[')?;
    let is_string = after[..start].trim_start_matches([':', ' ', '\n']).starts_with('"');
    let unescaped = is_string.then(|| after[start..].replace("\\\"", "\"").replace("\\\\", "\\"));
    let mut rest = unescaped.as_deref().unwrap_or(&after[start..]);
    rest = &rest[1..];
    let mut entries = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ', '\n', '\r', '\t']);
        let mut stream = Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(value)) = stream.next() else { break };
        let Some(next) = entry(value) else { break };
        entries.push(next);
        rest = &rest[stream.byte_offset()..];
    }
    (!entries.is_empty()).then_some(Recovered { entries, whole: Map::new(), complete: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(usize, bool)>) {
        let found = objects(text, "findings").map(|it| (it.entries.len(), it.complete));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn answers() {
        check(r#"{"findings": []}"#, Some((0, true)));
        check(r#"{"findings": [{"title": "a"}, {"title": "b"}]}"#, Some((2, true)));
        check(
            "Here it is:\n```json\n{\"findings\": [{\"title\": \"a\"}]}\n```\nHope it helps.",
            Some((1, true)),
        );
        check("```\n[]\n```", Some((0, true)));
        check("Sure. {\"findings\": [{\"title\": \"a {b}\"}]} That is all.", Some((1, true)));
        check(r#""{\"findings\": [{\"title\": \"a\"}]}""#, Some((1, true)));
        check(r#"{"findings": "[{\"title\": \"a\"}]"}"#, Some((1, true)));
        check(r#"{"findings": {"title": "a"}}"#, Some((1, true)));
        check(r#"{"title": "a", "file": "b"}"#, Some((1, true)));
        check(r#"[{"title": "a"}]"#, Some((1, true)));
        check(r#"{"findings": ["{\"title\": \"a\"}"]}"#, Some((1, true)));
        let both = "The form is {\"findings\": []}. Now: {\"findings\": [{\"title\": \"a\"}]}";
        check(both, Some((1, true)));
    }

    #[test]
    fn what_was_cut() {
        check(r#"{"findings": [{"title": "a"}, {"title": "b", "mess"#, Some((1, false)));
        check(
            r#"```json
{"findings": [{"title": "a"}, {"ti"#,
            Some((1, false)),
        );
        check(r#"{"findings": "[{\"title\": \"a\"}, {\"titl"#, Some((1, false)));
        check(r#"{"findings": [{"tit"#, None);
    }

    #[test]
    fn what_is_no_answer() {
        check("", None);
        check("   \n", None);
        check("Everything looks fine, no issues found.", None);
        check("看起来没有问题", None);
        check("{}", None);
        check("null", None);
        check(r#"{"verdict": "approve"}"#, None);
        check(r#"{"findings": null}"#, None);
        check(r#"{"findings": [1, 2]}"#, None);
        check("An array like [] is empty.", None);
        check(&"{".repeat(10_000_000), None);
        check(&"x".repeat(10_000_000), None);
    }

    #[test]
    fn ten_megabytes_of_findings_are_bounded() {
        let one = format!("{{\"title\": \"{}\"}},", "a".repeat(1_000));
        let text = format!("{{\"findings\": [{}", one.repeat(10_000));
        check(&text, Some((ENTRIES_MAX, false)));
    }
}
