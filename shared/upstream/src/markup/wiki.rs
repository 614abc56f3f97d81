//! Jira's wiki notation (and the HTML that some fields hold) to text.

use super::html;

/// Macros whose content stays.
const MACROS: &[&str] =
    &["code", "noformat", "quote", "panel", "color", "info", "note", "tip", "warning", "expand"];

/// `text` with headings and lists as in Markdown, and without macros.
pub fn of_wiki(text: &str) -> String {
    let lines: Vec<String> = html::without_tags(text).lines().map(line).collect();
    super::tidy(&lines.join("\n"))
}

fn line(text: &str) -> String {
    let text = without_macros(text);
    let trimmed = text.trim_start();
    if let Some((level, title)) = heading(trimmed) {
        return format!("{} {title}", "#".repeat(level));
    }
    let stars = trimmed.chars().take_while(|c| matches!(c, '*' | '#' | '-')).count();
    match trimmed.get(stars..).and_then(|rest| rest.strip_prefix(' ')) {
        Some(item) if (1..=6).contains(&stars) => format!("{}- {}", "  ".repeat(stars - 1), links(item)),
        _ => links(&text),
    }
}

fn heading(text: &str) -> Option<(usize, &str)> {
    let (level, title) = text.strip_prefix('h')?.split_once(". ")?;
    let level = level.parse().ok().filter(|it| (1..=6).contains(it))?;
    Some((level, title.trim()))
}

/// `{code:java}` and the like.
fn without_macros(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let name: String = behind[1..].chars().take_while(char::is_ascii_lowercase).collect();
        if let Some(end) = behind.find('}').filter(|_| MACROS.contains(&name.as_str())) {
            rest = &behind[end + 1..];
        } else {
            out.push('{');
            rest = &behind[1..];
        }
    }
    out.push_str(rest);
    out
}

/// `[text|address]` is its text.
fn links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let inner = behind.find(']').map(|end| (&behind[1..end], &behind[end + 1..]));
        if let Some((text, next)) = inner.and_then(|(inner, next)| Some((inner.split_once('|')?.0, next))) {
            out.push_str(text);
            rest = next;
        } else {
            out.push('[');
            rest = &behind[1..];
        }
    }
    out.push_str(rest);
    out
}
