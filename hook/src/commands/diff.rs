//! `prevet diff`: the patch that would be uploaded, byte for byte.

use crate::cli::Diff;
use crate::client::Client;
use crate::config::Config;
use crate::connection::{Connection, configured};
use crate::console::{self, Progress};
use crate::error::CommandError;
use crate::git::{BaseSource, Repository};
use crate::inspection::{open_session, target_branch};

/// Prints the patch.
pub async fn run(config: &Config, arguments: &Diff) -> Result<u8, CommandError> {
    let repository = Repository::discover(&config.git())?;
    let base = match &arguments.base {
        Some(base) => base.clone(),
        None => base(config, &repository).await?,
    };
    let captured = repository.capture_work_tree(&base)?;
    for left_out in &captured.left_out {
        console::say(&format!("left out {}: {}", left_out.path, left_out.reason));
    }
    console::data(&captured.patch)?;
    Ok(0)
}

/// The integration's target branch counts where a server is set; the embedded one is not started for this.
async fn base(config: &Config, repository: &Repository) -> Result<String, CommandError> {
    let target = match configured(config)? {
        None => None,
        Some(endpoint) => {
            let _progress = Progress::start("asking the server for the target branch");
            let client = Client::new(endpoint, config.waits()?)?;
            let head = repository.head()?;
            let session =
                open_session(&client, repository, &repository.branch_name()?, head.as_deref()).await?;
            target_branch(&session)?
        }
    };
    let base = repository.work_tree_base(target.as_ref(), None)?;
    if base.source == BaseSource::Head {
        console::say(
            "no remote branch to compare with is known: only uncommitted work is compared with HEAD",
        );
    }
    Ok(base.commit)
}

/// The server that a repository's target branch is asked of, and its answer.
pub async fn connect(config: &Config) -> Result<(Connection, Client), CommandError> {
    let waits = config.waits()?;
    let connection = Connection::open(config).await?;
    let client = Client::new(connection.endpoint.clone(), waits)?;
    Ok((connection, client))
}
