//! `check_task`: whether the session's change does what a task asks for.

mod judge;
mod report;
mod task;

pub use prevet_analysis::task_answer::Judgement;
use prevet_domain::limits::SESSION_IDLE_SECONDS;
use prevet_domain::session::PriorTask;
use prevet_domain::task::{Standing, overall};

pub use self::task::{CheckedTicket, TaskError};
use crate::App;
use crate::error::AppError;
use crate::inspection::DecodeBody;
use crate::ports::Storage;
use crate::reading::{Call, Deviation, Unread};

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct CheckTask {
    /// The session and what surrounds the call.
    pub call: Call,
    /// The task: tickets, or text.
    pub task_description: String,
    /// Where it comes from.
    pub task_source: String,
}

/// How far a task is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Markdown.
    pub report: String,
    /// Computed from the requirements.
    pub verdict: Standing,
    /// Each requirement with its judgement.
    pub requirements: Vec<(String, Judgement)>,
    /// The tickets that the task names.
    pub tickets: Vec<CheckedTicket>,
    /// The files that were read.
    pub files_visited: Vec<String>,
    /// How files were come by, where that is worth saying.
    pub context_refresh: Option<Deviation>,
    /// What was not read.
    pub degraded: Option<Unread>,
}

impl<S: Storage> App<S> {
    /// Checks the session's change against the task; tickets are fetched anew.
    pub async fn check_task(&self, check: CheckTask, decode: DecodeBody) -> Result<Checked, AppError> {
        let reading = self.read(&check.call, decode).await?;
        let consultation =
            self.consultation(&check.call, &reading, "check")?.ok_or(AppError::NoModel("check_task"))?;
        let task = self.resolve_task(&check, &reading.session).await?;
        let judged = judge::judge(&consultation, &reading, &task.text()).await?;
        let unresolved = task.tickets.iter().any(|ticket| ticket.ticket.is_err());
        let standings: Vec<Standing> = judged.requirements.iter().map(|(_, it)| it.standing).collect();
        let verdict = overall(&standings, unresolved || judged.unread.is_some());
        self.remember(&check, &reading.session.id).await?;
        Ok(Checked {
            report: report::markdown(verdict, &judged.requirements, &task.tickets, judged.unread.as_ref()),
            verdict,
            requirements: judged.requirements,
            tickets: task.tickets,
            files_visited: reading.files_visited(),
            context_refresh: reading.context_refresh(),
            degraded: judged.unread,
        })
    }

    /// A session that ended in the meantime has nothing to remember.
    async fn remember(&self, check: &CheckTask, id: &prevet_domain::ids::SessionId) -> Result<(), AppError> {
        let task = PriorTask {
            task_description: check.task_description.clone(),
            task_source: check.task_source.clone(),
        };
        let expires_at = self.now() + SESSION_IDLE_SECONDS;
        self.storage.record_prior_task(id, &task, expires_at).await?;
        Ok(())
    }
}
