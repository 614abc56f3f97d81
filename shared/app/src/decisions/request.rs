//! `request_decision`: one step of it. Whoever waits takes the step again with the same request.

use prevet_domain::decision::canonical::Canonical;
use prevet_domain::decision::lot::{Lot, Similar, State};
use prevet_domain::decision::record::Decision;
use prevet_domain::decision::request::Request;
use prevet_domain::decision::reuse::{Guidance, joins};
use prevet_domain::decision::synonyms::Synonyms;
use prevet_domain::ids::LotId;

use super::lookup::{Memory, form_of, synonyms};
use super::ports::{Change, ContextItem, DecisionStore, Exact, FORM_OPEN_MAX, Form, Found, Waiter};
use super::{Caller, DecisionError, RACES_MAX, REFRESH_SECONDS, contended};
use crate::App;
use crate::error::AppError;
use crate::notices::Notice;
use crate::ports::Storage;

/// Earlier decisions that are shown beside a new lot.
const SIMILAR_MAX: usize = 3;

/// A request with whoever sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestDecision {
    /// What is asked.
    pub request: Request,
    /// The thread that asks; the key where none is named.
    pub thread: Option<String>,
}

/// Where a request stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// An earlier answer holds; nobody was interrupted.
    Reused(Box<Decision>),
    /// The lot of this request was answered.
    Answered(LotId, Box<Decision>),
    /// Nobody will answer.
    Dismissed(LotId, Box<Decision>),
    /// It waits for people.
    Waiting(Waiting),
}

/// A request that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// For which lot.
    pub lot: LotId,
    /// The request's stable key.
    pub ask: String,
    /// What others shared about the same concepts.
    pub context: Vec<ContextItem>,
    /// Earlier decisions that are near.
    pub similar: Vec<Similar>,
}

impl<S: Storage + DecisionStore> App<S> {
    /// Puts a request to people, unless they have answered it already. The same request again resumes its lot.
    pub async fn request_decision(
        &self,
        caller: &Caller,
        call: &RequestDecision,
    ) -> Result<Standing, AppError> {
        let request = &call.request;
        let ask = request.stable_key(&caller.tenant);
        let base = Canonical::of(&request.question, &Synonyms::default());
        let options = request.values();
        for _ in 0..RACES_MAX {
            let forms = [base.hash()];
            let scope = &request.scope;
            let exact =
                Exact { ask: Some(&ask), forms: &forms, concepts: &scope.concepts, files: &scope.files };
            let mut found = self.storage.look_up(&caller.tenant, &exact).await?;
            let memory = self.memory(&request.question, scope, &options, &found);
            let closed: Vec<Decision> = found.forms.values().flat_map(|form| form.closed.clone()).collect();
            // What answers its own lot comes first, and needs to fit nothing: people saw this very request.
            if let Some(own) = own_answer(&memory, found.ask.as_ref(), &closed) {
                return self.recalled(caller, found.ask.as_ref(), own).await;
            }
            let known = answering(&memory, closed);
            if let Some(standing) = self.resumed(caller, call, &ask, &memory, &found, known.is_some()).await?
            {
                return Ok(standing);
            }
            if let Some(decision) = known {
                return self.recalled(caller, found.ask.as_ref(), decision).await;
            }
            drop(memory);
            let variants = synonyms(&found).variants(&base);
            if !variants.is_empty() {
                let exact = Exact { forms: &variants, ..Exact::default() };
                found.forms.extend(self.storage.look_up(&caller.tenant, &exact).await?.forms);
            }
            if let Some(standing) = self.joined_or_opened(caller, call, &ask, &base, &found).await? {
                return Ok(standing);
            }
            tokio::task::yield_now().await;
        }
        Err(contended())
    }

    /// What an earlier decision comes to for a request: its own lot's answer, or one that is reused.
    async fn recalled(
        &self,
        caller: &Caller,
        own_lot: Option<&LotId>,
        decision: Decision,
    ) -> Result<Standing, AppError> {
        let lot = decision.receipt.lot.clone();
        let own = own_lot == Some(&lot);
        let decision = Box::new(decision);
        if decision.answer().is_none() {
            return Ok(Standing::Dismissed(lot, decision));
        }
        if own {
            return Ok(Standing::Answered(lot, decision));
        }
        let audit = self.audit(caller, "reused", decision.id.as_str(), "")?;
        self.storage.record_use(&caller.tenant, &decision.id, &audit).await?;
        Ok(Standing::Reused(decision))
    }

    /// The lot that this very request belongs to, if it still says something. Where another decision `is_known` that
    /// answers it, an open lot does so only if a person has set its questions apart from others.
    async fn resumed(
        &self,
        caller: &Caller,
        call: &RequestDecision,
        ask: &str,
        memory: &Memory<'_>,
        found: &Found,
        is_known: bool,
    ) -> Result<Option<Standing>, AppError> {
        let Some(id) = &found.ask else { return Ok(None) };
        let Some(lot) = self.storage.lot(&caller.tenant, id).await? else { return Ok(None) };
        match lot.state_at(self.now()) {
            State::Open if is_known && !lot.is_apart => Ok(None),
            State::Open => {
                self.wait(caller, call, ask, &lot).await?;
                Ok(Some(waiting(&lot, ask, found)))
            }
            State::Answered { decision } | State::Dismissed { decision } => {
                // In the form at hand it was looked at already. What was joined in other words, or is long past, is not there.
                if found.forms.values().any(|form| form.closed.iter().any(|it| it.id == decision)) {
                    return Ok(None);
                }
                let decision = self.storage.decisions(&caller.tenant, &[decision]).await?.pop();
                match decision.filter(|decision| memory.still_holds(decision)) {
                    Some(decision) => self.recalled(caller, Some(id), decision).await.map(Some),
                    None => Ok(None),
                }
            }
            State::Expired | State::Split => Ok(None),
        }
    }

    /// Notes that somebody waits for a lot, and keeps the lot from expiring.
    async fn wait(
        &self,
        caller: &Caller,
        call: &RequestDecision,
        ask: &str,
        lot: &Lot,
    ) -> Result<(), AppError> {
        let who = call.thread.clone().unwrap_or_else(|| caller.key_id.clone());
        let waiter = Waiter { who, ask: ask.to_owned(), since: self.now(), last_at: self.now() };
        self.storage.put_waiter(&caller.tenant, &lot.id, &waiter).await?;
        if let Some(lot) = lot.joined(ask, &call.request.question, self.now(), REFRESH_SECONDS) {
            // Whoever was faster has refreshed it as well.
            self.storage.apply(&caller.tenant, &Change { lots: vec![lot], ..Change::default() }).await?;
        }
        Ok(())
    }

    /// Joins an open lot that asks the same, or opens one. `None` if others were faster.
    async fn joined_or_opened(
        &self,
        caller: &Caller,
        call: &RequestDecision,
        ask: &str,
        base: &Canonical,
        found: &Found,
    ) -> Result<Option<Standing>, AppError> {
        let options = call.request.values();
        let memory = self.memory(&call.request.question, &call.request.scope, &options, found);
        let variants = found.forms.values().flat_map(|form| form.closed.clone()).collect();
        if let Some(decision) = answering(&memory, variants) {
            return self.recalled(caller, found.ask.as_ref(), decision).await.map(Some);
        }
        for (hash, form) in &found.forms {
            for open in &form.open {
                let theirs = form_of(&open.question);
                if !joins(&theirs, &open.options, &open.scope, &memory.wanted()) {
                    continue;
                }
                let Some(lot) = self.storage.lot(&caller.tenant, &open.lot).await? else { continue };
                if lot.state_at(self.now()) == State::Open {
                    return self.join(caller, call, ask, lot, found).await;
                }
                if lot.state_at(self.now()) == State::Expired {
                    self.expire(caller, lot, hash, form).await?;
                }
                // The form that was read is out of date.
                return Ok(None);
            }
        }
        let near = self.remembered(caller, base, found, SIMILAR_MAX).await?;
        let matches = memory.matches(near);
        if let Some(known) = matches.iter().find(|it| it.guidance == Guidance::Apply) {
            return self.recalled(caller, found.ask.as_ref(), known.decision.clone()).await.map(Some);
        }
        let similar = matches.into_iter().take(SIMILAR_MAX).filter_map(|it| {
            let answer = it.decision.answer()?.to_owned();
            Some(Similar {
                decision: it.decision.id,
                question: it.decision.question,
                answer,
                reason: it.reason,
            })
        });
        self.open(caller, call, ask, base, found, similar.collect()).await
    }

    async fn join(
        &self,
        caller: &Caller,
        call: &RequestDecision,
        ask: &str,
        lot: Lot,
        found: &Found,
    ) -> Result<Option<Standing>, AppError> {
        let next = lot.joined(ask, &call.request.question, self.now(), 0);
        let joined = next.clone().unwrap_or(lot);
        let change = Change {
            audit: vec![self.audit(caller, "joined", joined.id.as_str(), &call.request.question)?],
            asks: vec![(ask.to_owned(), joined.id.clone())],
            lots: next.into_iter().collect(),
            ..Change::default()
        };
        if !self.storage.apply(&caller.tenant, &change).await? {
            return Ok(None);
        }
        self.wait(caller, call, ask, &joined).await?;
        Ok(Some(waiting(&joined, ask, found)))
    }

    async fn open(
        &self,
        caller: &Caller,
        call: &RequestDecision,
        ask: &str,
        base: &Canonical,
        found: &Found,
        similar: Vec<Similar>,
    ) -> Result<Option<Standing>, AppError> {
        let hash = base.hash();
        if let Some(form) = found.forms.get(&hash).filter(|form| form.open.len() >= FORM_OPEN_MAX) {
            return self.make_room(caller, &hash, form).await.map(|()| None);
        }
        let mut lot = Lot::open(self.lot_id()?, ask, hash.clone(), call.request.clone(), self.now());
        lot.similar = similar;
        let form = found.forms.get(&hash).cloned().unwrap_or_default().with_lot(&lot);
        let change = Change {
            audit: vec![self.audit(caller, "requested", lot.id.as_str(), &lot.request.question)?],
            asks: vec![(ask.to_owned(), lot.id.clone())],
            forms: vec![(hash, form)],
            lots: vec![lot.clone()],
            ..Change::default()
        };
        if !self.storage.apply(&caller.tenant, &change).await? {
            return Ok(None);
        }
        self.tell(&Notice::requested(self.timed_id("ntc")?, &lot, self.now())).await;
        self.wait(caller, call, ask, &lot).await?;
        Ok(Some(waiting(&lot, ask, found)))
    }

    /// Takes one lot that has expired out of a form that is full.
    async fn make_room(&self, caller: &Caller, hash: &str, form: &Form) -> Result<(), AppError> {
        for open in &form.open {
            let lot = self.storage.lot(&caller.tenant, &open.lot).await?;
            if let Some(lot) = lot.filter(|lot| lot.state_at(self.now()) == State::Expired) {
                return self.expire(caller, lot, hash, form).await;
            }
        }
        Err(DecisionError::TooManyOpen(form.open.len()).into())
    }

    /// Takes a lot that nobody asked for any more out of the open ones.
    async fn expire(&self, caller: &Caller, lot: Lot, hash: &str, form: &Form) -> Result<(), AppError> {
        let change = Change {
            audit: vec![self.audit(caller, "expired", lot.id.as_str(), "")?],
            forms: vec![(hash.to_owned(), form.without_lot(&lot.id))],
            lots: vec![Lot { state: State::Expired, version: lot.version + 1, ..lot }],
            ..Change::default()
        };
        // Whoever was faster did the same.
        self.storage.apply(&caller.tenant, &change).await?;
        Ok(())
    }

    /// Where a waiting request stands now. One read while it waits.
    pub async fn look_again(
        &self,
        caller: &Caller,
        call: &RequestDecision,
        waiting: &Waiting,
    ) -> Result<Standing, AppError> {
        let (ask, lot) = self.storage.ask_and_lot(&caller.tenant, &waiting.ask, &waiting.lot).await?;
        let still = lot.is_some_and(|lot| lot.state_at(self.now()) == State::Open);
        if still && ask.as_ref() == Some(&waiting.lot) {
            return Ok(Standing::Waiting(waiting.clone()));
        }
        self.request_decision(caller, call).await
    }
}

/// The decision on the lot that the request belongs to, among some, if it still holds.
fn own_answer(memory: &Memory<'_>, lot: Option<&LotId>, decisions: &[Decision]) -> Option<Decision> {
    let own = decisions.iter().filter(|decision| Some(&decision.receipt.lot) == lot);
    own.max_by(|one, other| one.id.cmp(&other.id)).filter(|decision| memory.still_holds(decision)).cloned()
}

/// The decision that answers a request, among some.
fn answering(memory: &Memory<'_>, decisions: Vec<Decision>) -> Option<Decision> {
    let mut judged = memory.judged(decisions);
    judged.sort_by(|(one, _), (other, _)| other.decision.id.cmp(&one.decision.id));
    judged.into_iter().find(|(_, outcome)| outcome.is_ok()).map(|(candidate, _)| candidate.decision)
}

fn waiting(lot: &Lot, ask: &str, found: &Found) -> Standing {
    let (id, similar) = (lot.id.clone(), lot.similar.clone());
    Standing::Waiting(Waiting { lot: id, ask: ask.to_owned(), context: found.context.clone(), similar })
}
