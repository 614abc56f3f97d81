//! Secrets in the commits of a push: they are pushed too, whatever the end state holds. Nothing of it leaves the
//! machine.

use std::collections::BTreeMap;

use bytes::Bytes;
use prevet_analysis::inspect::{Report, Request, inspect};
use prevet_analysis::source::Source;
use prevet_domain::change::{Change, post_fragment};
use prevet_domain::finding::{Finding, ReportType, Suppressed};
use prevet_domain::path::RepoPath;
use prevet_domain::policy::{NewIgnores, Policy};
use prevet_domain::verdict::{Cause, NotReviewed};

use super::{binary, parse};
use crate::error::CommandError;
use crate::git::{CommitPatch, PushReview, Repository};
use crate::report::{Inspection, ReportedFinding};

/// The patch of one commit that is looked through at a time.
const COMMIT_PATCH_BYTES_MAX: usize = 16 << 20;

/// What the commits hold beyond the end state.
#[derive(Default)]
pub struct HistorySecrets {
    /// Secrets that the end state's report does not have.
    pub findings: Vec<ReportedFinding>,
    /// What could not be looked through.
    pub unread: Vec<NotReviewed>,
}

/// A secret, and the lines it stands on.
struct Found {
    finding: Finding,
    lines: Vec<u8>,
}

/// Looks through each commit of `review`; `end_state` is the report on all of them together.
pub fn history_secrets(
    repository: &Repository,
    review: &PushReview,
    policy: &Policy,
    end_state: Option<&Inspection>,
) -> Result<HistorySecrets, CommandError> {
    let known = end_state.map(|it| it.findings.as_slice()).unwrap_or_default();
    let ignored = end_state.map(|it| it.suppressed.as_slice()).unwrap_or_default();
    let mut new: BTreeMap<String, ReportedFinding> = BTreeMap::new();
    let mut unread = Vec::new();
    for patch in repository.commit_patches(&review.base, &review.oid, COMMIT_PATCH_BYTES_MAX)? {
        let patch = patch?;
        let short = patch.commit.get(..10).unwrap_or(&patch.commit).to_owned();
        unread.extend(left_out(&patch, &short));
        for found in secrets_in(&Bytes::from(patch.patch), policy)? {
            let seen = |it: &ReportedFinding| it.finding.id == found.finding.id;
            if known.iter().any(seen) || is_ignored(repository, &review.oid, ignored, &found)? {
                continue;
            }
            let reported =
                ReportedFinding { commit: Some(short.clone()), ..ReportedFinding::new(found.finding) };
            new.entry(reported.finding.id.clone()).or_insert(reported);
        }
    }
    Ok(HistorySecrets { findings: new.into_values().collect(), unread })
}

fn left_out(patch: &CommitPatch, short: &str) -> Vec<NotReviewed> {
    let part = |it: &crate::git::LeftOut| NotReviewed {
        file: it.path.clone(),
        line: None,
        reason: format!("in commit {short}: {}", it.reason),
        cause: Cause::Gap,
    };
    patch.left_out.iter().map(part).collect()
}

fn secrets_in(patch: &Bytes, policy: &Policy) -> Result<Vec<Found>, CommandError> {
    let mut change = parse(patch)?;
    let (binary, text): (Vec<_>, Vec<_>) = change.files.into_iter().partition(binary::is_binary);
    change = Change { files: text };
    let of_binary = binary.iter().flat_map(|file| binary::added_secrets(file, policy));
    let of_binary: Vec<Found> = of_binary.map(|finding| Found { finding, lines: Vec::new() }).collect();
    let report = secret_report(&change, policy);
    let held = |entry: &Suppressed| entry.new && policy.new_ignores == NewIgnores::Block;
    let held = report.suppressed.into_iter().filter(|(_, entry)| held(entry)).map(|(finding, _)| finding);
    let with_lines = |finding: Finding| {
        let file = change.files.iter().find(|file| file.shown_path() == finding.file);
        let text = file.map(post_fragment).unwrap_or_default();
        let first = finding.line.unwrap_or(1);
        let lines = lines(&text, first, finding.end_line.unwrap_or(first));
        Found { finding, lines }
    };
    Ok(report.findings.into_iter().chain(held).map(with_lines).chain(of_binary).collect())
}

/// The secrets of a change, from its patch alone.
pub fn secret_report(change: &Change, policy: &Policy) -> Report {
    let (files, left_out) = (BTreeMap::new(), BTreeMap::new());
    let report_types = &[ReportType::Secret];
    inspect(&Request { change, files: &files, left_out: &left_out, policy, report_types })
}

fn lines(text: &[u8], first: u32, last: u32) -> Vec<u8> {
    let source = Source::new("", None, text, false);
    (first..=last).map(|number| source.line(number)).collect::<Vec<_>>().join(&b'\n').trim_ascii().to_vec()
}

/// Whether the end state holds this very secret and ignores it there: it was looked at and is no secret. What
/// the policy does with new ignores is in the end state's verdict.
fn is_ignored(
    repository: &Repository,
    commit: &str,
    ignored: &[Suppressed],
    found: &Found,
) -> Result<bool, CommandError> {
    let (file, rule) = (&found.finding.file, &found.finding.rule);
    let mut places = ignored.iter().filter(|entry| entry.file == *file && entry.rule == *rule).peekable();
    if places.peek().is_none() || found.lines.is_empty() {
        return Ok(false);
    }
    let Ok(path) = RepoPath::parse(file.as_bytes()) else { return Ok(false) };
    let text = repository.file_at(commit, &path)?.unwrap_or_default();
    let first = found.finding.line.unwrap_or(1);
    let further = found.finding.end_line.unwrap_or(first).saturating_sub(first);
    Ok(places.filter_map(|entry| entry.line).any(|line| {
        let there = lines(&text, line, line.saturating_add(further));
        there.windows(found.lines.len()).any(|window| window == found.lines)
    }))
}
