//! Text to an answer, leniently: headings of any level or lines in bold, any case, fields with or without bold.

use super::super::markup::{Line, heading, level, lines};
use super::{APPROVE, Answer, Issue, Verdict, first_line};
use crate::limits::{REVIEW_ANSWER_BYTES_MAX, REVIEW_ISSUES_MAX};

/// A field's name, at the longest.
const FIELD_NAME_BYTES_MAX: usize = 30;
const FIELD_NAME_WORDS_MAX: usize = 3;
/// The deepest heading.
const LEVEL_MAX: usize = 6;
/// A status of more words is a sentence.
const STATUS_WORDS_MAX: usize = 4;
/// Fields that are taken without a bullet too.
const FIELD_NAMES: &[&str] = &[
    "severity",
    "priority",
    "category",
    "type",
    "file",
    "location",
    "line",
    "evidence",
    "problem",
    "impact",
    "why",
    "fix",
    "suggestion",
    "recommendation",
    "suggested fix",
    "status",
    "reason",
    "confidence",
    "blocking",
];
/// An approval with one of these behind it is none.
const CONDITIONS: &[&str] = &[
    "but",
    "if",
    "once",
    "after",
    "when",
    "unless",
    "until",
    "except",
    "provided",
    "providing",
    "pending",
    "assuming",
    "conditional",
    "conditionally",
    "subject",
    "not",
    "cannot",
    "with",
    "only",
    "revise",
    "reject",
];

/// Reads a turn's messages: a later one replaces an earlier one's issues of the same number and title, and
/// its verdict. Of texts that are too long together, the last ones are read. An approval counts in the last message
/// alone: whatever is said after it may take it back.
pub fn parse<'t>(messages: impl IntoIterator<Item = &'t str>) -> Answer {
    let messages: Vec<&str> = messages.into_iter().filter(|text| !text.trim().is_empty()).collect();
    let mut answer = Answer::default();
    for (at, message) in bounded(&messages, &mut answer.cut).into_iter().enumerate() {
        let mut reader = Reader::default();
        for line in lines(message) {
            reader.line(line);
        }
        let earlier = answer.verdict.take();
        reader.finish(&mut answer);
        let is_last = at + 1 == messages.len();
        let standing = answer.verdict.take().or(earlier.filter(|it| !is_last || !it.approves()));
        answer.verdict = standing;
    }
    answer
}

/// As much of the messages as is read, the last ones whole if anything is.
fn bounded<'t>(messages: &[&'t str], cut: &mut bool) -> Vec<&'t str> {
    let mut bytes_left = REVIEW_ANSWER_BYTES_MAX;
    let mut read: Vec<&str> = Vec::new();
    for message in messages.iter().rev() {
        let text = &message[..message.floor_char_boundary(bytes_left)];
        *cut |= text.len() < message.len();
        bytes_left -= text.len();
        read.push(text);
    }
    read.reverse();
    read
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Issue,
    Insight,
    Verdict,
}

#[derive(Default)]
struct Reader {
    open: Option<(Kind, Issue)>,
    /// Of the open block's heading; the deepest for one in bold.
    level: usize,
    blocks: Vec<(Kind, Issue)>,
}

impl Reader {
    fn line(&mut self, line: Line<'_>) {
        let heading = heading(line.text).filter(|_| !line.quoted);
        let level = level(line.text).filter(|_| !line.quoted);
        if let Some((kind, block)) = heading.and_then(marker) {
            self.close();
            self.open = Some((kind, block));
            self.level = level.unwrap_or(LEVEL_MAX);
        } else if level.is_some_and(|level| level <= self.level) {
            self.close();
        } else if let Some((_, block)) = &mut self.open {
            // A heading below the block's own is a field's name.
            let text = if level.is_some() { heading.unwrap_or_default() } else { line.text };
            match field(text).filter(|_| !line.quoted) {
                Some((name, value)) => block.fields.push((name.to_owned(), value.to_owned())),
                None if level.is_some() => block.fields.push((text.to_owned(), String::new())),
                None => push_line(block, text),
            }
        }
    }

    fn close(&mut self) {
        if let Some((kind, mut block)) = self.open.take() {
            let texts = block.fields.iter_mut().map(|(_, value)| value).chain([&mut block.body]);
            texts.for_each(|text| *text = text.trim().to_owned());
            self.blocks.push((kind, block));
        }
    }

    fn finish(mut self, answer: &mut Answer) {
        self.close();
        let mut verdicts: Vec<Verdict> = Vec::new();
        for (kind, block) in self.blocks {
            match kind {
                Kind::Verdict => verdicts.extend(verdict(&block)),
                Kind::Issue => answer.cut |= !put(&mut answer.issues, block),
                Kind::Insight => drop(put(&mut answer.insights, block)),
            }
        }
        // Of verdicts that contradict each other in one text, an approval is the one that is not believed.
        let refusal = verdicts.iter().position(|verdict| !verdict.approves()).unwrap_or(0);
        if refusal < verdicts.len() {
            answer.verdict = Some(verdicts.swap_remove(refusal));
        }
    }
}

/// Adds a block, in place of one with its number; says whether there was room.
fn put(blocks: &mut Vec<Issue>, block: Issue) -> bool {
    let known = blocks.iter().position(|it| it.number == block.number && it.title == block.title);
    match known {
        Some(at) => blocks[at] = block,
        None if blocks.len() < REVIEW_ISSUES_MAX => blocks.push(block),
        None => return false,
    }
    true
}

fn push_line(block: &mut Issue, line: &str) {
    let text = block.fields.last_mut().map_or(&mut block.body, |(_, value)| value);
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line.trim_end());
}

/// `ISSUE-1: title`, `**Issue 1** — title`, `[ISSUE-1] title`, `INSIGHT-2: …`, `VERDICT`, `Verdict: APPROVE`.
fn marker(heading: &str) -> Option<(Kind, Issue)> {
    let text = heading.replace("**", "").replace("__", "");
    let text = text.trim().trim_start_matches(['[', '`']);
    if let Some(rest) = after(text, "final verdict").or_else(|| after(text, "verdict")) {
        let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let fields = if rest.is_empty() { vec![] } else { vec![("Status".to_owned(), rest.to_owned())] };
        return Some((Kind::Verdict, Issue { fields, ..Issue::default() }));
    }
    let (kind, rest) = [("issue", Kind::Issue), ("finding", Kind::Issue), ("insight", Kind::Insight)]
        .into_iter()
        .find_map(|(word, kind)| after(text, word).map(|rest| (kind, rest)))?;
    let rest = rest.trim_start_matches([' ', '-', '_', '#', '\u{2010}', '\u{2011}', '\u{2013}']);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    // One without a number, or with one that is none, is an issue all the same.
    let names_one = rest.starts_with([':', '\u{2014}']);
    let number = match rest[..digits].parse() {
        Ok(number) => number,
        Err(_) if digits > 0 => u32::MAX,
        Err(_) if names_one => 0,
        Err(_) => return None,
    };
    let title = rest[digits..].trim_start_matches(|c: char| !c.is_alphanumeric() && !"(`\"'<$/.".contains(c));
    let title = title.trim_start_matches(". ").trim().to_owned();
    let says_none =
        ["", "none", "no", "nothing", "n/a"].contains(&title.trim_end_matches('.').to_lowercase().as_str());
    if digits == 0 && says_none {
        return None;
    }
    Some((kind, Issue { number, title, ..Issue::default() }))
}

/// What follows a word, where it is not only the beginning of a longer one.
fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    let ends = !rest.starts_with(|c: char| c.is_alphabetic());
    (ends && head.eq_ignore_ascii_case(word)).then_some(rest)
}

/// `- Field: value`, `* **Field**: value`, `**Field:** value`; without a bullet or bold only for known names.
fn field(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start();
    let unmarked = text.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.starts_with([' ', '\t']));
    let bare = unmarked.unwrap_or(text).trim_start();
    let is_bold = bare.starts_with("**") || bare.starts_with("__");
    let (name, value) = bare.split_once(':')?;
    let name = name.trim_matches(['*', '_', '`', ' ']);
    let is_name = !name.is_empty()
        && name.len() <= FIELD_NAME_BYTES_MAX
        && name.split_whitespace().count() <= FIELD_NAME_WORDS_MAX
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/'));
    let known = FIELD_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
    let value = value.trim_start_matches("**").trim_start_matches("__").trim();
    (is_name && (known || unmarked.is_some() || is_bold)).then_some((name, value))
}

fn verdict(block: &Issue) -> Option<Verdict> {
    let said = ["status", "verdict"].into_iter().find_map(|name| block.field(name));
    let status = status(first_line(said.unwrap_or(&block.body)))?;
    Some(Verdict { status, reason: block.field("reason").unwrap_or_default().to_owned() })
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// One word in capitals. Where several are offered, as in a template that was copied, none is.
fn status(said: &str) -> Option<String> {
    let said = said.replace(['*', '`', '_'], " ");
    let lower = said.to_lowercase();
    if said.contains(['|', '/']) || lower.split_whitespace().any(|word| word == "or") {
        return None;
    }
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let first = *words.first()?;
    if matches!(first, "approve" | "approved") {
        let more = words[1..].iter().find(|word| CONDITIONS.contains(*word)).copied();
        // Whatever else is said beside it, but in brackets, may be a condition in words that nobody has listed.
        let bare = without_brackets(&lower);
        let mut bare = bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let more = more.or_else(|| bare.nth(1));
        return Some(more.map_or(APPROVE.to_owned(), |word| format!("{APPROVE}_{}", word.to_uppercase())));
    }
    // `REVISE — two tests fail`: the word, not the sentence.
    let head = said
        .split(['(', ',', '.', ';', ':', '\u{2013}', '\u{2014}', '\n'])
        .find(|part| !part.trim().is_empty())?;
    let head = head.split(" - ").next().unwrap_or(head);
    let words = head.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(STATUS_WORDS_MAX).map(str::to_uppercase).collect();
    (!words.is_empty()).then(|| words.join("_"))
}
