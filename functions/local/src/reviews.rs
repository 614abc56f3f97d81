//! Which review sessions were begun on this machine: a small file for each in the data folder, so that `prevet serve`
//! finds them in whichever repository they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use prevet_app::reviews::{Detail, Known, Overview, Reviews, RoundDetail, Told};
pub use prevet_domain::ids::ReviewId;
use serde::{Deserialize, Serialize};

use crate::LocalError;
use crate::files::{self, RunningServer};

const REVIEWS_FOLDER: &str = "reviews";
const VERSION: u32 = 1;
/// The sessions that are kept in mind, the newest ones.
pub const REVIEWS_MAX: usize = 200;

/// The file of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    version: u32,
    session_dir: PathBuf,
}

/// Remembers a session that was begun.
///
/// # Errors
/// The data folder cannot be written.
pub fn register(folder: &Path, session_dir: &Path) -> Result<ReviewId, LocalError> {
    files::prepare(folder)?;
    let reviews = folder.join(REVIEWS_FOLDER);
    files::prepare(&reviews)?;
    for (_, path) in newest_first(&reviews).into_iter().skip(REVIEWS_MAX - 1) {
        // One that stays is only a file too many.
        let _ = fs::remove_file(path);
    }
    let id = id_of(session_dir);
    let entry = Entry { version: VERSION, session_dir: session_dir.to_owned() };
    files::write_private(&path_of(&reviews, &id), &entry)?;
    Ok(id)
}

/// The sessions that were begun and whose directories are still there, newest first. What cannot be read is left out.
pub fn registered(folder: &Path) -> Vec<(ReviewId, PathBuf)> {
    let files = newest_first(&folder.join(REVIEWS_FOLDER)).into_iter().take(REVIEWS_MAX);
    let sessions = files.filter_map(|(_, path)| read(&path));
    sessions.map(|session_dir| (id_of(&session_dir), session_dir)).collect()
}

/// The session of that id, if its directory is still there.
pub fn find(folder: &Path, id: &ReviewId) -> Option<PathBuf> {
    let session_dir = read(&path_of(&folder.join(REVIEWS_FOLDER), id))?;
    (id_of(&session_dir) == *id).then_some(session_dir)
}

/// Where the server's dashboard shows a session; none where it shows no reviews.
pub fn dashboard_url(server: &RunningServer, id: &ReviewId) -> Option<String> {
    let base = server.url.strip_suffix("/mcp").filter(|_| server.shows_reviews)?;
    Some(format!("{base}/inbox/reviews/{id}"))
}

fn id_of(session_dir: &Path) -> ReviewId {
    ReviewId::of(session_dir.as_os_str().as_encoded_bytes())
}

fn path_of(reviews: &Path, id: &ReviewId) -> PathBuf {
    reviews.join(format!("{id}.json"))
}

fn read(path: &Path) -> Option<PathBuf> {
    let entry: Entry = files::read_private(path).ok()??;
    (entry.version == VERSION && entry.session_dir.is_dir()).then_some(entry.session_dir)
}

fn newest_first(reviews: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(reviews).map(|entries| entries.flatten().collect()).unwrap_or_default();
    let entries: Vec<fs::DirEntry> = entries;
    let aged = |entry: &fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut files: Vec<_> = entries.iter().filter_map(aged).collect();
    files.retain(|(_, path)| path.extension().is_some_and(|extension| extension == "json"));
    files.sort_by(|one, other| other.cmp(one));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_found_until_they_are_gone() {
        let (data, sessions) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let session = |name: &str| {
            let path = sessions.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let (one, other) = (session("one"), session("other"));
        let id = register(data.path(), &one).unwrap();
        assert_eq!(register(data.path(), &one).unwrap(), id);
        let second = register(data.path(), &other).unwrap();
        assert_eq!(registered(data.path()).len(), 2);
        assert_eq!(find(data.path(), &id), Some(one.clone()));
        fs::remove_dir(&one).unwrap();
        assert_eq!(find(data.path(), &id), None);
        assert_eq!(registered(data.path()), [(second, other)]);
    }

    #[test]
    fn no_more_than_a_bound_is_kept() {
        let (data, sessions) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for number in 0..REVIEWS_MAX + 3 {
            register(data.path(), &sessions.path().join(number.to_string())).unwrap();
        }
        assert_eq!(newest_first(&data.path().join(REVIEWS_FOLDER)).len(), REVIEWS_MAX);
    }
}
