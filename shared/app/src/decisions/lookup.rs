//! `lookup_decision`: what people decided before.

use std::collections::BTreeMap;

use prevet_domain::decision::canonical::Canonical;
use prevet_domain::decision::freshness::{Freshness, freshness};
use prevet_domain::decision::guard::compare;
use prevet_domain::decision::record::Decision;
use prevet_domain::decision::request::{Scope, text};
use prevet_domain::decision::reuse::{Candidate, Guidance, Obstacle, Wanted, holds, judge_all};
use prevet_domain::decision::synonyms::Synonyms;
use prevet_domain::limits::{MATCHES_MAX, QUESTION_CHARACTERS_MAX};

use super::ports::{ContextItem, DecisionStore, Exact, Found};
use super::{Caller, DecisionError};
use crate::App;
use crate::error::AppError;
use crate::ports::Storage;

const OWN_WORDS: &str = "asks the same if words that a person took for one another once mean the same here";
/// Near decisions that are judged at the least: of several on the same, the latest counts.
const NEAR_MIN: usize = 20;

/// What a caller looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookUp {
    /// A question, or keywords.
    pub query: String,
    /// What it is about.
    pub scope: Scope,
    /// Matches at the most.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup {
    /// What may be applied first, then what is near.
    pub matches: Vec<Match>,
    /// What others shared about the same concepts.
    pub context: Vec<ContextItem>,
}

/// An earlier decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The decision.
    pub decision: Decision,
    /// How near its question is, from 0 to 1.
    pub score: f64,
    /// How fresh it is.
    pub freshness: Freshness,
    /// What to do with it.
    pub guidance: Guidance,
    /// Why.
    pub reason: String,
}

impl<S: Storage + DecisionStore> App<S> {
    /// What people decided before. One read where an answer applies; else the query for recent decisions and one read
    /// of the matches, whatever the tenant's history.
    pub async fn look_up_decision(&self, caller: &Caller, call: &LookUp) -> Result<Lookup, AppError> {
        let query = text("query", &call.query, QUESTION_CHARACTERS_MAX).map_err(DecisionError::from)?;
        let limit = call.limit.clamp(1, MATCHES_MAX as usize);
        let form = Canonical::of(&query, &Synonyms::default());
        let forms = [form.hash()];
        let exact =
            Exact { ask: None, forms: &forms, concepts: &call.scope.concepts, files: &call.scope.files };
        let found = self.storage.look_up(&caller.tenant, &exact).await?;
        let memory = self.memory(&query, &call.scope, &[], &found);
        let decisions = found.forms.values().flat_map(|it| &it.closed).map(|it| (it.clone(), 1.0)).collect();
        let mut matches = memory.matches(decisions);
        if !matches.iter().any(|it| it.guidance == Guidance::Apply) {
            let near = self.remembered(caller, &form, &found, limit).await?;
            matches = memory.matches(near);
        }
        matches.truncate(limit);
        Ok(Lookup { matches, context: found.context })
    }

    /// Decisions near a question, those of the same form and of forms with the tenant's synonyms first.
    pub(super) async fn remembered(
        &self,
        caller: &Caller,
        form: &Canonical,
        found: &Found,
        limit: usize,
    ) -> Result<Vec<(Decision, f64)>, AppError> {
        let own = found.forms.values().flat_map(|it| it.closed.clone());
        let mut decisions: Vec<(Decision, f64)> = own.map(|decision| (decision, 1.0)).collect();
        let variants = synonyms(found).variants(form);
        if !variants.is_empty() {
            let exact = Exact { forms: &variants, ..Exact::default() };
            let other = self.storage.look_up(&caller.tenant, &exact).await?;
            decisions
                .extend(other.forms.into_values().flat_map(|it| it.closed).map(|decision| (decision, 1.0)));
        }
        let hits = self.near(&caller.tenant, &found.manifest, form, limit.max(NEAR_MIN)).await?;
        let known = |id: &str| decisions.iter().any(|(decision, _)| decision.id.as_str() == id);
        let hits: Vec<_> = hits.into_iter().filter(|hit| !known(&hit.id)).collect();
        let near = self.of_hits(&caller.tenant, &hits).await?;
        decisions.extend(near);
        Ok(decisions)
    }

    /// What is needed to judge decisions for a request.
    pub(super) fn memory<'a>(
        &self,
        question: &str,
        scope: &'a Scope,
        options: &'a [String],
        found: &'a Found,
    ) -> Memory<'a> {
        let synonyms = synonyms(found);
        let form = Canonical::of(question, &Synonyms::default());
        let learned = Canonical::of(question, &synonyms);
        Memory { synonyms, form, learned, scope, options, changes: &found.changes, now: self.now() }
    }
}

/// The form of a question.
pub(super) fn form_of(question: &str) -> Canonical {
    Canonical::of(question, &Synonyms::default())
}

/// A tenant's own synonyms.
pub(super) fn synonyms(found: &Found) -> Synonyms {
    Synonyms::new(found.synonyms.pairs.iter().map(|(one, other)| (one.as_str(), other.as_str())))
}

/// What decisions are judged by.
pub(super) struct Memory<'a> {
    synonyms: Synonyms,
    /// The question.
    pub(super) form: Canonical,
    /// The same in the words that the tenant's people took for one another once. That two words meant the same there does
    /// not show that they do here, so it leads to a question and to no answer.
    learned: Canonical,
    scope: &'a Scope,
    options: &'a [String],
    changes: &'a BTreeMap<String, Vec<u64>>,
    now: u64,
}

impl Memory<'_> {
    /// What is asked.
    pub(super) fn wanted(&self) -> Wanted<'_> {
        Wanted { form: &self.form, options: self.options, scope: self.scope, now: self.now }
    }

    /// Whether another question asks the same once the tenant's own words are taken for one another.
    fn asks_the_same_in_own_words(&self, question: &str) -> bool {
        compare(&Canonical::of(question, &self.synonyms), &self.learned).is_ok()
    }

    /// Whether a decision still holds for the request that it answered.
    pub(super) fn still_holds(&self, decision: &Decision) -> bool {
        holds(decision, &self.freshness(decision), &self.wanted()).is_ok()
    }

    fn candidate(&self, decision: Decision) -> Candidate {
        let form = form_of(&decision.question);
        let freshness = self.freshness(&decision);
        Candidate { decision, form, freshness }
    }

    /// How fresh a decision is, by the changes to those of its files that the request names.
    pub(super) fn freshness(&self, decision: &Decision) -> Freshness {
        let made_at = decision.receipt.at;
        let shared = decision.scope.files.iter().filter(|file| self.scope.files.contains(file));
        let mut changes = None;
        for file in shared {
            let since =
                self.changes.get(file).map_or(0, |times| times.iter().filter(|at| **at > made_at).count());
            changes = Some(changes.unwrap_or(0) + u32::try_from(since).unwrap_or(u32::MAX));
        }
        freshness(made_at, self.now, changes)
    }

    /// Judges decisions: each with whether it answers what is asked.
    pub(super) fn judged(&self, decisions: Vec<Decision>) -> Vec<(Candidate, Result<(), Obstacle>)> {
        let candidates: Vec<Candidate> = decisions.into_iter().map(|it| self.candidate(it)).collect();
        let outcomes = judge_all(&candidates, &self.wanted());
        candidates.into_iter().zip(outcomes).collect()
    }

    /// Decisions as matches, what may be applied first. What is out of reuse and what was dismissed is left out.
    pub(super) fn matches(&self, decisions: Vec<(Decision, f64)>) -> Vec<Match> {
        let scores: BTreeMap<_, _> =
            decisions.iter().map(|(decision, score)| (decision.id.clone(), *score)).collect();
        let judged = self.judged(decisions.into_iter().map(|(decision, _)| decision).collect());
        let mut matches: Vec<Match> = judged
            .into_iter()
            .filter(|(candidate, _)| {
                candidate.decision.answer().is_some() && !candidate.decision.limits.retracted
            })
            .map(|(candidate, outcome)| {
                let (guidance, reason) = match outcome {
                    Ok(()) => (Guidance::Apply, "asks the same".to_owned()),
                    Err(Obstacle::Differs(_))
                        if self.asks_the_same_in_own_words(&candidate.decision.question) =>
                    {
                        (Guidance::Confirm, OWN_WORDS.to_owned())
                    }
                    Err(obstacle) => (Guidance::Confirm, obstacle.reason()),
                };
                let score = scores.get(&candidate.decision.id).copied().unwrap_or_default();
                let Candidate { decision, freshness, .. } = candidate;
                Match { decision, score, freshness, guidance, reason }
            })
            .collect();
        let applies = |it: &Match| it.guidance == Guidance::Apply;
        matches.sort_by(|one, other| {
            applies(other)
                .cmp(&applies(one))
                .then(other.score.total_cmp(&one.score))
                .then(other.decision.id.cmp(&one.decision.id))
        });
        matches
    }
}
