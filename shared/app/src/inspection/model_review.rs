//! The model's passes of an inspection: plan, ask each part for each report type, test what was found, settle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prevet_analysis::answer::admit::{Dropped, Stated, admit};
use prevet_analysis::answer::read;
use prevet_analysis::answer::settle::{Outcome, Unanswered, identity, settle};
use prevet_analysis::prompt::BYTES_PER_TOKEN;
use prevet_analysis::prompt::masked::{MaskedChange, masked};
use prevet_analysis::prompt::part::{Part, Piece, Plan, plan};
use prevet_analysis::prompt::question::{ANSWER_TOKENS_MAX, Brief, overhead_bytes, review};
use prevet_analysis::prompt::surroundings::Surroundings;
use prevet_domain::change::FileKind;
use prevet_domain::finding::ReportType;
use prevet_domain::policy::Guideline;
use prevet_domain::verdict::Cause;
use tokio::task::JoinSet;

use super::refuting::test;
use super::{InspectDiff, Inspected, ModelNotes, Work, asked_for};
use crate::App;
use crate::asking::Asking;
use crate::error::AppError;
use crate::model::Model;
use crate::ports::Storage;
use crate::progress::Progress;
use crate::usage::micro_usd;

/// Questions that are open at once.
pub(super) const PARALLEL_MAX: usize = 4;
/// What stands around a part may have so much of its question, whatever the model takes.
const AROUND_BYTES_MAX: usize = 32_000;
/// What the fence around it takes.
const AROUND_FENCE_BYTES: usize = 250;
/// A question with less room than this is not shared.
const SHARED_ROOM_BYTES_MIN: usize = 16_000;
/// How often a question is put whose answer cannot be read.
const ASKED_MAX: usize = 2;

/// What is asked about.
pub(super) struct Prepared {
    pub(super) change: MaskedChange,
    pub(super) brief: Brief,
    pub(super) plan: Plan,
    /// What stands around each part.
    pub(super) around: Vec<String>,
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
        work: &Work<'_>,
        inspected: &mut Inspected,
    ) -> Result<ModelNotes, AppError> {
        let types = asked_for(work.call);
        let budget = inspected.context.policy.budget_usd_per_day.map(micro_usd);
        let asking = Asking::new(model, work.session.identity.tenant.clone(), budget, self.world.random);
        let asking = Arc::new(asking);
        let earlier = work.history.of_models(&types);
        let brief = Brief { earlier: earlier.clone(), ..brief(work.call, inspected) };
        let prepared = Arc::new(prepare(inspected, brief, &types, &asking).await?);
        let reviewed = ask_all(&asking, &prepared, &types, work.progress).await;
        let mut unanswered = unanswered(&prepared.plan, &reviewed);
        let mended: BTreeSet<String> = reviewed.iter().flat_map(|it| it.review.mended.clone()).collect();
        let stated = stated(&prepared.plan, reviewed);
        let (candidates, mut dropped) = admit(&prepared.change, &inspected.report, stated);
        let (candidates, refuted) = test(&asking, &prepared, candidates, work.progress).await;
        let disproved = refuted.iter().filter_map(|(it, _)| identity(&prepared.change, it)).collect();
        dropped.extend(refuted.iter().map(|(it, reason)| Dropped::new(&it.stated.claim, reason)));
        unanswered.sort_by(|a, b| (&a.file, a.line, &a.reason).cmp(&(&b.file, b.line, &b.reason)));
        let degraded = !unanswered.is_empty();
        let outcome = Outcome { candidates, earlier, mended, disproved, unanswered };
        let mut report = std::mem::take(&mut inspected.report);
        settle(&inspected.request(&types), &prepared.change, &outcome, &mut report);
        inspected.report = report;
        let (questions, input_tokens, output_tokens) = asking.counted();
        let name = asking.model.name();
        Ok(ModelNotes { name, questions, input_tokens, output_tokens, dropped, degraded })
    }
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

/// Masks and cuts, beside what others wait for.
async fn prepare(
    inspected: &mut Inspected,
    brief: Brief,
    types: &[ReportType],
    asking: &Asking,
) -> Result<Prepared, AppError> {
    let by_convention = inspected.report.coverage.not_reviewed.iter();
    let by_convention = by_convention.filter(|part| part.cause == Cause::Convention);
    let left_out: BTreeSet<String> = by_convention.map(|part| part.file.clone()).collect();
    let marker = asking.marker().ok_or(AppError::NoRandomness)?;
    let (types, tokens) = (types.to_vec(), asking.model.input_tokens_max());
    let change = std::mem::take(&mut inspected.change);
    let (files, related) = (inspected.context.files.clone(), inspected.context.related.clone());
    let work = move || {
        let masked = masked(&change, |file| {
            let has_lines = file.kind != FileKind::Deleted && !file.hunks().is_empty();
            has_lines && !left_out.contains(&file.shown_path())
        });
        let is_shown = |path: &str| masked.files.iter().any(|file| file.path == path);
        let surroundings = Surroundings::of(&change, &files, &related, is_shown);
        let (brief, plan, around) = planned(&masked, &surroundings, brief, &types, tokens, &marker);
        (change, Prepared { change: masked, brief, plan, around })
    };
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| AppError::EngineDied)?;
    let (change, prepared) = done;
    inspected.change = change;
    Ok(prepared)
}

fn planned(
    change: &MaskedChange,
    surroundings: &Surroundings,
    brief: Brief,
    types: &[ReportType],
    tokens: usize,
    marker: &str,
) -> (Brief, Plan, Vec<String>) {
    let brief = brief.fit(tokens);
    let piece = |path: &String| Piece { file: path.clone(), line: 1, text: String::new() };
    let all = Part { pieces: change.files.iter().map(|file| piece(&file.path)).collect() };
    let overhead = types.iter().map(|it| overhead_bytes(*it, &brief, &all, marker)).max().unwrap_or(0);
    let known: Vec<&str> = brief.earlier.iter().map(|finding| finding.file.as_str()).collect();
    let room = (tokens * BYTES_PER_TOKEN).saturating_sub(overhead);
    let plan = plan(change, &brief.intent, &known, room - reserved(surroundings, room));
    let beside = |part: &Part| {
        let text = part.text();
        let left = room.saturating_sub(text.len() + AROUND_FENCE_BYTES).min(AROUND_BYTES_MAX);
        surroundings.beside(&text, &part.paths(), left, |_| false).text
    };
    let around = plan.parts.iter().map(beside).collect();
    (brief, plan, around)
}

/// What parts leave free for what stands around them; a small question is for the change alone.
fn reserved(surroundings: &Surroundings, room_bytes: usize) -> usize {
    if surroundings.is_empty() || room_bytes < SHARED_ROOM_BYTES_MIN {
        return 0;
    }
    (room_bytes / 4).min(AROUND_BYTES_MAX)
}

/// Every part for every report type, some at once, in the plan's order.
async fn ask_all(
    asking: &Arc<Asking>,
    prepared: &Arc<Prepared>,
    types: &[ReportType],
    progress: &Progress,
) -> Vec<Reviewed> {
    let all = questions(prepared.plan.parts.len(), types);
    let mut waiting = all.clone().into_iter();
    let mut open = JoinSet::new();
    let mut reviewed: BTreeMap<(usize, ReportType), Reviewed> = BTreeMap::new();
    loop {
        progress.tell("asking the model about parts of the change", reviewed.len(), all.len());
        while open.len() < PARALLEL_MAX
            && let Some((part, report_type)) = waiting.next()
        {
            open.spawn(ask_one(Arc::clone(asking), Arc::clone(prepared), part, report_type));
        }
        match open.join_next().await {
            None => break,
            Some(Ok(one)) => drop(reviewed.insert((one.part, one.report_type), one)),
            // What a task that died was about is missing below.
            Some(Err(_)) => {}
        }
    }
    // By the plan, whichever came first: the report is the same.
    all.into_iter().map(|key| reviewed.remove(&key).unwrap_or_else(|| died(key))).collect()
}

fn questions(parts: usize, types: &[ReportType]) -> Vec<(usize, ReportType)> {
    (0..parts).flat_map(|part| types.iter().map(move |report_type| (part, *report_type))).collect()
}

fn died((part, report_type): (usize, ReportType)) -> Reviewed {
    let failure = Some("the question was not finished; this is a defect of Prevet".to_owned());
    Reviewed { part, report_type, review: read::Review::default(), failure }
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
        let around = prepared.around.get(part).map(String::as_str).unwrap_or_default();
        let question = review(report_type, &prepared.brief, &prepared.plan.parts[part], around, &marker);
        match asking.ask(question, ANSWER_TOKENS_MAX, "inspect").await.map(|text| read::review(&text)) {
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
            Err(error) => {
                failure = Some(error.to_string());
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
        let pieces = it
            .failure
            .iter()
            .flat_map(|reason| plan.parts[it.part].pieces.iter().map(move |piece| (piece, reason.clone())));
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
