//! What stands around a change: the definitions that its hunks are in, and the parts of other files that use or define
//! what it touches. It is there to be understood and is no part of what is judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use prevet_domain::change::{Change, FileChange, LineKind};

use super::masked::masked_text;
use crate::graph::{self, Candidate, Excerpt, Limits, Names, Related, enclosing_excerpts, related};
use crate::secrets;

/// What the definitions around one file's hunks may have.
const FILE_BYTES_MAX: usize = 24 << 10;
/// Changed files that are parsed for it, the first ones of the patch.
const PARSED_BYTES_MAX: usize = 4 << 20;
/// What is shown of changed files outside their hunks.
const WITHIN: Limits =
    Limits { files_max: 40, bytes_max: 96 << 10, file_bytes_max: 12 << 10, whole_bytes_max: 0 };
/// Words of a reason that are no names.
const PLAIN_WORDS: &[&str] = &[
    "calls", "uses", "imports", "defines", "which", "the", "change", "removes", "in", "may", "mean", "one",
    "of",
];

/// What stands around a change, masked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The changed files' first, in the order of the patch, then the others, the most relevant first.
    blocks: Vec<Block>,
}

/// One file's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    path: String,
    changed: bool,
    names: BTreeSet<String>,
    text: String,
    lines: Vec<(u32, u32)>,
}

/// As much of it as fits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownSurroundings {
    /// The text, each line with its number.
    pub text: String,
    /// The files and the lines of them that it shows, first and last.
    pub files: BTreeMap<String, Vec<(u32, u32)>>,
}

impl Surroundings {
    /// Around the files of `change` that `shown` takes; `files` holds those that are known after it, by shown path.
    pub fn of(
        change: &Change,
        files: &BTreeMap<String, Vec<u8>>,
        related: &[Related],
        shown: impl Fn(&str) -> bool,
    ) -> Self {
        let (mut bytes, mut texts) = (0, BTreeMap::new());
        let mut seen = Change::default();
        for file in change.files.iter().filter(|file| shown(&file.shown_path())) {
            let Some(text) = files.get(&file.shown_path()) else { continue };
            bytes += text.len();
            if bytes > PARSED_BYTES_MAX {
                break;
            }
            texts.insert(file.shown_path(), secrets::mask(text).into_owned());
            seen.files.push(file.clone());
        }
        let around = seen.files.iter().filter_map(|file| around(file, texts.get(&file.shown_path())?));
        let mut blocks: Vec<Block> = around.collect();
        blocks.extend(related.iter().map(beside));
        blocks.extend(within(&seen, &texts));
        Self { blocks }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// What belongs to a text of the change that shows `paths`: around its own files, then what its words name, then
    /// the rest, in at most `bytes_max`. Files that `known` takes are in sight already.
    pub fn beside(
        &self,
        text: &str,
        paths: &BTreeSet<&str>,
        bytes_max: usize,
        known: impl Fn(&str) -> bool,
    ) -> ShownSurroundings {
        let words: BTreeSet<&str> = words(text).collect();
        let named = |block: &Block| block.names.iter().any(|name| words.contains(name.as_str()));
        let mut blocks: Vec<&Block> = self
            .blocks
            .iter()
            .filter(|block| !known(&block.path) && (!block.changed || paths.contains(block.path.as_str())))
            .collect();
        blocks.sort_by_key(|block| (!block.changed, !named(block)));
        let mut shown = ShownSurroundings::default();
        for block in blocks {
            if shown.text.len() + block.text.len() <= bytes_max {
                shown.text.push_str(&block.text);
                shown.files.entry(block.path.clone()).or_default().extend(&block.lines);
            }
        }
        shown
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty())
}

/// The lines of a file's hunks.
fn in_sight(file: &FileChange) -> BTreeSet<u32> {
    let lines = file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|it| it.kind != LineKind::Removed);
    lines.map(|line| line.new_number).collect()
}

/// Without what the hunks show whole.
fn beyond(excerpts: Vec<Excerpt>, in_sight: &BTreeSet<u32>) -> Vec<Excerpt> {
    let adds = |it: &Excerpt| {
        let (first, last) = range(it);
        (first..=last).any(|line| !in_sight.contains(&line))
    };
    excerpts.into_iter().filter(adds).collect()
}

/// The definitions around a file's hunks; none where the hunks show them whole.
fn around(file: &FileChange, text: &[u8]) -> Option<Block> {
    let excerpts = enclosing_excerpts(file, &String::from_utf8_lossy(text), FILE_BYTES_MAX);
    let excerpts = beyond(excerpts, &in_sight(file));
    let path = file.shown_path();
    let title =
        format!("file: {} (changed; the definitions around its hunks, after the change)", masked_text(&path));
    (!excerpts.is_empty()).then(|| Block::new(path, &title, &excerpts, true, BTreeSet::new()))
}

/// Users of what the change touches that are in changed files themselves, outside the hunks.
fn within(change: &Change, texts: &BTreeMap<String, Vec<u8>>) -> Vec<Block> {
    let wanted = graph::wanted(change, texts);
    let names = Names::of(&wanted);
    if names.is_empty() {
        return Vec::new();
    }
    let candidate = |file: &FileChange| {
        let text = texts.get(&file.shown_path())?;
        Candidate::read(file.path()?, text, |name| names.has(name))
    };
    let candidates = change.files.iter().filter_map(candidate).collect();
    let text_of = |path: &str| texts.get(path).map(|text| String::from_utf8_lossy(text).into_owned());
    let found = related(&wanted, Vec::new(), candidates, &WITHIN, text_of);
    let sights: BTreeMap<String, BTreeSet<u32>> =
        change.files.iter().map(|file| (file.shown_path(), in_sight(file))).collect();
    let block = |mut it: Related| {
        it.excerpts = beyond(it.excerpts, sights.get(&it.path)?);
        let title =
            format!("file: {} (changed; {})", masked_text(&it.path), masked_text(&it.reasons.join("; ")));
        (!it.excerpts.is_empty())
            .then(|| Block::new(it.path, &title, &it.excerpts, false, names_in(&it.reasons)))
    };
    found.into_iter().filter_map(block).collect()
}

/// What the reasons name.
fn names_in(reasons: &[String]) -> BTreeSet<String> {
    let names = reasons.iter().flat_map(|it| words(it)).filter(|word| !PLAIN_WORDS.contains(word));
    names.map(str::to_owned).collect()
}

fn beside(related: &Related) -> Block {
    let reasons = masked_text(&related.reasons.join("; "));
    let title = format!("file: {} (not part of the change; {reasons})", masked_text(&related.path));
    let masked: Vec<Excerpt> =
        related.excerpts.iter().map(|it| Excerpt { text: masked_text(&it.text), ..it.clone() }).collect();
    Block::new(related.path.clone(), &title, &masked, false, names_in(&related.reasons))
}

fn range(excerpt: &Excerpt) -> (u32, u32) {
    let count = u32::try_from(excerpt.text.lines().count()).unwrap_or(u32::MAX);
    (excerpt.first_line, excerpt.first_line.saturating_add(count.saturating_sub(1)))
}

impl Block {
    fn new(path: String, title: &str, excerpts: &[Excerpt], changed: bool, names: BTreeSet<String>) -> Self {
        let mut text = format!("{}\n", title.replace('\n', " "));
        for excerpt in excerpts {
            for (line, number) in excerpt.text.lines().zip(excerpt.first_line..) {
                let _ = writeln!(text, "{number:>7}   {line}");
            }
            text.push_str("        ...\n");
        }
        Self { path, changed, names, text, lines: excerpts.iter().map(range).collect() }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prevet_domain::change::parse;

    use super::*;

    const TEXT: &str = "def total(items):\n    kept = [i for i in items if i]\n    first = kept[0]\n    return sum(kept)\n\n\ndef other():\n    return total([])\n";

    fn change() -> Change {
        let patch = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -3,1 +3,1 @@ def total(items):\n-    first = 1\n\
                     +    first = kept[0]\n";
        parse(&Bytes::from(patch)).unwrap()
    }

    fn related(path: &str, reason: &str, text: &str) -> Related {
        let excerpts = vec![Excerpt { first_line: 40, text: text.to_owned() }];
        Related { path: path.to_owned(), reasons: vec![reason.to_owned()], excerpts }
    }

    fn surroundings() -> Surroundings {
        let files = BTreeMap::from([("a.py".to_owned(), TEXT.as_bytes().to_vec())]);
        let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
        let others = [
            related("far.py", "calls price() in page", "price()\n"),
            related("near.py", "calls total() in page", &format!("total()\naws = '{key}'\nlast()\n")),
        ];
        Surroundings::of(&change(), &files, &others, |_| true)
    }

    #[test]
    fn what_the_text_names_comes_first() {
        let shown = surroundings().beside("total kept", &BTreeSet::from(["a.py"]), 10_000, |_| false);
        let at =
            |text: &str| shown.text.find(text).unwrap_or_else(|| panic!("{text} is not in {}", shown.text));
        assert!(
            at("      4       return sum(kept)\n")
                < at("file: near.py (not part of the change; calls total() in page)\n")
        );
        assert!(at("     40   total()\n     41   aws = '[masked]'\n     42   last()\n") < at("far.py"));
        let within = "file: a.py (changed; calls total() in other)\n      7   def other():\n      8       return total([])\n";
        assert!(at("last()\n") < at(within));
        let files = BTreeMap::from([
            ("a.py".to_owned(), vec![(1, 4), (7, 8)]),
            ("far.py".to_owned(), vec![(40, 40)]),
            ("near.py".to_owned(), vec![(40, 42)]),
        ]);
        assert_eq!(shown.files, files);
    }

    #[test]
    fn what_does_not_fit_or_is_known_is_left_out() {
        let all = surroundings().beside("", &BTreeSet::new(), 10_000, |_| false);
        assert_eq!(all.files.into_keys().collect::<Vec<_>>(), ["a.py", "far.py", "near.py"]);
        let known = surroundings().beside("", &BTreeSet::from(["a.py"]), 10_000, |path| path != "far.py");
        assert_eq!(known.files.into_keys().collect::<Vec<_>>(), ["far.py"]);
        let small = surroundings().beside("", &BTreeSet::new(), 120, |_| false);
        assert!(small.text.len() <= 120 && small.files.len() == 1, "{small:?}");
        assert!(surroundings().beside("", &BTreeSet::new(), 10, |_| false).text.is_empty());
    }
}
