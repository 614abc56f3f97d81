//! `describe_change`: what a change does, in Markdown.

use prevet_analysis::citation::{self, Places};
use prevet_analysis::structure;

use crate::App;
use crate::consult::{Consultation, about_each, joined_notes, markdown};
use crate::error::AppError;
use crate::inspection::DecodeBody;
use crate::model::ModelError;
use crate::ports::Storage;
use crate::reading::{Call, Deviation, Reading, Unread};

const HEADING: &str = "# Change Description";
const LIST_HEADING: &str = "## Important Changes";
const DESCRIPTION_TOKENS: u32 = 2_000;
const NOTE_TOKENS: u32 = 500;
const DESCRIPTION_BYTES_MAX: usize = 40_000;

const TASK: &str = "You describe a change of source code to a colleague who will review it. Answer in Markdown and \
    with nothing else: the heading `# Change Description` with one paragraph on what the change does and why, as far \
    as it can be seen; then the heading `## Important Changes` with a bullet list, the weightiest first, each bullet \
    with the file in backticks. State only what the change shows. Do not judge it, do not praise it.";
const NOTE_TASK: &str = "You read one part of a larger change of source code. Note in at most ten short bullets what \
    this part does, each with its file in backticks. State only what it shows.";
const NOTES_TASK: &str = "The data has notes on the parts of one change.";

/// What a change does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Markdown.
    pub description: String,
    /// The files that were read.
    pub files_visited: Vec<String>,
    /// How the description came about.
    pub eval_summary: String,
    /// How files were come by, where that is worth saying.
    pub context_refresh: Option<Deviation>,
    /// What was not read.
    pub degraded: Option<Unread>,
}

struct Written {
    description: String,
    eval_summary: String,
    degraded: Option<Unread>,
}

impl<S: Storage> App<S> {
    /// Describes the session's change: by the model, where one is configured.
    pub async fn describe_change(&self, call: Call, decode: DecodeBody) -> Result<Description, AppError> {
        let reading = self.read(&call, decode).await?;
        let written = match trivial(&reading) {
            Some(written) => written,
            None => match self.consultation(&call, &reading, "describe")? {
                None => {
                    structural(&reading, "no model is configured, so none described the change: ".to_owned())
                }
                Some(consultation) => described(&consultation, &reading).await,
            },
        };
        Ok(Description {
            description: written.description,
            files_visited: reading.files_visited(),
            eval_summary: written.eval_summary,
            context_refresh: reading.context_refresh(),
            degraded: written.degraded,
        })
    }
}

fn trivial(reading: &Reading) -> Option<Written> {
    let description = structure::trivial(&reading.change, &reading.outlines, &reading.files)?;
    let eval_summary = "the change is trivial: no model was asked".to_owned();
    Some(Written { description, eval_summary, degraded: None })
}

fn structural(reading: &Reading, why: String) -> Written {
    let eval_summary =
        why + "this is what its structure shows (files, and symbols added, removed, changed and renamed)";
    Written { description: structure::describe(&reading.outlines), eval_summary, degraded: None }
}

async fn described(consultation: &Consultation, reading: &Reading) -> Written {
    match by_model(consultation, reading).await {
        Ok(written) => written,
        Err(error) => {
            let mut written = structural(reading, format!("{error}; "));
            let files = reading.files_visited().into_iter().map(|file| (file, error.to_string())).collect();
            written.degraded = Some(Unread { cause: error.to_string(), files });
            written
        }
    }
}

async fn by_model(consultation: &Consultation, reading: &Reading) -> Result<Written, ModelError> {
    let plan = consultation.parts(reading, 0, DESCRIPTION_TOKENS);
    let read = |text: &str| markdown(text, DESCRIPTION_BYTES_MAX);
    let (text, unread) = if let ([part], []) = (plan.parts.as_slice(), plan.left_over.as_slice()) {
        let answer =
            consultation.ask_for(TASK, &[("change", &part.text())], DESCRIPTION_TOKENS, read).await?;
        (answer.what, None)
    } else {
        let each = about_each(&plan, |part| {
            Box::pin(async move {
                let data = [("part of the change", &*part.text())];
                consultation.ask_for(NOTE_TASK, &data, NOTE_TOKENS, read).await
            })
        });
        let each = each.await?;
        let notes: Vec<String> = each.answers.into_iter().map(|it| it.what).collect();
        let notes = joined_notes(&notes, consultation.data_bytes_max(DESCRIPTION_TOKENS));
        let task = format!("{TASK} {NOTES_TASK}");
        let answer = consultation.ask_for(&task, &[("notes", &notes)], DESCRIPTION_TOKENS, read).await?;
        (answer.what, each.unread)
    };
    let places = Places::of(&reading.change, &reading.files);
    let eval_summary =
        format!("described by {} from {} part(s) of the change", consultation.model_name(), plan.parts.len());
    Ok(Written { description: citation::check(&shaped(&text), &places), eval_summary, degraded: unread })
}

/// With the two headings, whatever the model made of them.
fn shaped(text: &str) -> String {
    let mut shaped = text.to_owned();
    if !shaped.contains(HEADING) {
        shaped = format!("{HEADING}\n\n{shaped}");
    }
    if !shaped.contains(LIST_HEADING) {
        // A list without its heading gets it; prose is left as it is.
        let list = shaped.find("\n- ").or_else(|| shaped.find("\n* "));
        let at = list.unwrap_or(shaped.len());
        shaped.insert_str(at, &format!("\n\n{LIST_HEADING}\n"));
    }
    shaped
}
