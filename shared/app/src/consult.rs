//! Asking a model about a change that may be larger than one question: part by part, then about the notes.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use futures_util::StreamExt as _;
use futures_util::stream;
use prevet_analysis::prompt::BYTES_PER_TOKEN;
use prevet_analysis::prompt::fence::{data_rule, fenced};
use prevet_analysis::prompt::part::{Part, Plan, plan};
use prevet_analysis::prompt::question::Question;

use crate::App;
use crate::asking::Asking;
use crate::error::AppError;
use crate::model::ModelError;
use crate::ports::Storage;
use crate::reading::{Call, Reading, Unread};

/// A part is at least this large, however small the model's limit.
const PART_BYTES_MIN: usize = 1_000;
/// What a part may have, whatever the model takes: attention thins out.
const PART_BYTES_MAX: usize = 240_000;
/// Parts of one change that are read.
const PARTS_MAX: usize = 48;
/// Questions that are open at once.
const OPEN_MAX: usize = 4;
/// What the instructions, the intent and the pull request's texts may take of a question.
const SURROUNDINGS_BYTES_MAX: usize = 6_000;
/// What of the intent and of each text of the pull request is shown.
const SURROUNDING_TEXT_BYTES_MAX: usize = 1_200;
/// Why parts beyond [`PARTS_MAX`] were not read.
const TOO_MANY_PARTS: &str = "the change has more parts than one call reads";

/// A model that is asked for one call of one tenant.
pub(crate) struct Consultation {
    asking: Asking,
    purpose: &'static str,
    marker: String,
    surroundings: String,
}

/// A text that was asked for.
pub(crate) struct Answer<T> {
    pub(crate) what: T,
    /// Whether it is there to its end.
    pub(crate) complete: bool,
}

/// What one part of the change came to.
pub(crate) struct Noted<T> {
    pub(crate) answers: Vec<T>,
    pub(crate) unread: Option<Unread>,
}

impl<S: Storage> App<S> {
    /// `None` without a model.
    pub(crate) fn consultation(
        &self,
        call: &Call,
        reading: &Reading,
        purpose: &'static str,
    ) -> Result<Option<Consultation>, AppError> {
        let Some(model) = self.model.clone() else { return Ok(None) };
        let tenant = reading.session.identity.tenant.clone();
        let asking = Asking::new(model, tenant, reading.budget_micro_usd, self.world.random);
        let marker = asking.marker().ok_or(AppError::NoRandomness)?;
        let texts = [
            ("intent", &call.intent),
            ("pull request title", &call.pr_title),
            ("pull request description", &call.pr_description),
        ];
        let said = texts.into_iter().filter(|(_, text)| !text.trim().is_empty());
        let surroundings = said.map(|(name, text)| wrapped(&marker, name, shortened(text))).collect();
        Ok(Some(Consultation { asking, purpose, marker, surroundings }))
    }
}

/// `text` as data, secrets masked.
fn wrapped(marker: &str, name: &str, text: &str) -> String {
    fenced(marker, name, &crate::masked(text))
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(SURROUNDING_TEXT_BYTES_MAX)]
}

impl Consultation {
    /// The model's name, for people.
    pub(crate) fn model_name(&self) -> String {
        self.asking.model.name()
    }

    /// What a question may carry beside instructions and surroundings.
    pub(crate) fn data_bytes_max(&self, output_tokens: u32) -> usize {
        let tokens = self.asking.model.input_tokens_max().saturating_sub(output_tokens as usize);
        let fixed = SURROUNDINGS_BYTES_MAX.min(2_000 + self.surroundings.len());
        (tokens * BYTES_PER_TOKEN).saturating_sub(fixed).clamp(PART_BYTES_MIN, PART_BYTES_MAX)
    }

    /// One question: what to do, and named data.
    pub(crate) async fn ask(
        &self,
        task: &str,
        data: &[(&str, &str)],
        output_tokens_max: u32,
    ) -> Result<String, ModelError> {
        let system = format!("{task}\n\n{}", data_rule(&self.marker));
        let data = data.iter().filter(|(_, text)| !text.is_empty());
        let data: String = data.map(|(name, text)| wrapped(&self.marker, name, text)).collect();
        let user = format!("{}{data}", self.surroundings);
        self.asking.ask(Question { system, user }, output_tokens_max, self.purpose).await
    }

    /// [`Consultation::ask`] until the answer is one and whole, twice at most. What was cut off is better than
    /// nothing.
    pub(crate) async fn ask_for<T>(
        &self,
        task: &str,
        data: &[(&str, &str)],
        output_tokens_max: u32,
        read: impl Fn(&str) -> Option<Answer<T>>,
    ) -> Result<Answer<T>, ModelError> {
        let first = read(&self.ask(task, data, output_tokens_max).await?);
        if first.as_ref().is_some_and(|answer| answer.complete) {
            return first.ok_or_else(unreadable);
        }
        let again = format!("{task}\n\nYour last answer could not be read. Give exactly what is asked for.");
        let second = read(&self.ask(&again, data, output_tokens_max).await?);
        second.or(first).ok_or_else(unreadable)
    }

    /// The change in parts that leave `beside_bytes` of a question for other data.
    pub(crate) fn parts(&self, reading: &Reading, beside_bytes: usize, output_tokens: u32) -> Plan {
        let room = self.data_bytes_max(output_tokens).saturating_sub(beside_bytes).max(PART_BYTES_MIN);
        plan(&reading.masked, "", &[], room)
    }
}

fn unreadable() -> ModelError {
    ModelError::Failed("its answer could not be read, twice".to_owned())
}

/// A future answer on one part.
pub(crate) type Open<'a, T> = Pin<Box<dyn Future<Output = Result<T, ModelError>> + Send + 'a>>;

/// Asks about each part, some at once. An error only where no part has an answer.
pub(crate) async fn about_each<'a, T: Send + 'a>(
    plan: &'a Plan,
    question: impl Fn(&'a Part) -> Open<'a, T>,
) -> Result<Noted<T>, ModelError> {
    let parts = &plan.parts;
    let open: Vec<Open<'a, T>> = parts.iter().take(PARTS_MAX).map(question).collect();
    let outcomes: Vec<Result<T, ModelError>> = stream::iter(open).buffered(OPEN_MAX).collect().await;
    let (mut answers, mut files, mut first_error) = (Vec::new(), Vec::new(), None);
    for (part, outcome) in parts.iter().zip(outcomes) {
        match outcome {
            Ok(answer) => answers.push(answer),
            Err(error) => {
                files.extend(part.paths().into_iter().map(|path| (path.to_owned(), error.to_string())));
                first_error.get_or_insert(error);
            }
        }
    }
    if let (true, Some(error)) = (answers.is_empty(), first_error) {
        return Err(error);
    }
    let beyond: BTreeSet<&str> = parts.iter().skip(PARTS_MAX).flat_map(Part::paths).collect();
    files.extend(beyond.into_iter().map(|path| (path.to_owned(), TOO_MANY_PARTS.to_owned())));
    files.extend(plan.left_over.iter().map(|it| (it.file.clone(), it.reason.to_owned())));
    let cause = format!("the model did not read {} part(s) of files", files.len());
    let unread = (!files.is_empty()).then_some(Unread { cause, files });
    Ok(Noted { answers, unread })
}

/// Notes on several parts as one text of at most `bytes_max`: each gives up as much as the others.
pub(crate) fn joined_notes(notes: &[String], bytes_max: usize) -> String {
    let each = (bytes_max / notes.len().max(1)).saturating_sub(24);
    let cut = |note: &String| note[..note.floor_char_boundary(each)].to_owned();
    let titled = notes.iter().enumerate().map(|(at, note)| format!("## Part {}\n{}\n", at + 1, cut(note)));
    titled.collect()
}

/// A model's Markdown without the fence that some put around it; `None` where it says nothing.
pub(crate) fn markdown(answer: &str, bytes_max: usize) -> Option<Answer<String>> {
    let mut text = answer.trim();
    if let Some(inner) = text.strip_prefix("```markdown").or_else(|| text.strip_prefix("```md")) {
        text = inner.trim_end().strip_suffix("```").unwrap_or(inner).trim();
    }
    let text = &text[..text.floor_char_boundary(bytes_max)];
    let says_something = text.chars().any(char::is_alphanumeric);
    says_something.then(|| Answer { what: text.to_owned(), complete: true })
}
