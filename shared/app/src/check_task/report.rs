//! A check as Markdown.

use std::fmt::Write as _;

use prevet_analysis::task_answer::Judgement;
use prevet_domain::task::Standing;

use super::task::CheckedTicket;
use crate::reading::Unread;

/// Places that the report names for one requirement; the rest are in the structured result.
const EVIDENCE_MAX: usize = 4;

/// `# Task Completion Check`, the verdict, the requirements, and the gaps.
pub(super) fn markdown(
    verdict: Standing,
    requirements: &[(String, Judgement)],
    tickets: &[CheckedTicket],
    unread: Option<&Unread>,
) -> String {
    let mut text = format!("# Task Completion Check\n\n**Overall verdict: {verdict}**\n");
    for it in tickets {
        let _ = match &it.ticket {
            Ok(ticket) => {
                let closed = if ticket.closed { ", closed" } else { "" };
                writeln!(text, "\nTicket [{}]({}){closed}: {}", it.name, ticket.url, plain(&ticket.title))
            }
            Err(reason) => writeln!(text, "\nTicket {} was not used: {reason}", it.name),
        };
    }
    text.push_str("\n## Requirements\n\n");
    for (requirement, judgement) in requirements {
        push_requirement(&mut text, requirement, judgement);
    }
    push_gaps(&mut text, requirements, tickets, unread);
    text
}

fn push_requirement(text: &mut String, requirement: &str, judgement: &Judgement) {
    let tick = if judgement.standing == Standing::Done { 'x' } else { ' ' };
    let _ = writeln!(
        text,
        "- [{tick}] **{}** \u{2014} \u{201c}{}\u{201d}",
        judgement.standing,
        plain(requirement)
    );
    if !judgement.reason.is_empty() {
        let _ = writeln!(text, "  - {}", plain(&judgement.reason));
    }
    for it in judgement.evidence.iter().take(EVIDENCE_MAX) {
        let _ = writeln!(text, "  - `{}:{}`: `{}`", it.file, it.line, it.quote.replace('`', "'"));
    }
}

fn push_gaps(
    text: &mut String,
    requirements: &[(String, Judgement)],
    tickets: &[CheckedTicket],
    unread: Option<&Unread>,
) {
    let open = requirements.iter().filter(|(_, it)| it.standing != Standing::Done);
    let mut gaps: Vec<String> =
        open.map(|(requirement, it)| format!("{}: {}", it.standing, plain(requirement))).collect();
    let unused = tickets.iter().filter(|it| it.ticket.is_err());
    gaps.extend(unused.map(|it| format!("what {} asks for was not checked", it.name)));
    gaps.extend(unread.map(|it| it.cause.clone()));
    if gaps.is_empty() {
        return;
    }
    text.push_str("\n## Gaps\n\n");
    for gap in gaps {
        let _ = writeln!(text, "- {gap}");
    }
}

/// One line, in which nothing of the task can pass for a line of the report.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
