//! From what the use cases say to what callers get.

use prevet_app::decisions::{Lookup, Match, Standing, Waiting};
use prevet_domain::decision::record::{Decision, Outcome};
use prevet_domain::decision::reuse::Guidance;
use prevet_wire::decisions::{
    CorrectionRecord, LookupResult, MatchRecord, ReceiptRecord, RequestResult, SimilarRecord,
};
use prevet_wire::time::timestamp;

use crate::inbox_api::context_record;

/// A match this near is of medium confidence even where it does not ask the same.
const MEDIUM_SCORE_MIN: f64 = 0.6;
/// When a caller may come again.
const RETRY_AFTER_SECONDS: u64 = 1;
const PENDING: &str = "No person has answered yet; this is not a rejection. Call request_decision again with the very \
    same question and inputs to resume this request. Another wording would be another request.";
const DISMISSED: &str = "A person dismissed this request: do not ask it again, in these or other words. Proceed with \
    your recommendation or the safest reversible path.";

/// The result of a lookup.
pub fn lookup(found: Lookup) -> LookupResult {
    LookupResult {
        status: "ok".to_owned(),
        matches: found.matches.into_iter().map(match_record).collect(),
        context: found.context.iter().map(context_record).collect(),
    }
}

fn match_record(found: Match) -> MatchRecord {
    let confidence = match found.guidance {
        Guidance::Apply => "high",
        Guidance::Confirm if found.score >= MEDIUM_SCORE_MIN => "medium",
        Guidance::Confirm => "low",
    };
    let Decision { id, question, scope, outcome, receipt, .. } = found.decision;
    let answer = match outcome {
        Outcome::Answered(answer) => answer,
        Outcome::Dismissed(_) => String::new(),
    };
    MatchRecord {
        decision_id: id.to_string(),
        question,
        answer,
        score: found.score,
        confidence: confidence.to_owned(),
        freshness: found.freshness.value,
        freshness_reason: found.freshness.reason,
        concepts: scope.concepts,
        files: scope.files,
        reuse_guidance: found.guidance.as_str().to_owned(),
        reuse_reason: found.reason,
        decided_at: timestamp(receipt.at),
    }
}

/// The result of a request.
pub fn standing(standing: Standing) -> RequestResult {
    match standing {
        Standing::Reused(decision) => RequestResult { lot_id: None, ..answered("reused", &decision) },
        Standing::Answered(lot, decision) => {
            RequestResult { lot_id: Some(lot.to_string()), ..answered("answered", &decision) }
        }
        Standing::Dismissed(lot, decision) => RequestResult {
            status: "dismissed".to_owned(),
            lot_id: Some(lot.to_string()),
            reason: match &decision.outcome {
                Outcome::Dismissed(reason) => reason.clone(),
                Outcome::Answered(_) => None,
            },
            receipt: Some(ReceiptRecord::from(&decision.receipt)),
            instruction: Some(DISMISSED.to_owned()),
            ..RequestResult::default()
        },
        Standing::Waiting(waiting) => pending(&waiting),
    }
}

fn answered(status: &str, decision: &Decision) -> RequestResult {
    RequestResult {
        status: status.to_owned(),
        answer: decision.answer().map(str::to_owned),
        decision_id: Some(decision.id.to_string()),
        receipt: Some(ReceiptRecord::from(&decision.receipt)),
        correction: Some(CorrectionRecord::of(decision)),
        trace: Some(format!("decision:{}:{}", decision.id, &decision.receipt.content_hash[..16])),
        ..RequestResult::default()
    }
}

fn pending(waiting: &Waiting) -> RequestResult {
    RequestResult {
        status: "pending".to_owned(),
        decision_ref: Some(waiting.lot.to_string()),
        retry_after_seconds: Some(RETRY_AFTER_SECONDS),
        instruction: Some(PENDING.to_owned()),
        context: waiting.context.iter().map(context_record).collect(),
        similar: waiting.similar.iter().map(SimilarRecord::from).collect(),
        ..RequestResult::default()
    }
}
