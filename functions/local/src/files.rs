//! The data folder's own files: the lock, the keys, and the running server's address.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::LocalError;

const LOCK_FILE: &str = "lock";
const ADDRESS_FILE: &str = "server.json";
const CONNECT_TIMEOUT_SECONDS: u64 = 2;
const LOCK_POLL_MILLISECONDS: u64 = 50;

/// A `prevet serve` that runs on a data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningServer {
    /// Its base URL, ending in `/mcp`.
    pub url: String,
    /// The tenant.
    pub tenant_key: String,
    /// A key for agents.
    pub agent_key: String,
    /// A key for people.
    #[serde(default)]
    pub human_key: String,
    /// Its embedded DynamoDB.
    pub dynamodb_url: String,
    /// Its embedded S3.
    pub s3_url: String,
    /// Its process.
    pub process_id: u32,
    /// Whether its page shows the machine's review rounds.
    #[serde(default)]
    pub shows_reviews: bool,
}

/// The lock on a data folder, for as long as it lives.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// The server that runs on `folder`, by its own word; whether it answers is for the caller to find out.
pub fn running_server(folder: &Path) -> Option<RunningServer> {
    let json = fs::read(folder.join(ADDRESS_FILE)).ok()?;
    serde_json::from_slice(&json).ok()
}

/// The server that runs on `folder` and takes connections.
pub async fn reachable(folder: &Path) -> Option<RunningServer> {
    let server = running_server(folder)?;
    let address = server.url.strip_prefix("http://")?.split('/').next()?.to_owned();
    let connect = tokio::net::TcpStream::connect(address);
    let connected = tokio::time::timeout(Duration::from_secs(CONNECT_TIMEOUT_SECONDS), connect).await;
    connected.ok()?.ok()?;
    Some(server)
}

/// Makes the folder, for its owner alone.
pub fn prepare(folder: &Path) -> Result<(), LocalError> {
    let failed = |action| move |source| LocalError::File { action, path: folder.to_owned(), source };
    let there = folder.is_dir();
    fs::create_dir_all(folder).map_err(failed("making the data folder"))?;
    if !there {
        let owner_only = fs::Permissions::from_mode(0o700);
        fs::set_permissions(folder, owner_only).map_err(failed("setting the mode of"))?;
    }
    Ok(())
}

/// Takes the folder's lock, waiting at most `wait`. `Ok(None)` as soon as `instead` says that it is not needed.
pub async fn lock(
    folder: &Path,
    wait: Duration,
    mut instead: impl AsyncFnMut() -> bool,
) -> Result<Option<FolderLock>, LocalError> {
    let path = folder.join(LOCK_FILE);
    let failed = |source| LocalError::File { action: "locking", path: path.clone(), source };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(FolderLock { _file: file })),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
            Err(TryLockError::WouldBlock) if instead().await => return Ok(None),
            Err(TryLockError::WouldBlock) if started.elapsed() >= wait => {
                return Err(LocalError::Locked { folder: folder.to_owned(), waited_seconds: wait.as_secs() });
            }
            Err(TryLockError::WouldBlock) => {
                tokio::time::sleep(Duration::from_millis(LOCK_POLL_MILLISECONDS)).await;
            }
        }
    }
}

/// Writes the running server's address.
pub fn announce(folder: &Path, server: &RunningServer) -> Result<(), LocalError> {
    write_private(&folder.join(ADDRESS_FILE), server)
}

/// Takes the address away again.
pub fn withdraw(folder: &Path) {
    // A file that is gone already is as good.
    let _ = fs::remove_file(folder.join(ADDRESS_FILE));
}

/// Reads a JSON file; `None` where there is none.
pub fn read_private<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LocalError> {
    match fs::read(path) {
        Ok(json) => serde_json::from_slice(&json)
            .map(Some)
            .map_err(|source| LocalError::DamagedKeys { path: path.to_owned(), source }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LocalError::File { action: "reading", path: path.to_owned(), source }),
    }
}

/// Writes a JSON file that its owner alone can read: whole, or not at all.
pub fn write_private<T: Serialize>(path: &Path, value: &T) -> Result<(), LocalError> {
    let failed = |source| LocalError::File { action: "writing", path: path.to_owned(), source };
    let json = serde_json::to_vec_pretty(value).map_err(|error| failed(error.into()))?;
    let temporary = sibling(path);
    let write = || {
        let mut file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&temporary)?;
        file.write_all(&json)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(failed)
}

fn sibling(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}
