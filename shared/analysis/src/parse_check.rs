//! Does the file still parse?
//!
//! Only the change counts: clean before, errors after, near a line that was touched. Grammars that stumble over
//! valid code (C, C++, SQL, shell, C#, Swift) are left out.

mod code;
mod data;
mod gaps;

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use prevet_domain::finding::{Confidence, ReportType, Severity};

use crate::hit::Hit;
use crate::language::Language;
use crate::rule::Rule;
use crate::secrets::is_masked;
use crate::source::Source;

static RULE: LazyLock<Arc<Rule>> = LazyLock::new(|| {
    Arc::new(Rule {
        id: "any.does-not-parse".to_owned(),
        report_type: ReportType::Bug,
        severity: Severity::High,
        confidence: Confidence::High,
        title: "The file does not parse any more".to_owned(),
        message: "This place is not valid in the file's language: it will not load, build or be read by its \
                  program. Look for an unclosed bracket or string, a lost line, or conflict markers that were \
                  left in, and mend it."
            .to_owned(),
        cwe: None,
        owasp: None,
    })
});

/// The same where nothing but the grammar says so, which may lag behind its language.
static UNPROVEN: LazyLock<Arc<Rule>> = LazyLock::new(|| {
    Arc::new(Rule {
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        title: "The file may not parse any more".to_owned(),
        message: "The grammar of the file's language does not know this place, though its brackets pair: a word or a \
                  sign may be missing or left over. Where it is newer syntax than the grammar's, nothing is wrong."
            .to_owned(),
        ..Rule::clone(&RULE)
    })
});

/// How far before an error a masked secret may stand, for the mask to be what broke the text.
const MASK_DISTANCE_LINES: u32 = 3;

/// Where a text does not parse.
#[derive(Debug, Default)]
struct Errors {
    spans: Vec<Range<usize>>,
    /// Whether the text itself shows that something is wrong: brackets that do not pair, a merge's marks, a
    /// loader's refusal.
    is_proven: bool,
}

/// Marks a template, whose text is valid only after it has been filled in.
const TEMPLATE_MARKS: &[&str] = &["{{", "{%", "<%", "%>", "@@", "%("];

/// Parts of names of files that are made into other files.
const TEMPLATE_NAMES: &[&str] = &[
    ".j2",
    ".jinja",
    ".tmpl",
    ".tpl",
    ".erb",
    ".hbs",
    ".mustache",
    ".template",
    ".in.",
    "cookiecutter",
    "template",
    ".blade.",
];

/// Folders that hold broken files on purpose.
const FIXTURE_FOLDERS: &[&str] =
    &["testdata/", "test-data/", "fixtures/", "test/", "tests/", "spec/", "__tests__/"];

/// The rule behind every hit.
pub fn rule() -> &'static Arc<Rule> {
    &RULE
}

/// The first error in `source`, if `old_text` had none and the error is near a touched line. A grammar that lags
/// behind its language is no proof: an error counts in full where the text itself is wrong as well. An empty
/// `old_text` is a new file, in which nothing less is told. What a mask over a secret explains is no error.
pub fn check(source: &Source, old_text: &[u8], touched: &dyn Fn(u32) -> bool) -> Vec<Hit> {
    let Some(language) = source.language.filter(|_| source.whole) else { return Vec::new() };
    let is_new = old_text.trim_ascii().is_empty();
    if is_new && FIXTURE_FOLDERS.iter().any(|folder| source.path.contains(folder)) {
        return Vec::new();
    }
    let errors = errors_in(language, source.path, source.text).unwrap_or_default();
    if is_new && !errors.is_proven {
        return Vec::new();
    }
    let mut told = errors.spans.iter().filter(|span| !is_of_mask(source, span));
    let Some(span) = told.find_map(|span| place_near(source, span, touched)) else {
        return Vec::new();
    };
    if errors_in(language, source.path, old_text).is_none_or(|old| !old.spans.is_empty()) {
        return Vec::new();
    }
    let confidence = (is_new && is_template(source.path, source.text)).then_some(Confidence::Low);
    let rule = if errors.is_proven { &RULE } else { &UNPROVEN };
    vec![Hit { rule: Arc::clone(rule), span, scope: None, fix: None, confidence }]
}

/// Whether a mask stands where the error begins, or shortly before.
fn is_of_mask(source: &Source, span: &Range<usize>) -> bool {
    let (first, last) = source.lines_of(span);
    let reach = first.saturating_sub(MASK_DISTANCE_LINES).max(1)..=last.min(first + MASK_DISTANCE_LINES);
    reach.into_iter().any(|line| is_masked(source.line(line)))
}

/// Where to show an error. It begins where the parser gave up, up to a line after what is wrong, and may reach
/// to the end of the file; the first touched line of it says more.
fn place_near(source: &Source, span: &Range<usize>, touched: &dyn Fn(u32) -> bool) -> Option<Range<usize>> {
    let (first, last) = source.lines_of(span);
    let near = (first.saturating_sub(1)..=last.saturating_add(1)).find(|line| touched(*line))?;
    if first == last {
        return Some(span.clone());
    }
    let line = near.clamp(first, last);
    let start = source.line_start(line);
    Some(start..start + source.line(line).len())
}

fn is_template(path: &str, text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    TEMPLATE_NAMES.iter().any(|name| path.contains(name))
        || TEMPLATE_MARKS.iter().any(|mark| text.contains(mark))
}

/// Where `text` does not parse; nothing where that cannot be told.
fn errors_in(language: Language, path: &str, text: &[u8]) -> Option<Errors> {
    match language {
        Language::Json => Some(Errors { spans: data::json_errors(path, text), is_proven: true }),
        Language::Yaml => Some(Errors { spans: data::yaml_errors(text), is_proven: true }),
        Language::Python
        | Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Go
        | Language::Java
        | Language::Ruby
        | Language::Rust
        | Language::Php
        | Language::Terraform => code::errors(language, text),
        Language::CSharp | Language::Shell | Language::Dockerfile => None,
    }
}

#[cfg(test)]
mod tests;
