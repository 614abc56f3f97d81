//! `ask`: a free question about a change. No verdict and no findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use prevet_analysis::citation::{self, Places};
use prevet_analysis::prompt::part::Part;
use prevet_analysis::{secrets, structure};

use crate::App;
use crate::consult::{Consultation, about_each, joined_notes, markdown};
use crate::error::AppError;
use crate::inspection::DecodeBody;
use crate::model::ModelError;
use crate::ports::Storage;
use crate::reading::{Call, Deviation, Reading, Unread};

const ANSWER_TOKENS: u32 = 2_000;
const NOTE_TOKENS: u32 = 500;
const ANSWER_BYTES_MAX: usize = 40_000;
/// What of the outline goes with a question.
const OUTLINE_BYTES_MAX: usize = 6_000;
/// What fences take around data that was not counted.
const FENCES_BYTES: usize = 600;

const TASK: &str = "You answer a question about a change of source code, which is the data `question`. Answer it as it \
    is asked, in Markdown, in the language of the question. Refer to lines as `path:line`, with the numbers that \
    stand before the lines, and only to lines that are in the data. Say what cannot be told from the data. This is \
    not a review: give no verdict and no list of findings.";
const NOTE_TASK: &str = "You read one part of a larger change of source code. Note in at most ten short bullets what in \
    this part bears on the data `question`, with lines as `path:line`. Where nothing does, answer `nothing`.";
const NOTES_TASK: &str = "In place of the whole change, the data has notes on each of its parts.";

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Markdown.
    pub answer: String,
    /// The files that were read.
    pub files_visited: Vec<String>,
    /// How files were come by, where that is worth saying.
    pub context_refresh: Option<Deviation>,
    /// What was not read.
    pub degraded: Option<Unread>,
}

/// What the model was shown beside the change: files, and the lines of them.
type Shown = BTreeMap<String, Vec<(u32, u32)>>;

/// What came of asking.
struct Said {
    text: String,
    unread: Option<Unread>,
    /// The files of the change that were shown.
    paths: BTreeSet<String>,
    beside: Shown,
}

impl<S: Storage> App<S> {
    /// Answers `question` from the session's change.
    pub async fn ask(&self, call: Call, question: &str, decode: DecodeBody) -> Result<Answered, AppError> {
        let reading = self.read(&call, decode).await?;
        let consultation = self.consultation(&call, &reading, "ask")?.ok_or(AppError::NoModel("ask"))?;
        let said = answer(&consultation, &reading, question).await?;
        let readable: BTreeSet<String> = reading.files_visited().into_iter().collect();
        let visited = said.paths.intersection(&readable).chain(said.beside.keys());
        let files_visited: BTreeSet<String> = visited.cloned().collect();
        let mut places = Places::of(&reading.change, &reading.files);
        places.extend(said.beside);
        Ok(Answered {
            answer: citation::check(&said.text, &places),
            files_visited: files_visited.into_iter().collect(),
            context_refresh: reading.context_refresh(),
            degraded: said.unread,
        })
    }
}

async fn answer(consultation: &Consultation, reading: &Reading, question: &str) -> Result<Said, ModelError> {
    let beside = question.len() + OUTLINE_BYTES_MAX;
    let plan = consultation.parts(reading, beside, ANSWER_TOKENS);
    let read = |text: &str| markdown(text, ANSWER_BYTES_MAX);
    let outline = outline(reading);
    let paths = |parts: &[Part]| parts.iter().flat_map(Part::paths).map(str::to_owned).collect();
    if let ([part], []) = (plan.parts.as_slice(), plan.left_over.as_slice()) {
        let text = part.text();
        let room = consultation.data_bytes_max(ANSWER_TOKENS).saturating_sub(beside + text.len());
        let Around { files, surroundings, shown } = around(reading, question, part, room);
        let data = [
            ("question", question),
            ("outline", &outline),
            ("change", &text),
            ("files after it", &files),
            ("code around the change", &surroundings),
        ];
        let answer = consultation.ask_for(TASK, &data, ANSWER_TOKENS, read).await?;
        return Ok(Said { text: answer.what, unread: None, paths: paths(&plan.parts), beside: shown });
    }
    let room = consultation.data_bytes_max(NOTE_TOKENS).saturating_sub(question.len());
    let each = about_each(&plan, |part| {
        Box::pin(async move {
            let text = part.text();
            let left = room.saturating_sub(text.len() + FENCES_BYTES);
            let around = reading.surroundings.beside(&text, &part.paths(), left, |_| false);
            let data = [
                ("question", question),
                ("part of the change", text.as_str()),
                ("code around the change", &around.text),
            ];
            let note = consultation.ask_for(NOTE_TASK, &data, NOTE_TOKENS, read).await?;
            Ok((note.what, around.files))
        })
    });
    let each = each.await?;
    let room = consultation.data_bytes_max(ANSWER_TOKENS).saturating_sub(beside);
    let (notes, shown): (Vec<String>, Vec<Shown>) = each.answers.into_iter().unzip();
    let notes = joined_notes(&notes, room);
    let data = [("question", question), ("outline", outline.as_str()), ("notes", &notes)];
    let task = format!("{TASK} {NOTES_TASK}");
    let answer = consultation.ask_for(&task, &data, ANSWER_TOKENS, read).await?;
    let mut paths: BTreeSet<String> = paths(&plan.parts);
    for (path, _) in each.unread.iter().flat_map(|it| &it.files) {
        paths.remove(path);
    }
    let mut beside = Shown::new();
    for (path, lines) in shown.into_iter().flatten() {
        beside.entry(path).or_default().extend(lines);
    }
    Ok(Said { text: answer.what, unread: each.unread, paths, beside })
}

/// What goes with the only part of a change.
struct Around {
    files: String,
    surroundings: String,
    shown: Shown,
}

/// Whole files in half of the room, and what stands around the change in the rest.
fn around(reading: &Reading, question: &str, part: &Part, room_bytes: usize) -> Around {
    let (files, names) = whole_files(reading, room_bytes / 2);
    let left = room_bytes.saturating_sub(files.len() + FENCES_BYTES);
    let text = format!("{question}\n{}", part.text());
    let known = |path: &str| names.iter().any(|name| name == path);
    let around = reading.surroundings.beside(&text, &part.paths(), left, known);
    let mut shown = around.files;
    // All lines of these are known.
    shown.extend(names.into_iter().map(|name| (name, Vec::new())));
    Around { files, surroundings: around.text, shown }
}

fn outline(reading: &Reading) -> String {
    let mut text: String = structure::describe(&reading.outlines);
    text.truncate(text.floor_char_boundary(OUTLINE_BYTES_MAX));
    text
}

/// Files after the change with numbered lines, the small ones first, as many as fit.
fn whole_files(reading: &Reading, bytes_max: usize) -> (String, Vec<String>) {
    let mut files: Vec<_> = reading.files.iter().collect();
    files.sort_by_key(|(path, text)| (text.len(), path.as_str()));
    let (mut shown, mut names) = (String::new(), Vec::new());
    for (path, text) in files {
        let masked = secrets::mask(text);
        let mut block = format!("=== {path}\n");
        for (at, line) in String::from_utf8_lossy(&masked).lines().enumerate() {
            let _ = writeln!(block, "{} {line}", at + 1);
        }
        if shown.len() + block.len() > bytes_max {
            break;
        }
        shown.push_str(&block);
        names.push(path.clone());
    }
    (shown, names)
}
