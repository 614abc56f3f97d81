//! Foreign text made harmless.

use std::fmt::Write as _;

/// Stands between two characters that together would make a mention, a reference or a link.
const BREAK: char = '\u{200b}';
const TAB: &str = "    ";

/// One line for a terminal: control characters, line ends, direction overrides and invisible characters are
/// written as escapes.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|character| push_visible(&mut out, character));
    out
}

/// Lines for a terminal: like [`line()`], but line ends stay and tabs become spaces.
pub fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.replace("\r\n", "\n").chars() {
        match character {
            '\n' => out.push('\n'),
            '\t' => out.push_str(TAB),
            other => push_visible(&mut out, other),
        }
    }
    out
}

fn push_visible(out: &mut String, character: char) {
    if is_hidden(character) {
        let _ = match u32::from(character) {
            code @ 0..=0xff => write!(out, "\\x{code:02x}"),
            code => write!(out, "\\u{{{code:x}}}"),
        };
    } else {
        out.push(character);
    }
}

/// Controls, and what changes how other text is shown without being seen itself.
pub(super) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// One line of inline Markdown that shows as `text`: nothing in it is markup, HTML, a table's bar, a link, an
/// image, a mention or a reference to an issue.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for character in without_references(&line(text)).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other if other.is_ascii_punctuation() && !"/,;:'\"%?".contains(other) => {
                out.extend(['\\', other]);
            }
            other => out.push(other),
        }
    }
    out
}

/// Text for inside an HTML element of a comment.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in without_references(&line(text)).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// Services look for mentions, references and bare links in the text that Markdown has left over, after its
/// escapes are gone; only a character between helps.
fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let starts_word = characters.peek().is_some_and(|next| next.is_alphanumeric());
        let breaks_after = match character {
            '@' => true,
            '#' | '!' => starts_word,
            ':' => characters.peek() == Some(&'/'),
            _ => false,
        };
        let lower = out.get(out.len().saturating_sub(3)..).unwrap_or_default().to_ascii_lowercase();
        if (character == '.' && lower == "www") || (character == '-' && lower.ends_with("gh")) {
            out.push(BREAK);
        }
        out.push(character);
        if breaks_after {
            out.push(BREAK);
        }
    }
    out
}

/// A fenced block of code whose fence no line of `text` can close.
pub fn fenced(text: &str) -> String {
    let text = lines(text);
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// JSON text in which what is hidden is written as escapes, which mean the same.
pub(super) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals() {
        let check = |text: &str, expected: &str| assert_eq!(line(text), expected);
        check("plain é 漢 🦀", "plain é 漢 🦀");
        check("\x1b[2Jx\r\n\t\0", "\\x1b[2Jx\\x0d\\x0a\\x09\\x00");
        check("\u{9b}31m\u{7f}", "\\x9b31m\\x7f");
        check("a\u{202e}b\u{2066}\u{200b}\u{feff}", "a\\u{202e}b\\u{2066}\\u{200b}\\u{feff}");
        assert_eq!(lines("a\r\n\tb\rc\u{1b}"), "a\n    b\\x0dc\\x1b");
    }

    #[test]
    fn comments() {
        let check = |text: &str, expected: &str| {
            assert_eq!(markdown(text).replace(BREAK, "·"), expected);
        };
        check("a|b", r"a\|b");
        check("<img src=x>&lt;", r"&lt;img src\=x&gt;&amp;lt;");
        check("![x](y) *z* `w`", r"\!\[x\]\(y\) \*z\* \`w\`");
        check("@owner fixes #12 o/r#3", r"\@·owner fixes \#·12 o/r\#·3");
        check("https://evil www.evil GH-1", r"https:·//evil www·\.evil GH·\-1");
        check("a.py:3", r"a\.py:3");
        check("a\nb", r"a\\x0ab");
        assert_eq!(html("</summary>@x\"").replace(BREAK, "·"), "&lt;/summary&gt;@·x&quot;");
    }

    #[test]
    fn fences() {
        assert_eq!(fenced("a"), "```text\na\n```\n");
        assert_eq!(fenced("```\n````\n"), "`````text\n```\n````\n`````\n");
    }

    #[test]
    fn json_means_the_same() {
        let text = "\"a\u{9b}\u{202e}\u{e0001}é\"";
        let escaped = json(text);
        assert_eq!(escaped, "\"a\\u009b\\u202e\\udb40\\udc01é\"");
        let parsed = |text: &str| serde_json::from_str::<String>(text).unwrap();
        assert_eq!(parsed(&escaped), parsed(text));
    }
}
