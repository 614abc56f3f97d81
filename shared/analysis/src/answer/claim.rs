//! One thing that a model says, in our words and bounds.

use prevet_domain::finding::{Confidence, Severity};
use serde_json::{Map, Value};

use crate::prompt::fence::bounded;
use crate::prompt::masked::masked_text;

const TITLE_BYTES_MAX: usize = 160;
const MESSAGE_BYTES_MAX: usize = 2_000;
const QUOTE_BYTES_MAX: usize = 4_000;

/// A finding as a model states it. Nothing in it is placed or believed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The file that it names.
    pub file: String,
    /// The code that it quotes.
    pub quote: String,
    /// The line that it states: only to choose between places that the quote leaves open.
    pub line: Option<u32>,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// One short line.
    pub title: String,
    /// What is wrong.
    pub message: String,
    /// `CWE-89` and the like.
    pub cwe: Option<String>,
    /// `LLM01:2025` and the like.
    pub owasp: Option<String>,
}

impl Claim {
    /// Reads one; none where it says nothing.
    pub fn read(object: &Map<String, Value>) -> Option<Self> {
        let text = |names: &[&str]| names.iter().find_map(|name| worded(object.get(*name)?));
        let message = text(&["message", "description", "detail", "explanation", "body"]).unwrap_or_default();
        let title = text(&["title", "name", "summary"]).unwrap_or_default();
        let title = if title.trim().is_empty() { message.clone() } else { title };
        if title.trim().is_empty() {
            return None;
        }
        let line = ["line", "start_line", "line_number"].iter().find_map(|name| number(object.get(*name)?));
        Some(Self {
            file: text(&["file", "path", "filename"]).unwrap_or_default().trim().to_owned(),
            quote: bounded(
                &text(&["quote", "code", "snippet", "evidence"]).unwrap_or_default(),
                QUOTE_BYTES_MAX,
            ),
            line,
            severity: severity(object.get("severity")),
            confidence: confidence(object.get("confidence")),
            title: bounded(&clean(&title.replace(['\n', '\r', '\t'], " ")), TITLE_BYTES_MAX),
            message: bounded(&clean(&message), MESSAGE_BYTES_MAX),
            cwe: text(&["cwe"]).and_then(|text| cwe(&text)),
            owasp: text(&["owasp"]).and_then(|text| owasp(&text)),
        })
    }
}

/// Without secrets, and without characters that do something to a terminal.
fn clean(text: &str) -> String {
    let kept = |it: &char| !it.is_control() || matches!(it, '\n' | '\t');
    masked_text(text.trim()).chars().filter(kept).collect()
}

fn worded(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        // A quote of several lines may come as a list.
        Value::Array(lines) => {
            lines.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|it| it.join("\n"))
        }
        _ => None,
    }
}

fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|it| u32::try_from(it).ok()),
        Value::String(text) => text.trim().split(['-', ':']).next()?.parse().ok(),
        _ => None,
    }
}

/// A word nobody knows is taken for a bad one: what is unclear is not smaller for it.
fn severity(value: Option<&Value>) -> Severity {
    if let Some(score) = value.and_then(Value::as_f64) {
        return of_score(score);
    }
    let word = value.and_then(Value::as_str).unwrap_or_default().trim().to_lowercase();
    match word.as_str() {
        "critical" | "blocker" | "severe" | "fatal" | "catastrophic" | "p0" => Severity::Critical,
        "medium" | "moderate" | "normal" | "warning" | "p2" => Severity::Medium,
        "low" | "minor" | "info" | "informational" | "trivial" | "nit" | "note" | "p3" => Severity::Low,
        _ => Severity::High,
    }
}

/// By the bands of CVSS 3.1.
fn of_score(score: f64) -> Severity {
    match score {
        it if it >= 9.0 => Severity::Critical,
        it if it >= 7.0 => Severity::High,
        it if it >= 4.0 => Severity::Medium,
        _ => Severity::Low,
    }
}

fn confidence(value: Option<&Value>) -> Confidence {
    let word = value.and_then(Value::as_str).unwrap_or_default().trim().to_lowercase();
    match word.as_str() {
        "high" | "certain" | "sure" => Confidence::High,
        "low" | "guess" | "unsure" => Confidence::Low,
        _ => Confidence::Medium,
    }
}

fn cwe(text: &str) -> Option<String> {
    let digits = text.trim().to_uppercase();
    let digits = digits.strip_prefix("CWE").unwrap_or(&digits).trim_start_matches(['-', ' ', ':']);
    let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
    (1..=5).contains(&digits.len()).then(|| format!("CWE-{digits}"))
}

fn owasp(text: &str) -> Option<String> {
    let code = text.split_whitespace().next()?.trim_end_matches([',', ';']);
    let known = ["LLM", "ASI", "MCP", "A"].iter().find_map(|prefix| code.strip_prefix(prefix))?;
    let (number, year) = known.split_once(':').unwrap_or((known, ""));
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|it| it.is_ascii_digit());
    (digits(number, 2) && (year.is_empty() || digits(year, 4))).then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Claim {
        Claim::read(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn severities() {
        let check = |word: &str, expected| {
            assert_eq!(read(&format!(r#"{{"title":"t","severity":{word}}}"#)).severity, expected, "{word}");
        };
        check(r#""Critical""#, Severity::Critical);
        check(r#""blocker""#, Severity::Critical);
        check(r#""HIGH""#, Severity::High);
        check(r#""moderate""#, Severity::Medium);
        check(r#""nit""#, Severity::Low);
        check(r#""catastrophically bad""#, Severity::High);
        check(r#""schlimm""#, Severity::High);
        check("null", Severity::High);
        check("9.8", Severity::Critical);
        check("2", Severity::Low);
    }

    #[test]
    fn texts_are_bounded_and_clean() {
        let claim = read(
            r#"{"title":"a\nb\u001b[2J","message":"key AKIAQYLPMN5HFIQR7XYA leaks","cwe":"cwe 89: SQL"}"#,
        );
        assert_eq!((claim.title.as_str(), claim.cwe.as_deref()), ("a b[2J", Some("CWE-89")));
        assert!(!claim.message.contains("AKIAQY"), "{}", claim.message);
        assert!(read(&format!(r#"{{"title":"{}"}}"#, "x".repeat(5_000))).title.len() < 200);
        assert!(Claim::read(&serde_json::from_str(r#"{"file":"a"}"#).unwrap()).is_none());
    }

    #[test]
    fn owasp_codes() {
        assert_eq!(owasp("LLM01:2025 Prompt Injection").as_deref(), Some("LLM01:2025"));
        assert_eq!(owasp("A03:2021").as_deref(), Some("A03:2021"));
        assert_eq!(owasp("LLM1"), None);
        assert_eq!(owasp("made up"), None);
    }
}
