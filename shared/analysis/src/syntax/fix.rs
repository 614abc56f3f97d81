//! A rule's replacement, widened to the whole lines that the match touches.

use ast_grep_core::NodeMatch;

use super::parsed::Document;
use crate::source::Source;

/// `template` filled in; nothing where the lines around the match are not UTF-8.
pub(super) fn render(source: &Source, found: &NodeMatch<Document>, template: &str) -> Option<String> {
    let edit = found.replace_by(template);
    let span = found.range();
    let (first, last) = source.lines_of(&span);
    let before = source.text.get(source.line_start(first)..span.start)?;
    let last_end = source.line_start(last) + source.line(last).len();
    let after = source.text.get(span.end..last_end.max(span.end))?;
    String::from_utf8([before, &edit.inserted_text, after].concat()).ok()
}
