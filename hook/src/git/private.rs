//! A folder of our own for as long as a command runs, gone afterwards however it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use super::GitError;
use super::error::on_file;

const NAME_PREFIX: &str = "prevet-index-";
/// A folder this old belongs to a run that was killed.
const ABANDONED_AFTER_SECONDS: u64 = 60 * 60;
/// How often a folder is removed that somebody else is at.
const REMOVALS_MAX: usize = 100;

static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what a run in progress keeps in the temporary folder, and lets it make nothing more: for a signal
/// handler that ends the program, where nothing is dropped.
pub fn remove_private_folders() {
    let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in folders.drain(..) {
        // Whoever works in it may remove files of it at the same time, which makes one of the two fail.
        for _ in 0..REMOVALS_MAX {
            if fs::remove_dir_all(&folder).is_ok() || !folder.exists() {
                break;
            }
        }
    }
    std::mem::forget(folders);
}

/// The folder; only its owner may read it.
pub(super) struct PrivateFolder(TempDir);

impl PrivateFolder {
    /// Makes one below `parent`, and clears away those of killed runs.
    pub(super) fn create(parent: &Path) -> Result<Self, GitError> {
        remove_abandoned(parent);
        let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        let made = tempfile::Builder::new().prefix(NAME_PREFIX).tempdir_in(parent);
        let folder = on_file(made, "make a private folder in", parent)?;
        folders.push(folder.path().to_owned());
        Ok(Self(folder))
    }

    /// A path inside it.
    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let path = self.0.path();
        // First the folder, then its name: a signal in between still finds it.
        let _ = fs::remove_dir_all(path);
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|folder| folder != path);
    }
}

fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(NAME_PREFIX);
    for entry in entries.flatten().filter(ours) {
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > Duration::from_secs(ABANDONED_AFTER_SECONDS)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clears_away_what_killed_runs_left() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, age_seconds: u64| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("index"), "x").unwrap();
            let time = std::time::SystemTime::now() - Duration::from_secs(age_seconds);
            fs::File::open(&path).unwrap().set_modified(time).unwrap();
            path
        };
        let abandoned = make("prevet-index-old", 2 * ABANDONED_AFTER_SECONDS);
        let kept = [make("prevet-index-new", 5), make("other", 2 * ABANDONED_AFTER_SECONDS)];
        let folder = PrivateFolder::create(parent.path()).unwrap();
        let own = folder.join("");
        assert!(own.exists() && !abandoned.exists() && kept.iter().all(|path| path.exists()));
        drop(folder);
        assert!(!own.exists());
    }
}
