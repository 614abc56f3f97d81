//! This machine's sessions for the page of `prevet serve`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use prevet_local::reviews::{self, Detail, Known, Overview, ReviewId, Reviews, RoundDetail, Told as Future};

use super::Rounds;
use super::error::ReviewError;
use super::folder::{SessionFolder, Stored};
use super::reviewer::Reviewer;
use super::stream_reader::Told;

/// What is shown of a round, the newest.
const ACTIVITIES_MAX: usize = 200;
/// What is shown of a round's text.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// The sessions that were begun on this machine, in whichever repositories.
#[derive(Debug, Clone)]
pub struct Board {
    rounds: Rounds,
    data_dir: PathBuf,
}

impl Board {
    /// Of the sessions that `data_dir` knows.
    pub const fn new(rounds: Rounds, data_dir: PathBuf) -> Self {
        Self { rounds, data_dir }
    }

    async fn open(&self, session_dir: &Path) -> Result<(SessionFolder, Stored), ReviewError> {
        let folder = SessionFolder::open(session_dir)?;
        let stored = self.rounds.settle(&folder).await?;
        Ok((folder, stored))
    }

    async fn overview(&self, id: ReviewId, session_dir: &Path) -> Overview {
        overview(id, session_dir, self.open(session_dir).await.map(|(_, stored)| stored))
    }

    async fn read(&self, id: &ReviewId) -> Option<Detail> {
        let session_dir = reviews::find(&self.data_dir, id)?;
        let opened = self.open(&session_dir).await;
        let rounds = match &opened {
            Ok((folder, stored)) => rounds(folder.clone(), stored.clone()).await,
            Err(_) => Vec::new(),
        };
        let overview = overview(id.clone(), &session_dir, opened.map(|(_, stored)| stored));
        Some(Detail { overview, rounds })
    }

    /// Sizes and times of everything that a session's page is made of.
    async fn stamp_of(&self, id: &ReviewId) -> Option<String> {
        let session_dir = reviews::find(&self.data_dir, id)?;
        // A round that has ended is written down first, or nobody would see its end.
        let _ = self.open(&session_dir).await;
        let files = [session_dir.clone(), session_dir.join("outputs")];
        let entries = files.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let mut stamps: Vec<String> = entries.filter_map(|entry| stamp(&entry)).collect();
        stamps.sort();
        Some(stamps.concat())
    }
}

impl Reviews for Board {
    fn overviews(&self) -> Future<'_, Vec<Overview>> {
        Box::pin(async {
            let mut listed = Vec::new();
            for (id, session_dir) in reviews::registered(&self.data_dir) {
                listed.push(self.overview(id, &session_dir).await);
            }
            listed
        })
    }

    fn stamp<'a>(&'a self, id: &'a ReviewId) -> Future<'a, Option<String>> {
        Box::pin(self.stamp_of(id))
    }

    fn detail<'a>(&'a self, id: &'a ReviewId) -> Future<'a, Option<Detail>> {
        Box::pin(self.read(id))
    }
}

fn overview(id: ReviewId, session_dir: &Path, stored: Result<Stored, ReviewError>) -> Overview {
    let known = stored.map(known).map_err(|error| error.message);
    Overview { id, directory: session_dir.display().to_string(), known }
}

fn known(stored: Stored) -> Known {
    let Stored { state, rounds, session } = stored;
    let times = rounds.rounds.iter().map(|round| {
        (seconds(&round.started_at).unwrap_or_default(), round.ended_at.as_deref().and_then(seconds))
    });
    Known {
        times: times.collect(),
        session,
        working_dir: state.working_dir,
        reviewer: state.reviewer,
        model: state.model,
        effort: state.effort,
    }
}

fn seconds(time: &str) -> Option<u64> {
    u64::try_from(time.parse::<Timestamp>().ok()?.as_second()).ok()
}

/// Every round as its output tells it, which can be long.
async fn rounds(folder: SessionFolder, stored: Stored) -> Vec<RoundDetail> {
    let read = move || {
        let reviewer = Reviewer::parse(&stored.state.reviewer).unwrap_or_default();
        let told = |round| Told::read(reviewer, &folder.output(round)).map(round_detail).unwrap_or_default();
        (1..=stored.session.round()).map(told).collect()
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

fn round_detail(told: Told) -> RoundDetail {
    let mut activities = told.activities;
    let earlier = activities.len().saturating_sub(ACTIVITIES_MAX);
    activities.drain(..earlier);
    let mut text = told.stream.messages.join("\n\n");
    text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
    RoundDetail { activities, earlier, text }
}

fn stamp(entry: &fs::DirEntry) -> Option<String> {
    let data = entry.metadata().ok()?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let path = entry.path();
    let is_output = path.extension() == Some(OsStr::new("jsonl"));
    let name = path.file_name()?.to_str()?;
    let is_shown = is_output || matches!(name, "state.json" | "rounds.json");
    is_shown.then(|| format!("{name} {} {}\n", data.len(), changed.as_nanos()))
}
