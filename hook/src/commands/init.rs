//! `prevet init`: the hook, politely.

use std::path::PathBuf;

use crate::cli::Init;
use crate::config::Config;
use crate::console;
use crate::error::CommandError;
use crate::git::Repository;
use crate::hooks::{self, Action, HookSite};

/// Installs or removes the hook and says what was done.
pub fn run(config: &Config, arguments: &Init) -> Result<u8, CommandError> {
    let repository = Repository::discover(&config.git())?;
    let site = site(&repository)?;
    let facts = hooks::read(&site)?;
    let action = if arguments.remove { Action::Remove } else { Action::Install };
    let plan = hooks::plan(&facts, action)?;
    hooks::apply(&plan)?;
    for step in &plan.steps {
        console::say(&step.to_string());
    }
    console::say(match (arguments.remove, plan.changes_anything()) {
        (false, true) => "the pre-push hook is installed: every push is vetted from now on",
        (false, false) => "the pre-push hook was installed already",
        (true, true) => "the pre-push hook is removed",
        (true, false) => "there was no pre-push hook of prevet's",
    });
    Ok(0)
}

/// Where the hook of this repository belongs.
pub fn site(repository: &Repository) -> Result<HookSite, CommandError> {
    let binary = std::env::current_exe().map_err(|error| {
        CommandError::usage(format!("the path of this program cannot be found out: {error}"))
    })?;
    Ok(HookSite {
        work_tree: repository.work_tree()?.to_owned(),
        git_dir: repository.common_dir()?,
        hooks_dir: repository.hooks_dir()?,
        hooks_path_configured: repository.configured_hooks_path()?.map(PathBuf::from),
        binary,
    })
}
