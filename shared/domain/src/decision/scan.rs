//! From text to words, numbers and the places where it breaks.

/// A piece of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A word, folded to lower case.
    Word(Word),
    /// A comma, a colon, a bracket or a dash between words.
    Comma,
    /// The end of a sentence; true for a question mark.
    End(bool),
}

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Lower case, without apostrophes.
    pub text: String,
    /// A name in code, a path, a version or a number: kept as it is, letter for letter.
    pub exact: bool,
}

const UNITS: [(&str, &str); 34] = [
    ("b", "byte"),
    ("kb", "kb"),
    ("kib", "kib"),
    ("mb", "mb"),
    ("mib", "mib"),
    ("gb", "gb"),
    ("gib", "gib"),
    ("tb", "tb"),
    ("tib", "tib"),
    ("ms", "millisecond"),
    ("s", "second"),
    ("sec", "second"),
    ("secs", "second"),
    ("m", "minute"),
    ("min", "minute"),
    ("mins", "minute"),
    ("h", "hour"),
    ("hr", "hour"),
    ("hrs", "hour"),
    ("d", "day"),
    ("day", "day"),
    ("days", "day"),
    ("w", "week"),
    ("px", "px"),
    ("rps", "rps"),
    ("qps", "qps"),
    ("pt", "pt"),
    ("em", "em"),
    ("rem", "rem"),
    ("fps", "fps"),
    ("khz", "khz"),
    ("mhz", "mhz"),
    ("ghz", "ghz"),
    ("hours", "hour"),
];
/// Units that are written as words of their own after a number.
const SPACED: [(&str, &str); 14] = [
    ("sec", "second"),
    ("secs", "second"),
    ("seconds", "second"),
    ("second", "second"),
    ("min", "minute"),
    ("mins", "minute"),
    ("minutes", "minute"),
    ("hr", "hour"),
    ("hrs", "hour"),
    ("ms", "millisecond"),
    ("milliseconds", "millisecond"),
    ("megabytes", "mb"),
    ("gigabytes", "gb"),
    ("kilobytes", "kb"),
];
const SMALL: [(&str, u32); 28] = [
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];

/// Names that would be words without weight in small letters.
const ACRONYMS: [&str; 5] = ["US", "IT", "PUT", "CAN", "AS"];

/// Signs that compare or calculate; what has only a dash or an exclamation mark of them is a break.
const SIGNS: [char; 11] = ['<', '>', '=', '!', '+', '*', '/', '%', '&', '|', '-'];
const SIGNS_ALONE: [char; 9] = ['<', '>', '=', '+', '*', '/', '%', '&', '|'];

/// Splits a text.
pub fn scan(text: &str) -> Vec<Piece> {
    let text: String = text.chars().map(plain).collect();
    let mut pieces = Vec::new();
    for chunk in text.split_whitespace() {
        scan_chunk(chunk, &mut pieces);
    }
    numbers(pieces)
}

fn plain(character: char) -> char {
    match character {
        '\u{2018}' | '\u{2019}' | '`' | '\u{2032}' => {
            if character == '`' {
                '"'
            } else {
                '\''
            }
        }
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}' | '\u{2011}' => '-',
        '\u{2013}' | '\u{2014}' => '\u{2014}',
        other => other,
    }
}

fn scan_chunk(chunk: &str, pieces: &mut Vec<Piece>) {
    if let Some((left, right)) = chunk.split_once('\u{2014}') {
        scan_chunk(left, pieces);
        pieces.push(Piece::Comma);
        return scan_chunk(right, pieces);
    }
    // "latency > 500 ms", "load <80%"
    let rest = chunk.trim_start_matches(SIGNS);
    let sign = &chunk[..chunk.len() - rest.len()];
    if sign.contains(SIGNS_ALONE) && (rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit())) {
        pieces.push(exact(sign.to_owned()));
        if !rest.is_empty() {
            scan_chunk(rest, pieces);
        }
        return;
    }
    let opened = chunk.trim_start_matches(['"', '\'', '(', '[', '{', '<']);
    if opened.len() < chunk.len() && chunk.contains(['(', '[']) {
        pieces.push(Piece::Comma);
    }
    let is_end = |c: char| {
        matches!(c, '"' | '\'' | ')' | ']' | '}' | '>' | '.' | ',' | ';' | ':' | '?' | '!' | '\u{2026}')
    };
    let body = opened.trim_end_matches(is_end);
    if body == "-" {
        pieces.push(Piece::Comma);
        return;
    }
    if !body.is_empty() {
        scan_word(body, pieces);
    }
    let tail = &opened[body.len()..];
    if tail.contains(['?']) {
        pieces.push(Piece::End(true));
    } else if tail.contains(['.', '!', ';', '\u{2026}']) {
        pieces.push(Piece::End(false));
    } else if tail.contains([',', ':', ')', ']']) {
        pieces.push(Piece::Comma);
    }
}

fn scan_word(body: &str, pieces: &mut Vec<Piece>) {
    if is_identifier(body) {
        return pieces.push(exact(body.to_owned()));
    }
    // `and/or`, `client/server`: two plain words.
    if let Some((left, right)) = body.split_once('/')
        && [left, right]
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|it| it.is_ascii_alphabetic()))
    {
        pieces.push(exact(body.to_lowercase()));
        return;
    }
    if let Some(amount) = body.strip_prefix('$') {
        scan_word(amount, pieces);
        return pieces.push(exact("usd".to_owned()));
    }
    let negative = body.len() > 1 && body.starts_with('-') && body.as_bytes()[1].is_ascii_digit();
    if negative || body.starts_with(|c: char| c.is_ascii_digit()) {
        return scan_number(body, pieces);
    }
    for part in body.split('-').filter(|part| !part.is_empty()) {
        scan_plain(part, pieces);
    }
}

fn exact(text: String) -> Piece {
    Piece::Word(Word { text, exact: true })
}

fn word(text: impl Into<String>) -> Piece {
    Piece::Word(Word { text: text.into(), exact: false })
}

/// Names in code and paths: what has an underscore, a dot or a slash inside, or a capital after a small letter.
fn is_identifier(body: &str) -> bool {
    let bytes = body.as_bytes();
    let letters = body.chars().any(char::is_alphabetic);
    let joined = body.contains('_') || body.contains("::") || body.contains('@') || body.contains("()");
    let path = body.matches('/').count() > 1 || (body.contains('/') && body.contains('.'));
    let dotted = bytes
        .windows(3)
        .any(|it| it[1] == b'.' && it[0].is_ascii_alphanumeric() && it[2].is_ascii_alphabetic());
    let flag =
        body.starts_with("--") || body.starts_with('.') || body.starts_with('/') || body.starts_with('#');
    let option = body.starts_with('-') && bytes.get(1).is_some_and(u8::is_ascii_alphabetic);
    letters && (option || joined || path || dotted || flag)
}

fn scan_number(body: &str, pieces: &mut Vec<Piece>) {
    let end = body
        .char_indices()
        .find(|(at, c)| !(c.is_ascii_digit() || matches!(c, '.' | ',') || *at == 0 && *c == '-'));
    let (digits, rest) = body.split_at(end.map_or(body.len(), |(at, _)| at));
    let ports = matches!(pieces.last(), Some(Piece::Word(it)) if it.text.starts_with("port"));
    let digits = if has_thousands(digits) && !ports { digits.replace(',', "") } else { digits.to_owned() };
    let unit = rest.trim_start_matches('-');
    let lower = unit.to_lowercase();
    let unit_name = UNITS.iter().find(|(name, _)| *name == lower).map(|(_, full)| *full);
    if rest.is_empty() {
        pieces.push(exact(digits));
    } else if rest == "%" {
        pieces.extend([exact(digits), exact("percent".to_owned())]);
    } else if rest == "M" {
        pieces.extend([exact(digits), word("million")]);
    } else if matches!(rest, "k" | "K") && !digits.contains('.') {
        pieces.push(exact(format!("{digits}000")));
    } else if unit.len() == 2 && unit.ends_with('b') && unit.starts_with(|c: char| c.is_ascii_uppercase()) {
        // Bits, where somebody means what they write.
        pieces.extend([exact(digits), exact(format!("{lower}it"))]);
    } else if let Some(full) = unit_name {
        pieces.extend([exact(digits), exact(full.to_owned())]);
    } else if let Some(rest) = rest.strip_prefix('-') {
        pieces.push(exact(digits));
        for part in rest.split('-').filter(|part| !part.is_empty()) {
            scan_plain(part, pieces);
        }
    } else {
        // 2fa, 3d, 404s, 1st
        scan_plain(body, pieces);
    }
}

/// Whether every comma is a mark of thousands: "1,000", but not "1,5".
fn has_thousands(digits: &str) -> bool {
    let whole = digits.split('.').next().unwrap_or_default();
    let mut groups = whole.trim_start_matches('-').split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3)
}

fn scan_plain(part: &str, pieces: &mut Vec<Piece>) {
    let lower = part.to_lowercase();
    let (base, negated) = contraction(&lower);
    // URLs, IDs, UUIDs
    let capitals = part.len() > 2
        && part.ends_with('s')
        && part[..part.len() - 1].bytes().all(|it| it.is_ascii_uppercase());
    let base = if capitals { base.trim_end_matches('s') } else { base };
    let opens = matches!(pieces.last(), None | Some(Piece::End(_)));
    if ["Kb", "Mb", "Gb", "Tb"].contains(&part) {
        // Bits, where somebody means what they write.
        return pieces.push(exact(format!("{lower}it")));
    }
    if ACRONYMS.contains(&part) || (part == "A" && !opens) {
        return pieces.push(exact(lower));
    }
    if !base.is_empty() {
        // Digits are part of a name: utf8, v2, node20.
        let named = base.bytes().any(|it| it.is_ascii_digit());
        pieces.push(if named && base.len() < 2 { exact(base.to_owned()) } else { word(base) });
    }
    if negated {
        pieces.push(word("not"));
    }
}

fn contraction(word: &str) -> (&str, bool) {
    match word {
        "can't" | "cant" | "cannot" => return ("can", true),
        "won't" => return ("will", true),
        "shan't" => return ("shall", true),
        _ => {}
    }
    if let Some(base) = word.strip_suffix("n't") {
        return (base, true);
    }
    let ends = ["'s", "'re", "'ll", "'d", "'ve", "'m", "s'"];
    match ends.iter().find_map(|end| word.strip_suffix(end)) {
        Some(base) => (base, false),
        None => (word.trim_matches('\''), false),
    }
}

/// Number words to digits, and units to one name.
fn numbers(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        let Piece::Word(it) = &piece else {
            out.push(piece);
            continue;
        };
        let value = SMALL.iter().find(|(name, _)| *name == it.text).map(|(_, value)| *value);
        let last = match out.last() {
            Some(Piece::Word(last)) if last.exact => last.text.parse::<u64>().ok(),
            _ => None,
        };
        let unit = SPACED.iter().find(|(name, _)| *name == it.text).map(|(_, full)| *full);
        match (value, last, unit) {
            (Some(value @ 1..10), Some(tens @ (20 | 30 | 40 | 50 | 60 | 70 | 80 | 90)), _) => {
                out.pop();
                out.push(exact((tens + u64::from(value)).to_string()));
            }
            (Some(value), _, _) => out.push(exact(value.to_string())),
            (None, Some(count), _) if it.text == "hundred" || it.text == "thousand" => {
                let factor = if it.text == "hundred" { 100 } else { 1000 };
                out.pop();
                out.push(exact(count.saturating_mul(factor).to_string()));
            }
            (None, Some(_), Some(unit)) => out.push(exact(unit.to_owned())),
            _ => out.push(piece),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let show = |piece: &Piece| match piece {
            Piece::Word(word) => word.text.clone(),
            Piece::Comma => ",".to_owned(),
            Piece::End(true) => "?".to_owned(),
            Piece::End(false) => ".".to_owned(),
        };
        scan(text).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pieces() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected, "{text:?}");
        check("Cap at 25MB?", "cap at 25 mb ?");
        check("Cap at 25 MB?", "cap at 25 mb ?");
        check("100 Mb or 100Mb", "100 mbit or 100 mbit");
        check("thirty days, twenty-five users", "30 days , 25 users");
        check("two hundred; 10k; 1,000", "200 . 10000 . 1000");
        check("1,5 or 80,443 or 10,000", "1,5 or 80443 or 10000");
        check("ports 80,443", "ports 80,443");
        check("> 500 ms, <80%", "> 500 millisecond , < 80 percent");
        check("x >= 5 - no", "x >= 5 , no");
        check("5M, 5m", "5 million , 5 minute");
        check("-x Foo.Bar", "-x Foo.Bar");
        check("after 30s", "after 30 second");
        check("Rename `user_id` to account_id.", "rename user_id to account_id .");
        check("orders.created_at", "orders.created_at");
        check("Shouldn’t we? can't", "should not we ? can not");
        check("the user's and users' IDs", "the user and users id");
        check("opt-in", "opt in");
        check("src/api/auth.rs", "src/api/auth.rs");
        check("TLS 1.2 or v2", "tls 1.2 or v2");
        check("a — b (c)", "a , b , c ,");
        check("50%", "50 percent");
    }
}
