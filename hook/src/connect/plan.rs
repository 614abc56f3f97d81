//! What would change: a list of steps, decided from the facts alone.

use std::fmt;
use std::path::PathBuf;

use super::facts::backup_of;
use super::registration::{NAMES, is_ours};
use super::{ConnectError, Facts, Format, Harness, Registration, json, skills, toml};

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Register.
    Connect(Registration),
    /// Take out what was registered.
    Remove,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Changes the agent's configuration, if it still holds what was read.
    Edit {
        /// The file.
        path: PathBuf,
        /// What it held; `None` where it was not there.
        before: Option<String>,
        /// Its new text.
        text: String,
        /// Whether it holds a key from now on, so that only its owner may read it.
        private: bool,
    },
    /// Writes a file that is ours.
    Write {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: String,
        /// Whether only its owner may read it.
        private: bool,
    },
    /// Deletes a file, and the folders that are empty then, up to `own`.
    Delete {
        /// The file.
        path: PathBuf,
        /// The agent's own folder.
        own: PathBuf,
    },
    /// Nothing is done; the user is told this.
    Tell(String),
}

/// The steps, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Whether carrying it out would change anything on disk.
    pub fn changes_anything(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step, Step::Tell(_)))
    }

    fn tell(&mut self, text: String) {
        self.steps.push(Step::Tell(text));
    }
}

/// Decides what `action` takes. A second plan after the first was carried out changes nothing.
pub fn plan(facts: &Facts, action: &Action) -> Result<Plan, ConnectError> {
    let mut plan = Plan::default();
    match action {
        Action::Connect(registration) => {
            connect_config(facts, registration, &mut plan).map_err(|problem| facts.unreadable(problem))?;
            connect_skills(facts, &mut plan);
        }
        Action::Remove => {
            remove_config(facts, &mut plan).map_err(|problem| facts.unreadable(problem))?;
            remove_skills(facts, &mut plan);
        }
    }
    Ok(plan)
}

fn connect_config(facts: &Facts, registration: &Registration, plan: &mut Plan) -> Result<(), String> {
    let document = facts.document();
    let entries = registration.entries(facts.harness, &reviewer_variables(facts));
    let there = document.entries(&NAMES)?;
    if there == entries {
        return Ok(());
    }
    if let Some((name, _)) = there.iter().find(|entry| !is_ours(entry)) {
        return Err(format!("its server {name} is another program's; give that one another name"));
    }
    // What is there without us: the first time, the file as it is.
    let kept = document.without(&NAMES)?;
    let text = facts.document_of(&kept).with(&entries)?;
    if facts.text.is_some() && !is_ours_alone(facts, document.text)? && facts.backup.as_ref() != Some(&kept) {
        let path = backup_of(&facts.config);
        plan.steps.push(Step::Write { path, text: kept, private: true });
    }
    let private = registration.http.as_ref().is_some_and(|http| http.api_key.is_some());
    plan.steps.push(Step::Edit { path: facts.config.clone(), before: facts.text.clone(), text, private });
    Ok(())
}

/// Whether a file holds nothing but what we wrote into none.
fn is_ours_alone(facts: &Facts, text: &str) -> Result<bool, String> {
    let entries = facts.document_of(text).entries(&NAMES)?;
    Ok(!entries.is_empty() && facts.document_of("").with(&entries)? == text)
}

fn connect_skills(facts: &Facts, plan: &mut Plan) {
    for file in &facts.skills {
        let path = file.path.clone();
        match &file.text {
            Some(text) if text == file.skill.text => {}
            Some(text) if !skills::is_ours(text) => {
                plan.tell(format!("{} is another skill of that name and stays", path.display()));
            }
            _ => plan.steps.push(Step::Write { path, text: file.skill.text.to_owned(), private: false }),
        }
    }
}

fn remove_config(facts: &Facts, plan: &mut Plan) -> Result<(), String> {
    let Some(text) = &facts.text else { return Ok(()) };
    let document = facts.document();
    let (entries, foreign): (Vec<_>, Vec<_>) = document.entries(&NAMES)?.into_iter().partition(is_ours);
    for (name, _) in &foreign {
        plan.tell(format!(
            "{} has a server {name} that is another program's, and stays",
            facts.config.display()
        ));
    }
    if entries.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    let (path, own) = (facts.config.clone(), facts.places.own.clone());
    let delete = Step::Delete { path: path.clone(), own: own.clone() };
    let edit =
        |to: String| Step::Edit { path: path.clone(), before: Some(text.clone()), text: to, private: false };
    let backup = backup_of(&facts.config);
    // Nobody but us has changed it since: what was there comes back as it was.
    if let Some(kept) = &facts.backup
        && facts.document_of(kept).with(&entries)? == *text
    {
        plan.steps.push(edit(kept.clone()));
        plan.steps.push(Step::Delete { path: backup, own });
        return Ok(());
    }
    if facts.backup.is_none() && foreign.is_empty() && is_ours_alone(facts, text)? {
        plan.steps.push(delete);
        return Ok(());
    }
    let rest = document.without(&names)?;
    if facts.backup.is_none() && holds_nothing(facts.places.format, &rest) {
        plan.steps.push(delete);
        return Ok(());
    }
    plan.steps.push(edit(rest));
    if facts.backup.is_some() {
        plan.tell(format!(
            "the configuration was changed since; how it was before is still in {}",
            backup.display()
        ));
    }
    Ok(())
}

fn holds_nothing(format: Format, text: &str) -> bool {
    match format {
        Format::Json => json::is_empty(text),
        Format::Toml => text.trim().is_empty(),
    }
}

fn remove_skills(facts: &Facts, plan: &mut Plan) {
    for file in facts.skills.iter().filter(|file| file.text.as_deref().is_some_and(skills::is_ours)) {
        plan.steps.push(Step::Delete { path: file.path.clone(), own: facts.places.own.clone() });
    }
}

/// Where the reviewer's model is one of the user's own, the variables that its keys come from.
fn reviewer_variables(facts: &Facts) -> Vec<String> {
    match (facts.harness, &facts.text) {
        (Harness::Codex, Some(text)) => toml::key_variables(text),
        _ => Vec::new(),
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit { path, before: Some(_), .. } => write!(f, "edit {}", path.display()),
            Self::Edit { path, .. } | Self::Write { path, .. } => write!(f, "write {}", path.display()),
            Self::Delete { path, .. } => write!(f, "delete {}", path.display()),
            Self::Tell(text) => f.write_str(text),
        }
    }
}
