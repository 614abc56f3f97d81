//! Every selected matcher over every node, in one walk.

use std::ops::Range;
use std::sync::Arc;

use ast_grep_config::RuleCore;
use ast_grep_core::NodeMatch;
use ast_grep_core::matcher::{Matcher, MatcherExt};
use prevet_domain::finding::{Confidence, ReportType};

use super::fix;
use super::load::SyntaxRule;
use super::parsed::{Document, Parsed, SyntaxNode};
use super::scope::Scopes;
use super::siblings::Siblings;
use crate::hit::Hit;
use crate::language::Language;
use crate::source::Source;

/// Siblings that rules may go along in one file. A rule that compares each entry of a list with all before it costs
/// the square of its length; in what is left of a file that used this up, such rules are not asked any more.
const SIBLING_STEPS_MAX: usize = 100_000;

/// A bug that goes on for more lines is shown where it begins.
const BUG_LINES_MAX: u32 = 8;

/// Longer lines are made by a program, and what looks like a bug in them is not the author's.
const WRITTEN_LINE_BYTES_MAX: usize = 4_000;

/// What runs, by the kind of node it can match.
struct Plan {
    rules: Vec<(&'static SyntaxRule, &'static RuleCore)>,
    by_kind: Vec<Vec<usize>>,
    any_kind: Vec<usize>,
}

impl Plan {
    fn new(parsed: &Parsed, selected: &[&'static SyntaxRule]) -> Self {
        let compiled = |rule: &&'static SyntaxRule| Some((*rule, rule.matcher(parsed.language).ok()?));
        let rules: Vec<_> = selected.iter().filter_map(compiled).collect();
        let mut plan = Self { rules, by_kind: Vec::new(), any_kind: Vec::new() };
        for at in 0..plan.rules.len() {
            plan.place(at);
        }
        plan
    }

    fn place(&mut self, at: usize) {
        let Some(kinds) = self.rules.get(at).and_then(|(_, matcher)| matcher.potential_kinds()) else {
            return self.any_kind.push(at);
        };
        for kind in &kinds {
            if self.by_kind.len() <= kind {
                self.by_kind.resize_with(kind + 1, Vec::new);
            }
            if let Some(list) = self.by_kind.get_mut(kind) {
                list.push(at);
            }
        }
    }

    fn for_kind(&self, kind: u16) -> impl Iterator<Item = usize> {
        self.by_kind.get(usize::from(kind)).into_iter().flatten().chain(&self.any_kind).copied()
    }
}

/// The hits of `selected` in `parsed`.
pub(super) fn walk(source: &Source, parsed: &Parsed, selected: &[&'static SyntaxRule]) -> Vec<Hit> {
    let plan = Plan::new(parsed, selected);
    if plan.rules.is_empty() {
        return Vec::new();
    }
    let mut walk = Walk {
        source,
        text: parsed.text(),
        language: parsed.language,
        scopes: Scopes::new(parsed.language),
        siblings: Siblings::default(),
        sibling_steps_left: SIBLING_STEPS_MAX,
        broken_until: 0,
        last: vec![0..0; plan.rules.len()],
        hits: Vec::new(),
    };
    for node in parsed.root().dfs() {
        walk.visit(&plan, &node);
    }
    walk.hits
}

struct Walk<'a> {
    source: &'a Source<'a>,
    text: &'a str,
    language: Language,
    scopes: Scopes,
    siblings: Siblings,
    sibling_steps_left: usize,
    broken_until: usize,
    last: Vec<Range<usize>>,
    hits: Vec<Hit>,
}

impl Walk<'_> {
    fn visit(&mut self, plan: &Plan, node: &SyntaxNode) {
        if !node.is_named() {
            return;
        }
        let span = node.range();
        self.scopes.enter(node.kind_id(), &span);
        let before = self.siblings.enter(&span);
        if node.is_error() {
            self.broken_until = self.broken_until.max(span.end);
        }
        for at in plan.for_kind(node.kind_id()) {
            let Some((rule, matcher)) = plan.rules.get(at) else { continue };
            if rule.looks_along {
                let Some(left) = self.sibling_steps_left.checked_sub(before) else { continue };
                self.sibling_steps_left = left;
            }
            if let Some(found) = matcher.match_node(node.clone())
                && rule.check.is_none_or(|check| check.holds(&found, self.text, self.language))
            {
                self.keep(at, rule, &found);
            }
        }
    }

    fn keep(&mut self, at: usize, rule: &SyntaxRule, found: &NodeMatch<Document>) {
        let span = found.range();
        let Some(last) = self.last.get_mut(at) else { return };
        if self.source.line_of(last.start) == self.source.line_of(span.start) && span.end <= last.end {
            return;
        }
        *last = span.clone();
        let line = self.source.line(self.source.line_of(span.start));
        if rule.rule.report_type == ReportType::Bug && line.len() > WRITTEN_LINE_BYTES_MAX {
            return;
        }
        let span = self.shown(rule, span);
        self.hits.push(Hit {
            rule: Arc::clone(&rule.rule),
            fix: rule.fix.as_deref().and_then(|template| fix::render(self.source, found, template)),
            confidence: self.confidence(rule, found),
            scope: self.scopes.current(),
            span,
        });
    }

    /// Where a hit stands. A bug is where its node begins: in what goes on for long, a change is seldom of the bug.
    fn shown(&self, rule: &SyntaxRule, span: Range<usize>) -> Range<usize> {
        let (first, last) = self.source.lines_of(&span);
        if rule.rule.report_type != ReportType::Bug || rule.fix.is_some() || last - first < BUG_LINES_MAX {
            return span;
        }
        span.start..self.source.line_start(first) + self.source.line(first).trim_ascii_end().len()
    }

    /// What stands in text that did not parse may be something else than it looks.
    fn confidence(&self, rule: &SyntaxRule, found: &NodeMatch<Document>) -> Option<Confidence> {
        let broken = found.range().start < self.broken_until || found.get_inner_node().has_error();
        let lowered = match rule.rule.confidence {
            Confidence::High => Confidence::Medium,
            Confidence::Medium | Confidence::Low => Confidence::Low,
        };
        broken.then_some(lowered)
    }
}
