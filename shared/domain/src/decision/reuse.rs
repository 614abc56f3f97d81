//! Whether an earlier answer may be applied, or is to be confirmed, and why.

use super::canonical::{Canonical, folded};
use super::freshness::{FRESHNESS_MIN, Freshness};
use super::guard::{Difference, compare};
use super::record::{Decision, Outcome};
use super::request::Scope;

/// What a caller may do with an earlier answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guidance {
    /// Use it and go on.
    Apply,
    /// Cite it in a new question, so that a person confirms.
    Confirm,
}

impl Guidance {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Confirm => "confirm",
        }
    }
}

/// What is asked now.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The question.
    pub form: &'a Canonical,
    /// The values that are offered; none for free text.
    pub options: &'a [String],
    /// What it is about.
    pub scope: &'a Scope,
    /// Seconds since the epoch.
    pub now: u64,
}

/// Why an answer is not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// It is an answer to something else.
    Differs(Difference),
    /// A person took it back.
    Retracted,
    /// Its time is over.
    Expired,
    /// A person wants to be asked the next time.
    ConfirmNext,
    /// Too old, or its files changed too often.
    Stale,
    /// It is none of the options that are offered now.
    NoOption,
    /// Nobody can tell from the question what it is about.
    Vague,
    /// It is about other concepts or files.
    Scope,
    /// It holds for another repository.
    Repository,
    /// A later decision on the same says something else.
    Superseded,
}

impl Obstacle {
    /// In words, for people and agents.
    pub fn reason(&self) -> String {
        match self {
            Self::Differs(difference) => difference.to_string(),
            Self::Retracted => "was marked as wrong".to_owned(),
            Self::Expired => "has expired".to_owned(),
            Self::ConfirmNext => "a person asked to be asked the next time".to_owned(),
            Self::Stale => "is no longer fresh".to_owned(),
            Self::NoOption => "differs: its answer is none of the options offered now".to_owned(),
            Self::Vague => "the question says too little to be known again elsewhere".to_owned(),
            Self::Scope => "differs: it was decided for other concepts or files".to_owned(),
            Self::Repository => "differs: it holds only for the repository that it came from".to_owned(),
            Self::Superseded => "a later decision on the same says something else".to_owned(),
        }
    }

    /// Whether older decisions on the very same question are out too: this one took their place, even where it cannot
    /// be the answer now.
    const fn ends_older(&self) -> bool {
        matches!(self, Self::Retracted | Self::Expired | Self::ConfirmNext | Self::Stale | Self::NoOption)
    }
}

/// Whether `decision` answers what is asked now. Whether it is among the options comes last: whatever stands in its way
/// before that, an older answer is not in its place.
pub fn judge(
    decision: &Decision,
    form: &Canonical,
    freshness: &Freshness,
    wanted: &Wanted<'_>,
) -> Result<(), Obstacle> {
    compare(form, wanted.form).map_err(Obstacle::Differs)?;
    if decision.limits.retracted {
        return Err(Obstacle::Retracted);
    }
    if !decision.scope.covers(wanted.scope)
        || (decision.limits.own_scope && !has_scope_or_is_same(decision, wanted))
    {
        return Err(Obstacle::Scope);
    }
    if wanted.form.is_vague() && !is_about_the_same(decision, wanted) {
        return Err(Obstacle::Vague);
    }
    holds(decision, freshness, wanted)?;
    let offered = |answer: &str| wanted.options.iter().any(|value| folded(value) == folded(answer));
    match &decision.outcome {
        Outcome::Answered(answer) if !wanted.options.is_empty() && !offered(answer) => {
            Err(Obstacle::NoOption)
        }
        _ => Ok(()),
    }
}

/// Whether a decision still holds, whatever it was about. To the very request that it answers, this is all that matters.
pub fn holds(decision: &Decision, freshness: &Freshness, wanted: &Wanted<'_>) -> Result<(), Obstacle> {
    let limits = &decision.limits;
    if limits.retracted {
        return Err(Obstacle::Retracted);
    }
    let own = decision.scope.repository.as_ref();
    if limits.own_repository && (own.is_none() || own != wanted.scope.repository.as_ref()) {
        return Err(Obstacle::Repository);
    }
    if limits.expires_at.is_some_and(|end| end <= wanted.now) {
        return Err(Obstacle::Expired);
    }
    if limits.confirm_next {
        return Err(Obstacle::ConfirmNext);
    }
    // Dismissed is dismissed until a person opens it again.
    let can_age = matches!(decision.outcome, Outcome::Answered(_));
    if can_age && freshness.value < FRESHNESS_MIN { Err(Obstacle::Stale) } else { Ok(()) }
}

/// Whether both name the same concepts and files, and any at all.
fn is_about_the_same(decision: &Decision, wanted: &Wanted<'_>) -> bool {
    let (own, theirs) = (&decision.scope, wanted.scope);
    let names_any = !own.concepts.is_empty() || !own.files.is_empty();
    names_any && own.concepts == theirs.concepts && own.files == theirs.files
}

/// "Only what it was asked for" of a decision that named nothing is the very same question.
fn has_scope_or_is_same(decision: &Decision, wanted: &Wanted<'_>) -> bool {
    let named = !decision.scope.concepts.is_empty() || !decision.scope.files.is_empty();
    let plain = wanted.scope.concepts.is_empty() && wanted.scope.files.is_empty();
    named || (plain && folded(&decision.question) == wanted.form.folded())
}

/// A decision with what is needed to judge it.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The decision.
    pub decision: Decision,
    /// Its question's form.
    pub form: Canonical,
    /// How fresh it is.
    pub freshness: Freshness,
}

/// Judges candidates, newest first: of several on the very same question, a later one takes the place of those before
/// it, and takes them out of reuse when it is out itself.
pub fn judge_all(candidates: &[Candidate], wanted: &Wanted<'_>) -> Vec<Result<(), Obstacle>> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|one, other| candidates[*other].decision.id.cmp(&candidates[*one].decision.id));
    let mut outcomes: Vec<Result<(), Obstacle>> = vec![Err(Obstacle::Superseded); candidates.len()];
    let mut ruling: Option<&Outcome> = None;
    let mut ended = false;
    for at in order {
        let Candidate { decision, form, freshness } = &candidates[at];
        outcomes[at] = match judge(decision, form, freshness, wanted) {
            Ok(()) if ended => Err(Obstacle::Superseded),
            Ok(()) if ruling.is_some_and(|outcome| !same_answer(outcome, &decision.outcome)) => {
                Err(Obstacle::Superseded)
            }
            Ok(()) => {
                ruling = ruling.or(Some(&decision.outcome));
                Ok(())
            }
            Err(obstacle) => {
                ended |= obstacle.ends_older();
                Err(obstacle)
            }
        };
    }
    outcomes
}

fn same_answer(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::Answered(one), Outcome::Answered(other)) => folded(one) == folded(other),
        (Outcome::Dismissed(_), Outcome::Dismissed(_)) => true,
        _ => false,
    }
}

/// Whether a request joins an open lot: it asks the same, about what may be the same, and offers the same.
pub fn joins(lot_form: &Canonical, lot_options: &[String], lot_scope: &Scope, wanted: &Wanted<'_>) -> bool {
    let fold = |values: &[String]| {
        let mut values: Vec<String> = values.iter().map(|value| folded(value)).collect();
        values.sort_unstable();
        values
    };
    let same_options = fold(lot_options) == fold(wanted.options);
    let same_repository = match (&lot_scope.repository, &wanted.scope.repository) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    same_options
        && same_repository
        && lot_scope.overlaps(wanted.scope)
        && compare(lot_form, wanted.form).is_ok()
}
