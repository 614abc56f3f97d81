//! One rule with its pattern: what it does at a keyword.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use prevet_domain::finding::{Confidence, ReportType, Severity};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::checks::{Check, entropy_bits};
use crate::rule::Rule;

/// What one pattern may weigh, compiled.
const REGEX_BYTES_MAX: usize = 1 << 20;
/// How far past its keyword a rule looks, unless it says otherwise.
const WINDOW_BYTES: usize = 320;
/// Between a provider's name and its credential: the rest of the name, a noun, what assigns.
const NEAR: &str = r#"\A[\w.\- ]{0,24}?(?i:key|token|secret|passw(?:or)?d|pwd|auth|pat|credentials?|creds)[\w\-]{0,12}\\?["'`\]]{0,2}[ \t]{0,6}(?::[ \t]{0,4}[A-Za-z_&][\w&'<>.?]{0,24}[ \t]{0,4}=|=>|:=|=|:|,|\()[ \t]{0,6}[rbf]?\\?["'`]{0,3}"#;

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    /// At the keyword, which is the token's own beginning.
    #[default]
    Prefix,
    /// Anywhere around the keyword, which stands inside the token.
    Inside,
    /// After the keyword, over the rest of a name and what assigns: the pattern is the value's alone.
    Near,
    /// After the keyword, all of it in the pattern.
    After,
}

/// Which code finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Engine {
    /// The rule's own pattern.
    #[default]
    Pattern,
    /// From BEGIN to END.
    KeyBlock,
    /// From END backwards, where BEGIN is out of sight.
    KeyBlockEnd,
    /// The password of a URL.
    Url,
    /// A name that says that its value is secret.
    Assignment,
    /// Only named by another engine.
    None,
}

/// What may not follow a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Edge {
    /// A letter, digit or underscore.
    #[default]
    Word,
    /// Those and a dash.
    Dash,
    /// Those and base64's own signs, before and after.
    Base64,
    /// Nothing is forbidden.
    Open,
}

/// Which finding stands where two overlap: the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Tier {
    /// Names whose credential it is.
    #[default]
    Provider,
    /// A known form: a key block, a URL, a JWT.
    Structure,
    /// Only the name of what holds it.
    Generic,
}

/// A rule as the data files have it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
pub(super) struct Entry {
    pub id: String,
    pub title: String,
    pub severity: Severity,
    #[serde(default = "sure")]
    pub confidence: Confidence,
    pub message: Option<String>,
    pub cwe: Option<String>,
    pub owasp: Option<String>,
    #[serde(default)]
    pub keywords: Vec<String>,
    #[serde(default)]
    pub engine: Engine,
    #[serde(default)]
    pub tier: Tier,
    #[serde(default)]
    pub shape: Shape,
    pub pattern: Option<String>,
    #[serde(default)]
    pub edge: Edge,
    /// Least Shannon entropy of the secret, bits a character.
    #[serde(default)]
    pub entropy: f64,
    #[serde(default)]
    pub check: Check,
    pub window: Option<usize>,
    #[cfg(test)]
    #[serde(default)]
    pub source: Option<String>,
    #[cfg(test)]
    #[serde(default)]
    pub matches: Vec<String>,
    #[cfg(test)]
    #[serde(default)]
    pub passes: Vec<String>,
}

const fn sure() -> Confidence {
    Confidence::High
}

/// A rule ready to run; its pattern is compiled when a keyword first asks for it.
pub(super) struct Detector {
    /// As reported.
    pub rule: Arc<Rule>,
    /// As reported where the place or the value is doubtful: the same with low severity.
    pub quiet: Arc<Rule>,
    pub engine: Engine,
    pub tier: Tier,
    pub check: Check,
    pub entropy: f64,
    shape: Shape,
    edge: Edge,
    window: usize,
    pattern: String,
    regex: OnceLock<Option<Regex>>,
}

impl Detector {
    /// Takes the data apart.
    pub fn new(entry: Entry) -> Self {
        let message = entry.message.unwrap_or_else(|| advice(&entry.title));
        let rule = Rule {
            id: format!("secrets.{}", entry.id),
            report_type: ReportType::Secret,
            severity: entry.severity,
            confidence: entry.confidence,
            title: entry.title,
            message,
            cwe: Some(entry.cwe.unwrap_or_else(|| "CWE-798".to_owned())),
            owasp: Some(entry.owasp.unwrap_or_else(|| "A07:2021".to_owned())),
        };
        let quiet = Arc::new(Rule { severity: Severity::Low, ..rule.clone() });
        Self {
            rule: Arc::new(rule),
            quiet,
            engine: entry.engine,
            tier: entry.tier,
            check: entry.check,
            entropy: entry.entropy,
            shape: entry.shape,
            edge: entry.edge,
            window: entry.window.unwrap_or(WINDOW_BYTES),
            pattern: anchored(entry.shape, &entry.pattern.unwrap_or_default()),
            regex: OnceLock::new(),
        }
    }

    /// The compiled pattern; none for a pattern that is no regex, which a test rules out.
    pub fn regex(&self) -> Option<&Regex> {
        let compile = || {
            let mut builder = RegexBuilder::new(&self.pattern);
            builder.unicode(false).size_limit(REGEX_BYTES_MAX).dfa_size_limit(REGEX_BYTES_MAX);
            builder.build().ok()
        };
        self.regex.get_or_init(compile).as_ref()
    }

    /// The bytes of the secret that `keyword` belongs to, before any judgement of its value.
    pub fn find(&self, text: &[u8], keyword: &Range<usize>) -> Option<Range<usize>> {
        let start = match self.shape {
            Shape::Prefix if is_inside_word(text, keyword.start, self.edge) => return None,
            Shape::Prefix => keyword.start,
            Shape::Inside => keyword.start.saturating_sub(self.window),
            Shape::Near | Shape::After => keyword.end,
        };
        let end = text.len().min(keyword.end + self.window);
        let captures = self.regex()?.captures(&text[start..end])?;
        let found = captures.name("secret").or_else(|| captures.get(0))?;
        Some(start + found.start()..start + found.end())
    }

    /// Whether a longer word or blob runs through `span`, so that the token is no token.
    pub fn is_loose(&self, text: &[u8], span: &Range<usize>) -> bool {
        let after = text.get(span.end).copied().unwrap_or(b' ');
        let runs_on = match self.edge {
            Edge::Open => false,
            Edge::Word => is_word(after),
            Edge::Dash => is_word(after) || after == b'-',
            Edge::Base64 => is_word(after) || matches!(after, b'+' | b'='),
        };
        runs_on || (self.edge != Edge::Open && is_inside_word(text, span.start, self.edge))
    }

    /// Whether the value is too regular for this rule.
    pub fn is_dull(&self, secret: &[u8]) -> bool {
        self.entropy > 0.0 && entropy_bits(secret) < self.entropy
    }
}

fn advice(title: &str) -> String {
    format!(
        "{title} stands in the text. Whoever can read the repository, or its history, can use it, and deleting \
         the line later does not take it back. Revoke it where it was issued, issue a new one, and read that from \
         the environment or a secret store."
    )
}

fn anchored(shape: Shape, pattern: &str) -> String {
    match shape {
        Shape::Prefix | Shape::After => format!(r"\A(?:{pattern})"),
        Shape::Inside => pattern.to_owned(),
        Shape::Near => format!(r"{NEAR}(?P<secret>{pattern})"),
    }
}

/// A letter, digit or underscore.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether what stands before `at` belongs to the same word. An escape's letter (`\n`, `%3D`, `\u003d`) does not.
fn is_inside_word(text: &[u8], at: usize, edge: Edge) -> bool {
    let before = &text[at.saturating_sub(6)..at];
    let Some(last) = before.last() else { return false };
    if edge == Edge::Base64 && matches!(last, b'+' | b'/') {
        return true;
    }
    // At the beginning of a line a dash is a diff's mark.
    let is_mark = before.len() < 2 || before[before.len() - 2] == b'\n';
    if edge == Edge::Dash && *last == b'-' && !is_mark {
        return true;
    }
    is_word(*last) && !ends_in_escape(before)
}

fn ends_in_escape(before: &[u8]) -> bool {
    let hex =
        |count: usize| before.len() >= count && before.iter().rev().take(count).all(u8::is_ascii_hexdigit);
    let has = |back: usize, byte: u8| before.len() >= back && before[before.len() - back] == byte;
    (has(2, b'\\') && matches!(before.last(), Some(b'n' | b'r' | b't')))
        || (has(3, b'%') && hex(2))
        || (has(6, b'\\') && has(5, b'u') && hex(4))
}
