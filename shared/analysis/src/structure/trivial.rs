//! Changes that one line says everything about.

use std::collections::BTreeMap;

use prevet_domain::change::{Change, Content, FileChange, FileKind, LineKind};

use super::{FileOutline, Sides, language, sides};
use crate::language::Language;
use crate::secrets;
use crate::syntax::parse_text;

/// Files that the line names.
const NAMED_FILES_MAX: usize = 4;
/// What of a line of code is shown.
const SHOWN_CHARACTERS_MAX: usize = 100;

/// The one line that says what a trivial change does; `None` for a change that is not trivial.
pub fn trivial(
    change: &Change,
    outlines: &[FileOutline],
    files: &BTreeMap<String, Vec<u8>>,
) -> Option<String> {
    if outlines.is_empty() || outlines.iter().any(|it| it.unreadable.is_some()) {
        return None;
    }
    let pairs: Vec<_> = change.files.iter().zip(outlines).collect();
    let text = moved(&pairs)
        .or_else(|| blank(&pairs, files))
        .or_else(|| documentation(&pairs))
        .or_else(|| one_line(&pairs))?;
    Some(format!("Trivial change \u{2014} {text}"))
}

type Pair<'a> = (&'a FileChange, &'a FileOutline);

/// Nothing but other names and modes.
fn moved(pairs: &[Pair<'_>]) -> Option<String> {
    let bare = |(file, _): &Pair<'_>| {
        matches!(&file.content, Content::Text(hunks) if hunks.is_empty())
            && matches!(file.kind, FileKind::Renamed | FileKind::Modified | FileKind::Copied)
    };
    if !pairs.iter().all(bare) {
        return None;
    }
    let said = pairs.iter().take(NAMED_FILES_MAX).map(|(file, outline)| match &outline.old_path {
        Some(old) if file.kind == FileKind::Copied => format!("copies `{old}` to `{}`", outline.path),
        Some(old) => format!("renames `{old}` to `{}`", outline.path),
        None => format!("changes the mode of `{}`", outline.path),
    });
    Some(format!("{}{}.", said.collect::<Vec<_>>().join("; "), rest(pairs)))
}

fn rest(pairs: &[Pair<'_>]) -> String {
    match pairs.len().saturating_sub(NAMED_FILES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

fn named(pairs: &[Pair<'_>]) -> String {
    let names = pairs.iter().take(NAMED_FILES_MAX).map(|(_, outline)| format!("`{}`", outline.path));
    format!("{}{}", names.collect::<Vec<_>>().join(", "), rest(pairs))
}

/// Nothing but white space, or comments too.
fn blank(pairs: &[Pair<'_>], files: &BTreeMap<String, Vec<u8>>) -> Option<String> {
    let mut comments = false;
    for (file, outline) in pairs {
        if matches!(file.kind, FileKind::Added | FileKind::Deleted) || file.old_mode != file.new_mode {
            return None;
        }
        let sides = sides(file, files);
        match difference(language(outline.text), &sides)? {
            Difference::Space => {}
            Difference::Comments => comments = true,
        }
    }
    let what = if comments { "only comments and white space differ" } else { "only white space differs" };
    Some(format!("{what} in {}.", named(pairs)))
}

enum Difference {
    Space,
    Comments,
}

fn difference(language: Option<Language>, sides: &Sides) -> Option<Difference> {
    if trimmed(&sides.before) == trimmed(&sides.after) {
        return Some(Difference::Space);
    }
    // Of a text that is not whole, the tree says too little.
    let language = language.filter(|_| sides.whole)?;
    let (before, after) = (leaves(language, &sides.before)?, leaves(language, &sides.after)?);
    if before == after {
        return Some(Difference::Space);
    }
    let code = |all: Vec<Leaf>| all.into_iter().filter(|leaf| !leaf.comment).collect::<Vec<_>>();
    (code(before) == code(after)).then_some(Difference::Comments)
}

/// The lines that say something, without the white space at their ends.
fn trimmed(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty()).collect()
}

#[derive(PartialEq, Eq)]
struct Leaf {
    kind: u16,
    depth: usize,
    text: String,
    comment: bool,
}

/// What stands at the ends of the tree; the depth is what indentation means. `None` for a text with errors.
fn leaves(language: Language, text: &[u8]) -> Option<Vec<Leaf>> {
    let parsed = parse_text(language, text).ok()?;
    let root = parsed.tree_root();
    if root.has_error() {
        return None;
    }
    let (mut cursor, mut all, mut depth) = (root.walk(), Vec::new(), 0_usize);
    loop {
        let node = cursor.node();
        let comment = node.kind().contains("comment");
        if node.child_count() == 0 || comment {
            let text = parsed.text().get(node.byte_range()).unwrap_or_default();
            // A line's end is a token in some grammars.
            if !text.trim().is_empty() {
                all.push(Leaf { kind: node.kind_id(), depth, text: text.trim_end().to_owned(), comment });
            }
        } else if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(all);
            }
            depth -= 1;
        }
    }
}

const DOCUMENT_EXTENSIONS: &[&str] = &["md", "markdown", "rst", "adoc", "asciidoc", "txt", "mdx", "org"];
const DOCUMENT_NAMES: &[&str] = &["license", "copying", "notice", "authors", "contributors", "codeowners"];

/// Text files that programs read.
const NO_DOCUMENTS: &[&str] = &["requirements", "constraints", "robots", "cmakelists"];

fn documentation(pairs: &[Pair<'_>]) -> Option<String> {
    let all = pairs.iter().all(|(file, _)| file.path().is_some_and(is_document));
    let lines: usize = pairs.iter().map(|(_, outline)| outline.added + outline.removed).sum();
    all.then(|| format!("documentation only: {} ({lines} lines).", named(pairs)))
}

fn is_document(path: &prevet_domain::path::RepoPath) -> bool {
    let name = String::from_utf8_lossy(path.file_name()).to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let program = NO_DOCUMENTS.iter().any(|it| stem.starts_with(it));
    DOCUMENT_NAMES.contains(&stem) || (DOCUMENT_EXTENSIONS.contains(&path.extension().as_str()) && !program)
}

/// One line that came, went, or gave way to another.
fn one_line(pairs: &[Pair<'_>]) -> Option<String> {
    let [(file, outline)] = pairs else { return None };
    if file.kind != FileKind::Modified || outline.added > 1 || outline.removed > 1 {
        return None;
    }
    let mut lines =
        file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|it| it.kind != LineKind::Context);
    let (first, second) = (lines.next()?, lines.next());
    let path = &outline.path;
    let line = first.new_number;
    Some(match second {
        Some(second) => {
            format!(
                "one line of `{path}` (line {line}): `{}` becomes `{}`.",
                shown(&first.text),
                shown(&second.text)
            )
        }
        None if first.kind == LineKind::Added => {
            format!("one line added to `{path}` (line {line}): `{}`.", shown(&first.text))
        }
        None => format!("one line removed from `{path}` (line {line}): `{}`.", shown(&first.text)),
    })
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&secrets::mask(line)).replace('`', "'");
    let text = text.trim();
    let cut: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    if cut.len() < text.len() { format!("{cut}\u{2026}") } else { cut }
}
