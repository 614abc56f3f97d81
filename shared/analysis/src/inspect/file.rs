//! One file of a change.

use std::borrow::Cow;
use std::collections::BTreeSet;

use globset::GlobSet;
use prevet_domain::change::{Content, FileChange, FileKind, post_fragment};
use prevet_domain::finding::{Finding, ReportType, Severity, Status};
use prevet_domain::policy::{NewIgnores, RuleSetting};
use prevet_domain::verdict::{Cause, NotReviewed};

use super::evidence::{self, Masked};
use super::restored::unmasked;
use super::{Draft, NO_RULES_REASON, Request, code};
use crate::hit::Hit;
use crate::language::{TextKind, detect, is_code_name};
use crate::place::{Relation, Touched};
use crate::source::Source;
use crate::{convention, ignore, other_tools, secrets, text_rules};

/// What is added to a message where another tool was told to be quiet.
pub const EXCUSED: &str =
    " A comment here turns another tool's finding off and says why, so this counts one step lower.";

const MOVED: &str = " It stood in this file before, and this change only moves it, so this stops nothing.";

/// What one file came to.
#[derive(Default)]
pub struct Outcome {
    /// What was found.
    pub drafts: Vec<Draft>,
    /// Why it was not read, if it was not.
    pub not_reviewed: Option<NotReviewed>,
    /// Whether only its hunks were read.
    pub fragment: bool,
}

/// Looks at one file with each engine that is asked for.
pub fn inspect(request: &Request<'_>, change: &FileChange, excluded: &GlobSet) -> Outcome {
    let path = change.shown_path();
    if let Some((reason, cause)) = nothing_to_read(request, change, &path, excluded) {
        return Outcome { not_reviewed: Some(not_reviewed(&path, reason, cause)), ..Outcome::default() };
    }
    if change.kind == FileKind::Deleted || change.hunks().is_empty() {
        return Outcome::default();
    }
    let fragment = post_fragment(change);
    let mut outcome =
        Outcome { drafts: secret_drafts(request, change, &path, &fragment), ..Outcome::default() };
    if let Some(reason) = left_out(request, change, &path, excluded) {
        outcome.not_reviewed = Some(not_reviewed(&path, reason, Cause::Convention));
        return outcome;
    }
    if request.report_types == [ReportType::Secret] {
        return outcome;
    }
    let whole = request.files.get(&path);
    outcome.fragment = whole.is_none();
    let text = whole.map_or(Cow::Borrowed(fragment.as_slice()), |whole| unmasked(change, whole));
    read(request, change, &path, &text, &mut outcome);
    outcome
}

fn nothing_to_read(
    request: &Request<'_>,
    change: &FileChange,
    path: &str,
    excluded: &GlobSet,
) -> Option<(&'static str, Cause)> {
    match change.content {
        _ if change.is_submodule() => Some(("submodule: only its commit id changed", Cause::Convention)),
        Content::Binary if is_code(change) => {
            // Attributes often hide lock files and generated code from `git diff`: nobody reads those anyway.
            if let Some(reason) = left_out(request, change, path, excluded) {
                return Some((reason, Cause::Convention));
            }
            Some(("git shows it as binary, though its name is that of code", Cause::Gap))
        }
        Content::Binary => Some(("binary", Cause::Convention)),
        Content::Unmerged => Some(("unresolved merge conflict", Cause::Gap)),
        Content::Text(_) => None,
    }
}

/// Whether the name is one of source code: an attribute that hides its text must not make it pass.
fn is_code(change: &FileChange) -> bool {
    change.path().is_some_and(is_code_name)
}

fn not_reviewed(path: &str, reason: impl Into<String>, cause: Cause) -> NotReviewed {
    NotReviewed { file: path.to_owned(), line: None, reason: reason.into(), cause }
}

fn left_out(
    request: &Request<'_>,
    change: &FileChange,
    path: &str,
    excluded: &GlobSet,
) -> Option<&'static str> {
    if excluded.is_match(path) {
        return Some("excluded by the policy");
    }
    let attribute = request.left_out.get(path).copied();
    attribute.or_else(|| change.path().and_then(convention::by_name))
}

/// Secrets are looked for in the hunks: a caller's files come masked.
fn secret_drafts(request: &Request<'_>, change: &FileChange, path: &str, fragment: &[u8]) -> Vec<Draft> {
    if !request.report_types.contains(&ReportType::Secret) {
        return Vec::new();
    }
    let source = Source::new(path, None, fragment, false);
    let touched = Touched::of(change);
    let mut hits = secrets::scan(&source);
    hits.retain(|hit| touched.relation(&source, hit) == Relation::Touched);
    drafts(request, &source, &touched, hits)
}

fn read(request: &Request<'_>, change: &FileChange, path: &str, text: &[u8], outcome: &mut Outcome) {
    let Some(repository_path) = change.path() else { return };
    let kind = detect(repository_path, text);
    let language = match kind {
        TextKind::Known(language) => Some(language),
        TextKind::UnknownCode | TextKind::Plain => None,
    };
    let source = Source::new(path, language, text, !outcome.fragment);
    let touched = Touched::of(change);
    let mut hits = text_rules::scan(&source);
    hits.retain(|hit| touched.relation(&source, hit) == Relation::Touched);
    if kind == TextKind::UnknownCode {
        outcome.not_reviewed = Some(not_reviewed(path, NO_RULES_REASON, Cause::Gap));
    } else if language.is_some() {
        match code::hits(&source, change, &touched) {
            Ok(found) => hits.extend(found),
            Err(reason) => outcome.not_reviewed = Some(not_reviewed(path, reason, Cause::Gap)),
        }
    }
    outcome.drafts.extend(drafts(request, &source, &touched, deduplicated(&source, hits)));
}

/// Of several hits of one report type on one line with one weakness, the surest.
fn deduplicated(source: &Source<'_>, mut hits: Vec<Hit>) -> Vec<Hit> {
    let weight = |hit: &Hit| (hit.rule.severity, hit.confidence.unwrap_or(hit.rule.confidence));
    hits.sort_by_key(|hit| (source.line_of(hit.span.start), std::cmp::Reverse(weight(hit))));
    let mut seen = BTreeSet::new();
    hits.retain(|hit| {
        let weakness = hit.rule.cwe.clone().unwrap_or_else(|| hit.rule.id.clone());
        seen.insert((source.line_of(hit.span.start), hit.rule.report_type, weakness))
    });
    hits
}

fn drafts(request: &Request<'_>, source: &Source<'_>, touched: &Touched, hits: Vec<Hit>) -> Vec<Draft> {
    if hits.is_empty() {
        return Vec::new();
    }
    let masked = Masked::of(source);
    let lines = masked.lines();
    hits.into_iter().filter_map(|hit| draft(request, source, &lines, touched, hit)).collect()
}

/// Whether the change only moves a secret within its file, as formatters do. Whoever wrote it there first did not do so in
/// this change, and the commit that did is looked at by itself.
fn is_moved_secret(source: &Source<'_>, touched: &Touched, hit: &Hit) -> bool {
    hit.rule.report_type == ReportType::Secret
        && source.text.get(hit.span.clone()).is_some_and(|value| touched.stood_before(value))
}

fn draft(
    request: &Request<'_>,
    source: &Source<'_>,
    masked: &Source<'_>,
    touched: &Touched,
    hit: Hit,
) -> Option<Draft> {
    let rule = &hit.rule;
    if !request.report_types.contains(&rule.report_type) {
        return None;
    }
    let (line, end_line) = source.lines_of(&hit.span);
    let (severity, note) = match request.policy.rules.get(&rule.id) {
        Some(RuleSetting::Off) => return None,
        Some(RuleSetting::Severity(severity)) => (*severity, ""),
        None if is_moved_secret(source, touched, &hit) => (Severity::Low, MOVED),
        None if is_excused(request, source, touched, &hit) => (lower(rule.severity), EXCUSED),
        None => (rule.severity, ""),
    };
    let ignore = ignore::find(source, &rule.id, line, end_line);
    let finding = Finding {
        id: String::new(),
        report_type: rule.report_type,
        severity,
        confidence: hit.confidence.unwrap_or(rule.confidence),
        file: source.path.to_owned(),
        line: Some(line),
        end_line: Some(end_line),
        title: rule.title.clone(),
        message: format!("{}{note}", rule.message),
        rule: rule.id.clone(),
        evidence: evidence::shown(masked, line),
        cwe: rule.cwe.clone(),
        owasp: rule.owasp.clone(),
        fix: hit.fix.filter(|fix| secrets::is_clean(fix.as_bytes())),
        status: Status::New,
    };
    let code = evidence::code(masked, line, end_line);
    let ignore = ignore.map(|ignore| (ignore.reason, touched.is_added(ignore.line)));
    Some(Draft { finding, code, ignore })
}

/// Whether a comment for another tool says why the place is fine. Where the policy does not let a change excuse
/// itself, a comment that the change adds does not.
fn is_excused(request: &Request<'_>, source: &Source<'_>, touched: &Touched, hit: &Hit) -> bool {
    let (first, last) = source.lines_of(&hit.span);
    let is_ours = matches!(hit.rule.report_type, ReportType::Secret | ReportType::Bug);
    let line = if is_ours { None } else { other_tools::excusing_line(source, first, last) };
    let may = |line| request.policy.new_ignores == NewIgnores::Allow || !touched.is_added(line);
    line.is_some_and(may)
}

const fn lower(severity: Severity) -> Severity {
    match severity {
        Severity::Critical => Severity::High,
        Severity::High => Severity::Medium,
        Severity::Medium | Severity::Low => Severity::Low,
    }
}
