//! `prevet describe`: what the work tree's change does.

use prevet_wire::describe::{DescribeParameters, DescribeResult};

use crate::asking::{self, Tool};
use crate::cli::Describe;
use crate::config::Config;
use crate::error::CommandError;

/// Describes and prints.
pub async fn run(config: &Config, arguments: &Describe) -> Result<u8, CommandError> {
    let intent = &arguments.asked.intent;
    let tool = Tool {
        name: "describe_change",
        step: "describing the change",
        parameters: &|session, context| {
            let (session_id, intent) = (session.session_id.clone(), intent.clone());
            Ok(DescribeParameters { session_id, intent, context: Some(context) })
        },
    };
    let outcome = asking::run::<_, DescribeResult>(config, &arguments.asked, &tool).await?;
    let Some((raw, result)) = outcome else { return asking::nothing(&arguments.asked, 0) };
    let mut notes = vec![result.eval_summary];
    notes.extend(asking::notes(result.context_refresh, result.degraded));
    asking::print(&arguments.asked, &raw, &result.description, &notes)?;
    Ok(0)
}
