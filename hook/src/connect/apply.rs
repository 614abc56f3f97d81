//! Carrying a plan out: each file whole, or not at all, and none that somebody changed in between.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

use super::facts::read_text;
use super::{ConnectError, Plan, Step};

/// A configuration may hold keys.
const PRIVATE_MODE: u32 = 0o600;
const PUBLIC_MODE: u32 = 0o644;

/// Carries out `plan`.
pub fn apply(plan: &Plan) -> Result<(), ConnectError> {
    plan.steps.iter().try_for_each(carry_out)
}

fn carry_out(step: &Step) -> Result<(), ConnectError> {
    let (what, path, done) = match step {
        Step::Tell(_) => return Ok(()),
        Step::Write { path, text, private } => {
            let mode = if *private { PRIVATE_MODE } else { PUBLIC_MODE };
            ("write", path, write(path, text, Permissions::from_mode(mode), || Ok(())))
        }
        Step::Edit { path, before, text, private } => {
            let own = Permissions::from_mode(PRIVATE_MODE);
            let mode = fs::metadata(path).map_or(own.clone(), |it| it.permissions());
            let mode = if *private { own } else { mode };
            let unchanged = || match read_text(path) {
                Ok(now) if now == *before => Ok(()),
                _ => Err(io::Error::from(io::ErrorKind::ResourceBusy)),
            };
            ("write", path, write(path, text, mode, unchanged))
        }
        Step::Delete { path, own } => ("delete", path, delete(path, own)),
    };
    done.map_err(|source| match source.kind() {
        io::ErrorKind::ResourceBusy => ConnectError::ChangedMeanwhile { path: path.clone() },
        _ => ConnectError::File { what, path: path.clone(), source },
    })
}

fn write(
    path: &Path,
    text: &str,
    permissions: Permissions,
    check: impl Fn() -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::with_prefix_in(".prevet-", folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    check()?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

fn delete(path: &Path, own: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(own));
    for folder in folders {
        // One that is not empty stays, and so do those above it.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}
