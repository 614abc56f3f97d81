//! `check_task`

use prevet_app::check_task::{CheckTask, CheckedTicket, Judgement};
use prevet_wire::check_task::{
    CheckParameters, CheckResult, EvidenceRecord, RequirementRecord, TicketRecord,
};
use serde_json::Value;

use crate::failure::Failure;
use crate::{Service, pack, tool};

/// What clients are told.
pub const DESCRIPTION: &str = "Checks whether the diff that was uploaded for a session does what a task asks for. \
    task_description: tickets ([BETA-5225, #42], a Jira key, owner/repo#42, the URL of an issue), fetched anew on each \
    call, or the task itself as text, verbatim. task_source: github-issue, jira, spec or user-text. intent: what this \
    round changed; on a recheck, which gaps. Returns JSON: report (Markdown with the overall verdict DONE, PARTIAL or \
    NOT DONE, each requirement quoted with the lines that show it, and the gaps), verdict, requirements and tickets. A \
    ticket that cannot be read is an error with the code TICKET_UNRESOLVED, never a verdict. Needs a model on the server.";

/// Sources that are known; another is kept as it is.
const SOURCE_BYTES_MAX: usize = 64;

/// Runs the tool.
pub async fn call(service: &Service, arguments: Value) -> Result<CheckResult, Failure> {
    let parameters: CheckParameters = tool::parameters("check_task", arguments)?;
    let session_id = parameters.session_id;
    tool::filled("task_description", &parameters.task_description)?;
    if parameters.task_source.len() > SOURCE_BYTES_MAX {
        return Err(Failure::invalid(format!("task_source is longer than {SOURCE_BYTES_MAX} bytes")));
    }
    let check = CheckTask {
        call: tool::call(&session_id, parameters.intent, parameters.context)?,
        task_description: parameters.task_description,
        task_source: parameters.task_source,
    };
    let checked = service.app.check_task(check, pack::decode).await?;
    Ok(CheckResult {
        report: checked.report,
        verdict: checked.verdict.as_str().to_owned(),
        requirements: checked.requirements.into_iter().map(requirement).collect(),
        tickets: checked.tickets.into_iter().map(ticket).collect(),
        files_visited: checked.files_visited,
        session_id,
        context_refresh: checked.context_refresh.map(tool::deviation),
        degraded: checked.degraded.map(tool::degraded),
    })
}

fn requirement((requirement, it): (String, Judgement)) -> RequirementRecord {
    let evidence = it.evidence.into_iter();
    RequirementRecord {
        requirement,
        verdict: it.standing.as_str().to_owned(),
        reason: it.reason,
        evidence: evidence
            .map(|it| EvidenceRecord { file: it.file, line: it.line, quote: it.quote })
            .collect(),
    }
}

fn ticket(it: CheckedTicket) -> TicketRecord {
    let (ticket, error) = match it.ticket {
        Ok(ticket) => (Some(ticket), None),
        Err(error) => (None, Some(error)),
    };
    TicketRecord {
        ticket: it.name,
        title: ticket.as_ref().map(|it| it.title.clone()),
        url: ticket.as_ref().map(|it| it.url.clone()),
        closed: ticket.as_ref().map(|it| it.closed),
        error,
    }
}
