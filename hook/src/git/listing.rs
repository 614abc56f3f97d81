//! Every file of the repository, as it lies in the work tree and as it is committed.

use std::collections::BTreeMap;

use prevet_domain::path::RepoPath;

use super::{GitError, Repository};

/// Bytes that one run of `git cat-file` is asked for.
const BATCH_BYTES_MAX: u64 = 16 << 20;
/// Not the watcher that the user has configured: it would be started.
const SETTINGS: &[&str] = &["core.fsmonitor=false", "core.quotePath=true"];
/// The modes of regular files: no symbolic links, no submodules.
const FILE_MODES: &[&str] = &["100644", "100755"];

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Its path.
    pub path: RepoPath,
    /// The id of its content.
    pub id: String,
    /// Its size.
    pub bytes: u64,
}

impl Repository {
    /// The work tree's files that git tracks or would track: no ignored ones, none of submodules. Some may be gone.
    pub fn files_of_work_tree(&self) -> Result<Vec<RepoPath>, GitError> {
        self.work_tree()?;
        let asked = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let printed = self.git().settings(SETTINGS).args(asked).read()?;
        let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        // A repository inside this one is named with a slash behind it, which is no path of a file.
        let mut paths: Vec<RepoPath> = paths.filter_map(|path| RepoPath::parse(path).ok()).collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// The regular files of `revision`.
    pub fn files_of_commit(&self, revision: &str) -> Result<Vec<CommittedFile>, GitError> {
        let id = self.object_id(revision)?;
        let printed =
            self.git().env("GIT_NO_LAZY_FETCH", "1").args(["ls-tree", "-r", "-z", "-l", &id]).read()?;
        Ok(printed.split(|byte| *byte == 0).filter_map(committed).collect())
    }

    /// The contents of `files`, in their order; `None` for one that this repository does not hold. Nothing is fetched.
    pub fn contents(&self, files: &[CommittedFile]) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let mut contents = Vec::with_capacity(files.len());
        let mut rest = files;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |file: &&CommittedFile| {
                bytes += file.bytes;
                bytes <= BATCH_BYTES_MAX
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            contents.extend(self.batch(now)?);
            rest = later;
        }
        Ok(contents)
    }

    fn batch(&self, files: &[CommittedFile]) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let input: String = files.iter().map(|file| format!("{}\n", file.id)).collect();
        let git = self.git().env("GIT_NO_LAZY_FETCH", "1").args(["cat-file", "--batch", "--buffer"]);
        let output = git.input(input.into_bytes()).run()?;
        let mut found = objects(&output.stdout);
        Ok(files.iter().map(|file| found.remove(&file.id)).collect())
    }
}

/// `MODE blob ID SIZE<tab>PATH`
fn committed(entry: &[u8]) -> Option<CommittedFile> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (std::str::from_utf8(&entry[..tab]).ok()?, &entry[tab + 1..]);
    let mut fields = head.split_ascii_whitespace();
    let (mode, kind, id, bytes) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let regular = kind == "blob" && FILE_MODES.contains(&mode);
    regular.then_some(())?;
    Some(CommittedFile { path: RepoPath::parse(path).ok()?, id: id.to_owned(), bytes: bytes.parse().ok()? })
}

/// `ID blob SIZE`, a newline, the content and a newline; `ID missing` for what is not there.
fn objects(printed: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut rest = printed;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut fields = head.split(' ');
        let (Some(id), Some("blob"), Some(bytes)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let Some(content) = bytes.parse().ok().and_then(|bytes: usize| rest.get(..bytes)) else { break };
        found.insert(id.to_owned(), content.to_vec());
        rest = rest.get(content.len() + 1..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_git_prints() {
        let file = committed(b"100755 blob abc     12\tsrc/a b.py").unwrap();
        assert_eq!((file.path.to_string().as_str(), file.id.as_str(), file.bytes), ("src/a b.py", "abc", 12));
        assert_eq!(committed(b"120000 blob abc 12\tlink"), None);
        assert_eq!(committed(b"160000 commit abc -\tmodule"), None);
        let found = objects(b"aa blob 3\na\nb\nbb missing\ncc blob 0\n\ndd blob 99\ncut");
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("aa".to_owned(), b"a\nb".to_vec()), ("cc".to_owned(), Vec::new())]
        );
    }
}
