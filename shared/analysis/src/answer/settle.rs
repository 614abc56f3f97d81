//! From what is left of the model's claims to the report: findings added, coverage corrected. What the rules found
//! stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use prevet_domain::change::post_fragment;
use prevet_domain::finding::{
    Confidence, Finding, ReportType, Status, Suppressed, assign_ids, sort_worst_first,
};
use prevet_domain::limits::FINDINGS_MAX;
use prevet_domain::policy::RuleSetting;
use prevet_domain::verdict::{Cause, NotReviewed};

use super::admit::Candidate;
use super::place::{lines, stands};
use crate::ignore;
use crate::inspect::{NO_RULES_REASON, Report, Request};
use crate::place::Touched;
use crate::prompt::masked::MaskedChange;
use crate::source::Source;

/// The rule of every finding of a model.
pub const MODEL_RULE: &str = "model";
const EVIDENCE_CHARACTERS_MAX: usize = 240;

/// A piece of the change that the model did not answer for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The report type; none where no question was asked at all.
    pub report_type: Option<ReportType>,
    /// The file.
    pub file: String,
    /// The piece's first line after the change.
    pub line: u32,
    /// Why.
    pub reason: String,
}

/// What the questions came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What is left of the claims.
    pub candidates: Vec<Candidate>,
    /// What an earlier run's model found on this branch.
    pub earlier: Vec<Finding>,
    /// Ids of those that the model says were mended.
    pub mended: BTreeSet<String>,
    /// File and code of what was disproved.
    pub disproved: BTreeSet<(String, String)>,
    /// What was not answered.
    pub unanswered: Vec<Unanswered>,
}

/// Puts `outcome` into the rules' `report`.
pub fn settle(request: &Request<'_>, change: &MaskedChange, outcome: &Outcome, report: &mut Report) {
    let mut findings: Vec<Finding> =
        outcome.candidates.iter().filter_map(|it| finding(request, change, it)).collect();
    let room = FINDINGS_MAX.saturating_sub(report.findings.len());
    sort_worst_first(&mut findings);
    if findings.len() > room {
        let reason = format!("{} findings of the model; only the worst are kept", findings.len());
        report.coverage.not_reviewed.push(gap("*", None, reason));
        findings.truncate(room);
    }
    findings.sort_by(|a, b| (&a.file, a.line, &a.title).cmp(&(&b.file, b.line, &b.title)));
    let code: Vec<String> = findings.iter().map(code).collect();
    assign_ids(&mut findings, &code);
    let found: BTreeSet<String> = findings.iter().map(|finding| finding.id.clone()).collect();
    findings.extend(still_there(change, outcome, &found));
    for finding in findings {
        match suppression(request, &finding) {
            Some(entry) => report.suppressed.push((finding, entry)),
            None => report.findings.push(finding),
        }
    }
    sort_worst_first(&mut report.findings);
    cover(report, change, &outcome.unanswered);
}

fn finding(request: &Request<'_>, change: &MaskedChange, candidate: &Candidate) -> Option<Finding> {
    let claim = &candidate.stated.claim;
    let severity = match request.policy.rules.get(MODEL_RULE) {
        Some(RuleSetting::Off) => return None,
        Some(RuleSetting::Severity(severity)) => *severity,
        None => claim.severity,
    };
    let placed = candidate.lines();
    Some(Finding {
        id: String::new(),
        report_type: candidate.stated.report_type,
        severity,
        // A quote that is not there makes the rest doubtful too.
        confidence: if placed.is_some() { claim.confidence } else { Confidence::Low },
        file: change.files.get(candidate.file()?)?.path.clone(),
        line: placed.map(|it| it.0),
        end_line: placed.map(|it| it.1),
        title: claim.title.clone(),
        message: claim.message.clone(),
        rule: MODEL_RULE.to_owned(),
        evidence: placed.map(|it| evidence(it.2)).unwrap_or_default(),
        cwe: claim.cwe.clone(),
        owasp: claim.owasp.clone(),
        fix: None,
        status: Status::New,
    })
}

/// File and evidence of a candidate, as a finding would have them.
pub fn identity(change: &MaskedChange, candidate: &Candidate) -> Option<(String, String)> {
    let file = change.files.get(candidate.file()?)?;
    candidate.lines().map(|lines| (file.path.clone(), evidence(lines.2)))
}

fn evidence(code: &str) -> String {
    match code.char_indices().nth(EVIDENCE_CHARACTERS_MAX) {
        None => code.to_owned(),
        Some((at, _)) => format!("{}…", &code[..at]),
    }
}

/// What a finding's id is made of: its code, or its title where it stands on a file.
fn code(finding: &Finding) -> String {
    if finding.evidence.is_empty() { finding.title.to_lowercase() } else { finding.evidence.clone() }
}

/// Earlier findings that this run did not repeat, whose code is still there, and of which the model does not say
/// that they were mended: models do not say everything each time.
fn still_there(change: &MaskedChange, outcome: &Outcome, found: &BTreeSet<String>) -> Vec<Finding> {
    let disproved = |it: &Finding| outcome.disproved.contains(&(it.file.clone(), it.evidence.clone()));
    let open = |it: &&Finding| {
        it.rule == MODEL_RULE && !found.contains(&it.id) && !outcome.mended.contains(&it.id) && !disproved(it)
    };
    let renewed = |earlier: &Finding| {
        let file = change.files.iter().find(|file| file.path == earlier.file)?;
        let code = earlier.evidence.trim_end_matches('…');
        if code.is_empty() || !(stands(file, code) || earlier.evidence.ends_with('…')) {
            return None;
        }
        let (line, end_line, _) = lines(file, code, earlier.line)?;
        Some(Finding { line: Some(line), end_line: Some(end_line), ..earlier.clone() })
    };
    outcome.earlier.iter().filter(open).filter_map(renewed).collect()
}

/// The ignore comment that holds for a finding of the model.
fn suppression(request: &Request<'_>, finding: &Finding) -> Option<Suppressed> {
    let (line, end_line) = (finding.line?, finding.end_line?);
    let change = request.change.files.iter().find(|file| file.shown_path() == finding.file)?;
    let fragment = post_fragment(change);
    let whole = request.files.get(&finding.file);
    let source = Source::new(&finding.file, None, whole.map_or(&fragment, |it| it), whole.is_some());
    let ignore = ignore::find(&source, MODEL_RULE, line, end_line)?;
    Some(Suppressed {
        id: finding.id.clone(),
        rule: finding.rule.clone(),
        file: finding.file.clone(),
        line: finding.line,
        reason: ignore.reason,
        new: Touched::of(change).is_added(ignore.line),
    })
}

fn gap(file: &str, line: Option<u32>, reason: String) -> NotReviewed {
    NotReviewed { file: file.to_owned(), line, reason, cause: Cause::Gap }
}

/// A file in a language without rules counts as reviewed where all of it was answered for; what was not answered
/// for is named, whatever the rules read of it.
fn cover(report: &mut Report, change: &MaskedChange, unanswered: &[Unanswered]) {
    let missing: BTreeSet<&str> = unanswered.iter().map(|it| it.file.as_str()).collect();
    let answered = |file: &str| !missing.contains(file) && change.files.iter().any(|it| it.path == file);
    let before = report.coverage.not_reviewed.len();
    report.coverage.not_reviewed.retain(|it| it.reason != NO_RULES_REASON || !answered(&it.file));
    report.coverage.reviewed_files += before - report.coverage.not_reviewed.len();
    let mut places: BTreeMap<(&str, u32, &str), Vec<&str>> = BTreeMap::new();
    for piece in unanswered {
        let types = places.entry((&piece.file, piece.line, &piece.reason)).or_default();
        types.extend(piece.report_type.map(ReportType::as_str));
    }
    for ((file, line, reason), mut types) in places {
        types.dedup();
        let scope = if types.is_empty() { String::new() } else { format!(" for {}", types.join(", ")) };
        let reason = format!("the model did not review it{scope}: {reason}");
        report.coverage.not_reviewed.push(gap(file, Some(line), reason));
    }
}
