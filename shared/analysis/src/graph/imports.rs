//! Imports, as far as they tell which file a name is from.

use crate::language::Language;

/// Segments of one import that are looked at.
const SEGMENTS_MAX: usize = 32;
/// Names that one import binds.
const BOUND_MAX: usize = 200;
/// File names that stand for the folder they are in.
const FOLDER_FILES: &[&str] = &["__init__", "index", "mod", "lib", "main", "__main__"];

/// One import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Import {
    /// The module's path in pieces.
    pub segments: Vec<String>,
    /// How many folders up it begins, counted from the file's own: 0 where it is not relative.
    pub up: usize,
    /// The names that it binds.
    pub binds: Vec<String>,
    /// New name and old name, where it gives another.
    pub aliases: Vec<(String, String)>,
}

/// Reads the import that `text` is.
pub(super) fn parse(language: Language, text: &str) -> Vec<Import> {
    match language {
        Language::Python => python(text),
        Language::Rust => vec![of_path(&text.replace("pub", " "), "::", &["use", "crate", "self", "super"])],
        Language::Php => vec![of_path(text, "\\", &["use", "function", "const"])],
        Language::Java => vec![of_path(text, ".", &["import", "static"])],
        Language::CSharp => vec![of_path(text, ".", &["using", "static", "global"])],
        Language::Go | Language::JavaScript | Language::TypeScript | Language::Tsx => quoted(text),
        _ => Vec::new(),
    }
}

/// The file that a call loads.
pub(super) fn loaded(path: &str) -> Import {
    let mut import = Import::default();
    for piece in path.trim_matches(['"', '\'', '`']).split('/').take(SEGMENTS_MAX) {
        match piece {
            "." => import.up = import.up.max(1),
            ".." => import.up = import.up.max(1) + 1,
            "" | "~" | "@" => {}
            piece => import.segments.push(piece.to_owned()),
        }
    }
    if let Some(last) = import.segments.last_mut() {
        *last = without_extension(last).to_owned();
        import.binds.push(last.clone());
    }
    import
}

fn without_extension(name: &str) -> &str {
    let known = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "rb", "sh", "bash", "py"];
    match name.rsplit_once('.') {
        Some((stem, extension)) if known.contains(&extension) => stem,
        _ => name,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty()).take(BOUND_MAX)
}

/// `old as new`, wherever it stands.
fn aliases(text: &str) -> Vec<(String, String)> {
    let all: Vec<&str> = words(text).collect();
    let alias = |it: &[&str]| (it[1] == "as").then(|| (it[2].to_owned(), it[0].to_owned()));
    all.windows(3).filter_map(alias).collect()
}

fn python(text: &str) -> Vec<Import> {
    let text = text.trim();
    if let Some((module, names)) = text.strip_prefix("from").and_then(|rest| rest.split_once(" import")) {
        let module = module.trim();
        let up = module.chars().take_while(|c| *c == '.').count();
        let segments = words(module).take(SEGMENTS_MAX).map(str::to_owned).collect();
        let binds = words(names).map(str::to_owned).collect();
        return vec![Import { segments, up, binds, aliases: aliases(names) }];
    }
    let names = text.strip_prefix("import").unwrap_or(text);
    let one = |part: &str| {
        let module = part.split(" as ").next().unwrap_or(part);
        let segments: Vec<String> = words(module).take(SEGMENTS_MAX).map(str::to_owned).collect();
        let binds = words(part).map(str::to_owned).collect();
        Import { segments, up: 0, binds, aliases: Vec::new() }
    };
    names.split(',').take(BOUND_MAX).map(one).collect()
}

/// `a::b::{c, d as e};` and its like: the path is what stands before the names.
fn of_path(text: &str, separator: &str, keywords: &[&str]) -> Import {
    let head = text.split(['{', ';']).next().unwrap_or(text);
    let head = head.split(" as ").next().unwrap_or(head);
    let head = head.rsplit('=').next().unwrap_or(head);
    let pieces: Vec<&str> = head.split(separator).flat_map(words).take(SEGMENTS_MAX).collect();
    let up = pieces.iter().filter(|piece| **piece == "super").count();
    let segments = pieces.iter().filter(|piece| !keywords.contains(piece));
    let segments = segments.map(|piece| (*piece).to_owned()).collect();
    let binds = words(text).filter(|word| !keywords.contains(word)).map(str::to_owned).collect();
    Import { segments, up: if separator == "::" { up } else { 0 }, binds, aliases: aliases(text) }
}

/// An import whose module is a text in quotes.
fn quoted(text: &str) -> Vec<Import> {
    let Some(open) = text.rfind(['"', '\'', '`']) else { return Vec::new() };
    let before = &text[..open];
    let Some(start) = before.rfind(['"', '\'', '`']) else { return Vec::new() };
    let mut import = loaded(&before[start + 1..]);
    let names = &before[..start];
    import.binds.extend(words(names).map(str::to_owned));
    import.aliases = aliases(names);
    vec![import]
}

/// The pieces of a file's path, its extension and the names that stand for folders taken off.
pub(super) fn module_of(path: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = path.split('/').collect();
    if let Some(name) = pieces.pop() {
        let stem = name.split('.').next().unwrap_or(name);
        if !FOLDER_FILES.contains(&stem) {
            pieces.push(stem);
        }
    }
    pieces
}

/// Whether `import`, in the file at `from`, can mean the file at `path`.
pub(super) fn means(language: Language, import: &Import, from: &str, path: &str) -> bool {
    let module = module_of(path);
    let segments: Vec<&str> = import.segments.iter().map(String::as_str).collect();
    if import.up > 0 {
        let mut folder: Vec<&str> = from.split('/').collect();
        folder.truncate(folder.len().saturating_sub(import.up));
        let whole: Vec<&str> = folder.into_iter().chain(segments.iter().copied()).collect();
        let by_name = import
            .binds
            .iter()
            .any(|name| module.split_last().is_some_and(|(last, rest)| *last == name && rest == whole));
        return module == whole || by_name;
    }
    if language == Language::Go {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder: Vec<&str> = folder.split('/').filter(|piece| !piece.is_empty()).collect();
        // A repository's root is the whole of its module, whose name has a host's.
        let host = || segments.first().is_some_and(|first| first.contains('.'));
        return if folder.is_empty() { host() } else { segments.ends_with(&folder) };
    }
    let ends = |tail: &[&str]| !tail.is_empty() && module.ends_with(tail);
    let shorter = segments.split_last().map(|(_, rest)| rest).unwrap_or_default();
    let named = |name: &String| {
        let whole: Vec<&str> = segments.iter().copied().chain([name.as_str()]).collect();
        ends(&whole)
    };
    ends(&segments) || ends(shorter) || import.binds.iter().take(BOUND_MAX).any(named)
}
