//! Where a claim stands: by the code that it quotes, not by the number that it states.

use prevet_domain::change::LineKind;

use super::claim::Claim;
use crate::prompt::masked::{MaskedChange, MaskedFile, MaskedLine};

/// A quote that is part of a line has at least this many characters; shorter ones are everywhere.
const PARTIAL_CHARACTERS_MIN: usize = 8;

/// A place in the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// On these lines of a file.
    Lines {
        /// The file's index.
        file: usize,
        /// First line after the change.
        line: u32,
        /// Last line.
        end_line: u32,
        /// The line's text, masked: what it is recognised by in the next run.
        code: String,
    },
    /// The file, and no line of it: the quote is not there.
    File {
        /// The file's index.
        file: usize,
    },
    /// No file of the change.
    Outside,
}

/// The place of `claim`. `only` is the file that is meant where the claim names none.
pub fn place(change: &MaskedChange, claim: &Claim, only: Option<&str>) -> Place {
    let named = if claim.file.is_empty() { only.unwrap_or_default() } else { &claim.file };
    let Some(file) = change.files.iter().position(|file| is_named(file, named)) else {
        return Place::Outside;
    };
    match lines(&change.files[file], &claim.quote, claim.line) {
        Some((line, end_line, code)) => Place::Lines { file, line, end_line, code },
        None => Place::File { file },
    }
}

fn is_named(file: &MaskedFile, name: &str) -> bool {
    let bare = name.trim().trim_start_matches("./").trim_matches('`');
    let without = |prefix: &str| bare.strip_prefix(prefix).unwrap_or(bare);
    [bare, without("a/"), without("b/")].iter().any(|it| file.path == *it || file.shown_path == *it)
}

/// Whether a line is what a quoted one says.
type Same<'a> = &'a dyn Fn(&MaskedLine, &str) -> bool;

/// First and last line of the quoted code, and the line that it is recognised by.
pub fn lines(file: &MaskedFile, quote: &str, stated: Option<u32>) -> Option<(u32, u32, String)> {
    let quoted: Vec<String> = quote.lines().map(bare).filter(|line| !folded(line).is_empty()).collect();
    if quoted.is_empty() {
        return None;
    }
    let exact = |line: &MaskedLine, quote: &str| line.text.trim() == quote.trim();
    let alike = |line: &MaskedLine, quote: &str| folded(&line.text) == folded(quote);
    let partial = |line: &MaskedLine, quote: &str| {
        folded(quote).chars().count() >= PARTIAL_CHARACTERS_MIN && folded(&line.text).contains(&folded(quote))
    };
    let longest = quoted.iter().max_by_key(|line| line.trim().len()).cloned().into_iter().collect::<Vec<_>>();
    let ways: [(&[String], Same<'_>); 5] =
        [(&quoted, &exact), (&quoted, &alike), (&quoted, &partial), (&longest, &alike), (&longest, &partial)];
    let mut found = ways.into_iter().map(|(quoted, same)| runs(file, quoted, same));
    let found = found.find(|runs| !runs.is_empty())?;
    let distance = |run: &Run<'_>| stated.map_or(0, |stated| stated.abs_diff(run.first()));
    let best = found.into_iter().min_by_key(|run| (!run.has_added(), distance(run), run.first()))?;
    Some((best.first(), best.last(), best.code()))
}

/// Whether the code stands in the file.
pub fn stands(file: &MaskedFile, code: &str) -> bool {
    let kept = |line: &&MaskedLine| line.kind != LineKind::Removed;
    let code = folded(code);
    file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(kept).any(|line| folded(&line.text) == code)
}

struct Run<'a>(Vec<&'a MaskedLine>);

impl Run<'_> {
    fn first(&self) -> u32 {
        self.0.first().map_or(1, |line| line.number.max(1))
    }

    fn last(&self) -> u32 {
        self.0.last().map_or(1, |line| line.number.max(1))
    }

    fn has_added(&self) -> bool {
        self.0.iter().any(|line| line.kind == LineKind::Added)
    }

    /// Its first line that the change touches, or its first.
    fn code(&self) -> String {
        let touched = self.0.iter().find(|line| line.kind != LineKind::Context);
        touched.or(self.0.first()).map(|line| line.text.trim().to_owned()).unwrap_or_default()
    }
}

/// Runs of lines that are the quoted ones: as the file is after the change, else as it was before.
fn runs<'a>(
    file: &'a MaskedFile,
    quoted: &[String],
    same: &dyn Fn(&MaskedLine, &str) -> bool,
) -> Vec<Run<'a>> {
    let within = |without: LineKind| {
        let mut found = Vec::new();
        for hunk in &file.hunks {
            let shown = |line: &&MaskedLine| line.kind != without && !line.text.trim().is_empty();
            let lines: Vec<&MaskedLine> = hunk.lines.iter().filter(shown).collect();
            let is_here =
                |window: &&[&MaskedLine]| window.iter().zip(quoted).all(|(line, quote)| same(line, quote));
            found.extend(lines.windows(quoted.len()).filter(is_here).map(|window| Run(window.to_vec())));
        }
        found
    };
    let after = within(LineKind::Removed);
    if after.is_empty() { within(LineKind::Added) } else { after }
}

/// A quoted line without the number and sign that it was shown with.
fn bare(line: &str) -> String {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &trimmed[digits..];
    let signed = rest.trim_start().strip_prefix(['+', '-', '|']);
    match signed {
        Some(text) if digits > 0 && rest.starts_with(' ') => text.to_owned(),
        None if digits > 0 && rest.starts_with("   ") => rest.to_owned(),
        _ => trimmed.strip_prefix("+ ").or_else(|| trimmed.strip_prefix("- ")).unwrap_or(line).to_owned(),
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {

    use bytes::Bytes;
    use prevet_domain::change::parse;

    use super::*;
    use crate::prompt::masked::masked;

    fn change() -> MaskedChange {
        let patch = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -10,4 +10,5 @@\n def f(x):\n-    check(x)\n+    run(x)\n+    stop( x )\n     return x\n end = 1\n@@ -40 +41,2 @@\n def g(x):\n+    run(x)\n";
        masked(&parse(&Bytes::from(patch)).unwrap(), |_| true)
    }

    fn claim(file: &str, quote: &str, line: Option<u32>) -> Claim {
        let mut claim = Claim::read(&serde_json::from_str(r#"{"title":"t"}"#).unwrap()).unwrap();
        (claim.file, claim.quote, claim.line) = (file.to_owned(), quote.to_owned(), line);
        claim
    }

    #[test]
    fn by_the_quote() {
        let change = change();
        let check = |file: &str, quote: &str, stated: Option<u32>, expected: Option<(u32, u32)>| {
            let found = match place(&change, &claim(file, quote, stated), None) {
                Place::Lines { line, end_line, .. } => Some((line, end_line)),
                Place::File { .. } => None,
                Place::Outside => Some((0, 0)),
            };
            assert_eq!(found, expected, "{file} {quote:?}");
        };
        check("src/a.py", "    stop( x )", Some(999), Some((12, 12)));
        check("b/src/a.py", "stop( x )", None, Some((12, 12)));
        check("./src/a.py", "stop(  x  )", None, Some((12, 12)));
        check("src/a.py", "     12 +     stop( x )", None, Some((12, 12)));
        check("src/a.py", "run(x)\nstop( x )", None, Some((11, 12)));
        check("src/a.py", "run(x)", Some(42), Some((42, 42)));
        check("src/a.py", "run(x)", Some(9), Some((11, 11)));
        check("src/a.py", "check(x)", None, Some((11, 11)));
        check("src/a.py", "return x\nelse", None, Some((13, 13)));
        check("src/a.py", "return x\nsomething else", None, None);
        check("src/a.py", "nothing_like_it()", Some(11), None);
        check("src/a.py", "", Some(11), None);
        check("src/other.py", "run(x)", None, Some((0, 0)));
        check("../../etc/passwd", "root", None, Some((0, 0)));
        check("", "run(x)", None, Some((0, 0)));
    }

    #[test]
    fn the_only_file_needs_no_name() {
        let found = place(&change(), &claim("", "stop( x )", None), Some("src/a.py"));
        assert!(matches!(found, Place::Lines { line: 12, .. }));
    }
}
