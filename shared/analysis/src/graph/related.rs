//! What a reader of a change should see beside it: the callers of what it changes, and what its new lines call.

use std::collections::{BTreeMap, BTreeSet};

use prevet_domain::change::{FileChange, LineKind};
use prevet_domain::path::RepoPath;

use super::grammar::is_covered;
use super::index::{By, Graph, Place};
use super::symbols::{FileSymbols, ReferenceKind, read};
use super::wanted::{State, Wanted, WantedSymbol, innermost, language_of};
use crate::language::{Language, TextKind, detect};

/// Reasons that one file gives.
const REASONS_MAX: usize = 6;
/// A longer definition is cut to the lines around what counts.
const DEFINITION_LINES_MAX: u32 = 80;
/// Lines before and behind a line that stands in no definition, or in one that is too long.
const AROUND_LINES: u32 = 8;
/// Lines between two excerpts that are shown too, so that they become one.
const GAP_LINES_MAX: u32 = 3;
/// A name with more definitions than this tells nothing.
const DEFINITIONS_MAX: usize = 6;

/// A file outside the change.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its path.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// What it has.
    pub symbols: FileSymbols,
}

impl Candidate {
    /// The file at `path`, with its references to names that `wanted` takes; `None` where the graph cannot read it.
    pub fn read(path: &RepoPath, text: &[u8], wanted: impl Fn(&str) -> bool) -> Option<Self> {
        match detect(path, text) {
            TextKind::Known(language) if is_covered(language) => {
                Some(Self { path: path.to_string(), language, symbols: read(language, text, wanted)? })
            }
            _ => None,
        }
    }
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files.
    pub files_max: usize,
    /// Bytes of all excerpts.
    pub bytes_max: usize,
    /// Bytes of one file's excerpts.
    pub file_bytes_max: usize,
    /// A file up to this size is shown whole.
    pub whole_bytes_max: usize,
}

/// Lines of a file, as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first one, from 1.
    pub first_line: u32,
    /// The lines.
    pub text: String,
}

/// A file that is worth seeing, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Its path.
    pub path: String,
    /// Why, the weightiest first.
    pub reasons: Vec<String>,
    /// Its lines that count.
    pub excerpts: Vec<Excerpt>,
}

/// Why a file counts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reason {
    text: String,
    weight: u32,
    /// First and last line to show, and the line that must be in it.
    lines: (u32, u32),
    line: u32,
}

/// The files of `candidates` that count, the most relevant first. `changed` are the files of the change as they are after
/// it; `text_of` gives a file's text, masked, its lines where they were.
pub fn related(
    wanted: &Wanted,
    changed: Vec<Candidate>,
    candidates: Vec<Candidate>,
    limits: &Limits,
    text_of: impl Fn(&str) -> Option<String>,
) -> Vec<Related> {
    let own = changed.len();
    let mut graph = Graph::default();
    for it in changed.into_iter().chain(candidates) {
        graph.add(&it.path, it.language, it.symbols);
    }
    let mut reasons: BTreeMap<usize, Vec<Reason>> = BTreeMap::new();
    for symbol in &wanted.changed {
        for (file, reason) in uses(&graph, symbol).into_iter().filter(|(file, _)| *file >= own) {
            reasons.entry(file).or_default().push(reason);
        }
    }
    for symbol in &wanted.called {
        for (file, reason) in defines(&graph, symbol, own) {
            reasons.entry(file).or_default().push(reason);
        }
    }
    let mut ranked: Vec<(u32, &str, Vec<Reason>)> =
        reasons.into_iter().map(|(file, reasons)| weighed(graph.path(file), reasons)).collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    fitting(ranked, limits, text_of)
}

fn fitting(
    ranked: Vec<(u32, &str, Vec<Reason>)>,
    limits: &Limits,
    text_of: impl Fn(&str) -> Option<String>,
) -> Vec<Related> {
    let (mut all, mut left) = (Vec::new(), limits.bytes_max);
    for (_, path, reasons) in ranked {
        if all.len() == limits.files_max || left == 0 {
            break;
        }
        let Some(text) = text_of(path) else { continue };
        let excerpts = cut(&text, &reasons, limits, left.min(limits.file_bytes_max));
        let bytes: usize = excerpts.iter().map(|it| it.text.len()).sum();
        if bytes == 0 {
            continue;
        }
        left = left.saturating_sub(bytes);
        let mut texts: Vec<String> = Vec::new();
        for reason in reasons {
            if texts.len() < REASONS_MAX && !texts.contains(&reason.text) {
                texts.push(reason.text);
            }
        }
        all.push(Related { path: path.to_owned(), reasons: texts, excerpts });
    }
    all
}

/// Who uses a changed symbol.
fn uses(graph: &Graph, symbol: &WantedSymbol) -> Vec<(usize, Reason)> {
    let references = graph.references(&symbol.name);
    let found = references.iter().filter_map(|place| {
        let by = match symbol.state {
            State::Removed => left_without(graph, *place, symbol)?,
            _ => meant(graph, *place, symbol)?,
        };
        Some((place.file, use_reason(graph, *place, symbol, by)?))
    });
    found.collect()
}

/// How the reference means the symbol, if it does: what tells it, and among how many definitions.
fn meant(graph: &Graph, reference: Place, symbol: &WantedSymbol) -> Option<(By, usize)> {
    let resolution = graph.resolve(reference)?;
    let is_it = |place: &Place| {
        graph.path(place.file) == symbol.file
            && graph.symbol(*place).is_some_and(|it| it.qualified == symbol.qualified)
    };
    let count = resolution.definitions.len();
    (resolution.definitions.iter().any(is_it) && count <= DEFINITIONS_MAX).then_some((resolution.by, count))
}

/// A reference to something that is gone: nothing else of that name is meant, or the file imports from where it was.
fn left_without(graph: &Graph, reference: Place, symbol: &WantedSymbol) -> Option<(By, usize)> {
    let resolution = graph.resolve(reference)?;
    if resolution.by == By::SameFile {
        return None;
    }
    if graph.imports(reference.file, &symbol.file) {
        return Some((By::Imported, 1));
    }
    let count = resolution.definitions.len();
    (count == 0).then_some((By::Only, 1))
}

fn use_reason(
    graph: &Graph,
    place: Place,
    symbol: &WantedSymbol,
    (by, count): (By, usize),
) -> Option<Reason> {
    let it = graph.reference(place)?;
    let name = &symbol.qualified;
    let (verb, shown, weight) = match it.kind {
        ReferenceKind::Call => ("calls", format!("{name}()"), 80),
        ReferenceKind::Use => ("uses", name.clone(), 40),
        ReferenceKind::Import => ("imports", name.clone(), 8),
    };
    let gone = symbol.state == State::Removed;
    let mut text = match (by, gone) {
        (_, true) => format!("{verb} {shown}, which the change removes"),
        (By::Ambiguous, _) => format!("may mean {shown}: one of {count} definitions of that name"),
        _ => format!("{verb} {shown}"),
    };
    let inside = graph.inside(place);
    if let Some(around) = inside.filter(|_| it.kind != ReferenceKind::Import) {
        text = format!("{text} in {}", around.qualified);
    }
    let weight = if gone { weight * 2 } else { weight };
    let weight = if by == By::Ambiguous { weight / u32::try_from(count + 1).unwrap_or(9) } else { weight };
    let lines = match (inside, it.kind) {
        (Some(around), ReferenceKind::Call | ReferenceKind::Use) => around.lines,
        (_, ReferenceKind::Import) => (it.line, it.line),
        (None, _) => (it.line.saturating_sub(AROUND_LINES).max(1), it.line + AROUND_LINES),
    };
    Some(Reason { text, weight, lines, line: it.line })
}

/// Who defines what a changed file calls.
fn defines(graph: &Graph, symbol: &WantedSymbol, own: usize) -> Vec<(usize, Reason)> {
    let from = graph.references(&symbol.name).iter().filter(|it| it.file < own);
    let Some(reference) = from.copied().find(|it| graph.path(it.file) == symbol.file) else {
        return Vec::new();
    };
    let Some(resolution) = graph.resolve(reference) else { return Vec::new() };
    let count = resolution.definitions.len();
    if count > DEFINITIONS_MAX {
        return Vec::new();
    }
    let reason = |place: &Place| {
        let it = graph.symbol(*place)?;
        let of = if count > 1 { format!(": one of {count} of that name") } else { String::new() };
        let text = format!("defines {}{of}", it.qualified);
        let weight = 60 / u32::try_from(count).unwrap_or(60);
        Some((place.file, Reason { text, weight, lines: it.lines, line: it.lines.0 }))
    };
    resolution.definitions.iter().filter(|it| it.file >= own).filter_map(reason).collect()
}

/// A file's weight: its best reason counts whole, further ones less and less; tests come behind.
fn weighed(path: &str, mut reasons: Vec<Reason>) -> (u32, &str, Vec<Reason>) {
    reasons.sort_by(|a, b| b.weight.cmp(&a.weight).then(a.line.cmp(&b.line)));
    let weight: u32 = reasons.iter().zip(1..).take(8).map(|(it, nth)| it.weight / nth).sum();
    let lower = path.to_lowercase();
    let test =
        lower.split(['/', '.', '_', '-']).any(|piece| matches!(piece, "test" | "tests" | "spec" | "specs"));
    (if test { weight / 3 } else { weight }, path, reasons)
}

/// The lines of `text` that the reasons are about, the weightiest first, as many as fit, in the order of the text.
fn cut(text: &str, reasons: &[Reason], limits: &Limits, bytes_max: usize) -> Vec<Excerpt> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if text.len() <= limits.whole_bytes_max.min(bytes_max) {
        return vec![Excerpt { first_line: 1, text: text.to_owned() }];
    }
    let ranges = reasons.iter().flat_map(|it| shown_lines(it.lines, it.line));
    chosen(&lines, ranges, bytes_max)
}

/// A definition that is too long shows its head and what is around the line.
fn shown_lines((first, last): (u32, u32), line: u32) -> Vec<(u32, u32)> {
    if last.saturating_sub(first) < DEFINITION_LINES_MAX {
        return vec![(first, last)];
    }
    let around = (line.saturating_sub(AROUND_LINES).max(first), (line + AROUND_LINES).min(last));
    vec![(first, first + 1), around]
}

fn chosen(lines: &[&str], ranges: impl Iterator<Item = (u32, u32)>, bytes_max: usize) -> Vec<Excerpt> {
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    let mut bytes = 0;
    for (first, last) in ranges {
        let rows = (first.max(1) as usize - 1)..(last as usize).min(lines.len());
        let new: Vec<usize> = rows.filter(|row| !shown.contains(row)).collect();
        let more: usize = new.iter().map(|row| lines[*row].len()).sum();
        if bytes + more <= bytes_max {
            bytes += more;
            shown.extend(new);
        }
    }
    let mut excerpts: Vec<Excerpt> = Vec::new();
    let mut previous: Option<usize> = None;
    for row in shown {
        let near = previous.filter(|it| row - it <= GAP_LINES_MAX as usize + 1);
        match (near, excerpts.last_mut()) {
            (Some(before), Some(last)) => last.text.extend(lines[before + 1..=row].iter().copied()),
            _ => excerpts.push(Excerpt {
                first_line: u32::try_from(row + 1).unwrap_or(u32::MAX),
                text: lines[row].to_owned(),
            }),
        }
        previous = Some(row);
    }
    excerpts
}

/// The definitions around the hunks of one changed file, of `text` as it is after the change.
pub fn enclosing_excerpts(file: &FileChange, text: &str, bytes_max: usize) -> Vec<Excerpt> {
    let Some(language) = language_of(file, text.as_bytes()) else { return Vec::new() };
    let symbols = read(language, text.as_bytes(), |_| false).unwrap_or_default();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let changed = file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|it| it.kind != LineKind::Context);
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in changed {
        let Some(symbol) = innermost(&symbols, line.new_number, line.new_number) else { continue };
        for range in shown_lines(symbols.symbols[symbol].lines, line.new_number) {
            if !ranges.contains(&range) {
                ranges.push(range);
            }
        }
    }
    chosen(&lines, ranges.into_iter(), bytes_max)
}
