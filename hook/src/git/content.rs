//! Files of the repository: as committed, and as they lie in the work tree.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};

use prevet_domain::path::RepoPath;

use super::error::on_file;
use super::{GitError, Repository, path_of};

/// The policy file, at the repository's root.
const POLICY_FILE: &str = ".prevet.toml";
/// The largest file that is read whole.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// The first git whose `check-attr` has `--source`.
const CHECK_SOURCE_VERSION: (u32, u32) = (2, 40);

/// What one attribute says of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeValue {
    /// The path.
    pub path: RepoPath,
    /// The attribute.
    pub name: String,
    /// `set`, `unset`, `unspecified`, or its value.
    pub value: String,
}

impl AttributeValue {
    /// Whether it is on: set, or given as `true`.
    pub fn is_set(&self) -> bool {
        matches!(self.value.as_str(), "set" | "true")
    }
}

impl Repository {
    /// A file as of `revision`; `None` where it has no such file.
    pub fn file_at(&self, revision: &str, path: &RepoPath) -> Result<Option<Vec<u8>>, GitError> {
        if let Some(Ok(found)) = self.with_library(|library| blob(library, revision, path)) {
            return Ok(found);
        }
        let id = self.object_id(revision)?;
        let named = [format!("{id}:").as_bytes(), path.as_bytes()].concat();
        let output = self.git().args(["cat-file", "blob"]).arg(path_of(&named)).run()?;
        Ok(output.status.success().then_some(output.stdout))
    }

    /// A regular file of the work tree, not through symbolic links; `None` where there is none, or one over
    /// 64 MiB.
    pub fn work_tree_file(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, GitError> {
        self.work_tree_file_within(path, FILE_BYTES_MAX)
    }

    /// [`Repository::work_tree_file`] with another bound; a larger file is not opened.
    pub fn work_tree_file_within(
        &self,
        path: &RepoPath,
        bytes_max: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let root = self.work_tree()?;
        let mut full = root.to_owned();
        for component in path.as_bytes().split(|byte| *byte == b'/') {
            full.push(path_of(component));
            match fs::symlink_metadata(&full) {
                Ok(data) if data.is_symlink() => return Ok(None),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    return Ok(None);
                }
                Err(error) => return on_file(Err(error), "read", &full),
            }
        }
        // Opened only once it is known to be a file: opening a pipe would wait for a writer.
        let data = on_file(fs::symlink_metadata(&full), "read", &full)?;
        if !data.is_file() || data.len() > bytes_max {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let file = on_file(File::open(&full), "read", &full)?;
        on_file(file.take(bytes_max + 1).read_to_end(&mut bytes), "read", &full)?;
        Ok((bytes.len() as u64 <= bytes_max).then_some(bytes))
    }

    /// The policy file as of `base`, so that a change cannot loosen its own review.
    pub fn policy_at(&self, base: &str) -> Result<Option<Vec<u8>>, GitError> {
        match RepoPath::parse(POLICY_FILE.as_bytes()) {
            Ok(path) => self.file_at(base, &path),
            Err(_) => Ok(None),
        }
    }

    /// What `names` say of `paths` as of `base`; from the work tree where git is older than 2.40.
    pub fn attributes_at(
        &self,
        base: &str,
        paths: &[RepoPath],
        names: &[&str],
    ) -> Result<Vec<AttributeValue>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut git = self.git().args(["check-attr", "--stdin", "-z"]);
        if self.git_version()? >= CHECK_SOURCE_VERSION {
            git = git.arg(format!("--source={}", self.object_id(base)?));
        }
        let asked: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        Ok(parse_attributes(&git.args(names).input(asked).read()?))
    }
}

/// An error where libgit2 cannot say, such as for an object that a partial clone lacks.
fn blob(library: &git2::Repository, revision: &str, path: &RepoPath) -> Result<Option<Vec<u8>>, git2::Error> {
    let tree = library.find_object(git2::Oid::from_str(revision)?, None)?.peel_to_tree()?;
    match tree.get_path(&path_of(path.as_bytes())) {
        Ok(entry) if entry.kind() == Some(git2::ObjectType::Blob) => {
            Ok(Some(library.find_blob(entry.id())?.content().to_vec()))
        }
        Ok(_) => Ok(None),
        Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn parse_attributes(printed: &[u8]) -> Vec<AttributeValue> {
    let fields: Vec<&[u8]> = printed.split(|byte| *byte == 0).collect();
    let (answers, _) = fields.as_chunks::<3>();
    let answer = |[path, name, value]: &[&[u8]; 3]| {
        Some(AttributeValue {
            path: RepoPath::parse(path).ok()?,
            name: String::from_utf8_lossy(name).into_owned(),
            value: String::from_utf8_lossy(value).into_owned(),
        })
    };
    answers.iter().filter_map(answer).collect()
}
