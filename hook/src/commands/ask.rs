//! `prevet ask QUESTION`: an answer from the work tree's change.

use prevet_wire::ask::{AskParameters, AskResult};

use crate::asking::{self, Tool};
use crate::cli::Ask;
use crate::config::Config;
use crate::error::CommandError;

/// The question could not be asked.
const NOT_ASKED: u8 = 3;

/// Asks and prints.
pub async fn run(config: &Config, arguments: &Ask) -> Result<u8, CommandError> {
    let tool = Tool {
        name: "ask",
        step: "waiting for the answer",
        parameters: &|session, context| {
            Ok(AskParameters {
                session_id: session.session_id.clone(),
                question: arguments.question.clone(),
                intent: arguments.asked.intent.clone(),
                context: Some(context),
            })
        },
    };
    let outcome = asking::run::<_, AskResult>(config, &arguments.asked, &tool).await?;
    let Some((raw, result)) = outcome else { return asking::nothing(&arguments.asked, NOT_ASKED) };
    let notes = asking::notes(result.context_refresh, result.degraded);
    asking::print(&arguments.asked, &raw, &result.answer, &notes)?;
    Ok(0)
}
