//! `prevet doctor`: what is set up, what is not, and what to do.

use prevet_analysis::rule_name;
use prevet_wire::model_trial::ModelTrial;

use super::diff::connect;
use super::init::site;
use crate::config::Config;
use crate::connection::configured;
use crate::console::{self, Progress};
use crate::error::CommandError;
use crate::git::{BaseSource, Repository};
use crate::hooks::{self, Action};
use crate::inspection;
use crate::review::Reviewer;

/// One line of the report.
enum Check {
    Good(String),
    Note(String),
    Bad(String),
}

/// Looks at everything and prints a line each; 2 if something has to be mended. `ask_model` makes one real call.
pub async fn run(config: &Config, ask_model: bool) -> Result<u8, CommandError> {
    let repository = Repository::discover(&config.git());
    let mut checks = vec![Check::Good(format!("prevet {}", env!("CARGO_PKG_VERSION")))];
    match &repository {
        Ok(repository) => {
            checks.push(Check::Good(format!("repository {}", repository.repository_name()?)));
            checks.push(hook(repository));
            checks.push(policy(repository));
            checks.push(base(repository));
        }
        Err(error) => {
            checks.push(Check::Note(format!("{error}: run doctor inside one to see its hook and policy")));
        }
    }
    checks.push(server(config, repository.as_ref().ok()).await);
    checks.push(reviewer(config).await);
    if ask_model {
        checks.push(model(config).await);
    }
    let mut bad = false;
    for check in &checks {
        let line = match check {
            Check::Good(text) => format!("ok    {text}\n"),
            Check::Note(text) => format!("note  {text}\n"),
            Check::Bad(text) => format!("bad   {text}\n"),
        };
        bad |= matches!(check, Check::Bad(_));
        console::data(crate::report::escape::lines(&line).as_bytes())?;
    }
    Ok(if bad { 2 } else { 0 })
}

fn hook(repository: &Repository) -> Check {
    let planned = site(repository).and_then(|site| Ok(hooks::plan(&hooks::read(&site)?, Action::Install)?));
    match planned {
        Ok(plan) if plan.changes_anything() => {
            Check::Note("the pre-push hook is not installed: `prevet init`".to_owned())
        }
        Ok(_) => Check::Good("the pre-push hook is installed".to_owned()),
        Err(error) => Check::Bad(format!("the pre-push hook: {error}")),
    }
}

fn policy(repository: &Repository) -> Check {
    let named = match repository.head() {
        Ok(Some(head)) => head,
        Ok(None) => return Check::Note("nothing is committed yet".to_owned()),
        Err(error) => return Check::Bad(error.to_string()),
    };
    match (repository.policy_at(&named), inspection::policy(repository, &named)) {
        (Ok(None), _) => Check::Good("no .prevet.toml: the defaults hold".to_owned()),
        (_, Ok(policy)) => match rule_name::unknown(policy.rules.keys()) {
            Some(problem) => Check::Bad(format!(".prevet.toml: {problem}")),
            None => Check::Good(".prevet.toml is valid".to_owned()),
        },
        (_, Err(error)) => Check::Bad(error.to_string()),
    }
}

fn base(repository: &Repository) -> Check {
    match repository.work_tree_base(None, None) {
        Ok(base) => match base.source {
            BaseSource::TargetBranch(name) | BaseSource::RemoteDefault(name) => {
                Check::Good(format!("changes are compared with {name}"))
            }
            BaseSource::Head => Check::Note(
                "no remote branch is known: only uncommitted work is compared with HEAD (git remote set-head origin --auto)".to_owned(),
            ),
            BaseSource::NoCommits => Check::Note("nothing is committed yet: everything counts as new".to_owned()),
        },
        Err(error) => Check::Bad(error.to_string()),
    }
}

async fn reviewer(config: &Config) -> Check {
    match Reviewer::default().find(config.search_path.as_deref()).await {
        Ok(program) => Check::Good(format!("review rounds are reviewed by {}", program.display())),
        Err(error) => Check::Note(format!("no review rounds: {error}")),
    }
}

async fn server(config: &Config, repository: Option<&Repository>) -> Check {
    let embedded = match configured(config) {
        Ok(endpoint) => endpoint.is_none(),
        Err(error) => return Check::Bad(error.to_string()),
    };
    let outcome = async {
        let (connection, client) = connect(config).await?;
        let answered = match repository {
            Some(repository) => {
                let (branch, head) = (repository.branch_name()?, repository.head()?);
                inspection::open_session(&client, repository, &branch, head.as_deref()).await.map(Some)
            }
            None => Ok(None),
        };
        let url = client.url().to_owned();
        connection.close().await;
        Ok::<_, CommandError>((url, answered?))
    };
    match outcome.await {
        Ok((_, _)) if embedded => Check::Good("no server is set: the embedded one works".to_owned()),
        Ok((url, Some(session))) => Check::Good(match session.target_branch_error {
            None => format!(
                "{url} knows the key; {} is reviewed against {}",
                session.repo_full, session.target_branch
            ),
            Some(reason) => format!("{url} knows the key; {reason}"),
        }),
        Ok((url, None)) => Check::Note(format!("{url} is set; run doctor in a repository to try it")),
        Err(error) => Check::Bad(error.to_string()),
    }
}

/// One real question, and what it cost.
async fn model(config: &Config) -> Check {
    let outcome = async {
        let (connection, client) = connect(config).await?;
        let _progress = Progress::start("asking the model");
        let trial = client.try_model().await;
        connection.close().await;
        trial
    };
    match outcome.await {
        Ok(trial) => Check::Good(told(&trial)),
        Err(error) => Check::Bad(error.to_string()),
    }
}

fn told(trial: &ModelTrial) -> String {
    let cost = match trial.usd {
        Some(usd) => format!("{usd:.6} USD"),
        None => {
            "a cost that is not known: PREVET_MODEL_USD_PER_MILLION_INPUT and _OUTPUT set prices".to_owned()
        }
    };
    format!(
        "{} answered {:?} within {} ms: {} tokens asked, {} answered, {cost}",
        trial.model,
        trial.answer.trim(),
        trial.milliseconds,
        trial.input_tokens,
        trial.output_tokens
    )
}
