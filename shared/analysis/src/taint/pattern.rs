//! Patterns over dotted names: `os.system`, `*.execute`, `**.~llm.invoke`.
//!
//! `*.` stands for one or more parts before, `**.` for none or more, `~word` for a part that holds the word in
//! any case, `part[]` for a part that is indexed.

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub(super) struct Pattern {
    parts: Vec<String>,
    before: Before,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Something,
    Anything,
}

impl From<String> for Pattern {
    fn from(text: String) -> Self {
        let (before, rest) = match (text.strip_prefix("**."), text.strip_prefix("*.")) {
            (Some(rest), _) => (Before::Anything, rest),
            (None, Some(rest)) => (Before::Something, rest),
            (None, None) => (Before::Nothing, text.as_str()),
        };
        Self { parts: rest.split('.').map(str::to_owned).collect(), before }
    }
}

impl Pattern {
    pub fn matches(&self, name: &str) -> bool {
        if self.key().is_some_and(|key| !bare(name).ends_with(key)) {
            return false;
        }
        let parts: Vec<&str> = name.split('.').collect();
        let Some(extra) = parts.len().checked_sub(self.parts.len()) else { return false };
        let fits = match self.before {
            Before::Nothing => extra == 0,
            Before::Something => extra > 0,
            Before::Anything => true,
        };
        fits && self.parts.iter().zip(&parts[extra..]).all(|(pattern, part)| part_matches(pattern, part))
    }

    /// The parts.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(String::as_str)
    }

    /// The part by which a text is most surely told not to hold the name.
    pub fn longest_word(&self) -> Option<&str> {
        self.words().map(|part| bare(part.trim_start_matches('~'))).max_by_key(|part| part.len())
    }

    /// The last part, where it is one word: most names are told apart by it.
    fn key(&self) -> Option<&str> {
        let last = self.parts.last()?;
        (!last.starts_with('~') && last != "?").then_some(bare(last))
    }
}

/// A part without `()` and `[]`.
pub(super) fn bare(part: &str) -> &str {
    part.trim_end_matches(['(', ')', '[', ']'])
}

fn part_matches(pattern: &str, part: &str) -> bool {
    if pattern == "?" {
        return true;
    }
    if let Some(word) = pattern.strip_prefix('~') {
        return part.to_lowercase().contains(word);
    }
    if pattern.ends_with("[]") {
        return pattern == part;
    }
    // What `request()` gives back is not `request`; what `Client()` makes is a `Client`.
    let made = part.ends_with("()") && !pattern.ends_with("()");
    let makes = part.starts_with(char::is_uppercase);
    bare(pattern) == bare(part) && (!made || makes)
}

/// Whether one of `patterns` matches one of `names`.
pub(super) fn any_matches(patterns: &[Pattern], names: &[String]) -> bool {
    patterns.iter().any(|pattern| names.iter().any(|name| pattern.matches(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |pattern: &str, name: &str, expected: bool| {
            assert_eq!(Pattern::from(pattern.to_owned()).matches(name), expected, "{pattern} on {name}");
        };
        check("os.system", "os.system", true);
        check("os.system", "a.os.system", false);
        check("*.execute", "db.cursor().execute", true);
        check("*.execute", "execute", false);
        check("**.execute", "execute", true);
        check("**.~llm.invoke", "self.myLLM.invoke", true);
        check("*.content[].text", "reply.content[].text", true);
        check("*.content[].text", "reply.content.text", false);
        check("**.request.json", "requests.request().json", false);
        check("*.Client.get", "http.Client().get", true);
        check("*.getRuntime().exec", "Runtime.getRuntime().exec", true);
        check("*.choices.message.content", "r.choices[].message.content", true);
    }
}
