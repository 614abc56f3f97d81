//! Whether a quote stands in the change, and where.

use prevet_domain::change::LineKind;

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
    lines: Vec<(Evidence, String)>,
}

impl Shown {
    /// Those of `change`.
    pub fn of(change: &MaskedChange) -> Self {
        let mut lines = Vec::new();
        for file in &change.files {
            let all = file.hunks.iter().flat_map(|hunk| &hunk.lines);
            for line in all.filter(|it| it.kind != LineKind::Context) {
                let place = Evidence {
                    file: file.path.clone(),
                    line: line.number,
                    quote: line.text.trim().to_owned(),
                };
                lines.push((place, squeezed(&line.text)));
            }
        }
        Self { lines }
    }

    /// The first changed line that `quote` stands on; every line of the quote that says something must be one.
    pub fn find(&self, file: &str, quote: &str) -> Option<Evidence> {
        let wanted: Vec<String> =
            quote.lines().map(unnumbered).map(squeezed).filter(|it| says_something(it)).collect();
        let mut first = None;
        for line in &wanted {
            let place = self.place(file, line)?;
            first = first.or(Some(place));
        }
        first.cloned()
    }

    /// A file that is named has to be the right one.
    fn place(&self, file: &str, wanted: &str) -> Option<&Evidence> {
        let file = file.trim().trim_start_matches("./");
        let file = file.strip_prefix("b/").filter(|bare| self.has_file(bare)).unwrap_or(file);
        let in_file = |it: &Evidence| file.is_empty() || it.file == file;
        self.lines.iter().find(|(it, plain)| in_file(it) && plain.contains(wanted)).map(|(it, _)| it)
    }

    fn has_file(&self, path: &str) -> bool {
        self.lines.iter().any(|(it, _)| it.file == path)
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
