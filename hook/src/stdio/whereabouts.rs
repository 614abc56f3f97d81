//! Which folder a call is about.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::error::CommandError;

const ROOTS_SECONDS_MAX: u64 = 5;

/// The folder that the call names, else the client's workspace, else where this process was started.
pub async fn folder(
    named: Option<Value>,
    cwd: &Path,
    context: &RequestContext<RoleServer>,
) -> Result<PathBuf, CommandError> {
    match named {
        Some(named) => of_argument(&named, cwd),
        None => Ok(choose(&roots(context).await, cwd)),
    }
}

fn of_argument(named: &Value, cwd: &Path) -> Result<PathBuf, CommandError> {
    let named = named.as_str().filter(|text| !text.trim().is_empty());
    let named =
        named.ok_or_else(|| CommandError::usage("working_dir: it is the path of a folder, as a text"))?;
    let folder = cwd.join(named);
    if !folder.is_dir() {
        return Err(CommandError::usage(format!("working_dir: {} is no folder", folder.display())));
    }
    Ok(folder)
}

/// Where the process was started says more than a root around it.
fn choose(roots: &[PathBuf], cwd: &Path) -> PathBuf {
    let outside = roots.iter().all(|root| !cwd.starts_with(root));
    match roots.first() {
        Some(root) if outside => root.clone(),
        _ => cwd.to_owned(),
    }
}

/// The folders of the client's workspace, where it says so and the protocol lets it be asked.
#[expect(
    deprecated,
    reason = "roots leave the protocol with its newest version; the clients of today have them"
)]
async fn roots(context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
    let offered = context.client_capabilities().is_some_and(|it| it.roots.is_some());
    if !offered {
        return Vec::new();
    }
    let asked = tokio::time::timeout(Duration::from_secs(ROOTS_SECONDS_MAX), context.peer.list_roots()).await;
    let Ok(Ok(listed)) = asked else { return Vec::new() };
    let paths =
        listed.roots.iter().filter_map(|root| root.uri.parse::<reqwest::Url>().ok()?.to_file_path().ok());
    paths.filter(|path| path.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn roots_count_where_the_process_is_outside() {
        let check = |roots: &[&str], cwd: &str, expected: &str| {
            let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
            assert_eq!(choose(&roots, Path::new(cwd)), Path::new(expected));
        };
        check(&[], "/home/me", "/home/me");
        check(&["/work/a", "/work/b"], "/home/me", "/work/a");
        check(&["/work/a", "/work/b"], "/work/b/src", "/work/b/src");
        check(&["/work/a"], "/work/ab", "/work/a");
    }

    #[test]
    fn arguments_that_are_no_folder() {
        for named in [json!(5), json!(""), json!(" "), json!(["/"]), json!("/no/such/folder")] {
            let error = of_argument(&named, Path::new("/")).unwrap_err();
            assert!(error.message.starts_with("working_dir: "), "{}", error.message);
        }
        assert_eq!(of_argument(&json!("tmp"), Path::new("/")).unwrap(), Path::new("/tmp"));
    }
}
