//! JSON in whatever wrapping a model gives it.

use serde_json::Value;

/// An answer longer than this is not looked through.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Beginnings that are tried.
const STARTS_MAX: usize = 64;

/// The entries of the list `name` in `answer`: whole, in a fence, among prose, as a string, or what is left of it
/// where it was cut off. `None` where there is no such list.
pub fn entries(answer: &str, name: &str) -> Option<Vec<Value>> {
    let text = answer.get(..answer.len().min(ANSWER_BYTES_MAX)).unwrap_or_default();
    of_text(text, name, 2)
}

fn of_text(text: &str, name: &str, depth: usize) -> Option<Vec<Value>> {
    let bare = !text.contains(&format!("\"{name}\""));
    let starts = text.match_indices(['{', '[', '"']).map(|(at, _)| at).take(STARTS_MAX);
    for start in starts {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        if let Some(Ok(value)) = values.next()
            && let Some(entries) = of_value(&value, name, depth, bare)
        {
            return Some(entries);
        }
    }
    cut_off(text, name)
}

fn of_value(value: &Value, name: &str, depth: usize, bare: bool) -> Option<Vec<Value>> {
    match value {
        Value::Object(fields) => fields.get(name)?.as_array().cloned(),
        // A list of its own is the one that was asked for; one inside an answer that was cut off is not.
        Value::Array(all) if bare => {
            Some(all.clone()).filter(|it| !it.is_empty() && it.iter().all(Value::is_object))
        }
        Value::String(inner) if depth > 0 => of_text(inner, name, depth - 1),
        _ => None,
    }
}

/// The whole entries of a list whose end is missing.
fn cut_off(text: &str, name: &str) -> Option<Vec<Value>> {
    let key = format!("\"{name}\"");
    let behind = &text[text.find(&key)? + key.len()..];
    let mut rest = behind.trim_start().strip_prefix(':')?.trim_start().strip_prefix('[')?;
    let mut entries = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else { break };
        let read = values.byte_offset();
        entries.push(value);
        rest = &rest[read..];
    }
    (!entries.is_empty()).then_some(entries)
}
