//! Carrying a plan out: every new file is written and synced beside its place before anything moves, and what
//! was moved is moved back if a later step fails, so that a failure leaves the hooks as they were.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use super::{HookError, Plan, Step};

/// Carries out `plan`.
pub fn apply(plan: &Plan) -> Result<(), HookError> {
    let staged = plan.steps.iter().map(stage).collect::<Result<Vec<_>, _>>()?;
    let mut done: Vec<&Step> = Vec::new();
    for (step, staged) in plan.steps.iter().zip(staged) {
        if let Err(error) = commit(step, staged) {
            done.iter().rev().for_each(|step| undo(step));
            return Err(error);
        }
        done.push(step);
    }
    Ok(())
}

fn stage(step: &Step) -> Result<Option<NamedTempFile>, HookError> {
    let (path, contents, mode) = match step {
        Step::Write { path, contents, mode } => (path, contents, Some(*mode)),
        Step::Edit { path, contents } => (path, contents, None),
        Step::Move { .. } | Step::MakeExecutable { .. } | Step::Delete { .. } | Step::Tell(_) => {
            return Ok(None);
        }
    };
    let written = write_beside(path, contents, mode);
    written.map(Some).map_err(|source| HookError::Write { what: "write", path: path.clone(), source })
}

fn write_beside(path: &Path, contents: &[u8], mode: Option<u32>) -> io::Result<NamedTempFile> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(dir)?;
    let mut file = NamedTempFile::with_prefix_in(".prevet-", dir)?;
    file.write_all(contents)?;
    match mode {
        Some(mode) => set_mode(file.as_file(), mode)?,
        None => file.as_file().set_permissions(fs::metadata(path)?.permissions())?,
    }
    file.as_file().sync_all()?;
    Ok(file)
}

fn commit(step: &Step, staged: Option<NamedTempFile>) -> Result<(), HookError> {
    let (what, path, result) = match step {
        Step::Tell(_) => return Ok(()),
        Step::Write { path, .. } | Step::Edit { path, .. } => {
            let persisted = staged.map(|file| file.persist(path)).transpose();
            ("write", path, persisted.map(|_| ()).map_err(|error| error.error))
        }
        Step::Move { from, to } => ("rename", from, fs::rename(from, to)),
        Step::MakeExecutable { path } => ("make executable", path, make_executable(path)),
        Step::Delete { path } => ("delete", path, delete(path)),
    };
    result.map_err(|source| HookError::Write { what, path: path.clone(), source })
}

/// Only moves are undone: what was written in place of a moved file goes with it, and the error that is on its
/// way up names the step that failed.
fn undo(step: &Step) {
    if let Step::Move { from, to } = step {
        drop(fs::rename(to, from));
    }
}

/// The launcher's directory is ours, and goes when nothing else is in it.
fn delete(path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    if let Some(dir) = path.parent().filter(|dir| dir.file_name().is_some_and(|name| name == "prevet")) {
        drop(fs::remove_dir(dir));
    }
    Ok(())
}

fn make_executable(path: &Path) -> io::Result<()> {
    set_mode(&File::open(path)?, 0o755)
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
