//! `prevet review status`: the sessions of a repository, and how each stands.

use std::fs;
use std::path::Path;

use prevet_domain::review::session::Ending;
use prevet_wire::review::{SessionStatus, StatusResult};

use super::Rounds;
use super::error::ReviewError;
use super::folder::{SessionFolder, sessions_folder};
use super::wait::told;
use super::working_dir;

/// The sessions that are listed at most, the newest ones.
const SESSIONS_MAX: usize = 200;

impl Rounds {
    /// The session in `directory`.
    pub async fn status(&self, directory: &Path) -> Result<StatusResult, ReviewError> {
        let folder = SessionFolder::open(directory)?;
        Ok(StatusResult { sessions: vec![self.at_a_glance(&folder).await?] })
    }

    /// Every session of the repository that `working_dir` is in, newest first. One that cannot be read says why.
    pub async fn status_of_all(&self, working_dir: &Path) -> Result<StatusResult, ReviewError> {
        let place = working_dir::find(&working_dir.display().to_string(), &self.temp_dir)?;
        let sessions = sessions_folder(&place.repository);
        let entries = fs::read_dir(&sessions).map(|entries| entries.flatten().collect()).unwrap_or_default();
        let age = |entry: &fs::DirEntry| entry.metadata().and_then(|data| data.modified()).ok();
        let mut entries: Vec<fs::DirEntry> = entries;
        entries.retain(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
        entries.sort_by_key(|entry| std::cmp::Reverse((age(entry), entry.file_name())));
        let mut listed = Vec::new();
        for path in entries.iter().take(SESSIONS_MAX).map(fs::DirEntry::path) {
            let found = match SessionFolder::open(&path) {
                Ok(folder) => self.at_a_glance(&folder).await,
                Err(error) => Err(error),
            };
            listed.push(found.unwrap_or_else(|error| unreadable(&path, error)));
        }
        Ok(StatusResult { sessions: listed })
    }

    async fn at_a_glance(&self, folder: &SessionFolder) -> Result<SessionStatus, ReviewError> {
        let stored = self.settle(folder).await?;
        let last = self.result(&stored, &told(folder, &stored)?);
        Ok(SessionStatus {
            session_dir: folder.path().display().to_string(),
            skill: Some(stored.state.skill),
            created_at: Some(stored.state.created_at),
            ended: stored.session.ending.is_some(),
            verdict: match stored.session.ending {
                Some(Ending::Finalized(conclusion)) => Some(conclusion.as_str().to_owned()),
                _ => None,
            },
            last: Some(last),
            error: None,
        })
    }
}

fn unreadable(path: &Path, error: ReviewError) -> SessionStatus {
    SessionStatus {
        session_dir: path.display().to_string(),
        skill: None,
        created_at: None,
        ended: false,
        verdict: None,
        last: None,
        error: Some(error.message),
    }
}
