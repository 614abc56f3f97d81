//! Does the file still parse?
//!
//! Only the change counts: clean before, errors after, near a line that was touched. Grammars that stumble over
//! valid code (C, C++, SQL, shell, C#, Swift) are left out.

mod code;
mod data;

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

/// How far from a mask a parser may give up.
const MASK_LINES_BEFORE: u32 = 3;

/// The rule behind every hit.
pub fn rule() -> &'static Arc<Rule> {
    &RULE
}

/// The first error in `source`, if `old_text` had none and the error is near a touched line. An empty `old_text`
/// is a new file; a grammar that lags behind its language would be wrong about many of those, so there the text
/// itself has to be wrong as well.
pub fn check(source: &Source, old_text: &[u8], touched: &dyn Fn(u32) -> bool) -> Vec<Hit> {
    let Some(language) = source.language.filter(|_| source.whole) else { return Vec::new() };
    let is_new = old_text.trim_ascii().is_empty();
    if is_new && FIXTURE_FOLDERS.iter().any(|folder| source.path.contains(folder)) {
        return Vec::new();
    }
    let errors = errors_in(language, source.path, source.text, is_new);
    let errors = errors.into_iter().flatten().filter(|span| !is_after_mask(source, span));
    let near = errors.into_iter().find_map(|span| place_near(source, &span, touched));
    let Some(span) = near else { return Vec::new() };
    if errors_in(language, source.path, old_text, false).is_none_or(|errors| !errors.is_empty()) {
        return Vec::new();
    }
    let confidence = (is_new && is_template(source.path, source.text)).then_some(Confidence::Low);
    vec![Hit { rule: Arc::clone(&RULE), span, scope: None, fix: None, confidence }]
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

/// Whether something was masked just before: then the mask may be what does not parse.
fn is_after_mask(source: &Source, span: &Range<usize>) -> bool {
    let (first, last) = source.lines_of(span);
    let until = last.min(first.saturating_add(MASK_LINES_BEFORE));
    let lines = first.saturating_sub(MASK_LINES_BEFORE).max(1)..=until;
    lines.into_iter().any(|line| is_masked(source.line(line)))
}

fn is_template(path: &str, text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    TEMPLATE_NAMES.iter().any(|name| path.contains(name))
        || TEMPLATE_MARKS.iter().any(|mark| text.contains(mark))
}

/// Where `text` does not parse; nothing where that cannot be told.
fn errors_in(language: Language, path: &str, text: &[u8], is_new: bool) -> Option<Vec<Range<usize>>> {
    match language {
        Language::Json => Some(data::json_errors(path, text)),
        Language::Yaml => Some(data::yaml_errors(text)),
        Language::Python
        | Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Go
        | Language::Java
        | Language::Ruby
        | Language::Rust
        | Language::Php
        | Language::Terraform => code::errors(language, text, is_new),
        Language::CSharp | Language::Shell | Language::Dockerfile => None,
    }
}

#[cfg(test)]
mod tests;
