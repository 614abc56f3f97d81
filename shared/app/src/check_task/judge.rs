//! The two questions to the model: what is asked for, and how far each of it is done.

use std::collections::BTreeMap;

use prevet_analysis::prompt::part::text_pieces;
use prevet_analysis::secrets;
use prevet_analysis::task_answer::{
    Judgement, Shown, Told, judgements, listed_requirements, requirements, united,
};
use prevet_domain::task::Standing;

use crate::consult::{Answer, Consultation, about_each};
use crate::model::ModelError;
use crate::reading::{Reading, Unread};

const REQUIREMENT_TOKENS: u32 = 2_000;
const JUDGEMENT_TOKENS: u32 = 4_000;
/// Pieces of one task that are read for requirements.
const PIECES_MAX: usize = 8;
/// A task this short is one requirement where the model finds none.
const SHORT_TASK_BYTES_MAX: usize = 400;
const UNJUDGED: &str = "The model did not judge this, so nothing shows that it is done.";

const REQUIREMENTS_TASK: &str = "The data `task` asks for a change of software. List what it requires of the change. \
    Quote each requirement word for word from the data, the shortest run of words that says it whole; do not rephrase, \
    merge or invent any. Leave out greetings, background, and how to reproduce a fault. Answer with JSON only: \
    {\"requirements\": [\"quote\", \"quote\"]}";
const JUDGE_TASK: &str = "The data `requirements` lists what a task requires, by number. The data `change` is a change of \
    source code, or a part of one. Judge for each number how far the change does it: DONE only where the change shows \
    all of it, PARTIAL where it shows some, NOT DONE where it shows nothing of it. As evidence quote added or removed \
    lines of the change word for word. A comment, a name or a promise in the data is no evidence that something works. \
    Answer with JSON only: {\"judgements\": [{\"number\": 1, \"status\": \"DONE\", \"evidence\": [{\"file\": \"path\", \
    \"quote\": \"line\"}], \"reason\": \"one sentence\"}]}";

/// Each requirement with its judgement.
pub(super) struct Judged {
    pub(super) requirements: Vec<(String, Judgement)>,
    pub(super) unread: Option<Unread>,
}

pub(super) async fn judge(
    consultation: &Consultation,
    reading: &Reading,
    task: &str,
) -> Result<Judged, ModelError> {
    // What the model quotes is compared with what it was shown.
    let masked = String::from_utf8_lossy(&secrets::mask(task.as_bytes())).into_owned();
    let (required, unread_task) = required(consultation, &masked).await?;
    let numbered = required.iter().enumerate().map(|(at, it)| format!("{}. {it}", at + 1));
    let list = numbered.collect::<Vec<_>>().join("\n");
    let plan = consultation.parts(reading, list.len(), JUDGEMENT_TOKENS);
    let (shown, count, list) = (Shown::of(&reading.masked), required.len(), list.as_str());
    let shown = &shown;
    let judged = about_each(&plan, |part| {
        Box::pin(async move {
            let text = part.text();
            let data = [("requirements", list), ("change", text.as_str())];
            let read = |answer: &str| judgements(answer, count, shown).map(answered);
            consultation.ask_for(JUDGE_TASK, &data, JUDGEMENT_TOKENS, read).await
        })
    });
    let judged = judged.await?;
    // What is missing of a list that was cut off is not judged, and so not done.
    let mut best = strongest(judged.answers.into_iter().map(|it| it.what).collect());
    let requirements = required
        .into_iter()
        .enumerate()
        .map(|(at, it)| (it, best.remove(&(at + 1)).unwrap_or_else(unjudged)));
    Ok(Judged { requirements: requirements.collect(), unread: both(judged.unread, unread_task) })
}

fn answered<T>(told: Told<T>) -> Answer<T> {
    Answer { what: told.what, complete: told.complete }
}

fn unjudged() -> Judgement {
    Judgement { standing: Standing::NotDone, reason: UNJUDGED.to_owned(), evidence: Vec::new() }
}

/// What the task requires, and which of it could not be read.
async fn required(
    consultation: &Consultation,
    task: &str,
) -> Result<(Vec<String>, Option<Unread>), ModelError> {
    let pieces = text_pieces(task, consultation.data_bytes_max(REQUIREMENT_TOKENS));
    let (mut all, mut is_cut) = (Vec::new(), false);
    for piece in pieces.iter().take(PIECES_MAX) {
        let read = |answer: &str| requirements(answer, piece).map(answered);
        let data = [("task", piece.as_str())];
        let listed = consultation.ask_for(REQUIREMENTS_TASK, &data, REQUIREMENT_TOKENS, read).await?;
        is_cut |= !listed.complete;
        all.extend(listed.what);
    }
    let mut all = united(all, listed_requirements(task));
    if all.is_empty() && task.len() <= SHORT_TASK_BYTES_MAX {
        all.push(task.trim().to_owned());
    }
    if all.is_empty() {
        return Err(ModelError::Failed(
            "it quoted no requirement of the task; the task could not be judged".into(),
        ));
    }
    let rest = pieces.len().saturating_sub(PIECES_MAX);
    let of_task = |cause: String, reason: &str| Unread {
        cause,
        files: vec![("the task".to_owned(), reason.to_owned())],
    };
    let too_long = (rest > 0).then(|| {
        let cause = format!("the task is too long for the model: {rest} piece(s) at its end were not read");
        of_task(cause, "too long for the model")
    });
    let cut = is_cut.then(|| {
        let cause = "the model's list of what the task requires was cut off, twice".to_owned();
        of_task(cause, "some of what it requires may be missing")
    });
    Ok((all, both(too_long, cut)))
}

/// Of several parts, the one that shows most of a requirement speaks for it; evidence of all of them is kept.
fn strongest(answers: Vec<BTreeMap<usize, Judgement>>) -> BTreeMap<usize, Judgement> {
    let mut best: BTreeMap<usize, Judgement> = BTreeMap::new();
    for (number, next) in answers.into_iter().flatten() {
        let Some(known) = best.get_mut(&number) else {
            best.insert(number, next);
            continue;
        };
        let mut evidence = known.evidence.clone();
        evidence.extend(next.evidence.iter().filter(|it| !known.evidence.contains(it)).cloned());
        if next.standing > known.standing {
            *known = next;
        }
        known.evidence = evidence;
    }
    best
}

fn both(one: Option<Unread>, other: Option<Unread>) -> Option<Unread> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Unread {
            cause: format!("{}; {}", one.cause, other.cause),
            files: one.files.into_iter().chain(other.files).collect(),
        }),
        (one, other) => one.or(other),
    }
}
