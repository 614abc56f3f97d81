//! HTML to text. Only names of real elements count as tags, so that `Vec<String>` stays.

use super::tidy;

/// Elements whose content nobody sees.
const HIDDEN: &[&str] = &["script", "style", "head", "template", "noscript", "iframe", "object", "svg"];
/// Elements that end a line.
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "br",
    "hr",
    "tr",
    "table",
    "ul",
    "ol",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "pre",
    "blockquote",
    "details",
    "summary",
    "section",
    "article",
    "header",
    "footer",
    "dl",
    "dt",
    "dd",
    "thead",
    "tbody",
    "figure",
];
const INLINE: &[&str] = &[
    "a", "abbr", "b", "code", "em", "font", "i", "img", "ins", "del", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "tt", "u", "var", "td", "th", "input", "label", "picture", "source",
    "video", "audio", "center", "html", "body", "li", "meta", "link", "form", "button", "samp", "cite",
    "time", "strike", "nav", "main",
];

/// `text` without tags, comments and what is hidden.
pub fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&decoded(&rest[..at]));
        rest = &rest[at..];
        rest = step(rest, &mut out);
    }
    out.push_str(&decoded(rest));
    tidy(&out)
}

/// Past what begins at a `<`.
fn step<'a>(rest: &'a str, out: &mut String) -> &'a str {
    if let Some(behind) = rest.strip_prefix("<!--") {
        // A comment without an end hides all the rest, as in a browser.
        return behind.find("-->").map_or("", |end| &behind[end + 3..]);
    }
    let Some((name, closing, length)) = tag(rest) else {
        out.push('<');
        return &rest[1..];
    };
    let behind = &rest[length..];
    if HIDDEN.contains(&name.as_str()) && !closing {
        let end = format!("</{name}");
        let close = behind.to_ascii_lowercase().find(&end);
        return close.map_or("", |at| behind[at..].find('>').map_or("", |end| &behind[at + end + 1..]));
    }
    match name.as_str() {
        "li" if !closing => out.push_str("\n- "),
        "td" | "th" if closing => out.push_str(" | "),
        _ if BLOCKS.contains(&name.as_str()) => out.push('\n'),
        _ => {}
    }
    behind
}

/// The element's name, whether it is closed here, and how long the tag is.
fn tag(rest: &str) -> Option<(String, bool, usize)> {
    let inner = rest.strip_prefix('<')?;
    let closing = inner.starts_with('/');
    let name: String =
        inner.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
    let name = name.to_ascii_lowercase();
    let known = [HIDDEN, BLOCKS, INLINE].iter().any(|all| all.contains(&name.as_str()));
    let end = rest.find('>')?;
    known.then_some((name, closing, end + 1))
}

fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // `&amp;` is last, so that `&amp;lt;` stays what it says.
    let pairs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&nbsp;", " ")];
    let text = pairs.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign));
    text.replace("&amp;", "&")
}
