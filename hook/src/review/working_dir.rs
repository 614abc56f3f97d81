//! The directory that a caller names, to the repository under review.

use std::path::{Path, PathBuf};

use super::error::{Code, ReviewError};
use crate::git::{GitEnvironment, Repository};

/// Where a review works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where the reviewer is started: the directory as named, without links.
    pub working_dir: PathBuf,
    /// The root of the repository's checkout.
    pub repository: PathBuf,
}

/// Checks a directory; private files of git's may lie in `temp_dir`.
pub fn find(named: &str, temp_dir: &Path) -> Result<Place, ReviewError> {
    let refused = |why: String| ReviewError::new(Code::InvalidInput, format!("working_dir {named:?} {why}"));
    let path = Path::new(named);
    if !path.is_absolute() {
        return Err(refused("is not an absolute path".to_owned()));
    }
    let working_dir = path.canonicalize().map_err(|error| refused(format!("cannot be used: {error}")))?;
    if !working_dir.is_dir() {
        return Err(refused("is not a directory".to_owned()));
    }
    if leads_out(path, &working_dir) {
        return Err(refused("is a link that leads out of its repository: name the place itself".to_owned()));
    }
    let environment = GitEnvironment::new(&working_dir, temp_dir);
    let repository = Repository::discover(&environment)
        .and_then(|repository| repository.work_tree().map(Path::to_owned))
        .map_err(|error| refused(format!("is no checkout of a git repository: {error}")))?;
    let repository =
        repository.canonicalize().map_err(|error| refused(format!("cannot be used: {error}")))?;
    if working_dir.to_str().is_none() || repository.to_str().is_none() {
        return Err(refused("leads to a path that is not UTF-8, which results cannot name".to_owned()));
    }
    Ok(Place { working_dir, repository })
}

/// Whether the path goes through a repository that its end is not in.
fn leads_out(named: &Path, real: &Path) -> bool {
    let above = named.ancestors().skip(1).filter(|folder| folder.join(".git").exists());
    above.filter_map(|folder| folder.canonicalize().ok()).any(|folder| !real.starts_with(folder))
}
