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
/// How much of a line is looked at for the string that a name stands in; on longer lines none is seen.
const LINE_HEAD_BYTES_MAX: usize = 1_024;
/// Signs alone are a password from so many on; fewer are punctuation.
const SIGNS_MIN: usize = 6;

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
            let value = quoted(text, &open)?;
            let around = open_quote(text, name.start);
            // `"--password="` ends where a value seems to begin.
            let ends_string = !is_closed && ends_string(text, &name, &open, around);
            let is_other_name = is_closed && captures.name("kind").is_some();
            let is_value = !ends_string
                && !is_other_name
                && (is_closed || group_name != "listed")
                && !leaves_string(&text[value.clone()], text[open.end - 1], around)
                && !is_joined_name(&text[value.clone()])
                && !is_punctuation(&text[value.clone()]);
            return is_value.then_some(Assignment { name, value, form });
        }
    }
    bare(text, name, &captures)
}

/// Whether the quote at `open` closes the string that the name stands in.
fn ends_string(text: &[u8], name: &Range<usize>, open: &Range<usize>, around: Option<u8>) -> bool {
    let quote = text[open.end - 1];
    let is_escaped = open.len() == 2;
    name.start > 0 && text[name.start - 1] == quote || !is_escaped && around == Some(quote)
}

/// Whether a value in quotes inside another string runs over that string's end: `"password='" + f('x')`.
fn leaves_string(value: &[u8], quote: u8, around: Option<u8>) -> bool {
    around.filter(|around| *around != quote).is_some_and(|around| {
        let mut count = 0_usize;
        let mut at = 0;
        while at < value.len() {
            at += usize::from(value[at] == b'\\');
            count += usize::from(value.get(at) == Some(&around));
            at += 1;
        }
        !count.is_multiple_of(2)
    })
}

/// `" + name + "`: what joins two strings.
fn is_joined_name(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let inner = value.strip_prefix(b"+").and_then(|value| value.strip_suffix(b"+"));
    let inner = inner.or_else(|| value.strip_prefix(b".").and_then(|value| value.strip_suffix(b".")));
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$()[]->:".contains(byte);
    inner.is_some_and(|inner| {
        inner.len() > 2
            && inner.starts_with(b" ")
            && inner.ends_with(b" ")
            && inner.trim_ascii().iter().all(is_name)
    })
}

/// Whether nothing in it is a letter, a digit or a row of signs.
fn is_punctuation(value: &[u8]) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let has_space = value.iter().any(u8::is_ascii_whitespace);
    value.iter().all(is_sign) && (has_space || value.len() < SIGNS_MIN)
}

/// The quote of the string on its line that is open at `at`.
fn open_quote(text: &[u8], at: usize) -> Option<u8> {
    let head = &text[at.saturating_sub(LINE_HEAD_BYTES_MAX)..at];
    let line = match head.iter().rposition(|byte| *byte == b'\n') {
        Some(newline) => &head[newline + 1..],
        None if head.len() == at => head,
        None => return None,
    };
    let mut open = None;
    let mut at = 0;
    while at < line.len() {
        match (open, line[at]) {
            (_, b'\\') => at += 1,
            (None, byte @ (b'"' | b'\'' | b'`')) if !is_apostrophe(line, at) => open = Some(byte),
            (Some(quote), byte) if byte == quote => open = None,
            _ => {}
        }
        at += 1;
    }
    open
}

/// `don't`, but not the prefix of `f'text'`.
fn is_apostrophe(line: &[u8], at: usize) -> bool {
    const PREFIX_BYTES_MAX: usize = 2;
    let word = line[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let is_prefix =
        word <= PREFIX_BYTES_MAX && line[at - word..at].iter().all(|byte| b"rbfuRBFUL".contains(byte));
    let goes_on = line.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
    line[at] == b'\'' && word > 0 && !is_prefix && goes_on
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
    if is_spaced && !is_flag || is_tag && !is_element || is_comparison(text, name.end + joint.end()) {
        return None;
    }
    let start = name.end + joint.end();
    let rest = &text[start..text.len().min(start + VALUE_BYTES_MAX)];
    let end = rest.iter().position(|byte| ends_bare(*byte, is_element)).unwrap_or(rest.len());
    let end = end - usize::from(escapes_quote(rest, end));
    let is_own_line =
        is_flag || is_element || starts_line(text, name.start) || is_header(text, before, start + end);
    let value = start..start + end;
    if is_symbol(text, &name, joint.as_bytes(), &value)
        || is_punctuation(&text[value.clone()])
        || is_operand(&rest[end..])
        || !is_element && is_generic_type(&rest[..end], rest.get(end).copied())
    {
        return None;
    }
    let form = if joint.as_bytes().starts_with(b"= ") { Form::Loose } else { Form::Bare };
    (is_own_line && end > 0 && is_last(text, &value)).then_some(Assignment { name, value, form })
}

/// `has_secure_token :token`, `field: :password`: a symbol of Ruby's.
fn is_symbol(text: &[u8], name: &Range<usize>, joint: &[u8], value: &Range<usize>) -> bool {
    let starts_name =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let is_apart = matches!(text.get(name.end), Some(b' ' | b'\t'));
    let value = &text[value.clone()];
    joint == b":" && is_apart && starts_name(value.first())
        || value.first() == Some(&b':') && starts_name(value.get(1))
}

/// Whether the value's last byte is a backslash before a quote: `\"a\":null,\"b\"`.
fn escapes_quote(rest: &[u8], end: usize) -> bool {
    end > 0 && rest[end - 1] == b'\\' && matches!(rest.get(end), Some(b'"' | b'\''))
}

/// Whether an operator follows: `first + second`.
fn is_operand(rest: &[u8]) -> bool {
    let after = rest.trim_ascii_start();
    after.len() < rest.len()
        && [&b"+ "[..], b"|| ", b"?? ", b"&& ", b"? "].iter().any(|sign| after.starts_with(sign))
}

/// `Option<String>`: a declaration, not a value.
fn is_generic_type(value: &[u8], next: Option<u8>) -> bool {
    next == Some(b'<') && value.iter().all(|byte| byte.is_ascii_alphabetic() || b"_.:&'*".contains(byte))
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
    }

    #[test]
    fn what_a_string_ends_is_no_value() {
        check(r#"print("Enter password:", end="")"#, None);
        check(r#"{"Enter your password:": "x1"}"#, None);
        check(r"'Your password:': 'x1'", None);
        check(r"'&user_password=' + f('user_password')", None);
        check(r#"echo "the password=" . $_GET["x"];"#, None);
        check(r#""password='" + f('v1')"#, None);
        check(r#"say("ok"); password = "v1""#, Some(("password", "v1", Form::Quoted)));
        check(r#"// don't: password = "v1""#, Some(("password", "v1", Form::Quoted)));
        check(r"// don't: password = 'v1'", Some(("password", "v1", Form::Quoted)));
        check(r#"{"a": 'b', "password": "v1"}"#, Some(("password", "v1", Form::Quoted)));
        check(r#""host=a password='v1'""#, Some(("password", "v1", Form::Quoted)));
        check(r#""{"password": "v1"}""#, Some(("password", "v1", Form::Quoted)));
        check(r#"{"the password": "v1"}"#, Some(("password", "v1", Form::Quoted)));
        check(r#"let b = '"'; password = "v1""#, Some(("password", "v1", Form::Quoted)));
    }

    #[test]
    fn symbols_and_signs_are_no_values() {
        check("has_secure_password :digest", None);
        check("  password: :digest", None);
        check(r#"password = ", ""#, None);
        check(r#"password = "!@#$%^&*""#, Some(("password", "!@#$%^&*", Form::Quoted)));
        check("    password: Option<String>,", None);
        check("    password: &'a Setting<T>", None);
        check("  password: a1<b", Some(("password", "a1", Form::Bare)));
        check(r#"\"password\":null,\"b\":1"#, None);
        check("password = first1 + second2", None);
        check("password = first1 second2", Some(("password", "first1", Form::Loose)));
        check(r#"x = """a; password=""" + name + """; b""""#, None);
        check("password:v1", Some(("password", "v1", Form::Bare)));
        check("password : v1", Some(("password", "v1", Form::Bare)));
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
