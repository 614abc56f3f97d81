//! The text from left to right, a token at a time.

use super::{Recognised, Surroundings, TicketReference, is_standard};

const KEY_PREFIX_BYTES: std::ops::RangeInclusive<usize> = 2..=10;
const NUMBER_DIGITS_MAX: usize = 9;
const GITHUB_HOST: &str = "github.com";
/// Words that only lead to a ticket.
const LEADING_WORDS: &[&str] = &[
    "and",
    "or",
    "fix",
    "fixes",
    "fixed",
    "close",
    "closes",
    "closed",
    "resolve",
    "resolves",
    "resolved",
    "implement",
    "implements",
    "see",
    "ref",
    "refs",
    "issue",
    "issues",
    "ticket",
    "tickets",
    "task",
    "tasks",
    "gh",
    "jira",
    "github",
];

/// The tickets that `text` names.
///
/// A Jira key is two to ten capitals and digits, a hyphen and a number without a leading zero; nothing that could
/// belong to the name stands before it, and neither a letter, a digit, nor a hyphen or a dot with more behind it
/// follows. Prefixes of standards are none, unless the projects are named: then those count and no others.
pub fn recognise(text: &str, around: Surroundings<'_>) -> Recognised {
    let mut found = Recognised::default();
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let length = match token(rest, before, around) {
            Some((token, length)) => {
                take(&mut found, token);
                length
            }
            None => plain(&mut found, rest, first),
        };
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
    }
    found
}

enum Token {
    Ticket(TicketReference),
    Homeless(String),
    Url(String),
}

fn take(found: &mut Recognised, token: Token) {
    match token {
        Token::Ticket(ticket) if !found.tickets.contains(&ticket) => found.tickets.push(ticket),
        Token::Ticket(_) => {}
        Token::Homeless(name) => found.homeless.push(name),
        Token::Url(url) => found.foreign_urls.push(url),
    }
}

/// Steps over what is no ticket: a word, or one character between words.
fn plain(found: &mut Recognised, rest: &str, first: char) -> usize {
    let word = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
    if word.is_empty() {
        return first.len_utf8();
    }
    if !LEADING_WORDS.contains(&word.to_lowercase().as_str()) {
        found.has_prose = true;
    }
    word.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn token(rest: &str, before: char, around: Surroundings<'_>) -> Option<(Token, usize)> {
    if is_word(before) {
        return None;
    }
    if rest.starts_with("https://") || rest.starts_with("http://") {
        return Some(url(rest));
    }
    // What hangs on a path, a name or a longer key is part of that.
    if matches!(before, '-' | '.' | '/' | '\\' | '@' | '&' | '=') {
        return None;
    }
    in_repository(rest).or_else(|| bare_number(rest, around)).or_else(|| jira(rest, around))
}

fn url(rest: &str) -> (Token, usize) {
    let end = rest.find(|c: char| c.is_whitespace() || "<>\"'`)]}|,;".contains(c)).unwrap_or(rest.len());
    let text = rest[..end].trim_end_matches(['.', ':', '!', '?', '*', '_']);
    let token = ticket_of_url(text).map_or_else(|| Token::Url(text.to_owned()), Token::Ticket);
    (token, text.len())
}

fn ticket_of_url(url: &str) -> Option<TicketReference> {
    let (_, behind) = url.split_once("://")?;
    let (place, fragment) = behind.split_once('#').unwrap_or((behind, ""));
    let (place, query) = place.split_once('?').unwrap_or((place, ""));
    let mut segments = place.split('/').filter(|it| !it.is_empty());
    let host = segments.next()?.to_lowercase();
    if host.contains('@') {
        return None;
    }
    let segments: Vec<&str> = segments.collect();
    github_of(&host, &segments).or_else(|| jira_of(&host, &segments, query, fragment))
}

fn github_of(host: &str, segments: &[&str]) -> Option<TicketReference> {
    let [owner, name, kind, number, ..] = segments else { return None };
    // A pull request has its number from the same row: what it is, the server says.
    if !matches!(*kind, "issues" | "pull") || !is_owner(owner) || !is_name(name) {
        return None;
    }
    let host = Some(if host == "www.github.com" { GITHUB_HOST } else { host }.to_owned());
    Some(TicketReference::GitHub {
        host,
        repository: format!("{owner}/{name}"),
        number: whole_number(number)?,
    })
}

fn jira_of(host: &str, segments: &[&str], query: &str, fragment: &str) -> Option<TicketReference> {
    let in_path = segments.windows(2).find(|pair| matches!(pair[0], "browse" | "issues" | "issue"));
    let selected =
        query.split('&').chain(fragment.split('&')).find_map(|pair| pair.strip_prefix("selectedIssue="));
    let key = selected.or(in_path.map(|pair| pair[1]))?;
    let (token, length) = key_shape(key)?;
    (length == key.len()).then(|| TicketReference::Jira { site: Some(host.to_owned()), key: token })
}

/// `owner/name#42`
fn in_repository(rest: &str) -> Option<(Token, usize)> {
    let path = &rest[..rest.find('#')?];
    let (owner, name) = path.split_once('/')?;
    if !is_owner(owner) || !is_name(name) {
        return None;
    }
    let (number, digits) = number(&rest[path.len() + 1..])?;
    let ticket = TicketReference::GitHub { host: None, repository: path.to_owned(), number };
    Some((Token::Ticket(ticket), path.len() + 1 + digits))
}

/// `#42` and `GH-42`
fn bare_number(rest: &str, around: Surroundings<'_>) -> Option<(Token, usize)> {
    let behind = rest.strip_prefix('#').or_else(|| rest.strip_prefix("GH-"))?;
    let (number, digits) = number(behind)?;
    let length = rest.len() - behind.len() + digits;
    let token = match around.repository.filter(|name| name.contains('/')) {
        Some(repository) => {
            Token::Ticket(TicketReference::GitHub { host: None, repository: repository.to_owned(), number })
        }
        None => Token::Homeless(rest[..length].to_owned()),
    };
    Some((token, length))
}

fn jira(rest: &str, around: Surroundings<'_>) -> Option<(Token, usize)> {
    let (key, length) = key_shape(rest)?;
    let prefix = key.split('-').next().unwrap_or_default();
    let counts = if around.projects.is_empty() {
        !is_standard(prefix)
    } else {
        around.projects.iter().any(|project| project == prefix)
    };
    counts.then_some((Token::Ticket(TicketReference::Jira { site: None, key }), length))
}

/// `KEY-123`, and its length.
fn key_shape(rest: &str) -> Option<(String, usize)> {
    let hyphen = rest.find('-')?;
    let prefix = &rest[..hyphen];
    let letters = prefix.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_');
    if !letters
        || !KEY_PREFIX_BYTES.contains(&prefix.len())
        || !prefix.starts_with(|c: char| c.is_ascii_uppercase())
    {
        return None;
    }
    let (_, digits) = number(&rest[hyphen + 1..])?;
    let length = hyphen + 1 + digits;
    Some((rest[..length].to_owned(), length))
}

/// A number that ends where a name ends.
fn number(text: &str) -> Option<(u64, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut behind = text[digits..].chars();
    let (next, after) = (behind.next().unwrap_or(' '), behind.next().unwrap_or(' '));
    let goes_on =
        is_word(next) || (matches!(next, '-' | '.') && is_word(after)) || (next == '-' && after == '-');
    if text.starts_with('0') || digits > NUMBER_DIGITS_MAX || goes_on {
        return None;
    }
    Some((text[..digits].parse().ok()?, digits))
}

fn whole_number(text: &str) -> Option<u64> {
    number(text).filter(|(_, digits)| *digits == text.len()).map(|(number, _)| number)
}

fn is_owner(text: &str) -> bool {
    let inner = text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_');
    inner && !text.is_empty() && text.len() <= 39 && !text.starts_with('-')
}

fn is_name(text: &str) -> bool {
    let inner = text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.'));
    inner && !matches!(text, "" | "." | "..") && text.len() <= 100
}
