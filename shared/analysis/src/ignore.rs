//! `prevet: ignore <rule> <reason>` in a comment: takes one rule's finding on that line or the next out of the
//! gate. The finding stays counted and listed.

use crate::source::Source;

const KEYWORD: &[u8] = b"prevet: ignore ";
/// The most of a reason that is kept.
const REASON_BYTES_MAX: usize = 300;

/// An ignore comment that holds for a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// The line it stands on.
    pub line: u32,
    /// Its reason.
    pub reason: String,
}

/// The comment that ignores `rule` on the lines from `first` to `last`, or on the line before them.
pub fn find(source: &Source<'_>, rule: &str, first: u32, last: u32) -> Option<Ignore> {
    (first.saturating_sub(1).max(1)..=last).find_map(|number| {
        let (named, reason) = parse(source.line(number))?;
        (named == rule && !reason.is_empty()).then_some(Ignore { line: number, reason })
    })
}

/// The rule and reason of an ignore comment on `line`, where it has one.
fn parse(line: &[u8]) -> Option<(String, String)> {
    let at = line.windows(KEYWORD.len()).position(|window| window == KEYWORD)?;
    if !opens_comment(&line[..at]) || is_quoted(line, at) {
        return None;
    }
    let text = String::from_utf8_lossy(&line[at + KEYWORD.len()..]).into_owned();
    let text = text.trim().trim_end_matches("*/").trim_end_matches("-->").trim_end_matches("#}").trim();
    let (rule, reason) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let reason: String = reason.trim().chars().take(REASON_BYTES_MAX).collect();
    Some((rule.to_owned(), reason))
}

/// Whether what stands before the keyword ends in a comment's opening, so that a string does not count.
fn opens_comment(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let openings: [&[u8]; 9] = [b"#", b"//", b"/*", b"--", b"<!--", b";", b"%", b"{#", b"*"];
    openings.iter().any(|opening| before.ends_with(opening))
}

/// Whether a quote that was opened before `at` is closed after it.
fn is_quoted(line: &[u8], at: usize) -> bool {
    let (before, after) = line.split_at(at);
    let open = |quote: &u8| before.split(|byte| byte == quote).count().is_multiple_of(2);
    b"\"'`".iter().any(|quote| open(quote) && after.contains(quote))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments() {
        let check = |text: &str, expected: Option<(u32, &str)>| {
            let source = Source::new("a", None, text.as_bytes(), true);
            let found = find(&source, "python.eval", 2, 2);
            assert_eq!(found.as_ref().map(|it| (it.line, it.reason.as_str())), expected, "{text:?}");
        };
        check("a\nx = eval(y)  # prevet: ignore python.eval input is ours\n", Some((2, "input is ours")));
        check("// prevet: ignore python.eval checked above\neval(y)\n", Some((1, "checked above")));
        check("/* prevet: ignore python.eval checked */\neval(y)\n", Some((1, "checked")));
        check("# prevet: ignore python.eval\neval(y)\n", None);
        check("# prevet: ignore python.exec why\neval(y)\n", None);
        check("s = \"prevet: ignore python.eval why\"\neval(y)\n", None);
        check("a\neval(y + \"# prevet: ignore python.eval not a comment\")\n", None);
        check("a\neval(y + '')  # prevet: ignore python.eval it's ours\n", Some((2, "it's ours")));
        check("a\neval(y)\n# prevet: ignore python.eval too late\n", None);
    }
}
