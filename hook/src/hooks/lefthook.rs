//! lefthook's own configuration: the one place that survives its regenerating the hook.

use std::path::{Path, PathBuf};

use super::block::{self, Found};
use super::{Entry, Place, owner, script};

const EXTENSIONS: [&str; 5] = ["yml", "yaml", "toml", "json", "jsonc"];
/// Where lefthook looks for its configuration: directory, and what stands before the name.
const PLACES: [(&str, &str); 3] = [("", ""), ("", "."), (".config", "")];

/// The `lefthook-local` file that goes with the project's configuration: the one that exists, else the one to
/// make; none where the project does not use lefthook.
pub(super) fn find_local_config(work_tree: &Path) -> Option<PathBuf> {
    let existing = |name: &str| {
        PLACES.into_iter().find_map(|(dir, dot)| {
            let paths =
                EXTENSIONS.map(|extension| work_tree.join(dir).join(format!("{dot}{name}.{extension}")));
            paths.into_iter().find(|path| path.is_file())
        })
    };
    let main = existing("lefthook")?;
    let dot = main.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let local = if dot { ".lefthook-local.yml" } else { "lefthook-local.yml" };
    Some(existing("lefthook-local").unwrap_or_else(|| main.with_file_name(local)))
}

/// What can be done with the local configuration.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Extension {
    /// It already calls us.
    Done,
    /// These are its new contents.
    Contents(Vec<u8>),
    /// It has to be edited by a person.
    ByHand,
}

/// Adds our command to the local configuration, where that is safe by adding lines at its end.
pub(super) fn extend(local: &Place) -> Extension {
    let text = match &local.entry {
        Entry::Missing => {
            let made = format!("{}{}", script::CREATED_HEADER, script::lefthook_yaml());
            return Extension::Contents(made.into_bytes());
        }
        Entry::File(file) if file.whole && !(file.symlink && file.contents.is_empty()) => &file.contents,
        Entry::File(_) | Entry::Directory => return Extension::ByHand,
    };
    let extension = local.path.extension().unwrap_or_default();
    let is_toml = extension == "toml";
    let ours = if is_toml { script::lefthook_toml() } else { script::lefthook_yaml() };
    match block::find(text) {
        Found::Block(_, version) if version > script::VERSION => Extension::Done,
        Found::Block(range, _) => {
            let renewed = block::renew(text, &range, &ours);
            if renewed == *text { Extension::Done } else { Extension::Contents(renewed) }
        }
        Found::Nothing if owner::calls_us(text) => Extension::Done,
        Found::Nothing if is_toml || (extension != "json" && extension != "jsonc" && takes_yaml(text)) => {
            Extension::Contents(block::insert(text, text.len(), &ours))
        }
        Found::Nothing | Found::Broken => Extension::ByHand,
    }
}

/// Whether a top-level `pre-push:` can be added at the end: plain block style, one document, no such key yet.
fn takes_yaml(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.enumerate().all(|(index, line)| {
        let bare = line.trim_start_matches(['"', '\'']);
        let is_key = line.starts_with(|first: char| first.is_alphanumeric() || "_-\"'".contains(first));
        let is_nested = line.starts_with(' ') && index > 0;
        let is_start = index == 0 && line.trim_end() == "---";
        is_start || is_nested || (is_key && !bare.starts_with("pre-push") && !line.starts_with('-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::HookFile;

    fn local(name: &str, text: &str) -> Place {
        let file = HookFile { contents: text.into(), whole: true, ..HookFile::default() };
        Place { path: name.into(), entry: Entry::File(file), kept: Entry::Missing }
    }

    #[test]
    fn extends_only_what_takes_lines_at_its_end() {
        let check = |name: &str, text: &str, expected: &str| {
            let shown = match extend(&local(name, text)) {
                Extension::Done => "done",
                Extension::ByHand => "by hand",
                Extension::Contents(with) => {
                    let Found::Block(range, _) = block::find(&with) else { panic!("no block") };
                    assert_eq!(block::cut(&with, &range), text.as_bytes());
                    assert_eq!(extend(&local(name, &String::from_utf8(with).unwrap())), Extension::Done);
                    "added"
                }
            };
            assert_eq!(shown, expected, "{name} {text:?}");
        };
        check("l.yml", "", "added");
        check("l.yml", "---\n# mine\npre-commit:\n  commands:\n    a:\n      run: b", "added");
        check("l.yml", "pre-commit:\r\n  x: y\r\n", "added");
        check("l.yml", "pre-push:\n  commands: {}\n", "by hand");
        check("l.yml", "'pre-push':\n", "by hand");
        check("l.yml", "{pre-commit: {}}\n", "by hand");
        check("l.yml", "a: b\n...\n", "by hand");
        check("l.yml", "a: b\n---\nc: d\n", "by hand");
        check("l.yml", "pre-push:\n  commands:\n    p:\n      run: prevet hook pre-push {0}\n", "done");
        check("l.toml", "[pre-push]\nparallel = true", "added");
        check("l.json", "{}", "by hand");
    }
}
