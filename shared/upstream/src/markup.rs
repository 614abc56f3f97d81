//! Descriptions as plain text: what a person sees, and nothing that is hidden in the markup.

mod document;
mod html;
#[cfg(test)]
mod tests;
mod wiki;

pub use self::document::of_document;
pub use self::wiki::of_wiki;

/// GitHub's Markdown stays as it is, less the HTML in it.
pub fn of_markdown(text: &str) -> String {
    html::without_tags(text)
}

/// Lines without white space at their ends, and at most one empty line between two.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() && empty {
            continue;
        }
        empty = line.is_empty();
        out.push_str(line);
        out.push('\n');
    }
    out.trim_end().to_owned()
}
