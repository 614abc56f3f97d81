//! The tools that the protocol's conformance suite calls. It can judge a server only by tools that it knows, so a
//! server for its tests has them; no other has, and no build but that of the tests can.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, Tool};
use rmcp::service::RequestContext;

#[cfg(feature = "conformance")]
pub use self::suite::{call, tools};

/// None.
#[cfg(not(feature = "conformance"))]
pub fn tools(_service: &crate::Service) -> Vec<Tool> {
    Vec::new()
}

/// None.
#[cfg(not(feature = "conformance"))]
#[expect(clippy::unused_async, reason = "the same to callers in a build for the suite")]
pub async fn call(
    _service: &crate::Service,
    _name: &str,
    _context: &RequestContext<RoleServer>,
) -> Option<CallToolResult> {
    None
}

#[cfg(feature = "conformance")]
mod suite {
    use std::sync::Arc;

    use rmcp::model::{ContentBlock, ProgressNotificationParam, ToolAnnotations};
    use serde_json::json;

    use super::{CallToolResult, RequestContext, RoleServer, Tool};
    use crate::Service;

    const TEXT: &str = "test_simple_text";
    const ERROR: &str = "test_error_handling";
    const PROGRESS: &str = "test_tool_with_progress";

    /// The suite's tools, on a server that is for it.
    pub fn tools(service: &Service) -> Vec<Tool> {
        let names = [TEXT, ERROR, PROGRESS].into_iter().filter(|_| service.for_conformance);
        let schema = json!({ "type": "object", "properties": {} }).as_object().cloned().unwrap_or_default();
        let hints = ToolAnnotations::with_title("For the conformance suite").read_only(true);
        names
            .map(|name| {
                Tool::new(name, "A tool of the suite", Arc::new(schema.clone()))
                    .with_annotations(hints.clone())
            })
            .collect()
    }

    /// Runs one of them.
    pub async fn call(
        service: &Service,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResult> {
        if !service.for_conformance {
            return None;
        }
        let text = |text: &str| vec![ContentBlock::text(text)];
        Some(match name {
            TEXT => CallToolResult::success(text("a simple text")),
            ERROR => CallToolResult::error(text("this tool always fails")),
            PROGRESS => {
                for step in [0_u8, 50, 100] {
                    report(context, step).await;
                }
                CallToolResult::success(text("done"))
            }
            _ => return None,
        })
    }

    async fn report(context: &RequestContext<RoleServer>, step: u8) {
        let Some(token) = context.meta.get_progress_token() else { return };
        let told = ProgressNotificationParam::new(token, f64::from(step)).with_total(100.0);
        // A client that went away needs no progress.
        let _ = context.peer.notify_progress(told.with_message(format!("{step} of 100"))).await;
    }
}
