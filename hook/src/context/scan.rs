//! Which files of the whole repository may have the names of a change.

use prevet_analysis::convention;
use prevet_analysis::graph::{Found, Names, is_covered};
use prevet_analysis::language::{TextKind, detect};
use prevet_domain::path::RepoPath;

use super::{After, parallel};
use crate::git::{CommittedFile, GitError, Repository};

/// A larger source file is generated, or data.
const FILE_BYTES_MAX: u64 = 512 << 10;
/// Files that are looked at.
const FILES_MAX: usize = 60_000;
/// Bytes that are looked at; what is nearest to the change comes first.
const SCANNED_BYTES_MAX: usize = 256 << 20;
/// Bytes of files with a name that are kept.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// Files that are read before the bounds are looked at.
const STEP_FILES: usize = 512;
/// The folder of the review rounds.
const ROUNDS_FOLDER: &[u8] = b".cross-review/";

/// A file that may have a name.
#[derive(Debug)]
pub struct Hit {
    /// Its path.
    pub path: RepoPath,
    /// Its text.
    pub text: Vec<u8>,
    /// The names.
    pub found: Found,
}

/// A file that is not read yet.
enum Listed {
    Committed(CommittedFile),
    InWorkTree(RepoPath),
}

impl Listed {
    fn path(&self) -> &RepoPath {
        match self {
            Self::Committed(file) => &file.path,
            Self::InWorkTree(path) => path,
        }
    }
}

/// The files after the change that may have one of `names`, without those that `left_out` takes, nearest to `near` first.
pub fn scan(
    repository: &Repository,
    after: After<'_>,
    near: &[&RepoPath],
    names: &Names,
    left_out: impl Fn(&RepoPath) -> bool,
) -> Result<Vec<Hit>, GitError> {
    let mut files = listed(repository, after)?;
    files.retain(|file| may_be_code(file.path()) && !left_out(file.path()));
    files.sort_by_cached_key(|file| (std::cmp::Reverse(nearness(file.path(), near)), file.path().clone()));
    files.truncate(FILES_MAX);
    let (mut hits, mut kept, mut scanned) = (Vec::new(), 0, 0);
    for step in files.chunks(STEP_FILES) {
        for (bytes, hit) in look(repository, step, names)? {
            scanned += bytes;
            let Some(hit) = hit.filter(|hit| kept + hit.text.len() <= KEPT_BYTES_MAX) else { continue };
            kept += hit.text.len();
            hits.push(hit);
        }
        if scanned > SCANNED_BYTES_MAX {
            break;
        }
    }
    Ok(hits)
}

fn listed(repository: &Repository, after: After<'_>) -> Result<Vec<Listed>, GitError> {
    match after {
        After::Commit(commit) => {
            let files = repository.files_of_commit(commit)?.into_iter();
            Ok(files.filter(|file| file.bytes <= FILE_BYTES_MAX).map(Listed::Committed).collect())
        }
        After::WorkTree => Ok(repository.files_of_work_tree()?.into_iter().map(Listed::InWorkTree).collect()),
    }
}

/// By its name alone: what has no extension may be a script.
fn may_be_code(path: &RepoPath) -> bool {
    let known = match detect(path, b"") {
        TextKind::Known(language) => is_covered(language),
        _ => path.extension().is_empty() && !path.file_name().starts_with(b"."),
    };
    known && convention::by_name(path).is_none() && !path.as_bytes().starts_with(ROUNDS_FOLDER)
}

/// How many folders a file has in common with the nearest of the change.
fn nearness(path: &RepoPath, near: &[&RepoPath]) -> usize {
    let common = |other: &&RepoPath| {
        let pairs = path.as_bytes().split(|it| *it == b'/').zip(other.as_bytes().split(|it| *it == b'/'));
        pairs.take_while(|(a, b)| a == b).count()
    };
    near.iter().map(common).max().unwrap_or(0)
}

/// How many bytes each file has, and what of it counts.
fn look(
    repository: &Repository,
    files: &[Listed],
    names: &Names,
) -> Result<Vec<(usize, Option<Hit>)>, GitError> {
    let committed: Vec<CommittedFile> = files
        .iter()
        .filter_map(|file| match file {
            Listed::Committed(file) => Some(file.clone()),
            Listed::InWorkTree(_) => None,
        })
        .collect();
    if committed.is_empty() {
        return Ok(parallel::map(files, |file| {
            let read = repository.work_tree_file_within(file.path(), FILE_BYTES_MAX);
            // A file that cannot be read is none that can be shown.
            hit(file.path(), read.ok().flatten().unwrap_or_default(), names)
        }));
    }
    let contents = repository.contents(&committed)?;
    let pairs: Vec<(RepoPath, Vec<u8>)> = committed
        .into_iter()
        .zip(contents)
        .map(|(file, text)| (file.path, text.unwrap_or_default()))
        .collect();
    Ok(parallel::map(&pairs, |(path, text)| hit(path, text.clone(), names)))
}

fn hit(path: &RepoPath, text: Vec<u8>, names: &Names) -> (usize, Option<Hit>) {
    let bytes = text.len();
    let TextKind::Known(language) = detect(path, &text) else { return (bytes, None) };
    let found = names.find(&text);
    let counts = is_covered(language) && !found.is_empty();
    (bytes, counts.then(|| Hit { path: path.clone(), text, found }))
}
