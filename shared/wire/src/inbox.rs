//! What people send and get: lots, answers, decisions, corrections, the log.

use prevet_domain::decision::lot::{Ask, Lot, Similar};
use prevet_domain::decision::record::{Decision, Outcome, Uses};
use serde::{Deserialize, Serialize};

use crate::decisions::{ContextRecord, ReceiptRecord, SimilarRecord};
use crate::time::timestamp;

/// `GET /inbox/api/lots`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lots {
    /// Open lots, newest first.
    pub lots: Vec<LotRecord>,
}

/// A lot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LotRecord {
    /// Its id.
    pub lot_id: String,
    /// `open`, `answered`, `dismissed`, `expired` or `split`.
    pub state: String,
    /// The question.
    pub question: String,
    /// The answers that are offered; none for free text.
    pub options: Vec<OptionRecord>,
    /// What the agent would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    /// Product areas.
    pub concepts: Vec<String>,
    /// Files or contracts.
    pub files: Vec<String>,
    /// Where it comes from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// When it was opened.
    pub opened_at: String,
    /// Every wording of it.
    pub asks: Vec<AskRecord>,
    /// Who waits.
    pub waiting: Vec<WaitingRecord>,
    /// What was shared about its concepts.
    pub context: Vec<ContextRecord>,
    /// Earlier decisions that are near.
    pub similar: Vec<SimilarRecord>,
    /// What was decided, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionRecord>,
}

/// An option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionRecord {
    /// For people.
    pub label: String,
    /// The answer itself.
    pub value: String,
    /// What follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consequence: Option<String>,
}

/// One wording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskRecord {
    /// Its stable key.
    pub key: String,
    /// The question in these words.
    pub question: String,
    /// When it came first.
    pub asked_at: String,
}

/// Somebody who waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingRecord {
    /// A thread, or a key.
    pub who: String,
    /// Since when.
    pub since: String,
    /// For how long, in seconds.
    pub seconds: u64,
    /// When it asked last.
    pub last_asked_at: String,
}

/// A decision, or a dismissal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DecisionRecord {
    /// Its id.
    pub decision_id: String,
    /// `answered` or `dismissed`.
    pub status: String,
    /// The question.
    pub question: String,
    /// The values that were offered.
    pub options: Vec<String>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why it was dismissed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The lot.
    pub lot_id: String,
    /// Product areas it was asked for.
    pub concepts: Vec<String>,
    /// Files it was asked for.
    pub files: Vec<String>,
    /// The repository that it came from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Proof.
    pub receipt: ReceiptRecord,
    /// How far it reaches.
    pub scope: ReachRecord,
    /// Every correction, oldest first.
    pub corrections: Vec<CorrectedRecord>,
    /// The earlier decision that was confirmed by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<String>,
    /// How often it was applied without asking anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u64>,
    /// When last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// From 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<f64>,
    /// Why it is that fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness_reason: Option<String>,
    /// Every wording that it answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
}

/// How far a decision reaches.
#[expect(clippy::struct_excessive_bools, reason = "a flag for each verb")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReachRecord {
    /// Whether it is reused at all.
    pub reusable: bool,
    /// Only for the files and concepts that it was asked for.
    pub own_files_and_concepts: bool,
    /// Only for the repository that it came from.
    pub own_repository: bool,
    /// A person is asked the next time.
    pub confirm_next: bool,
    /// From when on it does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// A correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CorrectedRecord {
    /// What was said.
    pub verb: String,
    /// By whose key.
    pub by: String,
    /// When.
    pub at: String,
    /// For `expires_after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

impl From<&Decision> for DecisionRecord {
    fn from(decision: &Decision) -> Self {
        let (status, answer, reason) = match &decision.outcome {
            Outcome::Answered(answer) => ("answered", Some(answer.clone()), None),
            Outcome::Dismissed(reason) => ("dismissed", None, reason.clone()),
        };
        let limits = &decision.limits;
        let corrections = decision.corrections.iter().map(|it| CorrectedRecord {
            verb: it.verb.as_str().to_owned(),
            by: it.by.clone(),
            at: timestamp(it.at),
            expires_at: it.expires_at.map(timestamp),
        });
        Self {
            decision_id: decision.id.to_string(),
            status: status.to_owned(),
            question: decision.question.clone(),
            options: decision.options.clone(),
            answer,
            reason,
            lot_id: decision.receipt.lot.to_string(),
            concepts: decision.scope.concepts.clone(),
            files: decision.scope.files.clone(),
            repository: decision.scope.repository.as_ref().map(ToString::to_string),
            receipt: ReceiptRecord::from(&decision.receipt),
            scope: ReachRecord {
                reusable: !limits.retracted,
                own_files_and_concepts: limits.own_scope,
                own_repository: limits.own_repository,
                confirm_next: limits.confirm_next,
                expires_at: limits.expires_at.map(timestamp),
            },
            corrections: corrections.collect(),
            confirms: decision.confirms.as_ref().map(ToString::to_string),
            uses: None,
            last_used_at: None,
            freshness: None,
            freshness_reason: None,
            asked: Vec::new(),
        }
    }
}

impl DecisionRecord {
    /// With how often it was applied.
    #[must_use]
    pub fn with_uses(self, uses: &Uses) -> Self {
        Self { uses: Some(uses.count), last_used_at: uses.last_at.map(timestamp), ..self }
    }
}

impl From<&Similar> for SimilarRecord {
    fn from(similar: &Similar) -> Self {
        Self {
            decision_id: similar.decision.to_string(),
            question: similar.question.clone(),
            answer: similar.answer.clone(),
            reason: similar.reason.clone(),
        }
    }
}

impl From<&Ask> for AskRecord {
    fn from(ask: &Ask) -> Self {
        Self { key: ask.key.clone(), question: ask.question.clone(), asked_at: timestamp(ask.at) }
    }
}

impl LotRecord {
    /// Of a lot alone.
    pub fn new(lot: &Lot, state: &str) -> Self {
        let options = lot.request.choices.iter().map(|choice| OptionRecord {
            label: choice.label.clone(),
            value: choice.value.clone(),
            consequence: choice.consequence.clone(),
        });
        let scope = &lot.request.scope;
        Self {
            lot_id: lot.id.to_string(),
            state: state.to_owned(),
            question: lot.request.question.clone(),
            options: options.collect(),
            recommendation: lot.request.recommendation.clone(),
            concepts: scope.concepts.clone(),
            files: scope.files.clone(),
            repository: scope.repository.as_ref().map(ToString::to_string),
            opened_at: timestamp(lot.opened_at),
            asks: lot.asks.iter().map(AskRecord::from).collect(),
            waiting: Vec::new(),
            context: Vec::new(),
            similar: lot.similar.iter().map(SimilarRecord::from).collect(),
            decision: None,
        }
    }
}

/// `POST /inbox/api/lots/{id}/answer`: one of the three.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerBody {
    /// The value of an option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// An answer in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// An earlier decision whose answer holds here too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<String>,
}

/// `POST /inbox/api/lots/{id}/dismiss`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DismissBody {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `POST /inbox/api/lots/{id}/split`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitBody {
    /// Stable keys of the asks that move to a lot of their own.
    pub asks: Vec<String>,
}

/// What a split came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitResult {
    /// The lot that was split.
    pub lot: LotRecord,
    /// The new one.
    pub new: LotRecord,
}

/// `POST /inbox/api/decisions/{id}/correct`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CorrectBody {
    /// `wrong`, `too_broad`, `only_this_repo`, `ask_next_time` or `expires_after`.
    pub verb: String,
    /// For `expires_after`: a duration (90d) or a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_after: Option<String>,
}

/// `GET /inbox/api/decisions`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// Newest first, or best first for a search.
    pub decisions: Vec<DecisionRecord>,
}

/// `GET /inbox/api/audit`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Newest first.
    pub entries: Vec<AuditRecord>,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// Its id.
    pub id: String,
    /// When.
    pub at: String,
    /// The id of the key.
    pub by: String,
    /// `agent` or `human`.
    pub role: String,
    /// What was done.
    pub action: String,
    /// On what.
    pub subject: String,
    /// More about it.
    pub detail: String,
}

/// A conflict, with what was decided first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// What happened.
    pub error: String,
    /// A stable word for programs.
    pub code: String,
    /// The decision that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionRecord>,
}

/// `POST /inbox/api/sign-in-link`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInLinkRecord {
    /// The link below the server's base URL (without `/mcp`); it works once, for five minutes.
    pub path: String,
}
