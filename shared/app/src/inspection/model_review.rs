//! The model's passes of an inspection: plan, ask each part for each report type, test what was found, settle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prevet_analysis::answer::admit::{Candidate, Dropped, Stated, admit};
use prevet_analysis::answer::claim::Claim;
use prevet_analysis::answer::read;
use prevet_analysis::answer::settle::{Outcome, Unanswered, settle};
use prevet_analysis::prompt::BYTES_PER_TOKEN;
use prevet_analysis::prompt::masked::{MaskedChange, masked};
use prevet_analysis::prompt::part::{Part, Piece, Plan, plan};
use prevet_analysis::prompt::question::{Brief, overhead_bytes, refute, review};
use prevet_domain::finding::ReportType;
use prevet_domain::policy::Guideline;
use prevet_domain::session::Session;
use prevet_domain::verdict::Cause;
use tokio::task::JoinSet;

use super::asking::Asking;
use super::{History, InspectDiff, Inspected, ModelNotes, asked_for};
use crate::App;
use crate::error::AppError;
use crate::model::Model;
use crate::ports::Storage;

/// Questions that are open at once.
const PARALLEL_MAX: usize = 4;
/// How often a question is put whose answer cannot be read.
const ASKED_MAX: usize = 2;

/// What is asked about.
struct Prepared {
    change: MaskedChange,
    brief: Brief,
    plan: Plan,
}

/// What one part came to for one report type.
struct Reviewed {
    part: usize,
    report_type: ReportType,
    review: read::Review,
    failure: Option<String>,
}

impl<S: Storage> App<S> {
    /// Asks the model, and puts what is left of its answers into the report.
    pub(super) async fn review(
        &self,
        model: Arc<dyn Model>,
        call: &InspectDiff,
        session: &Session,
        history: &History,
        inspected: &mut Inspected,
    ) -> Result<ModelNotes, AppError> {
        let types = asked_for(call);
        let budget = inspected.context.policy.budget_usd_per_day.map(micro_usd);
        let asking = Asking::new(model, session.identity.tenant.clone(), budget, self.world.random);
        let asking = Arc::new(asking);
        let earlier = history.of_models(&types);
        let brief = Brief { earlier: earlier.clone(), ..brief(call, inspected) };
        let prepared = Arc::new(prepare(inspected, brief, &types, &asking).ok_or(AppError::NoRandomness)?);
        let reviewed = ask_all(&asking, &prepared, &types).await;
        let mut unanswered = unanswered(&prepared.plan, &reviewed);
        let mended: BTreeSet<String> = reviewed.iter().flat_map(|it| it.review.mended.clone()).collect();
        let stated = stated(&prepared.plan, reviewed);
        let (candidates, mut dropped) = admit(&prepared.change, &inspected.report, stated);
        let candidates = test(&asking, &prepared, candidates, &mut dropped).await;
        unanswered.sort_by(|a, b| (&a.file, a.line, &a.reason).cmp(&(&b.file, b.line, &b.reason)));
        let degraded = !unanswered.is_empty();
        let outcome = Outcome { candidates, earlier, mended, unanswered };
        let mut report = std::mem::take(&mut inspected.report);
        settle(&inspected.request(&types), &prepared.change, outcome, &mut report);
        inspected.report = report;
        let (questions, input_tokens, output_tokens) = asking.counted();
        let name = asking.model.name();
        Ok(ModelNotes { name, questions, input_tokens, output_tokens, dropped, degraded })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and a budget below nothing is none"
)]
fn micro_usd(usd: f64) -> u64 {
    (usd * 1_000_000.0).max(0.0) as u64
}

fn brief(call: &InspectDiff, inspected: &Inspected) -> Brief {
    let of_call = call.guidelines.iter().map(|text| Guideline { paths: Vec::new(), text: text.clone() });
    Brief {
        intent: call.intent.clone(),
        title: call.title.clone(),
        description: call.description.clone(),
        guidelines: inspected.context.policy.guidelines.iter().cloned().chain(of_call).collect(),
        reported: inspected.report.findings.clone(),
        ..Brief::default()
    }
}

/// Masks and cuts; none without randomness.
fn prepare(inspected: &Inspected, brief: Brief, types: &[ReportType], asking: &Asking) -> Option<Prepared> {
    let by_convention = inspected.report.coverage.not_reviewed.iter();
    let by_convention = by_convention.filter(|part| part.cause == Cause::Convention);
    let left_out: BTreeSet<&str> = by_convention.map(|part| part.file.as_str()).collect();
    let change = masked(&inspected.change, &left_out);
    let tokens = asking.model.input_tokens_max();
    let brief = brief.fit(tokens);
    let piece = |path: &String| Piece { file: path.clone(), line: 1, text: String::new() };
    let all = Part { pieces: change.files.iter().map(|file| piece(&file.path)).collect() };
    let marker = asking.marker()?;
    let overhead = types.iter().map(|it| overhead_bytes(*it, &brief, &all, &marker)).max().unwrap_or(0);
    let known: Vec<&str> = brief.earlier.iter().map(|finding| finding.file.as_str()).collect();
    let plan = plan(&change, &brief.intent, &known, (tokens * BYTES_PER_TOKEN).saturating_sub(overhead));
    Some(Prepared { change, brief, plan })
}

/// Every part for every report type, some at once, in the plan's order.
async fn ask_all(asking: &Arc<Asking>, prepared: &Arc<Prepared>, types: &[ReportType]) -> Vec<Reviewed> {
    let parts = 0..prepared.plan.parts.len();
    let mut waiting = parts.flat_map(|part| types.iter().map(move |report_type| (part, *report_type)));
    let (mut open, mut reviewed) = (JoinSet::new(), Vec::new());
    loop {
        while open.len() < PARALLEL_MAX
            && let Some((part, report_type)) = waiting.next()
        {
            open.spawn(ask_one(Arc::clone(asking), Arc::clone(prepared), part, report_type));
        }
        match open.join_next().await {
            None => break,
            Some(Ok(one)) => reviewed.push(one),
            // A task that died is missed by `unanswered`, which looks for every part.
            Some(Err(_)) => {}
        }
    }
    // Whichever came first: the report is the same.
    reviewed.sort_by_key(|it: &Reviewed| (it.part, it.report_type));
    let answered: BTreeSet<(usize, ReportType)> =
        reviewed.iter().map(|it| (it.part, it.report_type)).collect();
    let all = (0..prepared.plan.parts.len())
        .flat_map(|part| types.iter().map(move |report_type| (part, *report_type)));
    let died = all.filter(|key| !answered.contains(key)).map(|(part, report_type)| Reviewed {
        part,
        report_type,
        review: read::Review::default(),
        failure: Some("the question was not finished; this is a defect of Prevet".to_owned()),
    });
    let died: Vec<Reviewed> = died.collect();
    reviewed.extend(died);
    reviewed
}

async fn ask_one(
    asking: Arc<Asking>,
    prepared: Arc<Prepared>,
    part: usize,
    report_type: ReportType,
) -> Reviewed {
    let mut kept = read::Review::default();
    let mut failure = None;
    for _ in 0..ASKED_MAX {
        let Some(marker) = asking.marker() else {
            failure = Some("the system gave no random bytes".to_owned());
            break;
        };
        let question = review(report_type, &prepared.brief, &prepared.plan.parts[part], &marker);
        match asking.ask(question, "inspect").await.map(|text| read::review(&text)) {
            Ok(Some(review)) => {
                let complete = review.complete;
                kept.claims.extend(review.claims);
                kept.mended.extend(review.mended);
                if complete {
                    return Reviewed { part, report_type, review: kept, failure: None };
                }
                failure = Some("its answer was cut short, twice".to_owned());
            }
            Ok(None) => failure = Some("its answer could not be read, twice".to_owned()),
            Err(reason) => {
                failure = Some(reason);
                break;
            }
        }
    }
    Reviewed { part, report_type, review: kept, failure }
}

fn unanswered(plan: &Plan, reviewed: &[Reviewed]) -> Vec<Unanswered> {
    let left_over = plan.left_over.iter().map(|it| Unanswered {
        report_type: None,
        file: it.file.clone(),
        line: it.line,
        reason: it.reason.to_owned(),
    });
    let failed = reviewed.iter().flat_map(|it| {
        let pieces = it.failure.iter().flat_map(|reason| {
            plan.parts[it.part].pieces.iter().map(move |piece| (piece, reason.clone()))
        });
        pieces.map(|(piece, reason)| Unanswered {
            report_type: Some(it.report_type),
            file: piece.file.clone(),
            line: piece.line,
            reason,
        })
    });
    left_over.chain(failed).collect()
}

fn stated(plan: &Plan, reviewed: Vec<Reviewed>) -> Vec<Stated> {
    let only = |part: usize| {
        let mut files: Vec<&str> = plan.parts[part].pieces.iter().map(|it| it.file.as_str()).collect();
        files.dedup();
        (files.len() == 1).then(|| files[0].to_owned())
    };
    let of = |it: Reviewed| {
        let (part, report_type, only) = (it.part, it.report_type, only(it.part));
        it.review.claims.into_iter().map(move |claim| Stated { part, report_type, claim, only: only.clone() })
    };
    reviewed.into_iter().flat_map(of).collect()
}

/// Tries to disprove each candidate, part by part; what can be disproved goes to `dropped` with the reason.
async fn test(
    asking: &Arc<Asking>,
    prepared: &Arc<Prepared>,
    candidates: Vec<Candidate>,
    dropped: &mut Vec<Dropped>,
) -> Vec<Candidate> {
    let mut by_part: BTreeMap<usize, Vec<(usize, Claim)>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        by_part.entry(candidate.stated.part).or_default().push((at, candidate.stated.claim.clone()));
    }
    let mut waiting = by_part.into_iter();
    let (mut open, mut disproved) = (JoinSet::new(), BTreeMap::new());
    loop {
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
    let mut kept = Vec::new();
    for (at, candidate) in candidates.into_iter().enumerate() {
        match disproved.remove(&at) {
            None => kept.push(candidate),
            Some(reason) => dropped.push(Dropped::new(&candidate.stated.claim, reason)),
        }
    }
    kept
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
    let (question, count) = refute(&listed, &prepared.plan.parts[part], &marker, bytes_max);
    if count == 0 {
        return Vec::new();
    }
    let answer = asking.ask(question, "refute").await.unwrap_or_default();
    let refutations = read::refutations(&answer, count, &prepared.change);
    refutations.into_iter().map(|it| (claims[it.at].0, it.reason)).collect()
}
