//! From a task's words to what there is to judge.

use futures_util::future::join_all;
use prevet_domain::session::Session;
use prevet_domain::ticket::{Recognised, Surroundings, TICKETS_MAX, recognise};

use super::CheckTask;
use crate::App;
use crate::error::AppError;
use crate::ports::{IntegrationLookup, Storage};
use crate::tickets::{Ticket, TicketReference};

/// A ticket that the task names, or why it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedTicket {
    /// How people name it.
    pub name: String,
    /// As it was fetched.
    pub ticket: Result<Ticket, String>,
}

/// Why there is nothing to judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The source says that there is a ticket, and the text names none.
    #[error(
        "{text:?} names no {what}: it takes {forms}. A text that is the task itself goes with task_source user-text"
    )]
    Unrecognised {
        /// The text, shortened.
        text: String,
        /// What was looked for.
        what: &'static str,
        /// How it can be written.
        forms: &'static str,
    },
    /// More than [`TICKETS_MAX`].
    #[error("the task names {0} tickets; the limit is {TICKETS_MAX} a call")]
    TooMany(usize),
    /// Nothing but references that cannot be followed, or one among several that cannot.
    #[error("nothing was judged, since the task cannot be read whole: {0}")]
    Unresolved(String),
}

/// What there is to judge.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) prose: Option<String>,
    pub(super) tickets: Vec<CheckedTicket>,
}

const GITHUB_FORMS: &str =
    "https://github.com/owner/repo/issues/42, owner/repo#42, or #42 in an integrated repository";
const TICKET_FORMS: &str = "a GitHub issue (its URL, owner/repo#42, #42) or a Jira key or URL (PROJ-123)";
const SHOWN_CHARACTERS_MAX: usize = 80;

impl<S: Storage> App<S> {
    pub(super) async fn resolve_task(&self, check: &CheckTask, session: &Session) -> Result<Task, AppError> {
        let repository = self.full_repository_name(session, &check.task_description).await?;
        let projects = self.tickets.as_ref().map(|it| it.projects()).unwrap_or_default();
        let around = Surroundings { repository: repository.as_deref(), projects };
        let found = recognise(&check.task_description, around);
        checked(check, &found)?;
        let mut tickets = self.fetch_all(session, &found.tickets).await;
        tickets.extend(found.homeless.iter().map(|name| homeless(name)));
        let prose = found.has_prose.then(|| check.task_description.clone());
        readable(&tickets, prose.is_some())?;
        Ok(Task { prose, tickets })
    }

    /// The repository of a bare `#42`; looked up only where the text has one.
    async fn full_repository_name(&self, session: &Session, text: &str) -> Result<Option<String>, AppError> {
        let name = &session.identity.repository;
        if name.as_str().contains('/') {
            return Ok(Some(name.to_string()));
        }
        if recognise(text, Surroundings::default()).homeless.is_empty() {
            return Ok(None);
        }
        Ok(match self.storage.integration(&session.identity.tenant, name).await? {
            IntegrationLookup::One(integration) => Some(integration.full_name.to_string()),
            IntegrationLookup::None | IntegrationLookup::Ambiguous(_) => None,
        })
    }

    async fn fetch_all(&self, session: &Session, references: &[TicketReference]) -> Vec<CheckedTicket> {
        let tenant = &session.identity.tenant;
        let fetches = references.iter().map(|reference| async move {
            let name = reference.to_string();
            let ticket = match &self.tickets {
                Some(tickets) => tickets.fetch(tenant, reference).await.map_err(|error| error.reason),
                None => Err("the server is not set up to read tickets".to_owned()),
            };
            CheckedTicket { name, ticket }
        });
        join_all(fetches).await
    }
}

fn homeless(name: &str) -> CheckedTicket {
    let reason =
        "the repository is not integrated, so it is not known whose number this is; write owner/repo#42";
    CheckedTicket { name: name.to_owned(), ticket: Err(reason.to_owned()) }
}

/// Whether the words are what their source says.
fn checked(check: &CheckTask, found: &Recognised) -> Result<(), TaskError> {
    let text = check.task_description.trim();
    let unrecognised = |what, forms| {
        let text = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
        Err(TaskError::Unrecognised { text, what, forms })
    };
    let count = found.tickets.len() + found.homeless.len();
    if count > TICKETS_MAX {
        return Err(TaskError::TooMany(count));
    }
    let github = |it: &TicketReference| matches!(it, TicketReference::GitHub { .. });
    if check.task_source == "github-issue" && !found.tickets.iter().any(github) && found.homeless.is_empty() {
        return unrecognised("GitHub issue", GITHUB_FORMS);
    }
    // One word that names a ticket of a kind that nobody knows here is no task.
    let one_word = !text.contains(char::is_whitespace);
    let reference = !found.foreign_urls.is_empty() || check.task_source == "jira";
    if count == 0 && one_word && reference {
        return unrecognised("ticket that can be looked up", TICKET_FORMS);
    }
    if count == 0 && !found.has_prose {
        return unrecognised("ticket, and says nothing else", TICKET_FORMS);
    }
    Ok(())
}

/// A list of tickets is judged whole or not at all; prose stands without them.
fn readable(tickets: &[CheckedTicket], prose: bool) -> Result<(), TaskError> {
    let failures: Vec<String> = tickets
        .iter()
        .filter_map(|it| it.ticket.as_ref().err().map(|reason| format!("{}: {reason}", it.name)))
        .collect();
    if failures.is_empty() || prose {
        return Ok(());
    }
    Err(TaskError::Unresolved(failures.join("; ")))
}

impl Task {
    /// Everything that is asked for, as one text.
    pub(super) fn text(&self) -> String {
        let prose = self.prose.iter().cloned();
        let tickets = self
            .tickets
            .iter()
            .filter_map(|it| it.ticket.as_ref().ok())
            .map(|ticket| format!("Ticket {}: {}\n\n{}", ticket.name, ticket.title, ticket.body));
        prose.chain(tickets).collect::<Vec<_>>().join("\n\n")
    }
}
