//! `password = "…"` and its many spellings: where a name that says that its value is secret gets a value.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex, RegexBuilder};

/// A name on either side of the keyword.
const NAME_BYTES_MAX: usize = 64;
/// What assigns, with the space around it.
const JOINT_BYTES_MAX: usize = 96;
/// A value.
const VALUE_BYTES_MAX: usize = 512;

/// What of a line is looked at before an assignment.
const LINE_BYTES_MAX: usize = 400;

/// How the value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In quotes, after what assigns.
    Quoted,
    /// In quotes, after a comma or a bracket: `set("password", "…")`, `password("…")`.
    Argument,
    /// Without quotes: an environment file, a header, a flag, an element.
    Bare,
    /// Without quotes, with space around `=`: a settings file, or code.
    Loose,
}

/// A name and its value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    pub name: Range<usize>,
    pub value: Range<usize>,
    pub form: Form,
}

/// After a name: closes it, assigns, opens the value. The groups say which way.
const JOINT: &str = r#"(?x)\A
    (?P<close>\\?["'`])? \]? \)?
    (?:
        ["'\ ]? [\ \t,]* (?:\r?\n)? [\ \t+-]{0,40} \\?["']? [vV]alue \\?["']? [\ \t]* [:=] [\ \t]* (?P<pair>\\?["'])
      | [\ \t]* (?:
            (?: : [\ \t]* [A-Za-z_&'*] [\w&'<>.?|\ \[\]]{0,40}? [\ \t]* = | (?P<kind>\ (?:string|str|text|varchar|char|bytes))? [\ \t]* (?:=>?|:=|\?=|\?\?=|\|\|=) | : )
            [\ \t]* (?:\\\r?\n[\ \t]*)? [rbfuRBFU@]{0,2} (?P<assigned>\\?["'`])
          | , [\ \t]* [rbfu]? (?P<listed>\\?["'`])
          | \( [\ \t]* [rbfu]? (?P<called>\\?["'`])
          | (?P<bare>=[\ \t]*|:[\ \t]+|:|(?:\ [^<>\n]{1,60})?>)
        )
      | (?P<spaced>[\ ]+)
    )"#;

fn joint() -> Option<&'static Regex> {
    static JOINT_REGEX: LazyLock<Option<Regex>> =
        LazyLock::new(|| RegexBuilder::new(JOINT).unicode(false).build().ok());
    JOINT_REGEX.as_ref()
}

/// The assignment to the name around `keyword`.
pub(super) fn find(text: &[u8], keyword: &Range<usize>) -> Option<Assignment> {
    let name = name_around(text, keyword)?;
    let window = &text[name.end..text.len().min(name.end + JOINT_BYTES_MAX)];
    let captures = joint()?.captures(window)?;
    let group = |group: &str| captures.name(group).map(|found| found.start()..found.end());
    let opened = [
        ("assigned", Form::Quoted),
        ("pair", Form::Quoted),
        ("listed", Form::Argument),
        ("called", Form::Argument),
    ];
    for (group_name, form) in opened {
        if let Some(open) = group(group_name) {
            let is_closed = captures.name("close").is_some();
            let open = name.end + open.start..name.end + open.end;
            // `"--password="` ends where a value seems to begin.
            let ends_string = !is_closed && name.start > 0 && text[name.start - 1] == text[open.end - 1];
            let value = quoted(text, &open)?;
            let ends_text = open.len() == 1 && is_within_text(text, open.start, text[open.start]);
            let is_other_name = is_closed && captures.name("kind").is_some();
            let is_value =
                !ends_string && !ends_text && !is_other_name && (is_closed || group_name != "listed");
            return is_value.then_some(Assignment { name, value, form });
        }
    }
    bare(text, name, &captures)
}

/// The whole identifier; none where the keyword is a syllable in a longer text.
pub(super) fn name_around(text: &[u8], keyword: &Range<usize>) -> Option<Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.$".contains(byte);
    let before = &text[keyword.start.saturating_sub(NAME_BYTES_MAX)..keyword.start];
    let left = before.iter().rev().take_while(|byte| is_part(byte)).count();
    let after = &text[keyword.end..text.len().min(keyword.end + NAME_BYTES_MAX)];
    let right = after.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)).count();
    (left < NAME_BYTES_MAX && right < NAME_BYTES_MAX).then(|| keyword.start - left..keyword.end + right)
}

/// Whether a text that `quote` opened earlier on the line is still open at `at`, so that the quote there ends it.
fn is_within_text(text: &[u8], at: usize, quote: u8) -> bool {
    let before = &text[at.saturating_sub(LINE_BYTES_MAX)..at];
    let Some(start) = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map(|newline| newline + 1)
        .or_else(|| (before.len() == at).then_some(0))
    else {
        return false;
    };
    let line = &before[start..];
    let counts = |(place, byte): (usize, &u8)| {
        let is_apostrophe = place > 0
            && line[place - 1].is_ascii_alphanumeric()
            && line.get(place + 1).is_some_and(u8::is_ascii_alphabetic);
        let is_escaped = place > 0 && line[place - 1] == b'\\';
        *byte == quote && !is_escaped && !(quote == b'\'' && is_apostrophe)
    };
    line.iter().enumerate().filter(|entry| counts(*entry)).count() % 2 == 1
}

/// Between the quote at `open` and the next like it on this line.
fn quoted(text: &[u8], open: &Range<usize>) -> Option<Range<usize>> {
    let quote = text[open.end - 1];
    let is_escaped = open.len() == 2;
    let triple = usize::from(text[open.end..].starts_with(&[quote, quote])) * 2;
    let start = open.end + triple;
    let limit = text.len().min(start + VALUE_BYTES_MAX);
    let mut at = start;
    while at < limit && text[at] != b'\n' {
        match text[at] {
            b'\\' if is_escaped && text.get(at + 1) == Some(&quote) => return Some(start..at),
            b'\\' => at += 1,
            byte if byte == quote && !is_escaped => return Some(start..at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn bare(text: &[u8], name: Range<usize>, captures: &Captures) -> Option<Assignment> {
    let joint = captures.name("bare").or_else(|| captures.name("spaced"))?;
    let is_flag = text[name.clone()].starts_with(b"--");
    let is_spaced = captures.name("spaced").is_some();
    let before = name.start.checked_sub(1).map_or(b'\n', |at| text[at]);
    let is_tag = joint.as_bytes().ends_with(b">");
    let is_element = is_tag && before == b'<';
    // `has_secure_token :name` in Ruby: the colon belongs to what follows.
    let is_symbol =
        joint.as_bytes() == b":" && joint.start() > 0 && window_byte(text, &name, joint.start() - 1) == b' ';
    if is_symbol
        || is_spaced && !is_flag
        || is_tag && !is_element
        || is_comparison(text, name.end + joint.end())
    {
        return None;
    }
    let start = name.end + joint.end();
    let rest = &text[start..text.len().min(start + VALUE_BYTES_MAX)];
    let end = rest.iter().position(|byte| ends_bare(*byte, is_element)).unwrap_or(rest.len());
    let is_own_line =
        is_flag || is_element || starts_line(text, name.start) || is_header(text, before, start + end);
    let value = start..start + end;
    let form = if joint.as_bytes().starts_with(b"= ") { Form::Loose } else { Form::Bare };
    (is_own_line && end > 0 && is_last(text, &value)).then_some(Assignment { name, value, form })
}

/// The byte `at` bytes after the name.
fn window_byte(text: &[u8], name: &Range<usize>, at: usize) -> u8 {
    text.get(name.end + at).copied().unwrap_or(b'\n')
}

fn is_comparison(text: &[u8], at: usize) -> bool {
    matches!(text.get(at), Some(b'=' | b'~' | b'>' | b':'))
}

const fn ends_bare(byte: u8, is_element: bool) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<') || (byte == b'>' && is_element)
}

/// Whether only a margin stands before: white space, a diff's mark, a list's dash, `export`, `ENV`, `-e`.
fn starts_line(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(NAME_BYTES_MAX)..at];
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or(before);
    let margin = line.trim_ascii();
    let words: [&[u8]; 18] = [
        b"", b"-", b"+", b"+ -", b"#", b"//", b"\"", b"'", b"*", b"export", b"ENV", b"ARG", b"set", b"-e",
        b"--env", b"+export", b"+ENV", b";",
    ];
    words.contains(&margin)
        || margin.ends_with(b" -e")
        || margin.ends_with(b" --env")
        || margin.ends_with(b"ENV")
}

/// `"X-Api-Key: value"`: one quoted text holds name and value.
fn is_header(text: &[u8], before: u8, end: usize) -> bool {
    matches!(before, b'"' | b'\'' | b'`') && text.get(end) == Some(&before)
}

/// Whether nothing but the line's end, a comment or a closing quote follows.
fn is_last(text: &[u8], value: &Range<usize>) -> bool {
    let rest = &text[value.end..text.len().min(value.end + 2)];
    match rest.first() {
        None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'<' | b'`') => true,
        Some(_) => {
            let rest = &text[value.end..text.len().min(value.end + JOINT_BYTES_MAX)];
            let rest = rest.trim_ascii_start();
            rest.is_empty()
                || matches!(rest[0], b'#' | b'\\' | b'-')
                || text[value.clone()].iter().any(u8::is_ascii_digit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, &str, Form)>) {
        let at = text.to_lowercase().find("pass").expect("a keyword");
        let found = find(text.as_bytes(), &(at..at + 4));
        let shown = found.map(|found| (&text[found.name], &text[found.value], found.form));
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn quoted_values() {
        check(r#"password = "v1""#, Some(("password", "v1", Form::Quoted)));
        check(r#"{"db.password": "v\"1"}"#, Some(("db.password", r#"v\"1"#, Form::Quoted)));
        check(r#"let password: &str = "v1";"#, Some(("password", "v1", Form::Quoted)));
        check(r#"const password string = "v1""#, Some(("password", "v1", Form::Quoted)));
        check(r"'PASSWORD' => 'v1'", Some(("PASSWORD", "v1", Form::Quoted)));
        check(r#"config["password"] = f"v1""#, Some(("password", "v1", Form::Quoted)));
        check(r#"{\"password\": \"v1\"}"#, Some(("password", "v1", Form::Quoted)));
        check(r#"<add key="Password" value="v1"/>"#, Some(("Password", "v1", Form::Quoted)));
        check("- name: DB_PASSWORD\n  value: \"v1\"", Some(("DB_PASSWORD", "v1", Form::Quoted)));
        check(r#"set("password", "v1")"#, Some(("password", "v1", Form::Argument)));
        check(r#".setPassword("v1")"#, Some((".setPassword", "v1", Form::Argument)));
        check(r#"password == "v1""#, None);
        check(r##"<a id="password" title="#v1">"##, None);
        check(r"'--password='.$connection['x']", None);
        check(r#"print("Enter password:", end="")"#, None);
        check(r#"{"Enter your password:": "x"}"#, None);
        check(r"'/login?password=' + f('token')", None);
        check(r#"let a = "x", password = "v1""#, Some(("password", "v1", Form::Quoted)));
        check(r"// it's where password = 'v1'", Some(("password", "v1", Form::Quoted)));
    }

    #[test]
    fn bare_values() {
        check("DB_PASSWORD=v1\n", Some(("DB_PASSWORD", "v1", Form::Bare)));
        check("export PASSWORD=v1 # x", Some(("PASSWORD", "v1", Form::Bare)));
        check("  password: v1", Some(("password", "v1", Form::Bare)));
        check("<password>v1</password>", Some(("password", "v1", Form::Bare)));
        check("<Pass encoding=\"base64\">v1</Pass>", Some(("Pass", "v1", Form::Bare)));
        check("mysql --password v1", Some(("--password", "v1", Form::Bare)));
        check("password = v1 # x", Some(("password", "v1", Form::Loose)));
        check("connect(password=password)", None);
        check("if (password>x) {", None);
        check("the password is v1", None);
    }
}
