//! The port to the review rounds of the machine that the server runs on.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use prevet_domain::ids::{ReviewId, TenantKey};
use prevet_domain::review::session::Session;
use prevet_domain::review::stream::Activity;

use crate::App;
use crate::decisions::Caller;

/// A session at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Its id.
    pub id: ReviewId,
    /// Its directory.
    pub directory: String,
    /// What its files hold, or why they cannot be read.
    pub known: Result<Known, String>,
}

/// What a session's files hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The rounds and what came of them.
    pub session: Session,
    /// Where the reviewer works.
    pub working_dir: String,
    /// The reviewer's CLI.
    pub reviewer: String,
    /// Its model, where one was chosen.
    pub model: Option<String>,
    /// Its reasoning effort.
    pub effort: String,
    /// When each round was started and ended, in seconds since the epoch.
    pub times: Vec<(u64, Option<u64>)>,
}

/// A round as its reviewer's output tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoundDetail {
    /// What it did, in order: the newest ones.
    pub activities: Vec<Activity>,
    /// How many came before them.
    pub earlier: usize,
    /// What it said, bounded.
    pub text: String,
}

/// A session with all of its rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// At a glance.
    pub overview: Overview,
    /// One for each round that can be read.
    pub rounds: Vec<RoundDetail>,
}

/// A future answer of the port.
pub type Told<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The review rounds of a machine.
pub trait Reviews: Debug + Send + Sync {
    /// The sessions that were begun on it and are still there, newest first, bounded.
    fn overviews(&self) -> Told<'_, Vec<Overview>>;

    /// What changes whenever [`Reviews::detail`] would; none where there is no such session.
    fn stamp<'a>(&'a self, id: &'a ReviewId) -> Told<'a, Option<String>>;

    /// One session; none where there is none of that id.
    fn detail<'a>(&'a self, id: &'a ReviewId) -> Told<'a, Option<Detail>>;
}

/// The review rounds of the machine, and who may see them.
#[derive(Debug, Clone)]
pub struct MachineReviews {
    /// The tenant of the machine's own people. The sessions belong to no tenant, and show code.
    pub tenant: TenantKey,
    /// The rounds.
    pub reviews: Arc<dyn Reviews>,
}

impl<S> App<S> {
    /// The machine's review rounds, for those who may see them.
    pub fn reviews_for(&self, caller: &Caller) -> Option<&dyn Reviews> {
        let machine = self.reviews.as_ref().filter(|machine| machine.tenant == caller.tenant)?;
        Some(machine.reviews.as_ref())
    }
}
