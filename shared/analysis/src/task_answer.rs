//! What a model says of a task, read leniently and believed sparingly.

mod evidence;
#[cfg(test)]
mod tests;
mod weight;

use std::collections::BTreeMap;

use prevet_domain::task::Standing;
use serde_json::Value;

pub use self::evidence::{Evidence, Shown};
use crate::answer::lenient;

/// Requirements of one task.
pub const REQUIREMENTS_MAX: usize = 60;
/// What of a requirement, a reason or a quote is kept.
const TEXT_BYTES_MAX: usize = 600;
/// Quotes of one judgement that are looked up.
const QUOTES_MAX: usize = 12;
/// Headings under which a list is one of requirements.
const REQUIREMENT_HEADINGS: &[&str] =
    &["acceptance", "requirement", "criteria", "definition of done", "to do", "todo"];

/// The judgement of one requirement by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// How far it is done.
    pub standing: Standing,
    /// Why.
    pub reason: String,
    /// Where the change shows it: only places that are there.
    pub evidence: Vec<Evidence>,
}

/// What an answer says, and whether it is there to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told<T> {
    /// What it says.
    pub what: T,
    /// Whether nothing was cut off.
    pub complete: bool,
}

/// The requirements that a model quotes from `task`; what is not in the task is left out. `None` for an answer
/// that cannot be read.
pub fn requirements(answer: &str, task: &str) -> Option<Told<Vec<String>>> {
    let found = lenient::entries(answer, "requirements", Some)?;
    let text = normal(task);
    let said = found.entries.iter().filter_map(|entry| match entry {
        Value::String(text) => Some(text.as_str()),
        Value::Object(fields) => {
            ["requirement", "quote", "text"].iter().find_map(|name| fields.get(*name)?.as_str())
        }
        _ => None,
    });
    let quoted = said.map(|it| it.trim().trim_matches('"')).filter(|it| {
        let quote = normal(it);
        quote.chars().any(char::is_alphanumeric) && text.contains(&quote)
    });
    Some(Told { what: without_repetition(quoted.map(bounded)), complete: found.complete })
}

/// What a task lists by itself: items to tick, and lists under headings such as "Acceptance criteria".
pub fn listed_requirements(task: &str) -> Vec<String> {
    let (mut under, mut found) = (false, Vec::new());
    for line in task.lines().map(str::trim) {
        let item =
            ["- [ ] ", "- [x] ", "- [X] ", "* [ ] ", "* [x] "].iter().find_map(|it| line.strip_prefix(it));
        let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        match (item, bullet) {
            (Some(text), _) => found.push(bounded(text)),
            (None, Some(text)) if under => found.push(bounded(text)),
            (None, Some(_)) => {}
            (None, None) if line.is_empty() => {}
            (None, None) => {
                let heading = line.trim_matches(['#', '*', ':', ' ']).to_lowercase();
                let titled = line.starts_with('#') || line.ends_with(':') || line.starts_with("**");
                under = titled && REQUIREMENT_HEADINGS.iter().any(|it| heading.contains(it));
            }
        }
    }
    without_repetition(found.into_iter())
}

/// `all`, and those of `more` that none of `all` speaks of.
pub fn united(mut all: Vec<String>, more: Vec<String>) -> Vec<String> {
    for text in more {
        let quote = normal(&text);
        let known = all.iter().map(|it| normal(it)).any(|it| it.contains(&quote) || quote.contains(&it));
        if !known {
            all.push(text);
        }
    }
    all.truncate(REQUIREMENTS_MAX);
    all
}

/// The judgements by number, from 1 to `count`; `None` for an answer that cannot be read.
pub fn judgements(answer: &str, count: usize, shown: &Shown) -> Option<Told<BTreeMap<usize, Judgement>>> {
    let found = lenient::objects(answer, "judgements")?;
    let mut all = BTreeMap::new();
    for fields in &found.entries {
        let number = ["number", "requirement", "id"].iter().find_map(|name| number(fields.get(*name)?));
        let Some(number) = number.filter(|it| (1..=count).contains(it)) else { continue };
        let word =
            ["status", "verdict"].iter().find_map(|name| fields.get(*name)?.as_str()).unwrap_or_default();
        let reason = fields.get("reason").and_then(Value::as_str).unwrap_or_default();
        let quotes = fields.get("evidence").map(quotes).unwrap_or_default();
        all.insert(number, judgement(word, reason, &quotes, shown));
    }
    (!all.is_empty()).then_some(Told { what: all, complete: found.complete })
}

fn judgement(word: &str, reason: &str, quotes: &[(String, String)], shown: &Shown) -> Judgement {
    let mut evidence: Vec<Evidence> = Vec::new();
    for (file, quote) in quotes.iter().take(QUOTES_MAX) {
        if let Some(place) = shown.find(file, quote)
            && !evidence.contains(&place)
        {
            evidence.push(place);
        }
    }
    let (standing, doubt) = match Standing::parse(word) {
        None => (Standing::NotDone, "The model's word for how far this is done is not known."),
        Some(Standing::Done) if evidence.is_empty() => (
            Standing::Partial,
            "The model called this done, but what it quoted is not in the change, or is only a comment or a literal.",
        ),
        Some(standing) => (standing, ""),
    };
    let reason = format!("{doubt} {}", bounded(reason)).trim().to_owned();
    Judgement { standing, reason, evidence }
}

fn number(value: &Value) -> Option<usize> {
    let of_text = || value.as_str()?.trim().trim_start_matches('#').parse().ok();
    value.as_u64().and_then(|it| usize::try_from(it).ok()).or_else(of_text)
}

/// File and quote of each entry, in whatever shape they come.
fn quotes(value: &Value) -> Vec<(String, String)> {
    match value {
        Value::String(text) => vec![(String::new(), text.clone())],
        Value::Array(all) => all.iter().flat_map(quotes).collect(),
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
            let quote = text("quote").or_else(|| text("code")).or_else(|| text("line"));
            quote.map(|quote| (text("file").unwrap_or_default(), quote)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn without_repetition(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in all {
        if kept.len() < REQUIREMENTS_MAX && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

fn bounded(text: &str) -> String {
    let text = text.trim();
    text[..text.floor_char_boundary(TEXT_BYTES_MAX)].to_owned()
}

/// Words with single spaces, in small letters.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
