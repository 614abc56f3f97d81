//! A change's structure as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prevet_domain::change::FileKind;

use super::definition::Definition;
use super::{FileOutline, Symbols, language};

/// Files that a description names, the largest first.
const NAMED_FILES_MAX: usize = 120;
/// Symbols that one file's line names of each kind.
const NAMED_SYMBOLS_MAX: usize = 12;

/// `# Change Description` and `## Important Changes`, of what the structure shows.
pub fn describe(outlines: &[FileOutline]) -> String {
    let mut text = format!("# Change Description\n\n{}\n\n## Important Changes\n\n", paragraph(outlines));
    let mut order: Vec<&FileOutline> = outlines.iter().collect();
    order.sort_by_key(|it| (std::cmp::Reverse(weight(it)), it.path.as_str()));
    for outline in order.iter().take(NAMED_FILES_MAX) {
        let _ = writeln!(text, "{}", bullet(outline));
    }
    if order.len() > NAMED_FILES_MAX {
        let _ = writeln!(text, "- {} more files, with fewer changes each", order.len() - NAMED_FILES_MAX);
    }
    text
}

/// Symbols tell more than lines do.
fn weight(it: &FileOutline) -> (bool, usize) {
    let symbols = &it.symbols;
    let any = symbols.added.len() + symbols.removed.len() + symbols.changed.len() + symbols.renamed.len();
    (any > 0, it.added + it.removed)
}

fn paragraph(outlines: &[FileOutline]) -> String {
    let count = |kind| outlines.iter().filter(|it| it.kind == kind).count();
    let kinds = [
        (FileKind::Added, "added"),
        (FileKind::Modified, "modified"),
        (FileKind::Renamed, "renamed"),
        (FileKind::Copied, "copied"),
        (FileKind::Deleted, "deleted"),
    ];
    let kinds: Vec<String> = kinds
        .into_iter()
        .filter_map(|(kind, word)| Some(count(kind)).filter(|it| *it > 0).map(|it| format!("{it} {word}")))
        .collect();
    let added: usize = outlines.iter().map(|it| it.added).sum();
    let removed: usize = outlines.iter().map(|it| it.removed).sum();
    let languages: BTreeSet<&str> =
        outlines.iter().filter_map(|it| language(it.text)).map(crate::language::Language::as_str).collect();
    let languages = if languages.is_empty() {
        String::new()
    } else {
        format!(" Languages: {}.", languages.into_iter().collect::<Vec<_>>().join(", "))
    };
    let plural = if outlines.len() == 1 { "file" } else { "files" };
    format!(
        "The change touches {} {plural} ({}), with {added} lines added and {removed} removed.{languages}",
        outlines.len(),
        kinds.join(", ")
    )
}

/// One file's line of the list.
pub fn bullet(it: &FileOutline) -> String {
    let verb = match it.kind {
        FileKind::Added => "added".to_owned(),
        FileKind::Deleted => "deleted".to_owned(),
        FileKind::Modified => "modified".to_owned(),
        FileKind::Renamed => format!("renamed from `{}`", it.old_path.as_deref().unwrap_or_default()),
        FileKind::Copied => format!("copied from `{}`", it.old_path.as_deref().unwrap_or_default()),
    };
    let size = match it.unreadable {
        Some(reason) => reason.to_owned(),
        None => format!("+{} \u{2212}{}", it.added, it.removed),
    };
    let symbols = symbols(&it.symbols);
    let symbols = if symbols.is_empty() { symbols } else { format!(": {symbols}") };
    format!("- `{}` ({verb}, {size}){symbols}", it.path)
}

fn symbols(symbols: &Symbols) -> String {
    let renamed: Vec<String> = symbols
        .renamed
        .iter()
        .take(NAMED_SYMBOLS_MAX)
        .map(|it| format!("{} `{}` to `{}`", it.to.word, it.from, it.to.name))
        .collect();
    let lists = [
        ("adds", list(&symbols.added)),
        ("removes", list(&symbols.removed)),
        ("changes", list(&symbols.changed)),
        ("renames", renamed.join(", ")),
    ];
    let said = lists.into_iter().filter(|(_, list)| !list.is_empty());
    said.map(|(verb, list)| format!("{verb} {list}")).collect::<Vec<_>>().join("; ")
}

fn list(definitions: &[Definition]) -> String {
    let named = definitions.iter().take(NAMED_SYMBOLS_MAX).map(|it| format!("{} `{}`", it.word, it.name));
    let mut text = named.collect::<Vec<_>>().join(", ");
    if definitions.len() > NAMED_SYMBOLS_MAX {
        let _ = write!(text, " and {} more", definitions.len() - NAMED_SYMBOLS_MAX);
    }
    text
}
