//! What of a changed line can show that something is done: what runs. A comment or a literal says whatever its author
//! likes.

/// Signs that begin a line which is a comment as a whole.
const COMMENTS: &[&str] = &["//", "/*", "* ", "*/", "<!--", "-- ", "\"\"\"", "'''", "rem ", ";;", "%%"];
/// What begins with `#` and is code all the same.
const HASHES: &[&str] = &["#include", "#define", "#if", "#el", "#end", "#[", "#![", "#pragma", "#region"];

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// Neither comments nor literals count.
    Code,
    /// Literals are what it is made of; comments do not count.
    Data,
    /// Everything counts.
    Prose,
}

/// The line's signs without spaces, each with whether it weighs.
pub(super) fn weighed(line: &str, text: Text) -> Vec<(char, bool)> {
    let is_comment = text != Text::Prose && is_comment(line.trim_start());
    let mut open: Option<char> = None;
    let (mut escaped, mut previous) = (false, ' ');
    let mut weighed = Vec::with_capacity(line.len());
    for sign in line.chars() {
        let inside = open.is_some();
        match (open, sign) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(quote), _) if quote == sign => open = None,
            // A lifetime is no literal.
            (None, '\'') if matches!(previous, '&' | '<') => {}
            (None, '"' | '\'' | '`') if text == Text::Code => open = Some(sign),
            _ => {}
        }
        previous = sign;
        if !sign.is_whitespace() {
            weighed.push((sign, !is_comment && !inside));
        }
    }
    // An apostrophe that nothing closes is no quote.
    if open.is_some() && !is_comment {
        return line.chars().filter(|it| !it.is_whitespace()).map(|it| (it, true)).collect();
    }
    weighed
}

fn is_comment(line: &str) -> bool {
    let lower = line.get(..8).unwrap_or(line).to_ascii_lowercase();
    let hash = line.starts_with('#') && !HASHES.iter().any(|code| line.starts_with(code));
    hash || COMMENTS.iter().any(|sign| lower.starts_with(sign)) || line == "*"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let weighed: String = weighed(line, Text::Code).iter().filter(|it| it.1).map(|it| it.0).collect();
        assert_eq!(weighed, expected, "{line}");
    }

    #[test]
    fn comments_and_literals_weigh_nothing() {
        check("  # everything is DONE", "");
        check("// everything is DONE", "");
        check(" * everything is DONE", "");
        check("<!-- DONE -->", "");
        check("note = 'all is \\' DONE'", "note='");
        check("raise ValueError(\"no name\")", "raiseValueError(\")");
        check("#include <a.h>", "#include<a.h>");
        check("#[derive(Debug)]", "#[derive(Debug)]");
        check("fn f<'a>(x: &'a str)", "fnf<'a>(x:&'astr)");
        check("x = don't", "x=don't");
        check("*pointer = value;", "*pointer=value;");
    }

    #[test]
    fn prose_weighs() {
        assert!(weighed("# Don't `panic`", Text::Prose).iter().all(|it| it.1));
        assert!(weighed("\"retries\": 3", Text::Data).iter().all(|it| it.1));
        assert!(weighed("# retries: 3", Text::Data).iter().all(|it| !it.1));
    }
}
