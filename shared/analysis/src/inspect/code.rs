//! The hits of the code engines that belong to a change.

use std::collections::{BTreeMap, BTreeSet};

use prevet_domain::change::{FileChange, Hunk, pre_fragment, pre_image};
use prevet_domain::finding::{Confidence, ReportType};

use crate::hit::Hit;
use crate::place::{Relation, Touched};
use crate::source::Source;
use crate::{parse_check, syntax, taint};

/// How near an added or removed line a syntax error has to be, to be the change's.
const PARSE_ERROR_DISTANCE_LINES: u32 = 3;

/// The hits in `source` that `change` is to blame for; the reason where it cannot be parsed.
pub fn hits(source: &Source<'_>, change: &FileChange, touched: &Touched) -> Result<Vec<Hit>, String> {
    let old_text = if source.whole { pre_image(change, source.text) } else { pre_fragment(change) };
    let mut hits = all_hits(source)?;
    if !source.whole {
        hits = shown_by_one_hunk(source, change, hits);
    }
    let apart = hits.iter().any(|hit| touched.relation(source, hit) == Relation::Apart);
    let mut before = if apart { fingerprints(source, &old_text) } else { BTreeMap::new() };
    hits.retain_mut(|hit| match touched.relation(source, hit) {
        Relation::Touched => true,
        Relation::Exposed => {
            hit.confidence = Some(hit.confidence.unwrap_or(hit.rule.confidence).min(Confidence::Medium));
            true
        }
        Relation::Apart => {
            let (first, last) = source.lines_of(&hit.span);
            let is_certain = source.whole || touched.any_added(first..=last);
            !was_there(&mut before, source, hit) && is_certain
        }
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

/// Rule and first line: the rest of a long hit may be anything.
type Fingerprint = (String, String);

/// What the same file held before the change, and how often, whatever the line.
fn fingerprints(source: &Source<'_>, old_text: &[u8]) -> BTreeMap<Fingerprint, usize> {
    let old = Source::new(source.path, source.language, old_text, true);
    let mut counts = BTreeMap::new();
    for hit in all_hits(&old).unwrap_or_default() {
        *counts.entry(fingerprint(&old, &hit)).or_default() += 1;
    }
    counts
}

fn fingerprint(source: &Source<'_>, hit: &Hit) -> Fingerprint {
    let code = &source.text[hit.span.clone()];
    let first = code.split(|byte| *byte == b'\n').next().unwrap_or(code);
    let first = String::from_utf8_lossy(first);
    (hit.rule.id.clone(), first.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether the old file has the hit; each of its own stands for one.
fn was_there(before: &mut BTreeMap<Fingerprint, usize>, source: &Source<'_>, hit: &Hit) -> bool {
    let Some(left) = before.get_mut(&fingerprint(source, hit)).filter(|left| **left > 0) else {
        return false;
    };
    *left -= 1;
    true
}

/// Of the bugs in hunks that stand one after the other, those that one hunk shows by itself: the ends of two
/// functions are no repetition, though nothing seems to lie between them.
fn shown_by_one_hunk(source: &Source<'_>, change: &FileChange, hits: Vec<Hit>) -> Vec<Hit> {
    let is_bug = |hit: &Hit| hit.rule.report_type == ReportType::Bug;
    if change.hunks().len() < 2 || !hits.iter().any(is_bug) {
        return hits;
    }
    let mut by_hunk: BTreeMap<u32, BTreeSet<(String, usize)>> = BTreeMap::new();
    let shown = |hit: &Hit| {
        let line = source.line_of(hit.span.start);
        let is_around = |hunk: &&Hunk| (hunk.new_start..hunk.new_start + hunk.new_lines).contains(&line);
        let Some(hunk) = change.hunks().iter().find(is_around) else { return false };
        let own = by_hunk.entry(hunk.new_start).or_insert_with(|| places_in(source, hunk));
        own.contains(&(hit.rule.id.clone(), hit.span.start))
    };
    let mut shown = shown;
    hits.into_iter().filter(|hit| !is_bug(hit) || shown(hit)).collect()
}

/// The rules and places of what `hunk` alone shows.
fn places_in(source: &Source<'_>, hunk: &Hunk) -> BTreeSet<(String, usize)> {
    let start = source.line_start(hunk.new_start);
    let end = source.line_start(hunk.new_start.saturating_add(hunk.new_lines)).max(start);
    let alone = Source::new(source.path, source.language, &source.text[start..end], false);
    let hits = all_hits(&alone).unwrap_or_default();
    hits.into_iter().map(|hit| (hit.rule.id.clone(), start + hit.span.start)).collect()
}
