//! What is being done, told to a client that asked for it.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;

use crate::client::Listener;

/// A client that hears nothing for long may give up.
const STILL_RUNNING_SECONDS: u64 = 10;
const STEPS_WAITING_MAX: usize = 32;

/// The progress of one call.
pub struct Progress(Option<(Sender<String>, JoinHandle<()>)>);

impl Progress {
    /// Of the call behind `context`.
    pub fn start(context: &RequestContext<RoleServer>) -> Self {
        let Some(token) = context.meta.get_progress_token() else { return Self(None) };
        let (steps, waiting) = mpsc::channel(STEPS_WAITING_MAX);
        Self(Some((steps, tokio::spawn(tell(context.peer.clone(), token, waiting)))))
    }

    /// Says what is being done now.
    pub fn step(&self, message: &str) {
        if let Some((steps, _)) = &self.0 {
            // A client that is that slow is not waiting for it.
            let _ = steps.try_send(message.to_owned());
        }
    }

    /// Hands on what the server says.
    pub fn listener(&self) -> Listener {
        let steps = self.0.as_ref().map(|(steps, _)| steps.clone());
        Listener::new(move |message| {
            if let Some(steps) = &steps {
                // As for its own steps.
                let _ = steps.try_send(message.to_owned());
            }
        })
    }

    /// Nothing comes after this.
    pub async fn end(self) {
        if let Some((steps, task)) = self.0 {
            drop(steps);
            // It ends by itself once everybody who could send is gone.
            let _ = tokio::time::timeout(Duration::from_secs(1), task).await;
        }
    }
}

async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut steps: Receiver<String>) {
    let (started, mut count) = (Instant::now(), 0.0);
    let quiet = Duration::from_secs(STILL_RUNNING_SECONDS);
    loop {
        let message = match tokio::time::timeout(quiet, steps.recv()).await {
            Ok(Some(message)) => message,
            Ok(None) => return,
            Err(_) => format!("still running after {} s", started.elapsed().as_secs()),
        };
        count += 1.0;
        let notification = ProgressNotificationParam::new(token.clone(), count).with_message(message);
        if peer.notify_progress(notification).await.is_err() {
            return;
        }
    }
}
