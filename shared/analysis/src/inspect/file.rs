//! One file of a change.

use std::collections::BTreeSet;

use globset::GlobSet;
use prevet_domain::change::{Content, FileChange, FileKind, post_fragment, pre_image};
use prevet_domain::finding::{Confidence, Finding, ReportType, Status};
use prevet_domain::policy::RuleSetting;
use prevet_domain::verdict::{Cause, NotReviewed};

use super::evidence::{self, Masked};
use super::{Draft, NO_RULES_REASON, Request};
use crate::hit::Hit;
use crate::language::{TextKind, detect, is_code_name};
use crate::place::{Relation, Touched};
use crate::source::Source;
use crate::{convention, ignore, parse_check, secrets, syntax, taint, text_rules};

/// How near an added or removed line a syntax error has to be, to be the change's.
const PARSE_ERROR_DISTANCE_LINES: u32 = 3;

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
    if let Some((reason, cause)) = nothing_to_read(change) {
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
    let text = whole.map_or(fragment.as_slice(), Vec::as_slice);
    read(request, change, &path, text, &mut outcome);
    outcome
}

fn nothing_to_read(change: &FileChange) -> Option<(&'static str, Cause)> {
    match change.content {
        _ if change.is_submodule() => Some(("submodule: only its commit id changed", Cause::Convention)),
        Content::Binary if is_code(change) => {
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
        match code_hits(&source, change, &touched) {
            Ok(found) => hits.extend(found),
            Err(reason) => outcome.not_reviewed = Some(not_reviewed(path, reason, Cause::Gap)),
        }
    }
    outcome.drafts.extend(drafts(request, &source, &touched, deduplicated(&source, hits)));
}

/// The hits of the code engines that belong to the change.
fn code_hits(source: &Source<'_>, change: &FileChange, touched: &Touched) -> Result<Vec<Hit>, String> {
    let old_text = if source.whole { pre_image(change, source.text) } else { Vec::new() };
    let mut hits = all_hits(source)?;
    let apart = hits.iter().any(|hit| touched.relation(source, hit) == Relation::Apart);
    let before = if source.whole && apart { fingerprints(source, &old_text) } else { BTreeSet::new() };
    hits.retain_mut(|hit| match touched.relation(source, hit) {
        Relation::Touched => true,
        Relation::Exposed => {
            hit.confidence = Some(hit.confidence.unwrap_or(hit.rule.confidence).min(Confidence::Medium));
            true
        }
        Relation::Apart => source.whole && !before.contains(&fingerprint(source, hit)),
    });
    if source.whole {
        let near = |line| touched.near(line, PARSE_ERROR_DISTANCE_LINES);
        hits.extend(parse_check::check(source, &old_text, &near));
    }
    Ok(hits)
}

/// One parse for both engines.
fn all_hits(source: &Source<'_>) -> Result<Vec<Hit>, String> {
    let parsed = syntax::parse(source).map_err(|unparsed| unparsed.to_string())?;
    let mut hits = syntax::scan_parsed(source, &parsed);
    hits.extend(taint::scan_parsed(&parsed));
    Ok(hits)
}

/// What the same file held before the change: rule and code, whatever the line.
fn fingerprints(source: &Source<'_>, old_text: &[u8]) -> BTreeSet<(String, String)> {
    let old = Source::new(source.path, source.language, old_text, true);
    all_hits(&old).unwrap_or_default().iter().map(|hit| fingerprint(&old, hit)).collect()
}

fn fingerprint(source: &Source<'_>, hit: &Hit) -> (String, String) {
    let code = String::from_utf8_lossy(&source.text[hit.span.clone()]);
    (hit.rule.id.clone(), code.split_whitespace().collect::<Vec<_>>().join(" "))
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
    let severity = match request.policy.rules.get(&rule.id) {
        Some(RuleSetting::Off) => return None,
        Some(RuleSetting::Severity(severity)) => *severity,
        None => rule.severity,
    };
    let (line, end_line) = source.lines_of(&hit.span);
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
        message: rule.message.clone(),
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
