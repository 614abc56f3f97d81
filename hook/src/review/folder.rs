//! A session's directory: where each file is, how one is written, who may write.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use prevet_domain::review::session::Session;
use prevet_domain::review::subject::Skill;
use prevet_wire::review_files::{self, RoundsFile, StateFile};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;
use tokio::time::{Instant, sleep};

use super::error::{Code, ReviewError};
use super::settings::is_word;

/// The folder in the repository; it ignores itself for git.
pub const OWN_FOLDER: &str = ".cross-review";
const SESSIONS: &str = "sessions";
/// What is not whole yet.
const NEW_PREFIX: &str = ".new-";
/// A directory that is not whole after this long belongs to a call that was killed.
const ABANDONED_AFTER_SECONDS: u64 = 60 * 60;
/// A file of ours; the reviewer's output has a limit of its own.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// The last number of a day's sessions.
const NUMBER_MAX: u32 = 999_999_999;
#[cfg(unix)]
const NO_LINKS: i32 = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
const LOCK_SECONDS_MAX: u64 = 60;
const LOCK_POLL_MILLISECONDS: u64 = 20;
/// What is appended to a session's log at most.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// A session's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFolder(PathBuf);

/// What a session's files hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// `state.json`
    pub state: StateFile,
    /// `rounds.json`
    pub rounds: RoundsFile,
    /// The two as the machine knows them.
    pub session: Session,
}

/// Held while a session's files are changed.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock ends when it is closed")] File);

/// The folder of a repository's sessions.
pub fn sessions_folder(repository: &Path) -> PathBuf {
    repository.join(OWN_FOLDER).join(SESSIONS)
}

impl SessionFolder {
    /// A session that is there: a directory of ours, with a state that this version reads.
    pub fn open(directory: &Path) -> Result<Self, ReviewError> {
        let refused = |why: &str| {
            let text = format!("{} is not a review session: {why}", directory.display());
            ReviewError::new(Code::InvalidSession, text)
        };
        let path = directory.canonicalize().map_err(|error| refused(&error.to_string()))?;
        let named =
            |path: Option<&Path>, name: &str| path.and_then(Path::file_name) == Some(OsStr::new(name));
        let (sessions, own) = (path.parent(), path.parent().and_then(Path::parent));
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if !named(sessions, SESSIONS) || !named(own, OWN_FOLDER) || !is_session_name(name) {
            return Err(refused("review_begin makes them as .cross-review/sessions/<skill>-YYYYMMDD-NNN"));
        }
        let folder = Self(path);
        folder.state()?;
        // A link among them would have us write somewhere else.
        let is_plain = |name: &str| folder.0.join(name).symlink_metadata().is_ok_and(|data| data.is_dir());
        if !is_plain("prompts") || !is_plain("outputs") {
            return Err(refused("it has no directories prompts and outputs"));
        }
        Ok(folder)
    }

    /// A directory that is about to become a session.
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The session's name.
    pub fn name(&self) -> String {
        self.0.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// `prompts/round-NNN.md`
    pub fn prompt(&self, round: u32) -> PathBuf {
        self.0.join("prompts").join(format!("round-{round:03}.md"))
    }

    /// `outputs/round-NNN.jsonl`: the reviewer's events.
    pub fn output(&self, round: u32) -> PathBuf {
        self.of_round(round, "jsonl")
    }

    /// `outputs/round-NNN.runner.json`: the round's processes.
    pub fn runner(&self, round: u32) -> PathBuf {
        self.of_round(round, "runner.json")
    }

    /// `outputs/round-NNN.end.json`: how the reviewer's process ended.
    pub fn end(&self, round: u32) -> PathBuf {
        self.of_round(round, "end.json")
    }

    /// `outputs/round-NNN.seen.json`: which activities were told already.
    pub fn seen(&self, round: u32) -> PathBuf {
        self.of_round(round, "seen.json")
    }

    fn of_round(&self, round: u32, extension: &str) -> PathBuf {
        self.0.join("outputs").join(format!("round-{round:03}.{extension}"))
    }

    /// `review.md`
    pub fn page(&self) -> PathBuf {
        self.0.join("review.md")
    }

    /// `meta.json`
    pub fn meta(&self) -> PathBuf {
        self.0.join("meta.json")
    }

    /// `error.log`
    pub fn log(&self) -> PathBuf {
        self.0.join("error.log")
    }

    fn state_path(&self) -> PathBuf {
        self.0.join("state.json")
    }

    fn rounds_path(&self) -> PathBuf {
        self.0.join("rounds.json")
    }

    fn state(&self) -> Result<StateFile, ReviewError> {
        read_json(&self.state_path(), Code::InvalidSession)
    }

    /// Reads the session.
    pub fn load(&self) -> Result<Stored, ReviewError> {
        let state = self.state()?;
        let rounds: RoundsFile = read_json(&self.rounds_path(), Code::SessionBroken)?;
        check_words(&state, &self.state_path())?;
        let session = review_files::session(&state, &rounds)
            .map_err(|error| ReviewError::file(Code::SessionBroken, &self.rounds_path(), &error))?;
        Ok(Stored { state, rounds, session })
    }

    /// Writes the session: first the rounds, which say most.
    pub fn save(&self, state: &StateFile, rounds: &RoundsFile) -> Result<(), ReviewError> {
        write_json(&self.rounds_path(), rounds)?;
        write_json(&self.state_path(), state)
    }

    fn lock_path(&self) -> PathBuf {
        self.0.join(".lock")
    }

    /// The right to change the session's files; none where somebody else has it.
    pub fn try_lock(&self) -> Result<Option<Lock>, ReviewError> {
        try_lock(&self.lock_path())
    }

    /// Waits for the right to change the session's files.
    pub async fn lock(&self) -> Result<Lock, ReviewError> {
        self.wait_for(&self.lock_path(), LOCK_SECONDS_MAX).await?.ok_or_else(|| {
            let text = format!(
                "{} is being changed by another process, and still was after {LOCK_SECONDS_MAX} seconds",
                self.0.display()
            );
            ReviewError::new(Code::IoError, text)
        })
    }

    /// The lock that a round's runner holds for as long as it lives; none where it lives for `seconds` yet.
    pub async fn lock_round(&self, round: u32, seconds: u64) -> Result<Option<Lock>, ReviewError> {
        self.wait_for(&self.of_round(round, "lock"), seconds).await
    }

    async fn wait_for(&self, path: &Path, seconds: u64) -> Result<Option<Lock>, ReviewError> {
        let deadline = Instant::now() + Duration::from_secs(seconds);
        loop {
            if let Some(lock) = try_lock(path)? {
                return Ok(Some(lock));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            sleep(Duration::from_millis(LOCK_POLL_MILLISECONDS)).await;
        }
    }

    /// Whether a round's runner lives.
    pub fn is_round_alive(&self, round: u32) -> bool {
        matches!(try_lock(&self.of_round(round, "lock")), Ok(None))
    }

    /// Notes something for people who look into a session that went wrong.
    pub fn note(&self, line: &str) {
        let path = self.log();
        if path.is_symlink() {
            return;
        }
        let opened = File::options().create(true).append(true).open(&path);
        if let Ok(mut log) = opened
            && log.metadata().is_ok_and(|data| data.len() < LOG_BYTES_MAX)
        {
            // There is nowhere else to say that it failed.
            let _ = writeln!(log, "{line}");
        }
    }
}

/// What becomes an argument of the reviewer's is a word: a session that a repository brings along is no better than what
/// a caller says.
fn check_words(state: &StateFile, path: &Path) -> Result<(), ReviewError> {
    let words = [
        ("model", state.model.as_ref()),
        ("effort", Some(&state.effort)),
        ("thread_id", state.thread_id.as_ref()),
    ];
    match words.into_iter().find(|(_, word)| word.is_some_and(|word| !is_word(word))) {
        None => Ok(()),
        Some((name, _)) => {
            let text = format!("{} cannot be used: its {name} is no name", path.display());
            Err(ReviewError::new(Code::SessionBroken, text))
        }
    }
}

/// `<skill>-YYYYMMDD-NNN`
fn is_session_name(name: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    Skill::ALL.iter().any(|skill| {
        let rest = name.strip_prefix(skill.as_str()).and_then(|rest| rest.strip_prefix('-'));
        let parts = rest.and_then(|rest| rest.split_once('-'));
        parts.is_some_and(|(date, number)| {
            date.len() == 8 && digits(date) && (3..=9).contains(&number.len()) && digits(number)
        })
    })
}

/// None where somebody else has it.
fn try_lock(path: &Path) -> Result<Option<Lock>, ReviewError> {
    // A link would have a file made somewhere else.
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NO_LINKS);
    let file = options.create(true).write(true).truncate(false).open(path);
    let file = file.map_err(|error| ReviewError::io("open", path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(ReviewError::io("lock", path, &error)),
    }
}

/// Reads a file of ours; `code` is for one that is missing or is none of ours.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path, code: Code) -> Result<T, ReviewError> {
    let bytes = read_bounded(path, FILE_BYTES_MAX).map_err(|error| {
        let code = if error.kind() == ErrorKind::NotFound { code } else { Code::IoError };
        ReviewError { code, ..ReviewError::io("read", path, &error) }
    })?;
    review_files::parse(&bytes).map_err(|error| ReviewError::file(code, path, &error))
}

/// Reads a file of a bounded size.
pub(super) fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {bytes_max} bytes")));
    }
    Ok(bytes)
}

/// Writes a file of ours.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ReviewError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| ReviewError::io("write", path, &io::Error::other(error)))?;
    bytes.push(b'\n');
    write(path, &bytes)
}

/// Writes a file whole or not at all: beside its place, synced, renamed.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), ReviewError> {
    let written = (|| {
        let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
        let mut file = NamedTempFile::with_prefix_in(NEW_PREFIX, folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    })();
    written.map_err(|error: io::Error| ReviewError::io("write", path, &error))
}

/// Makes a session's directory under the next free number. `fill` gets it under another name, and only when it is
/// done does it become a session.
pub(super) fn create(
    repository: &Path,
    skill: Skill,
    date: &str,
    fill: impl FnOnce(&SessionFolder) -> Result<(), ReviewError>,
) -> Result<(SessionFolder, Lock), ReviewError> {
    let sessions = own_folder(repository)?;
    remove_abandoned(&sessions);
    let made = tempfile::Builder::new().prefix(NEW_PREFIX).tempdir_in(&sessions);
    let made = made.map_err(|error| ReviewError::io("make a directory in", &sessions, &error))?;
    for name in ["prompts", "outputs"] {
        let path = made.path().join(name);
        fs::create_dir(&path).map_err(|error| ReviewError::io("make", &path, &error))?;
    }
    let new = SessionFolder::new(made.path().to_owned());
    fill(&new)?;
    // Taken before anybody can see the session, and held over the renaming: a round that has no runner yet is not to be
    // taken for one that has lost its runner.
    let taken = || ReviewError::io("lock", made.path(), &io::Error::from(ErrorKind::WouldBlock));
    let lock = new.try_lock()?.ok_or_else(taken)?;
    let path = claim(&sessions, &format!("{skill}-{date}"))?;
    // In place of the empty directory that holds the number: nobody sees half of a session.
    if let Err(error) = fs::rename(made.path(), &path) {
        let _ = fs::remove_dir(&path);
        return Err(ReviewError::io("rename a directory to", &path, &error));
    }
    let _ = made.keep();
    Ok((SessionFolder::new(path), lock))
}

fn remove_abandoned(sessions: &Path) {
    let Ok(entries) = fs::read_dir(sessions) else { return };
    let unfinished = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(NEW_PREFIX);
    for entry in entries.flatten().filter(unfinished) {
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > Duration::from_secs(ABANDONED_AFTER_SECONDS)) {
            // It is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Makes an empty directory with the next free number; of two that try, one gets it.
fn claim(sessions: &Path, prefix: &str) -> Result<PathBuf, ReviewError> {
    let entries = fs::read_dir(sessions).map_err(|error| ReviewError::io("list", sessions, &error))?;
    let number = |entry: fs::DirEntry| {
        entry.file_name().to_str()?.strip_prefix(prefix)?.strip_prefix('-')?.parse::<u32>().ok()
    };
    let mut next = entries.flatten().filter_map(number).filter(|it| *it < NUMBER_MAX).max().unwrap_or(0);
    loop {
        next += 1;
        if next > NUMBER_MAX {
            return Err(ReviewError::io(
                "number a session in",
                sessions,
                &io::Error::other("no number is left"),
            ));
        }
        let path = sessions.join(format!("{prefix}-{next:03}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(ReviewError::io("make", &path, &error)),
        }
    }
}

/// The folder for sessions, made and ignored by git. A link in its place would lead out of the repository.
fn own_folder(repository: &Path) -> Result<PathBuf, ReviewError> {
    let own = repository.join(OWN_FOLDER);
    let sessions = own.join(SESSIONS);
    for folder in [&own, &sessions] {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(ReviewError::io("make", folder, &error));
            }
            _ => {}
        }
        if !folder.symlink_metadata().is_ok_and(|data| data.is_dir()) {
            let error = io::Error::from(ErrorKind::NotADirectory);
            return Err(ReviewError::io("use", folder, &error));
        }
    }
    let ignore = own.join(".gitignore");
    // One that was there before, and lets something through, is put right.
    let ignores_all =
        fs::read_to_string(&ignore).is_ok_and(|text| text.lines().any(|line| line.trim() == "*"));
    if !ignores_all {
        write(&ignore, b"*\n")?;
    }
    Ok(sessions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, expected: bool| assert_eq!(is_session_name(name), expected, "{name}");
        check("review-impl-20261016-001", true);
        check("review-plan-20261016-1000", true);
        check("review-plan-20261016-01", false);
        check("review-plan-2026-10-16", false);
        check("review-other-20261016-001", false);
        check(".new-abc", false);
    }

    #[test]
    fn numbers_are_given_once() {
        let repository = tempfile::tempdir().unwrap();
        let made: Vec<_> = std::thread::scope(|scope| {
            let make = || create(repository.path(), Skill::Plan, "20261016", |_| Ok(())).unwrap().0.name();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut names = made.clone();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 8, "{made:?}");
        assert_eq!(names[7], "review-plan-20261016-008");
    }

    #[test]
    fn what_fails_leaves_nothing() {
        let repository = tempfile::tempdir().unwrap();
        let refuse = |_: &SessionFolder| Err(ReviewError::new(Code::IoError, "full"));
        assert!(create(repository.path(), Skill::Plan, "20261016", refuse).is_err());
        let sessions = sessions_folder(repository.path());
        assert_eq!(fs::read_dir(sessions).unwrap().count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_out_of_the_repository_is_not_followed() {
        let (repository, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), repository.path().join(OWN_FOLDER)).unwrap();
        let error = create(repository.path(), Skill::Plan, "20261016", |_| Ok(())).unwrap_err();
        assert_eq!(error.code, Code::IoError);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
