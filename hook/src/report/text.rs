//! For a person at a terminal: a frame of code for each finding, then a summary.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use prevet_domain::finding::{Confidence, Severity, Status};
use prevet_domain::verdict::{Cause, NotReviewed, Verdict};

use super::model::{Inspection, ReportedFinding, SourceLines, place};
use super::{Colour, escape, frame};

/// Files that are left out by convention and named, for each reason; all others are counted.
const LEFT_OUT_NAMES_MAX: usize = 8;
/// Places that are named of findings that say the same.
const ALIKE_PLACES_MAX: usize = 8;

/// The report.
pub fn render(inspection: &Inspection, source: &dyn SourceLines, colour: Colour) -> String {
    let renderer = match colour {
        Colour::On => Renderer::styled().hyperlink(false),
        Colour::Off => Renderer::plain(),
    };
    let mut out = String::new();
    let (framed, alike) = by_kind(inspection);
    for reported in framed {
        let code = escape::lines(&frame::code(inspection, reported, source));
        out.push_str(&renderer.render(&frames(reported, &code)));
        out.push_str("\n\n");
    }
    for (kind, places) in &alike {
        let _ = writeln!(out, "{}\n", more_alike(kind, places));
    }
    summary(inspection, colour, &mut out);
    out
}

/// What findings have in common that are told together.
type Kind<'a> = (Reverse<Severity>, &'a str, &'static str);
/// The findings that are shown with their code, and the places of those that only say the same.
type ByKind<'a> = (Vec<&'a ReportedFinding>, BTreeMap<Kind<'a>, Vec<&'a ReportedFinding>>);

fn by_kind(inspection: &Inspection) -> ByKind<'_> {
    let mut shown: BTreeMap<Kind<'_>, usize> = BTreeMap::new();
    let (mut framed, mut alike) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
    for reported in inspection.worst_first() {
        let finding = &reported.finding;
        let kind = (Reverse(finding.severity), finding.rule.as_str(), label(reported));
        let count = shown.entry(kind).or_default();
        if *count < frames_max(finding.severity) {
            *count += 1;
            framed.push(reported);
        } else {
            alike.entry(kind).or_default().push(reported);
        }
    }
    (framed, alike)
}

/// How many findings of a rule are shown with their code; of the others, the place says enough.
const fn frames_max(severity: Severity) -> usize {
    match severity {
        Severity::Critical | Severity::High => usize::MAX,
        Severity::Medium => 5,
        Severity::Low => 1,
    }
}

fn more_alike((severity, rule, label): &Kind<'_>, places: &[&ReportedFinding]) -> String {
    let shown = places.iter().take(ALIKE_PLACES_MAX);
    let shown: Vec<String> =
        shown.map(|it| escape::line(&place(&it.finding.file, it.finding.line))).collect();
    let rest = match places.len().checked_sub(ALIKE_PLACES_MAX) {
        Some(rest @ 1..) => format!(" and {rest} more (--format json has them all)"),
        _ => String::new(),
    };
    let (count, severity) = (places.len(), severity.0.as_str());
    let noun = if count == 1 { "place" } else { "places" };
    format!(
        "{severity}[{}]{label}: the same in {count} more {noun}: {}{rest}",
        escape::line(rule),
        shown.join(", ")
    )
}

fn frames<'a>(reported: &'a ReportedFinding, code: &'a str) -> Vec<Group<'a>> {
    let finding = &reported.finding;
    let title = level(finding.severity)
        .primary_title(escape::line(&finding.title) + label(reported))
        .id(escape::line(&finding.rule));
    let path = escape::line(&finding.file);
    let group = match finding.line {
        Some(line) if !code.trim().is_empty() => title.element(snippet(code, line).path(path)),
        Some(line) => title.element(Origin::path(path).line(line as usize)),
        None => title.element(Origin::path(path)),
    };
    let message = escape::lines(finding.message.trim());
    let said = (!message.is_empty()).then(|| Level::NOTE.no_name().message(message));
    let mut groups = vec![group.elements(said).element(Level::NOTE.message(facts(reported)))];
    if let (Some(fix), Some(line)) = (reported.fix(), finding.line) {
        let replacement = Snippet::source(escape::lines(fix.trim_end()));
        let replacement: Snippet<'_, annotate_snippets::Annotation<'_>> =
            replacement.line_start(line as usize).fold(false);
        groups.push(Level::HELP.secondary_title("replace the lines with").element(replacement));
    }
    groups
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Critical | Severity::High => Level::ERROR.with_name(severity.as_str()),
        Severity::Medium => Level::WARNING.with_name(severity.as_str()),
        Severity::Low => Level::INFO.with_name(severity.as_str()),
    }
}

fn snippet(code: &str, line: u32) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let start = code.len() - code.trim_start().len();
    let span = start..code.trim_end().len().max(start);
    Snippet::source(code).line_start(line as usize).annotation(AnnotationKind::Primary.span(span))
}

fn label(reported: &ReportedFinding) -> &'static str {
    if reported.uncommitted { " (uncommitted)" } else { "" }
}

/// What is known about a finding beside its text, in one line.
fn facts(reported: &ReportedFinding) -> String {
    let finding = &reported.finding;
    let mut parts = vec![
        finding.report_type.to_string(),
        format!("{} confidence", confidence(finding.confidence)),
        status(finding.status).to_owned(),
    ];
    parts.extend([&finding.cwe, &finding.owasp].into_iter().flatten().map(|id| escape::line(id)));
    let commit = reported.commit.as_ref();
    parts.extend(commit.map(|id| format!("in commit {}, gone from the end state", escape::line(id))));
    parts.push(format!("id {}", escape::line(&finding.id)));
    parts.join(", ")
}

pub(super) const fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

pub(super) const fn status(status: Status) -> &'static str {
    match status {
        Status::New => "new",
        Status::Persisting => "persisting",
    }
}

fn summary(inspection: &Inspection, colour: Colour, out: &mut String) {
    let style = match colour {
        Colour::On => verdict_style(inspection.verdict),
        Colour::Off => Style::new(),
    };
    let mut add = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    add(format!("{style}{}{style:#}", inspection.headline()));
    progress(inspection).into_iter().for_each(&mut add);
    for entry in &inspection.fixed {
        add(format!("  fixed: {} ({})", escape::line(&entry.title), escape::line(&entry.id)));
    }
    for entry in &inspection.suppressed {
        let is_new = if entry.new { ", new in this change" } else { "" };
        add(format!(
            "  suppressed: {} at {}: {}{is_new}",
            escape::line(&entry.rule),
            escape::line(&place(&entry.file, entry.line)),
            escape::line(&entry.reason)
        ));
    }
    if let Some(degraded) = &inspection.degraded {
        add(format!("  not as planned: {}", escape::line(&degraded.cause)));
    }
    for (reason, parts) in inspection.not_reviewed(Cause::Gap) {
        add(format!("  not read, {}: {}", escape::line(reason), names(&parts, usize::MAX)));
    }
    for (reason, parts) in inspection.not_reviewed(Cause::Convention) {
        add(format!("  left out, {}: {}", escape::line(reason), names(&parts, LEFT_OUT_NAMES_MAX)));
    }
    inspection.notes.iter().for_each(|note| add(format!("  note: {}", escape::line(note))));
}

/// How the findings relate to the last run and to the push.
fn progress(inspection: &Inspection) -> Option<String> {
    let count = |test: &dyn Fn(&ReportedFinding) -> bool| {
        inspection.findings.iter().filter(|reported| test(reported)).count()
    };
    let counted = [
        (count(&|one| one.finding.status == Status::New), "new"),
        (count(&|one| one.finding.status == Status::Persisting), "persisting"),
        (count(&|one| one.uncommitted), "uncommitted"),
    ];
    let parts: Vec<_> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!parts.is_empty()).then(|| format!("  {}", parts.join(", ")))
}

fn names(parts: &[&NotReviewed], limit: usize) -> String {
    let shown = parts.iter().take(limit).map(|part| escape::line(&place(&part.file, part.line)));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if parts.len() > limit {
        let _ = write!(text, " and {} more", parts.len() - limit);
    }
    text
}

fn verdict_style(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Approve => AnsiColor::Green,
        Verdict::RequestChanges => AnsiColor::Red,
        Verdict::Incomplete | Verdict::Error => AnsiColor::Yellow,
    };
    colour.on_default().bold()
}
