//! Progress of a tool, forwarded to the client that asked for it.

use std::future::Future;
use std::time::Duration;

use prevet_app::progress::{Progress, Step};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::mpsc::{self, Receiver};

/// Steps that wait to be forwarded; more are dropped, since the next one says as much.
const WAITING_MAX: usize = 64;
/// A client hears something at least this often: some give up a connection on which nothing comes for 60 s.
const HEARTBEAT_SECONDS: u64 = 15;
/// Progress has to grow with each notification (MCP, "Progress"), so a heartbeat adds this much.
const HEARTBEAT_PROGRESS: f64 = 0.001;

/// Runs `work`, which tells how far it is, and forwards that to the client if it asked for progress.
pub async fn forwarded<T, F: Future<Output = T>>(
    context: &RequestContext<RoleServer>,
    first: &'static str,
    work: impl FnOnce(Progress) -> F,
) -> T {
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    let progress = Progress::to(move |step| {
        // A full channel has news enough.
        let _ = sender.try_send(step);
    });
    let work = work(progress);
    let forwarding = forward(context, first, receiver);
    tokio::pin!(work, forwarding);
    tokio::select! {
        outcome = &mut work => outcome,
        () = &mut forwarding => work.await,
    }
}

/// Ends when nobody can tell anything any more.
async fn forward(context: &RequestContext<RoleServer>, first: &'static str, mut steps: Receiver<Step>) {
    let mut told = Step { doing: first, done: 0, total: 0 };
    let mut progress = 0.0;
    report(context, progress, told).await;
    let heartbeat = Duration::from_secs(HEARTBEAT_SECONDS);
    loop {
        match tokio::time::timeout(heartbeat, steps.recv()).await {
            Ok(None) => return,
            Ok(Some(step)) => {
                progress = f64::max(progress + HEARTBEAT_PROGRESS, whole(step.done));
                told = step;
            }
            Err(_) => progress += HEARTBEAT_PROGRESS,
        }
        report(context, progress, told).await;
    }
}

async fn report(context: &RequestContext<RoleServer>, progress: f64, step: Step) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let mut notification = ProgressNotificationParam::new(token, progress);
    notification = if step.total == 0 {
        notification.with_message(step.doing)
    } else {
        let message = format!("{} ({} of {})", step.doing, step.done, step.total);
        notification.with_message(message).with_total(whole(step.total))
    };
    // A client that went away needs no progress.
    let _ = context.peer.notify_progress(notification).await;
}

#[expect(clippy::cast_precision_loss, reason = "counts of parts are far below 2^52")]
fn whole(count: usize) -> f64 {
    count as f64
}
