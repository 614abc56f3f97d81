//! A private copy of the index that knows untracked files too, so that the user's own is only ever read.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::capture::LeftOut;
use super::command::{Git, Output};
use super::error::on_file;
use super::index_file::{self, Layout, NewEntry};
use super::presentation::NEUTRAL_SETTINGS;
use super::private::PrivateFolder;
use super::{GitError, Repository, bytes_of, path_of};

const MODE_FILE: u32 = 0o100_644;
const MODE_EXECUTABLE: u32 = 0o100_755;
const MODE_SYMLINK: u32 = 0o120_000;

/// The copy; it is removed when this is dropped.
pub(super) struct IndexCopy<'a> {
    repository: &'a Repository,
    folder: PrivateFolder,
    bytes: Vec<u8>,
    modified: Option<SystemTime>,
}

impl<'a> IndexCopy<'a> {
    /// Copies the index as it is now, its time included: git tells by it which entries it may trust unread.
    /// The copy also announces every untracked file that is not ignored; what cannot be announced is returned.
    pub(super) fn make(repository: &'a Repository) -> Result<(Self, Vec<LeftOut>), GitError> {
        let (bytes, modified) = read(&repository.index)?;
        let folder = PrivateFolder::create(&repository.environment.temp_dir)?;
        let copy = Self { repository, folder, bytes, modified };
        let left_out = copy.fill()?;
        Ok((copy, left_out))
    }

    /// A command that uses the copy in place of the index.
    pub(super) fn git(&self) -> Git {
        self.git_with(self.path())
    }

    fn git_with(&self, index: PathBuf) -> Git {
        self.repository.git().settings(NEUTRAL_SETTINGS).env("GIT_INDEX_FILE", index)
    }

    /// Untracked files are looked for before the diff and not beside it: a diff that has to be thrown away for
    /// one new file costs more than the recipe that this replaces.
    fn fill(&self) -> Result<Vec<LeftOut>, GitError> {
        if index_file::layout(&self.bytes, self.repository.format) == Layout::Special {
            return self.let_git_add();
        }
        // The user's own index, since this only reads it.
        let (untracked, left_out) = self.untracked(self.repository.index.clone())?;
        if untracked.is_empty() {
            self.write(&self.bytes)?;
            return Ok(left_out);
        }
        if self.add_entries(untracked)? { Ok(left_out) } else { self.let_git_add() }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("index")
    }

    fn write(&self, bytes: &[u8]) -> Result<(), GitError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let path = self.path();
        on_file(fs::write(&path, bytes), "write", &path)?;
        let Some(modified) = self.modified else { return Ok(()) };
        let opened = File::options().append(true).open(&path);
        on_file(opened.and_then(|file| file.set_modified(modified)), "set the time of", &path)
    }

    /// The untracked paths, and the folders that could not be looked into.
    fn untracked(&self, index: PathBuf) -> Result<(Vec<Vec<u8>>, Vec<LeftOut>), GitError> {
        let listed = self
            .git_with(index)
            .args(["ls-files", "--others", "--exclude-standard", "-z"])
            .run()?
            .success()?;
        let paths = listed.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok((paths.map(<[u8]>::to_vec).collect(), unreadable(&listed)))
    }

    /// Writes the entries into the copy; false where only git gets it right.
    fn add_entries(&self, untracked: Vec<Vec<u8>>) -> Result<bool, GitError> {
        let settings = self.repository.settings()?;
        // A slash at the end is another repository.
        if untracked.iter().any(|path| path.ends_with(b"/")) {
            return Ok(false);
        }
        let ignore_case = settings.is_true("core.ignorecase");
        let executables = !settings.is_false("core.filemode");
        let root = self.repository.work_tree()?;
        let entry = |path: Vec<u8>| {
            let mode = mode(&root.join(path_of(&path)), executables)?;
            Some(NewEntry { path, mode })
        };
        let mut new: Vec<NewEntry> = untracked.into_iter().filter_map(entry).collect();
        new.sort_unstable();
        match index_file::with_intent_to_add(&self.bytes, self.repository.format, &new, ignore_case) {
            Some(bytes) => self.write(&bytes).map(|()| true),
            None => Ok(false),
        }
    }

    fn let_git_add(&self) -> Result<Vec<LeftOut>, GitError> {
        self.write(&self.bytes)?;
        let first = self.add(&["--intent-to-add", "."])?;
        if first.status.success() {
            return Ok(unreadable(&first));
        }
        self.add(&["--intent-to-add", "--ignore-errors", "--sparse", "."])?;
        let (untracked, mut left_out) = self.untracked(self.path())?;
        left_out.extend(untracked.iter().map(|path| LeftOut::refused(path, &first.messages())));
        Ok(left_out)
    }

    /// `git add` writes the empty blob: into the private folder, with the repository's objects behind it.
    fn add(&self, arguments: &[&str]) -> Result<Output, GitError> {
        let objects = self.folder.join("objects");
        on_file(fs::create_dir_all(&objects), "make", &objects)?;
        self.git()
            .env("GIT_OBJECT_DIRECTORY", objects)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", path_of(&alternate(&self.repository.objects)))
            .arg("add")
            .args(arguments)
            .run()
    }
}

/// An index's bytes and time; neither, where a repository has none yet.
fn read(path: &Path) -> Result<(Vec<u8>, Option<SystemTime>), GitError> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), None)),
        opened => on_file(opened, "read", path)?,
    };
    let mut bytes = Vec::new();
    on_file(file.read_to_end(&mut bytes), "read", path)?;
    let modified = on_file(file.metadata().and_then(|data| data.modified()), "read the time of", path)?;
    Ok((bytes, Some(modified)))
}

/// The mode that git records for a new file; `None` for what is gone or is neither file nor link.
fn mode(path: &Path, executables: bool) -> Option<u32> {
    let data = fs::symlink_metadata(path).ok()?;
    if data.is_symlink() {
        return Some(MODE_SYMLINK);
    }
    let executable = executables && data.permissions().mode() & 0o100 != 0;
    data.is_file().then_some(if executable { MODE_EXECUTABLE } else { MODE_FILE })
}

/// One element of git's list of alternates, quoted: the list is cut at colons.
fn alternate(objects: &Path) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in bytes_of(objects) {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    quoted
}

fn unreadable(output: &Output) -> Vec<LeftOut> {
    let folder = |line: &String| {
        let (path, why) = line.strip_prefix("warning: could not open directory '")?.split_once("': ")?;
        Some(LeftOut { path: path.to_owned(), reason: format!("the folder cannot be opened ({why})") })
    };
    let mut folders: Vec<LeftOut> = output.messages().iter().filter_map(folder).collect();
    folders.dedup();
    folders
}
