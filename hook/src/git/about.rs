//! What the repository and its owner are called, and how git is set up.

use std::collections::HashMap;
use std::path::PathBuf;

use super::{GitError, Repository, path_of};

/// Git's whole configuration as it holds here (`git config --list`).
///
/// It cannot be printed, since addresses and headers in it may carry credentials.
#[derive(Clone, Default)]
pub struct Settings {
    values: HashMap<String, Vec<String>>,
}

impl Settings {
    fn parse(listed: &[u8]) -> Self {
        let mut settings = Self::default();
        for entry in listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let entry = String::from_utf8_lossy(entry);
            // A name alone stands for true.
            let (name, value) = entry.split_once('\n').unwrap_or((&entry, "true"));
            settings.values.entry(name.to_owned()).or_default().push(value.to_owned());
        }
        settings
    }

    /// The value that holds: the last one. Names have section and variable in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).last().map(String::as_str)
    }

    /// All values of a name, in order.
    pub fn all(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// The names of the configured remotes.
    pub fn remotes<'s>(&'s self) -> Vec<&'s str> {
        let remote = |name: &'s String| name.strip_prefix("remote.")?.strip_suffix(".url");
        let mut names: Vec<&str> = self.values.keys().filter_map(remote).collect();
        names.sort_unstable();
        names
    }

    /// The names of the configured remotes that fetch from or push to `url`.
    pub fn remotes_at<'s>(&'s self, url: &str) -> Vec<&'s str> {
        let holds = |values: &[String]| values.iter().any(|value| value == url);
        let remote = |name: &'s str| {
            let of_remote = name.strip_prefix("remote.")?;
            of_remote.strip_suffix(".url").or_else(|| of_remote.strip_suffix(".pushurl"))
        };
        let matching = self.values.iter().filter(|(_, values)| holds(values));
        let mut names: Vec<&str> = matching.filter_map(|(name, _)| remote(name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| {
            matches!(value.to_lowercase().as_str(), "true" | "yes" | "on")
                || value.parse::<i64>().is_ok_and(|number| number != 0)
        })
    }

    pub(super) fn is_false(&self, name: &str) -> bool {
        self.get(name).is_some() && !self.is_true(name)
    }
}

impl Repository {
    /// Git's configuration, read once.
    pub fn settings(&self) -> Result<&Settings, GitError> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let listed = self.git().args(["config", "--list", "-z"]).read()?;
        Ok(self.settings.get_or_init(|| Settings::parse(&listed)))
    }

    /// Which git this is, asked once.
    pub(super) fn git_version(&self) -> Result<(u32, u32), GitError> {
        if let Some(version) = self.git_version.get() {
            return Ok(*version);
        }
        let text = self.git().arg("version").line()?.unwrap_or_default();
        Ok(*self.git_version.get_or_init(|| parse_version(&text)))
    }

    /// What the repository is called: the last part of its origin's address, else its folder's name.
    pub fn repository_name(&self) -> Result<String, GitError> {
        let origin = self.settings()?.get("remote.origin.url").and_then(name_in_url);
        let folder = || {
            let root = self.work_tree.as_deref().unwrap_or(&self.git_dir);
            root.file_name().map(|name| name.to_string_lossy().into_owned())
        };
        Ok(origin.or_else(folder).unwrap_or_else(|| "repository".into()))
    }

    /// The branch that is checked out, also one without commits; "HEAD" if there is none.
    pub fn branch_name(&self) -> Result<String, GitError> {
        let full = self.git().args(["symbolic-ref", "--quiet", "HEAD"]).line()?;
        Ok(full.map_or_else(
            || "HEAD".into(),
            |full| full.strip_prefix("refs/heads/").unwrap_or(&full).to_owned(),
        ))
    }

    /// The commit that is checked out; `None` before the first.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        match self.commit_id("HEAD") {
            Err(GitError::UnknownRevision { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    /// `user.email`, where it is set.
    pub fn user_email(&self) -> Result<Option<String>, GitError> {
        Ok(self.settings()?.get("user.email").map(str::to_owned).filter(|email| !email.is_empty()))
    }

    /// The folder that all of a repository's checkouts share.
    pub fn common_dir(&self) -> Result<PathBuf, GitError> {
        let path = self.git().args(["rev-parse", "--path-format=absolute", "--git-common-dir"]).read()?;
        Ok(path_of(path.strip_suffix(b"\n").unwrap_or(&path)))
    }

    /// Where git looks for hooks, `core.hooksPath` included.
    pub fn hooks_dir(&self) -> Result<PathBuf, GitError> {
        let path = self.git().args(["rev-parse", "--path-format=absolute", "--git-path", "hooks"]).read()?;
        Ok(path_of(path.strip_suffix(b"\n").unwrap_or(&path)))
    }

    /// `core.hooksPath` as it is written, where it is set.
    pub fn configured_hooks_path(&self) -> Result<Option<String>, GitError> {
        Ok(self.settings()?.get("core.hookspath").map(str::to_owned))
    }

    /// Whether the work tree holds more than `HEAD`: edits, staged or not, or untracked files.
    pub fn is_dirty(&self) -> Result<bool, GitError> {
        self.work_tree()?;
        let status = ["status", "--porcelain", "-z", "--untracked-files=normal"];
        Ok(!self.git().settings(["core.fsmonitor=false"]).args(status).read()?.is_empty())
    }
}

/// `git@host:owner/name.git`, `https://host/owner/name`, `/srv/name.git/` → `name`.
fn name_in_url(url: &str) -> Option<String> {
    let last = url.trim_end_matches('/').rsplit(['/', ':', '\\']).next()?;
    let name = last.strip_suffix(".git").unwrap_or(last);
    (!name.is_empty()).then(|| name.to_owned())
}

fn parse_version(text: &str) -> (u32, u32) {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn names_in_urls() {
        let check = |url: &str, name: Option<&str>| assert_eq!(name_in_url(url).as_deref(), name, "{url}");
        check("git@github.com:owner/app.git", Some("app"));
        check("https://user@host/owner/app.js", Some("app.js"));
        check("/srv/git/app.git/", Some("app"));
        check("host:app", Some("app"));
        check("/", None);
    }

    #[test]
    fn settings_and_version() {
        let settings = Settings::parse(b"core.bare\0core.filemode\nfalse\0a.b\n1\0a.b\n2\0");
        assert_eq!(parse_version("git version 2.47.3 (X)"), (2, 47));
        assert!(settings.is_false("core.filemode"));
        assert_eq!(settings.get("a.b"), Some("2"));
        assert!(settings.is_true("core.bare") && !settings.is_false("x.y"));
    }
}
