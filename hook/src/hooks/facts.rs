//! What is there: the few files that decide where the hook goes.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use super::{
    HOOK_BYTES_MAX, HOOK_NAME, HookError, HookSite, LEGACY_NAME, kept_beside, lefthook::find_local_config,
};

/// What lefthook renames a hook to that it replaces.
const LEFTHOOK_OLD_NAME: &str = "pre-push.old";

/// Everything that [`super::plan`] looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Where the hook belongs.
    pub site: HookSite,
    /// The directory that git runs hooks from.
    pub hooks_dir: HooksDir,
    /// `pre-push` in it.
    pub hook: Place,
    /// `pre-push.legacy` in it.
    pub legacy: Place,
    /// husky, where the hooks directory is husky's.
    pub husky: Option<Husky>,
    /// Whether the project has husky's directory, and git does not run hooks from it (yet).
    pub husky_asleep: bool,
    /// Our launcher in the git directory.
    pub launcher: Place,
    /// `lefthook-local.*`, where the project has a configuration of lefthook.
    pub lefthook_local: Option<Place>,
    /// Places that git does not run at present and where an earlier `prevet init` may have been.
    pub asleep: Vec<Place>,
}

/// The hooks directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksDir {
    /// Not there; it is made.
    Missing,
    /// A directory.
    Directory,
    /// Something else.
    Other,
}

/// The team's own hook under husky.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Husky {
    /// `.husky/pre-push`.
    pub hook: Place,
    /// Whether each hook runs husky's script by itself (before version 9).
    pub sources_script: bool,
}

/// A file that is or may become a hook, and the kept one beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its path; for an existing symbolic link under husky, of what it leads to.
    pub path: PathBuf,
    /// What is there.
    pub entry: Entry,
    /// What is kept beside it.
    pub kept: Entry,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Missing,
    /// A directory.
    Directory,
    /// A file, or a symbolic link, even one that leads nowhere.
    File(HookFile),
}

/// A file as far as it matters here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookFile {
    /// Its bytes; only the first ones if it is not `whole`.
    pub contents: Vec<u8>,
    /// Whether `contents` is all.
    pub whole: bool,
    /// Whether git would run it.
    pub executable: bool,
    /// Whether it is a symbolic link.
    pub symlink: bool,
}

impl Entry {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&HookFile> {
        match self {
            Self::File(file) => Some(file),
            Self::Missing | Self::Directory => None,
        }
    }
}

/// Looks at the site.
pub fn read(site: &HookSite) -> Result<Facts, HookError> {
    let site = &HookSite { hooks_dir: without_detours(&site.hooks_dir), ..site.clone() };
    let husky = read_husky(site)?;
    let hooks_dir = hooks_dir_state(&site.hooks_dir)?;
    let mut asleep = vec![place(&site.hooks_dir.join(LEFTHOOK_OLD_NAME))?];
    if site.hooks_dir != site.default_hooks_dir() {
        asleep.push(place(&site.default_hooks_dir().join(HOOK_NAME))?);
        asleep.push(place(&site.default_hooks_dir().join(LEGACY_NAME))?);
    }
    let husky_dir = site.work_tree.join(".husky");
    if husky.is_none() {
        asleep.push(followed(&husky_dir.join(HOOK_NAME))?);
    }
    Ok(Facts {
        site: site.clone(),
        hooks_dir,
        hook: place(&site.hooks_dir.join(HOOK_NAME))?,
        legacy: place(&site.hooks_dir.join(LEGACY_NAME))?,
        husky_asleep: husky.is_none() && husky_dir.is_dir() && !site.hooks_dir.starts_with(&husky_dir),
        husky,
        launcher: place(&site.launcher())?,
        lefthook_local: find_local_config(&site.work_tree).map(|path| place(&path)).transpose()?,
        asleep,
    })
}

/// A hooks path such as `../hooks` starts with the work tree by its letters alone.
fn without_detours(path: &Path) -> PathBuf {
    if !path.components().any(|part| part == Component::ParentDir) {
        return path.to_owned();
    }
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn hooks_dir_state(path: &Path) -> Result<HooksDir, HookError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(HooksDir::Directory),
        Ok(_) => Ok(HooksDir::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HooksDir::Missing),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(HooksDir::Other),
        Err(source) => Err(HookError::Read { path: path.to_owned(), source }),
    }
}

/// husky 9 has git run `_/` and leaves the hooks beside it; before, the hooks were in the directory itself.
fn read_husky(site: &HookSite) -> Result<Option<Husky>, HookError> {
    let dir = &site.hooks_dir;
    if dir.join("_").join("husky.sh").is_file() {
        return Ok(Some(Husky { hook: followed(&dir.join(HOOK_NAME))?, sources_script: true }));
    }
    let is_nine = dir.file_name().is_some_and(|name| name == "_") && dir.join("h").is_file();
    match dir.parent() {
        Some(parent) if is_nine => {
            Ok(Some(Husky { hook: followed(&parent.join(HOOK_NAME))?, sources_script: false }))
        }
        _ => Ok(None),
    }
}

/// The place behind a link: what is edited must be the file, or the link would be lost.
fn followed(path: &Path) -> Result<Place, HookError> {
    place(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
}

fn place(path: &Path) -> Result<Place, HookError> {
    Ok(Place { path: path.to_owned(), entry: entry(path)?, kept: entry(&kept_beside(path))? })
}

fn entry(path: &Path) -> Result<Entry, HookError> {
    let failed = |source| HookError::Read { path: path.to_owned(), source };
    let link = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absence(&error) => return Ok(Entry::Missing),
        Err(source) => return Err(failed(source)),
    };
    let symlink = link.is_symlink();
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(Entry::Directory),
        Ok(metadata) => {
            let contents = read_start(path).map_err(failed)?;
            let whole = contents.len() as u64 <= HOOK_BYTES_MAX;
            Ok(Entry::File(HookFile { contents, whole, executable: is_executable(&metadata), symlink }))
        }
        Err(error) if is_absence(&error) => Ok(Entry::File(HookFile { symlink, ..HookFile::default() })),
        Err(source) => Err(failed(source)),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// One byte more than the limit, so that a longer file is told from one that just fits.
fn read_start(path: &Path) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    File::open(path)?.take(HOOK_BYTES_MAX + 1).read_to_end(&mut contents)?;
    Ok(contents)
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}
