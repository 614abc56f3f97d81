//! The second pass: each finding of the model is put to it again, to be disproved.

use std::collections::BTreeMap;
use std::sync::Arc;

use prevet_analysis::answer::admit::Candidate;
use prevet_analysis::answer::claim::Claim;
use prevet_analysis::answer::read;
use prevet_analysis::prompt::BYTES_PER_TOKEN;
use prevet_analysis::prompt::question::{ANSWER_TOKENS_MAX, refute};
use tokio::task::JoinSet;

use super::model_review::{PARALLEL_MAX, Prepared};
use crate::asking::Asking;
use crate::progress::Progress;

/// Tries to disprove each candidate, part by part: what is left, and what was disproved with the reason.
pub(super) async fn test(
    asking: &Arc<Asking>,
    prepared: &Arc<Prepared>,
    candidates: Vec<Candidate>,
    progress: &Progress,
) -> (Vec<Candidate>, Vec<(Candidate, String)>) {
    let mut by_part: BTreeMap<usize, Vec<(usize, Claim)>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        by_part.entry(candidate.stated.part).or_default().push((at, candidate.stated.claim.clone()));
    }
    let total = by_part.len();
    let mut waiting = by_part.into_iter();
    let (mut open, mut disproved) = (JoinSet::new(), BTreeMap::new());
    for done in 0.. {
        progress.tell("testing what the model found", done, total);
        while open.len() < PARALLEL_MAX
            && let Some((part, claims)) = waiting.next()
        {
            open.spawn(test_part(Arc::clone(asking), Arc::clone(prepared), part, claims));
        }
        match open.join_next().await {
            None => break,
            // A task that died disproved nothing.
            Some(finished) => disproved.extend(finished.unwrap_or_default()),
        }
    }
    let (mut kept, mut refuted) = (Vec::new(), Vec::new());
    for (at, candidate) in candidates.into_iter().enumerate() {
        match disproved.remove(&at) {
            None => kept.push(candidate),
            Some(reason) => refuted.push((candidate, reason)),
        }
    }
    (kept, refuted)
}

/// Which of the claims about a part are disproved, and by what. Without an answer none is.
async fn test_part(
    asking: Arc<Asking>,
    prepared: Arc<Prepared>,
    part: usize,
    claims: Vec<(usize, Claim)>,
) -> Vec<(usize, String)> {
    let Some(marker) = asking.marker() else { return Vec::new() };
    let bytes_max = asking.model.input_tokens_max() * BYTES_PER_TOKEN;
    let listed: Vec<&Claim> = claims.iter().map(|(_, claim)| claim).collect();
    let around = prepared.around.get(part).map(String::as_str).unwrap_or_default();
    let (question, count) = refute(&listed, &prepared.plan.parts[part], around, &marker, bytes_max);
    if count == 0 {
        return Vec::new();
    }
    let answer = asking.ask(question, ANSWER_TOKENS_MAX, "refute").await.unwrap_or_default();
    let refutations = read::refutations(&answer, count, &prepared.change);
    refutations.into_iter().map(|it| (claims[it.at].0, it.reason)).collect()
}
