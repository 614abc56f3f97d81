//! The little of Markdown that input and answers are written in: fences, quotes, headings.

/// A line, and whether it is quoted from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub text: &'t str,
    /// In a fence, or behind `>`: it says nothing of its own.
    pub quoted: bool,
}

/// The lines of `text`. A fence that is never closed quotes all that follows it.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut fence: Option<(char, usize)> = None;
    text.lines().map(move |text| {
        let mark = fence_mark(text);
        let quoted = match (fence, mark) {
            (None, Some(opening)) => {
                fence = Some((opening.0, opening.1));
                true
            }
            (Some(open), Some(closing)) if closing.0 == open.0 && closing.1 >= open.1 && closing.2 => {
                fence = None;
                true
            }
            (Some(_), _) => true,
            (None, None) => text.trim_start().starts_with('>'),
        };
        Line { text, quoted }
    })
}

/// The fence's character, how many there are, and whether nothing follows them.
fn fence_mark(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let count = line.len() - rest.len();
    // Backticks with more of them on the line are code within a line.
    let fence = count >= 3 && !(mark == '`' && rest.contains('`'));
    fence.then_some((mark, count, rest.is_empty()))
}

/// The text of a heading of any level, or of a line in bold; one that is indented like code is none.
pub(super) fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 || text.starts_with('\t') {
        return None;
    }
    let hashes = text.len() - text.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) && text[hashes..].starts_with([' ', '\t']) {
        return Some(text[hashes..].trim().trim_end_matches('#').trim_end());
    }
    ["**", "__"].iter().any(|mark| text.starts_with(mark)).then(|| text.trim())
}

/// The level of a heading with hashes, from 1 to 6.
pub(super) fn level(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let hashes = text.len() - text.trim_start_matches('#').len();
    (hashes > 0 && heading(line).is_some()).then_some(hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_and_quotes() {
        let check = |text: &str, expected: &[bool]| {
            assert_eq!(lines(text).map(|line| line.quoted).collect::<Vec<_>>(), expected, "{text:?}");
        };
        check("a\n```rust\nb\n```\nc", &[false, true, true, true, false]);
        check("~~~\n```\n~~~\nc", &[true, true, true, false]);
        check("````\n```\n````\nc", &[true, true, true, false]);
        check("```a``` b\nc", &[false, false]);
        check("> a\n  > b\nc", &[true, true, false]);
        check("```\nnever closed\nc", &[true, true, true]);
        check("```\n```rust\n```\nc", &[true, true, true, false]);
    }

    #[test]
    fn headings() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(heading(line), expected, "{line:?}");
        check("### A b ##", Some("A b"));
        check("   # A", Some("A"));
        check("    # code", None);
        check("\t# code", None);
        check("####### A", None);
        check("#A", None);
        check("**A**: b", Some("**A**: b"));
        check("* A", None);
    }
}
