//! The context pack: what the server gets beside the diff.

mod parallel;
mod related;
mod scan;

use prevet_analysis::{convention, secrets};
use prevet_domain::change::{Change, FileChange, FileKind, verify_post_image};
use prevet_domain::limits::{CONTEXT_BYTES_MAX, PARSED_FILE_BYTES_MAX};
use prevet_domain::path::RepoPath;
use prevet_wire::context_pack::{ContextPack, FILES_MAX, PackedFile};

use crate::console;
use crate::error::CommandError;
use crate::git::Repository;

/// What a pack's files may have together, as JSON; the rest is for paths and the policy.
const FILES_BYTES_MAX: usize = CONTEXT_BYTES_MAX - (4 << 20);

/// Where files after the change are.
#[derive(Debug, Clone, Copy)]
pub enum After<'a> {
    /// In a commit.
    Commit(&'a str),
    /// In the work tree.
    WorkTree,
}

/// The pack for `change` against `base`: the policy and attributes as of the base, and the changed files after the
/// change with secrets masked. A file that is not what the diff leads to (it changed in between, or a filter stands
/// before it) is left out: the server then reads its hunks alone. Beside them, the parts of other files that define what
/// the change calls or use what it changes.
pub fn build(
    repository: &Repository,
    change: &Change,
    base: &str,
    after: After<'_>,
) -> Result<ContextPack, CommandError> {
    let mut pack = ContextPack::empty();
    pack.policy = repository.policy_at(base)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    attributes(repository, change, base, &mut pack)?;
    let mut bytes_left = FILES_BYTES_MAX;
    for file in &change.files {
        if pack.files.len() == FILES_MAX {
            break;
        }
        // What the server leaves out would only take the room of what it reads.
        let left_out = file.new_path.as_ref().is_none_or(|path| {
            let shown = path.to_string();
            convention::by_name(path).is_some()
                || pack.generated.contains(&shown)
                || pack.vendored.contains(&shown)
        });
        if left_out {
            continue;
        }
        let Some(packed) = packed_file(repository, file, after)? else { continue };
        // Control characters take six bytes in JSON.
        let bytes = serde_json::to_string(&packed.text).map_or(usize::MAX, |json| json.len());
        if bytes <= bytes_left {
            bytes_left -= bytes;
            pack.files.push(packed);
        }
    }
    match related::related(repository, change, base, after, &pack) {
        Ok(related) => pack.related = related,
        // A review without them is one all the same.
        Err(error) => console::say(&format!("callers of what changed were not looked for: {error}")),
    }
    Ok(pack)
}

fn attributes(
    repository: &Repository,
    change: &Change,
    base: &str,
    pack: &mut ContextPack,
) -> Result<(), CommandError> {
    let paths: Vec<RepoPath> = change.files.iter().filter_map(|file| file.new_path.clone()).collect();
    for answer in repository.attributes_at(base, &paths, &["linguist-generated", "linguist-vendored"])? {
        if answer.is_set() {
            let list =
                if answer.name == "linguist-generated" { &mut pack.generated } else { &mut pack.vendored };
            list.push(answer.path.to_string());
        }
    }
    Ok(())
}

fn packed_file(
    repository: &Repository,
    file: &FileChange,
    after: After<'_>,
) -> Result<Option<PackedFile>, CommandError> {
    let Some(path) = file.new_path.as_ref().filter(|_| wanted(file)) else { return Ok(None) };
    let bytes = match after {
        After::Commit(commit) => repository.file_at(commit, path)?,
        After::WorkTree => repository.work_tree_file(path)?,
    };
    let Some(bytes) = bytes.filter(|bytes| bytes.len() <= PARSED_FILE_BYTES_MAX) else { return Ok(None) };
    let text = String::from_utf8_lossy(&secrets::mask(&bytes)).into_owned();
    let fits = verify_post_image(file, text.as_bytes(), secrets::is_masked).is_ok();
    Ok(fits.then(|| PackedFile { path: path.to_string(), text }))
}

fn wanted(file: &FileChange) -> bool {
    file.kind != FileKind::Deleted && !file.is_submodule() && !file.hunks().is_empty()
}
