//! What only people do: answer, dismiss, correct, reopen, split.

use prevet_domain::decision::canonical::Canonical;
use prevet_domain::decision::guard::compare;
use prevet_domain::decision::lot::{Actor, Answer, Lot, LotError, State};
use prevet_domain::decision::record::{Correction, Decision, Way};
use prevet_domain::decision::synonyms::{SYNONYM_PAIRS_MAX, Synonyms, learned};
use prevet_domain::ids::{DecisionId, LotId};

use super::ports::{Change, DecisionStore, Exact, Form, SynonymPairs};
use super::{Caller, Correct, DecisionError, RACES_MAX, contended, no_decision, no_lot};
use crate::App;
use crate::error::AppError;
use crate::notices::Notice;
use crate::ports::Storage;

/// An answer to a lot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerLot {
    /// Which.
    pub lot: LotId,
    /// The answer; none to confirm that of `confirms`.
    pub answer: Option<Answer>,
    /// An earlier decision that holds for this request too.
    pub confirms: Option<DecisionId>,
    /// By which way.
    pub way: Way,
}

/// What a lot is closed with.
enum Closing<'a> {
    Answer(&'a Answer),
    Dismissal(Option<&'a str>),
}

impl<S: Storage + DecisionStore> App<S> {
    /// Answers a lot. Of two at once one wins; the same person's same answer again changes nothing.
    pub async fn answer_lot(&self, caller: &Caller, call: &AnswerLot) -> Result<Decision, AppError> {
        let confirmed = match &call.confirms {
            Some(id) => Some(self.decision(caller, id).await?),
            None => None,
        };
        let answer = match (&call.answer, &confirmed) {
            (Some(answer), _) => answer.clone(),
            (None, Some(confirmed)) => {
                let said = confirmed.answer().ok_or_else(|| {
                    AppError::Input(format!("{} was dismissed; it has no answer to confirm", confirmed.id))
                })?;
                Answer::Text(said.to_owned())
            }
            (None, None) => {
                return Err(AppError::Input("an answer names an option or has a text".to_owned()));
            }
        };
        let closing = Closing::Answer(&answer);
        let decision = self.close(caller, &call.lot, &closing, call.way, confirmed.as_ref()).await?;
        if let Err(error) = self.gather(&caller.tenant).await {
            // The answer stands; the next one tries again.
            tracing::warn!(%error, "gathering decisions failed");
        }
        Ok(decision)
    }

    /// Dismisses a lot.
    pub async fn dismiss_lot(
        &self,
        caller: &Caller,
        lot: &LotId,
        reason: Option<&str>,
        way: Way,
    ) -> Result<Decision, AppError> {
        self.close(caller, lot, &Closing::Dismissal(reason), way, None).await
    }

    async fn close(
        &self,
        caller: &Caller,
        id: &LotId,
        closing: &Closing<'_>,
        way: Way,
        confirmed: Option<&Decision>,
    ) -> Result<Decision, AppError> {
        for _ in 0..RACES_MAX {
            let lot = self.existing_lot(caller, id).await?;
            let actor = Actor { by: caller.key_id.clone(), at: self.now(), way };
            let outcome = match closing {
                Closing::Answer(answer) => lot.answered(self.decision_id()?, answer, &actor),
                Closing::Dismissal(reason) => lot.dismissed(self.decision_id()?, *reason, &actor),
            };
            let (closed, mut decision) = match outcome {
                Err(LotError::Closed(state)) => return self.late(caller, &lot, state, closing).await,
                other => other.map_err(DecisionError::from)?,
            };
            decision.confirms = confirmed.map(|it| it.id.clone());
            if self.write_closed(caller, closed, &decision, confirmed).await? {
                self.tell(&Notice::decided(self.timed_id("ntc")?, &decision)).await;
                return Ok(decision);
            }
        }
        Err(contended())
    }

    /// What somebody hears who comes after another: the same person's same answer is fine.
    async fn late(
        &self,
        caller: &Caller,
        lot: &Lot,
        state: State,
        closing: &Closing<'_>,
    ) -> Result<Decision, AppError> {
        let winner = match &state {
            State::Answered { decision } | State::Dismissed { decision } => {
                Some(self.decision(caller, decision).await?)
            }
            State::Open | State::Expired | State::Split => None,
        };
        let repeats = winner.as_ref().is_some_and(|winner| {
            let same = match closing {
                Closing::Answer(answer) => {
                    lot.accepted(answer).is_ok_and(|said| winner.answer() == Some(said.as_str()))
                }
                Closing::Dismissal(_) => winner.answer().is_none(),
            };
            same && winner.receipt.by == caller.key_id
        });
        match winner {
            Some(winner) if repeats => Ok(winner),
            winner => Err(DecisionError::Taken { state, decision: winner.map(Box::new) }.into()),
        }
    }

    async fn write_closed(
        &self,
        caller: &Caller,
        lot: Lot,
        decision: &Decision,
        confirmed: Option<&Decision>,
    ) -> Result<bool, AppError> {
        let hash = lot.form_hash.clone();
        let (form, synonyms) = self.form_and_synonyms(caller, &hash).await?;
        let mut next = form.with(decision);
        next.open.retain(|open| open.lot != lot.id);
        let mut decisions = vec![decision.clone()];
        // Who asked to be asked the next time has been asked.
        for earlier in asked_again(&next, decision) {
            next.closed.iter_mut().filter(|it| it.id == earlier.id).for_each(|it| it.clone_from(&earlier));
            decisions.push(earlier);
        }
        let (action, said) = match decision.answer() {
            Some(answer) => ("answered", answer),
            None => ("dismissed", ""),
        };
        let learned = confirmed.and_then(|it| taught(&synonyms, &it.question, &decision.question));
        let mut audit = vec![self.audit(caller, action, lot.id.as_str(), said)?];
        if let Some((one, other)) = learned.as_ref().and_then(|it| it.pairs.last()) {
            audit.push(self.audit(caller, "learned", decision.id.as_str(), format!("{one} = {other}"))?);
        }
        let change = Change {
            lots: vec![lot],
            forms: vec![(hash, next)],
            decisions,
            synonyms: learned,
            audit,
            ..Change::default()
        };
        Ok(self.storage.apply(&caller.tenant, &change).await?)
    }

    /// Corrects a decision.
    pub async fn correct_decision(&self, caller: &Caller, call: &Correct) -> Result<Decision, AppError> {
        for _ in 0..RACES_MAX {
            let known = self.decision(caller, &call.decision).await?;
            let lot = self.existing_lot(caller, &known.receipt.lot).await?;
            let hash = Canonical::of(&known.question, &Synonyms::default()).hash();
            // The lot's own, unless the rules have changed since.
            let hash = if lot.request.question == known.question { lot.form_hash } else { hash };
            let (form, _) = self.form_and_synonyms(caller, &hash).await?;
            // Read after the form, whose version guards both: whoever corrects in between changes the form, too.
            let decision = self.decision(caller, &call.decision).await?;
            let (verb, expires_at) = (call.verb, call.expires_at);
            let correction = Correction { verb, by: caller.key_id.clone(), at: self.now(), expires_at };
            let corrected = decision.corrected(correction).map_err(DecisionError::from)?;
            let change = Change {
                forms: vec![(hash, form.with(&corrected))],
                audit: vec![self.audit(caller, "corrected", corrected.id.as_str(), verb.as_str())?],
                decisions: vec![corrected.clone()],
                ..Change::default()
            };
            if self.storage.apply(&caller.tenant, &change).await? {
                return Ok(corrected);
            }
        }
        Err(contended())
    }

    /// Opens a closed lot again: what was decided is out of reuse, its history is kept.
    pub async fn reopen_lot(&self, caller: &Caller, id: &LotId) -> Result<Lot, AppError> {
        for _ in 0..RACES_MAX {
            let lot = self.existing_lot(caller, id).await?;
            let reopened = lot.reopened(self.now()).map_err(DecisionError::from)?;
            let (form, _) = self.form_and_synonyms(caller, &lot.form_hash).await?;
            let mut next = form.with_lot(&reopened);
            let mut decisions = Vec::new();
            if let State::Answered { decision } | State::Dismissed { decision } = &lot.state {
                let mut retired = self.decision(caller, decision).await?;
                retired.limits.retracted = true;
                next = Form { version: next.version, ..next.with(&retired) };
                decisions.push(retired);
            }
            let change = Change {
                audit: vec![self.audit(caller, "reopened", id.as_str(), "")?],
                lots: vec![reopened.clone()],
                forms: vec![(lot.form_hash.clone(), next)],
                decisions,
                ..Change::default()
            };
            if self.storage.apply(&caller.tenant, &change).await? {
                return Ok(reopened);
            }
        }
        Err(contended())
    }

    /// Takes asks out of a lot into one of their own. The lot as it is then, and the new one.
    pub async fn split_lot(
        &self,
        caller: &Caller,
        id: &LotId,
        asks: &[String],
    ) -> Result<(Lot, Lot), AppError> {
        for _ in 0..RACES_MAX {
            let lot = self.existing_lot(caller, id).await?;
            let first = lot.asks.iter().find(|ask| asks.contains(&ask.key));
            let question = first.map_or(lot.request.question.as_str(), |ask| ask.question.as_str());
            let hash = Canonical::of(question, &Synonyms::default()).hash();
            let (old, new) =
                lot.split(asks, self.lot_id()?, &hash, self.now()).map_err(DecisionError::from)?;
            let (own, _) = self.form_and_synonyms(caller, &lot.form_hash).await?;
            let own = own.with_lot(&old);
            let forms = if hash == lot.form_hash {
                let both = own.with_lot(&new);
                vec![(hash, Form { version: own.version, ..both })]
            } else {
                let (other, _) = self.form_and_synonyms(caller, &hash).await?;
                vec![(lot.form_hash.clone(), own), (hash, other.with_lot(&new))]
            };
            let change = Change {
                asks: new.asks.iter().map(|ask| (ask.key.clone(), new.id.clone())).collect(),
                audit: vec![self.audit(caller, "split", id.as_str(), new.id.as_str())?],
                lots: vec![old.clone(), new.clone()],
                forms,
                ..Change::default()
            };
            if self.storage.apply(&caller.tenant, &change).await? {
                self.move_waiters(caller, &old, &new).await?;
                return Ok((old, new));
            }
        }
        Err(contended())
    }

    async fn move_waiters(&self, caller: &Caller, old: &Lot, new: &Lot) -> Result<(), AppError> {
        for waiter in self.storage.waiters(&caller.tenant, &old.id).await? {
            if new.asks.iter().any(|ask| ask.key == waiter.ask) {
                self.storage.put_waiter(&caller.tenant, &new.id, &waiter).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn existing_lot(&self, caller: &Caller, id: &LotId) -> Result<Lot, AppError> {
        self.storage.lot(&caller.tenant, id).await?.ok_or_else(|| no_lot(id))
    }

    pub(super) async fn decision(&self, caller: &Caller, id: &DecisionId) -> Result<Decision, AppError> {
        let found = self.storage.decisions(&caller.tenant, std::slice::from_ref(id)).await?.pop();
        found.ok_or_else(|| no_decision(id))
    }

    async fn form_and_synonyms(&self, caller: &Caller, hash: &str) -> Result<(Form, SynonymPairs), AppError> {
        let forms = [hash.to_owned()];
        let mut found =
            self.storage.look_up(&caller.tenant, &Exact { forms: &forms, ..Exact::default() }).await?;
        Ok((found.forms.remove(hash).unwrap_or_default(), found.synonyms))
    }
}

/// Earlier decisions on the same that were to be confirmed once, now that they have been.
fn asked_again(form: &Form, decision: &Decision) -> Vec<Decision> {
    let none = Synonyms::default();
    let now = Canonical::of(&decision.question, &none);
    let flagged = form.closed.iter().filter(|it| it.limits.confirm_next && it.id != decision.id);
    let same = flagged.filter(|it| compare(&Canonical::of(&it.question, &none), &now).is_ok());
    same.cloned()
        .map(|mut it| {
            it.limits.confirm_next = false;
            it
        })
        .collect()
}

/// The synonyms after a confirmed reuse, where it teaches any.
fn taught(synonyms: &SynonymPairs, earlier: &str, now: &str) -> Option<SynonymPairs> {
    let none = Synonyms::default();
    let pair = learned(&Canonical::of(earlier, &none), &Canonical::of(now, &none))?;
    let turned = (pair.1.clone(), pair.0.clone());
    if synonyms.pairs.contains(&pair) || synonyms.pairs.contains(&turned) {
        return None;
    }
    let mut next = SynonymPairs { version: synonyms.version + 1, pairs: synonyms.pairs.clone() };
    next.pairs.push(pair);
    let surplus = next.pairs.len().saturating_sub(SYNONYM_PAIRS_MAX);
    next.pairs.drain(..surplus);
    Some(next)
}
