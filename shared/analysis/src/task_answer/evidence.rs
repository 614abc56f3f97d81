//! Whether a quote stands in the change, and where.

use prevet_domain::change::LineKind;
use prevet_domain::path::RepoPath;

use super::weight::{Text, weighed};
use crate::language::{self, Language, TextKind};
use crate::prompt::masked::MaskedChange;

/// A quote with fewer letters and digits stands everywhere.
const SIGNS_MIN: usize = 4;

/// A place in the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The file.
    pub file: String,
    /// The line after the change; of a removed line, the one that follows it.
    pub line: u32,
    /// The line's text, masked.
    pub quote: String,
}

/// The lines that the change adds and removes, as they were shown.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    lines: Vec<ShownLine>,
}

#[derive(Debug, Clone)]
struct ShownLine {
    place: Evidence,
    signs: Vec<(char, bool)>,
}

impl ShownLine {
    /// Whether `wanted` stands here with enough that runs.
    fn shows(&self, wanted: &[char]) -> bool {
        let is_wanted = |window: &&[(char, bool)]| window.iter().map(|it| it.0).eq(wanted.iter().copied());
        let weighs =
            |window: &[(char, bool)]| window.iter().filter(|it| it.1 && it.0.is_alphanumeric()).count();
        let enough = SIGNS_MIN.min(wanted.len());
        self.signs.windows(wanted.len()).filter(is_wanted).any(|window| weighs(window) >= enough)
    }
}

impl Shown {
    /// Those of `change`.
    pub fn of(change: &MaskedChange) -> Self {
        let mut lines = Vec::new();
        for file in &change.files {
            let text = text_of(&file.path);
            let all = file.hunks.iter().flat_map(|hunk| &hunk.lines);
            for line in all.filter(|it| it.kind != LineKind::Context) {
                let place = Evidence {
                    file: file.path.clone(),
                    line: line.number,
                    quote: line.text.trim().to_owned(),
                };
                lines.push(ShownLine { place, signs: weighed(&line.text, text) });
            }
        }
        Self { lines }
    }

    /// The first changed line that `quote` stands on; every line of the quote that says something must be one. What
    /// stands in a comment or a literal alone shows nothing.
    pub fn find(&self, file: &str, quote: &str) -> Option<Evidence> {
        let wanted: Vec<String> =
            quote.lines().map(unnumbered).map(squeezed).filter(|it| says_something(it)).collect();
        let mut first = None;
        for line in &wanted {
            let signs: Vec<char> = line.chars().collect();
            let place = self.place(file, &signs)?;
            first = first.or(Some(place));
        }
        first.cloned()
    }

    /// A file that is named has to be the right one.
    fn place(&self, file: &str, wanted: &[char]) -> Option<&Evidence> {
        let file = file.trim().trim_start_matches("./");
        let file = file.strip_prefix("b/").filter(|bare| self.has_file(bare)).unwrap_or(file);
        let in_file = |it: &Evidence| file.is_empty() || it.file == file;
        self.lines.iter().find(|it| in_file(&it.place) && it.shows(wanted)).map(|it| &it.place)
    }

    fn has_file(&self, path: &str) -> bool {
        self.lines.iter().any(|it| it.place.file == path)
    }
}

fn text_of(path: &str) -> Text {
    match RepoPath::parse(path.as_bytes()).map(|path| language::detect(&path, b"")) {
        Ok(TextKind::Known(Language::Json | Language::Yaml)) => Text::Data,
        Ok(TextKind::Plain) => Text::Prose,
        _ => Text::Code,
    }
}

/// A quoted line without the number and the sign that stood before it.
fn unnumbered(line: &str) -> &str {
    let bare = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    match bare.strip_prefix(['+', '-']) {
        Some(text) => text,
        None => line,
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn says_something(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).count() >= SIGNS_MIN
}
