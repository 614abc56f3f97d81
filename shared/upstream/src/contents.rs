//! Files of GitHub and GitHub Enterprise as of a commit: its tree, and the contents by their ids.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use prevet_app::provider::{Blob, ProviderError};
use prevet_domain::ids::{RepositoryName, Revision};
use prevet_domain::kind::Kind;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fetch::{self, FetchError};
use crate::github;
use crate::settings::GitHubSettings;

/// The largest tree that is read in one answer: some 100,000 files.
const TREE_BYTES_MAX: usize = 24 << 20;
/// Folders that are read one by one where the tree is larger.
const FOLDERS_MAX: usize = 64;
/// A longer wait that the host asks for is not waited for.
const RETRY_AFTER_SECONDS_MAX: u64 = 5;

/// A tree as the API gives it: what is used of it.
#[derive(Debug, Deserialize)]
struct Tree {
    tree: Vec<Entry>,
    #[serde(default)]
    truncated: bool,
}

#[derive(Debug, Deserialize)]
struct Entry {
    path: String,
    #[serde(rename = "type")]
    kind: String,
    sha: String,
    #[serde(default)]
    size: u64,
}

/// A repository at the host.
pub struct Hosted<'a> {
    pub http: &'a Client,
    pub settings: &'a GitHubSettings,
    pub repository: &'a RepositoryName,
}

impl Hosted<'_> {
    /// The contents that `commit` has at `paths`.
    pub async fn blobs(
        &self,
        commit: &Revision,
        paths: &[String],
    ) -> Result<BTreeMap<String, Blob>, ProviderError> {
        let whole = self.tree(commit.as_str(), true).await;
        let entries = match whole {
            Ok(tree) if !tree.truncated => tree.tree.into_iter().map(|it| (it.path.clone(), it)).collect(),
            Ok(_) => self.folder_by_folder(commit, paths).await?,
            Err(FetchError::Broken { kind: Kind::TooLarge, .. }) => {
                self.folder_by_folder(commit, paths).await?
            }
            Err(FetchError::Status { status, .. }) if is_missing(status) => {
                return Err(self.missing(commit).await);
            }
            Err(error) => return Err(self.explained(error)),
        };
        let blob = |path: &String| {
            let entry: &Entry = entries.get(path).filter(|it: &&Entry| it.kind == "blob")?;
            Some((path.clone(), Blob { id: entry.sha.clone(), bytes: entry.size }))
        };
        Ok(paths.iter().filter_map(blob).collect())
    }

    /// A content.
    pub async fn content(&self, id: &str, bytes_max: usize) -> Result<Bytes, ProviderError> {
        let url = self.address(&["git", "blobs", id]);
        let url = url.ok_or_else(|| self.explained(no_path()))?;
        let first = self.raw(url.clone(), bytes_max).await;
        let last = if pause(&first).await { self.raw(url, bytes_max).await } else { first };
        last.map_err(|error| self.explained(error))
    }

    async fn raw(&self, url: Url, bytes_max: usize) -> Result<Bytes, FetchError> {
        let dress = |request| github::dressed(request, self.settings, "application/vnd.github.raw+json");
        fetch::bytes(self.http, url, dress, bytes_max).await
    }

    async fn tree(&self, id: &str, recursive: bool) -> Result<Tree, FetchError> {
        let mut url = self.address(&["git", "trees", id]).ok_or_else(no_path)?;
        if recursive {
            url.set_query(Some("recursive=1"));
        }
        self.json(url, TREE_BYTES_MAX).await
    }

    /// The entries of the folders of `paths`, by whole path.
    async fn folder_by_folder(
        &self,
        commit: &Revision,
        paths: &[String],
    ) -> Result<BTreeMap<String, Entry>, ProviderError> {
        let mut all: BTreeMap<String, Entry> = BTreeMap::new();
        let mut folders: Vec<String> = paths.iter().flat_map(|path| folders_of(path)).collect();
        // A folder comes behind the one that it is in.
        folders.sort_unstable();
        folders.dedup();
        for folder in folders.iter().take(FOLDERS_MAX) {
            let id = if folder.is_empty() {
                commit.as_str().to_owned()
            } else {
                match all.get(folder).filter(|it| it.kind == "tree") {
                    Some(entry) => entry.sha.clone(),
                    None => continue,
                }
            };
            let tree = self.tree(&id, false).await.map_err(|error| self.explained(error))?;
            for entry in tree.tree {
                let slash = if folder.is_empty() { "" } else { "/" };
                all.insert(format!("{folder}{slash}{}", entry.path), entry);
            }
        }
        Ok(all)
    }

    /// Whether the commit is missing, or the repository is not shown at all.
    async fn missing(&self, commit: &Revision) -> ProviderError {
        let Some(url) = self.address(&[]) else { return self.explained(no_path()) };
        match self.json::<Value>(url, TREE_BYTES_MAX).await {
            Ok(_) => {
                let short = commit.as_str().get(..12).unwrap_or(commit.as_str());
                let reason = format!("{} has no commit {short} there (not pushed yet?)", self.repository);
                ProviderError::BaseNotFound(reason)
            }
            Err(error) => self.explained(error),
        }
    }

    async fn json<T: DeserializeOwned>(&self, url: Url, bytes_max: usize) -> Result<T, FetchError> {
        let first = self.value(url.clone(), bytes_max).await;
        let value = if pause(&first).await { self.value(url, bytes_max).await } else { first }?;
        serde_json::from_value(value).map_err(|_| FetchError::Broken {
            kind: Kind::Unavailable,
            reason: "its answer is not what was asked for".to_owned(),
        })
    }

    async fn value(&self, url: Url, bytes_max: usize) -> Result<Value, FetchError> {
        let dress = |request| github::dressed(request, self.settings, github::ACCEPTED);
        fetch::json_within(self.http, url, dress, bytes_max).await
    }

    fn address(&self, rest: &[&str]) -> Option<Url> {
        let (owner, name) = self.repository.as_str().split_once('/')?;
        let mut url = self.settings.api.clone();
        url.set_query(None);
        url.path_segments_mut().ok()?.pop_if_empty().extend(["repos", owner, name]).extend(rest);
        Some(url)
    }

    fn explained(&self, error: FetchError) -> ProviderError {
        let error = github::explained(self.repository.as_str(), self.settings, error);
        ProviderError::Failed { reason: error.to_string(), kind: error.kind }
    }
}

fn is_missing(status: StatusCode) -> bool {
    matches!(status, StatusCode::NOT_FOUND | StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY)
}

fn no_path() -> FetchError {
    FetchError::Broken { kind: Kind::Invalid, reason: "PREVET_GITHUB_API_URL takes no path".to_owned() }
}

/// Every folder that a path is in, the root first.
fn folders_of(path: &str) -> Vec<String> {
    let slashes = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
    std::iter::once(String::new()).chain(slashes).collect()
}

/// Waits as long as the host asks for, where that is short: then it may be asked once more.
async fn pause<T>(answer: &Result<T, FetchError>) -> bool {
    let Err(FetchError::Status { headers, .. }) = answer else { return false };
    let seconds = headers.get(RETRY_AFTER).and_then(|it| it.to_str().ok()).and_then(|it| it.parse().ok());
    let Some(seconds) = seconds.filter(|it: &u64| *it <= RETRY_AFTER_SECONDS_MAX) else { return false };
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    true
}

#[cfg(test)]
mod tests {
    use super::folders_of;

    #[test]
    fn folders() {
        assert_eq!(folders_of("a/b/c.py"), ["", "a", "a/b"]);
        assert_eq!(folders_of("c.py"), [""]);
    }
}
