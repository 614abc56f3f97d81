//! Decisions: asked once, answered by people, remembered.
//!
//! Agents look up, request and share; people answer, dismiss, correct, reopen and split. What a call costs is part of
//! the design: the exact path is one read, whatever the tenant's history.

mod context;
mod history;
mod inbox;
mod lookup;
mod near;
mod people;
pub mod ports;
mod request;

use prevet_domain::decision::lot::{LotError, State};
use prevet_domain::decision::record::{CorrectionError, Decision, Uses, Verb, Way};
use prevet_domain::decision::request::RequestError;
use prevet_domain::ids::{DecisionId, LotId, TenantKey};
use prevet_domain::kind::Kind;
use prevet_domain::session::{AccessError, KeyRecord, Product, Role, authenticate};

pub use self::context::NewContext;
pub use self::inbox::{LotView, Why};
pub use self::lookup::{LookUp, Lookup, Match};
pub use self::people::AnswerLot;
use self::ports::AuditEntry;
pub use self::request::{RequestDecision, Standing, Waiting};
use crate::App;
use crate::error::AppError;
use crate::notices::Notice;
use crate::ports::Storage;

/// How often a change that others got in the way of is tried again.
const RACES_MAX: usize = 40;
/// A lot that is asked for again is marked as waited for at most this often.
const REFRESH_SECONDS: u64 = 60;

/// Why a decision's use case does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    /// The request.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The lot.
    #[error(transparent)]
    Lot(#[from] LotError),
    /// The correction.
    #[error(transparent)]
    Correction(#[from] CorrectionError),
    /// The same question waits with many other options or scopes.
    #[error(
        "{0} requests with this question wait already, each with other options or about something else: people have to \
         answer or dismiss some of them first"
    )]
    TooManyOpen(usize),
    /// Somebody was first; here is what they decided.
    #[error("the request is {} already; what was decided first stands", .state.as_str())]
    Taken {
        /// Where the lot stands.
        state: State,
        /// What was decided.
        decision: Option<Box<Decision>>,
    },
}

impl DecisionError {
    /// What it means to the caller.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Lot(LotError::Closed(_) | LotError::Expired | LotError::Open) | Self::Taken { .. } => {
                Kind::Conflict
            }
            Self::TooManyOpen(_) => Kind::Busy,
            Self::Request(_) | Self::Correction(_) | Self::Lot(_) => Kind::Invalid,
        }
    }
}

/// Who calls, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whose decisions.
    pub tenant: TenantKey,
    /// The key's public id.
    pub key_id: String,
    /// Who holds it.
    pub role: Role,
}

impl Caller {
    /// An agent, or a person who does what agents do.
    pub fn agent(record: Option<&KeyRecord>, now: u64) -> Result<Self, AppError> {
        let record = authenticate(record, Product::Decisions, now)?;
        Ok(Self { tenant: record.tenant.clone(), key_id: record.id.clone(), role: record.role })
    }

    /// A person.
    pub fn person(record: Option<&KeyRecord>, now: u64) -> Result<Self, AppError> {
        let caller = Self::agent(record, now)?;
        if caller.role == Role::Human { Ok(caller) } else { Err(AccessError::NotAPerson.into()) }
    }
}

/// What is said of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correct {
    /// Which.
    pub decision: DecisionId,
    /// What.
    pub verb: Verb,
    /// For `expires_after`: from when on, in seconds since the epoch.
    pub expires_at: Option<u64>,
    /// By which way.
    pub way: Way,
}

/// A decision and how often it was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// The decision.
    pub decision: Decision,
    /// Its uses.
    pub uses: Uses,
}

impl<S: Storage + ports::DecisionStore> App<S> {
    /// Who holds `api_key`, for what agents do. One read.
    pub async fn agent(&self, api_key: Option<&str>) -> Result<Caller, AppError> {
        let record = self.storage.key(&crate::sessions::key_hash(api_key)?).await?;
        Caller::agent(record.as_ref(), self.now())
    }

    /// Who holds `api_key`, for what only people do. One read.
    pub async fn person(&self, api_key: Option<&str>) -> Result<Caller, AppError> {
        let record = self.storage.key(&crate::sessions::key_hash(api_key)?).await?;
        Caller::person(record.as_ref(), self.now())
    }

    /// An id that sorts by the time at which it was made.
    fn timed_id(&self, prefix: &str) -> Result<String, AppError> {
        Ok(format!("{prefix}_{:011x}{}", (self.world.now_milliseconds)(), &self.token()?[..16]))
    }

    /// Tells whoever is to be told.
    async fn tell(&self, notice: &Notice) {
        if let Some(notices) = &self.notices {
            notices.send(notice).await;
        }
    }

    fn decision_id(&self) -> Result<DecisionId, AppError> {
        Ok(DecisionId::parse(&self.timed_id("dec")?)?)
    }

    fn lot_id(&self) -> Result<LotId, AppError> {
        Ok(LotId::parse(&self.timed_id("lot")?)?)
    }

    fn audit(
        &self,
        caller: &Caller,
        action: &'static str,
        subject: &str,
        detail: impl Into<String>,
    ) -> Result<AuditEntry, AppError> {
        Ok(AuditEntry {
            id: self.timed_id("aud")?,
            at: self.now(),
            by: caller.key_id.clone(),
            role: caller.role,
            action: action.to_owned(),
            subject: subject.to_owned(),
            detail: detail.into(),
        })
    }
}

fn no_lot(id: &LotId) -> AppError {
    AppError::Missing(format!("there is no lot {id}; `prevet inbox` lists the open ones"))
}

fn no_decision(id: &DecisionId) -> AppError {
    AppError::Missing(format!("there is no decision {id}"))
}

fn contended() -> AppError {
    AppError::Conflict("too many changes to this request at once; try again".to_owned())
}
