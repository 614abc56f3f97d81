//! The files outside a change that define what it calls or use what it changes.

use std::collections::{BTreeMap, BTreeSet};

use prevet_analysis::graph::{self, Candidate, Limits, Names, Related, Wanted};
use prevet_analysis::inspect::excludes;
use prevet_analysis::secrets;
use prevet_domain::change::{Change, FileChange};
use prevet_domain::path::RepoPath;
use prevet_wire::context_pack::{ContextPack, PackedExcerpt, RelatedFile};

use super::scan::{Hit, scan};
use super::{After, parallel};
use crate::git::{AttributeValue, GitError, Repository};
use crate::inspection;

/// Files that are parsed, the likeliest first.
const PARSED_FILES_MAX: usize = 1_500;
/// Bytes that are parsed: a few seconds of one processor.
const PARSED_BYTES_MAX: usize = 16 << 20;
/// What goes along.
const LIMITS: Limits =
    Limits { files_max: 60, bytes_max: 384 << 10, file_bytes_max: 12 << 10, whole_bytes_max: 3 << 10 };

/// The files that are worth seeing beside `change`, the most relevant first; `pack` holds the changed files.
pub fn related(
    repository: &Repository,
    change: &Change,
    base: &str,
    after: After<'_>,
    pack: &ContextPack,
) -> Result<Vec<RelatedFile>, GitError> {
    let files: BTreeMap<String, Vec<u8>> =
        pack.files.iter().map(|file| (file.path.clone(), file.text.clone().into_bytes())).collect();
    let shown = Change {
        files: change
            .files
            .iter()
            .filter(|file| is_seen(&file.shown_path(), &files, file))
            .cloned()
            .collect(),
    };
    let wanted = graph::wanted(&shown, &files);
    let names = Names::of(&wanted);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let policy = inspection::policy(repository, base).unwrap_or_default();
    let excluded = excludes(&policy.exclude);
    let changed: BTreeSet<&RepoPath> =
        change.files.iter().filter_map(|file| file.new_path.as_ref()).collect();
    let near: Vec<&RepoPath> = shown.files.iter().filter_map(|file| file.new_path.as_ref()).collect();
    let left_out = |path: &RepoPath| changed.contains(path) || excluded.is_match(path.to_string());
    let hits = scan(repository, after, &near, &names, left_out)?;
    let hits = own_code(repository, base, likeliest(hits, names.len()))?;
    Ok(ranked(&wanted, &names, &files, &hits).into_iter().map(packed).collect())
}

/// Deleted files are looked at for what they take away; others where the pack has them.
fn is_seen(path: &str, files: &BTreeMap<String, Vec<u8>>, file: &FileChange) -> bool {
    files.contains_key(path) || file.new_path.is_none()
}

/// The files with the rarest names, as many as are parsed.
fn likeliest(mut hits: Vec<Hit>, names: usize) -> Vec<Hit> {
    let mut files_of_name = vec![0_u64; names];
    for at in hits.iter().flat_map(|hit| hit.found.all()) {
        files_of_name[at] += 1;
    }
    let weight = |hit: &Hit| hit.found.all().map(|at| 1_000_000 / files_of_name[at].max(1)).sum::<u64>();
    hits.sort_by_cached_key(|hit| std::cmp::Reverse(weight(hit)));
    hits.truncate(PARSED_FILES_MAX);
    let mut bytes = 0;
    hits.retain(|hit| {
        bytes += hit.text.len();
        bytes <= PARSED_BYTES_MAX
    });
    hits
}

/// Without what the base calls generated or vendored.
fn own_code(repository: &Repository, base: &str, hits: Vec<Hit>) -> Result<Vec<Hit>, GitError> {
    let paths: Vec<RepoPath> = hits.iter().map(|hit| hit.path.clone()).collect();
    let answers = repository.attributes_at(base, &paths, &["linguist-generated", "linguist-vendored"])?;
    let foreign: BTreeSet<RepoPath> =
        answers.into_iter().filter(AttributeValue::is_set).map(|answer| answer.path).collect();
    Ok(hits.into_iter().filter(|hit| !foreign.contains(&hit.path)).collect())
}

fn ranked(wanted: &Wanted, names: &Names, files: &BTreeMap<String, Vec<u8>>, hits: &[Hit]) -> Vec<Related> {
    let wants = |name: &str| names.has(name);
    let mut bytes = 0;
    let bounded = files.iter().take_while(|(_, text)| {
        bytes += text.len();
        bytes <= PARSED_BYTES_MAX
    });
    let changed = parallel::map(&bounded.collect::<Vec<_>>(), |(path, text)| {
        Candidate::read(&RepoPath::parse(path.as_bytes()).ok()?, text, wants)
    });
    let candidates = parallel::map(hits, |hit| Candidate::read(&hit.path, &hit.text, wants));
    let texts: BTreeMap<String, &[u8]> =
        hits.iter().map(|hit| (hit.path.to_string(), hit.text.as_slice())).collect();
    // The whole text is masked, since part of a key shows nothing of what it is.
    let masked = |path: &str| {
        let text = texts.get(path)?;
        Some(String::from_utf8_lossy(&secrets::mask(text)).into_owned())
    };
    let (changed, candidates) = (changed.into_iter().flatten(), candidates.into_iter().flatten());
    graph::related(wanted, changed.collect(), candidates.collect(), &LIMITS, masked)
}

fn packed(it: Related) -> RelatedFile {
    let excerpt = |it: graph::Excerpt| PackedExcerpt { first_line: it.first_line, text: it.text };
    RelatedFile {
        path: it.path,
        reasons: it.reasons,
        excerpts: it.excerpts.into_iter().map(excerpt).collect(),
    }
}
