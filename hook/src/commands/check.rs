//! `prevet check TASK`: whether the work tree's change does what a task asks for.

use prevet_domain::task::Standing;
use prevet_wire::check_task::{CheckParameters, CheckResult};
use prevet_wire::session::SessionResponse;
use prevet_wire::tool::ToolContext;

use crate::asking::{self, Tool};
use crate::cli::Check;
use crate::config::Config;
use crate::console;
use crate::error::CommandError;

const DONE: u8 = 0;
const NOT_DONE: u8 = 1;
/// Nothing was judged.
const NOT_CHECKED: u8 = 3;

/// Checks and prints. Exit code 0 for DONE and 1 for PARTIAL and NOT DONE.
pub async fn run(config: &Config, arguments: &Check) -> Result<u8, CommandError> {
    let tool = Tool {
        name: "check_task",
        step: "checking the change against the task",
        parameters: &|session, context| parameters(arguments, session, context),
    };
    let outcome = asking::run::<_, CheckResult>(config, &arguments.asked, &tool).await?;
    let Some((raw, result)) = outcome else { return asking::nothing(&arguments.asked, NOT_CHECKED) };
    let notes = asking::notes(result.context_refresh, result.degraded);
    asking::print(&arguments.asked, &raw, &result.report, &notes)?;
    Ok(if result.verdict == Standing::Done.as_str() { DONE } else { NOT_DONE })
}

/// Without a task, the one that was checked last.
fn parameters(
    arguments: &Check,
    session: &SessionResponse,
    context: ToolContext,
) -> Result<CheckParameters, CommandError> {
    let (task_description, task_source) = match (&arguments.task, &session.prior_task) {
        (Some(task), _) => (task.clone(), arguments.source.clone()),
        (None, Some(prior)) => {
            console::say(&format!("checking the last task again: {}", prior.task_description));
            (prior.task_description.clone(), prior.task_source.clone())
        }
        (None, None) => {
            let text =
                "no task was checked before: name one, such as PROJ-123, owner/repo#42 or the task's text";
            return Err(CommandError::usage(text));
        }
    };
    let (session_id, intent) = (session.session_id.clone(), arguments.asked.intent.clone());
    Ok(CheckParameters { session_id, task_description, task_source, intent, context: Some(context) })
}
