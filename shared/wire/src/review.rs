//! `review_begin`, `review_wait`, `review_reply`, `review_end`: parameters and results.

use prevet_domain::review::ledger::{Entry, Ledger};
use prevet_domain::review::stream::Activity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of `review_begin`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BeginParameters {
    /// What kind of review: a plan, an implementation, a question thought through by two, or a pull request.
    #[schemars(extend("enum" = ["review-plan", "review-impl", "review-think", "review-pr"]))]
    pub skill: String,
    /// For review-impl only, and needed there: `working-tree` (what is not committed) or `branch` (the commits since
    /// `BASE_BRANCH`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Markdown with the placeholder values: optional front matter of `NAME: value` lines between `---` lines, then a
    /// `## NAME` section for each multi-line value. review-plan: `PLAN_PATH`, `USER_REQUEST`, and where there are any
    /// `SESSION_CONTEXT`, `ACCEPTANCE_CRITERIA`. review-impl: `USER_REQUEST`, `BASE_BRANCH` (branch mode), `SESSION_CONTEXT`.
    /// review-think: QUESTION, `PROJECT_CONTEXT`, `RELEVANT_FILES`, CONSTRAINTS. review-pr: `PR_TITLE`, `BASE_BRANCH`,
    /// `PR_DESCRIPTION`, `COMMIT_COUNT`, `COMMIT_LIST`.
    pub input: String,
    /// Absolute path of the repository under review.
    pub working_dir: String,
    /// The reviewer's model; without it the settings decide, then the reviewer's own default. Kept for later rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The reasoning effort; without it the settings decide, then `high`. Kept for later rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// The deadline for the reviewer in seconds, from 1 on; without it 18000 (5 hours).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub timeout_seconds: Option<u64>,
    /// The reviewer's CLI: only `codex` today. Without it the settings decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["codex", null]))]
    pub reviewer: Option<String>,
}

/// The result of `review_begin`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BeginResult {
    /// What the other three tools are called with.
    pub session_dir: String,
    /// 1.
    pub round: u32,
    /// `running`.
    pub status: String,
    /// For review-think and review-pr: what to write one's own analysis from, before comparing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis_prompt: Option<String>,
    /// Where the dashboard shows the review, when it follows reviews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dashboard_url: Option<String>,
    /// Why the dashboard could not open the session. The review runs all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dashboard_error: Option<String>,
}

/// The parameters of `review_wait`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitParameters {
    /// The `session_dir` that `review_begin` returned.
    pub session_dir: String,
    /// How long this call waits at most, in seconds, from 0 on. It returns early when the round ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_wait_seconds: Option<u64>,
}

/// The result of `review_wait`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitResult {
    /// `running`, `completed`, `failed`, `stalled` or `timeout`.
    pub status: String,
    /// The round's number.
    pub round: u32,
    /// Seconds since the round started; until its end, once it has ended.
    pub elapsed_seconds: u64,
    /// The reviewer's thread, once known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The parsed review, when the round completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// What the reviewer did since the last call.
    pub activities: Vec<ActivityRecord>,
    /// What became of each issue over the rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<LedgerEntry>,
    /// What went wrong, when the round has no review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same in a word: `stalled`, `turn_failed`, `reviewer_process_exit` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// `runner_deadline`, when the status is `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_reason: Option<String>,
    /// Whether `review_reply` can go on on the thread as it was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recoverable: Option<bool>,
    /// Whether the reviewer had done anything before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_observed: Option<bool>,
    /// `running`, `respond`, `cross_check`, `done`, `ask_user` or `stopped`.
    pub next: String,
    /// Why.
    pub next_reason: String,
}

/// A round's review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    /// The reviewer's status in capitals; null where it stated none.
    pub verdict: Option<String>,
    /// The verdict's reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The issues.
    pub blocks: Vec<Block>,
    /// What a peer adds without holding it against anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insights: Vec<Block>,
    /// The reviewer's own words, cut to a bound, where neither verdict nor findings were found in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One issue, or one insight.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// `ISSUE-1`, `INSIGHT-1`: the reviewer's own number.
    pub id: String,
    /// One line.
    pub title: String,
    /// `critical`, `high`, `medium` or `low`; what was not stated counts as high.
    pub severity: String,
    /// Whether it stands in the way of an approval.
    pub blocking: bool,
    /// The fields as the reviewer wrote them.
    pub fields: serde_json::Map<String, serde_json::Value>,
    /// What it wrote before the first field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
}

/// Something that the reviewer did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActivityRecord {
    /// `command`, `tool`, `reasoning`, `message`, `search`, `warning`.
    pub kind: String,
    /// In a line.
    pub text: String,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// An issue over the rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerEntry {
    /// The same in every round.
    pub id: String,
    /// The reviewer's own number when it named it last.
    pub issue: String,
    /// One line.
    pub title: String,
    /// `critical`, `high`, `medium` or `low`.
    pub severity: String,
    /// The file, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// `open`, `fixed`, `disputed`, `withdrawn` or `reappeared`.
    pub status: String,
    /// The round that brought it up.
    pub first_round: u32,
    /// The last round that held it.
    pub last_round: u32,
}

/// The parameters of `review_reply`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplyParameters {
    /// The session.
    pub session_dir: String,
    /// The next round's values, in the same format as for `review_begin`: `FIXED_ITEMS`, `DISPUTED_ITEMS` (review-plan,
    /// review-impl); `AGREED_POINTS`, `DISAGREED_POINTS`, `NEW_FINDINGS` (review-think, review-pr). Name issues as ISSUE-N.
    pub input: String,
    /// Changes the model for this round and later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Changes the effort for this round and later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

/// The result of `review_reply`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplyResult {
    /// `started`.
    pub status: String,
    /// The session.
    pub session_dir: String,
    /// The new round's number.
    pub round: u32,
    /// The reviewer's thread.
    pub thread_id: String,
}

/// The parameters of `review_end`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndParameters {
    /// The session.
    pub session_dir: String,
    /// For review-think and review-pr: what it came to. The other two take the verdict from the last round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["consensus", "stalemate", null]))]
    pub outcome: Option<String>,
}

/// The result of `review_end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndResult {
    /// `ended`.
    pub status: String,
    /// The session.
    pub session_dir: String,
    /// Whether meta.json was written.
    pub finalized: bool,
    /// `APPROVE`, `STALEMATE` or `CONSENSUS`, when it was finalized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Why finalizing failed. The session is stopped all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The result of `prevet review status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusResult {
    /// Newest first.
    pub sessions: Vec<SessionStatus>,
}

/// A session at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStatus {
    /// The session.
    pub session_dir: String,
    /// Its skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// When it was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Whether it was ended.
    #[serde(default)]
    pub ended: bool,
    /// What it came to, when it was finalized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The last round, as `review_wait` tells it, without activities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<WaitResult>,
    /// Why the session cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<&Activity> for ActivityRecord {
    fn from(it: &Activity) -> Self {
        Self { kind: it.kind.to_owned(), text: it.text.clone(), failed: it.failed }
    }
}

impl From<&Entry> for LedgerEntry {
    fn from(it: &Entry) -> Self {
        Self {
            id: it.id.clone(),
            issue: format!("ISSUE-{}", it.number),
            title: it.title.clone(),
            severity: it.severity.as_str().to_owned(),
            file: it.file.clone(),
            status: it.standing.as_str().to_owned(),
            first_round: it.first_round,
            last_round: it.last_round,
        }
    }
}

/// The ledger as results show it.
pub fn ledger(ledger: &Ledger) -> Vec<LedgerEntry> {
    ledger.entries.iter().map(LedgerEntry::from).collect()
}

/// The review of a completed round.
pub fn review(answer: &prevet_domain::review::answer::Answer) -> Review {
    let block = |prefix: &str, it: &prevet_domain::review::answer::Issue, blocking: bool| Block {
        id: format!("{prefix}-{}", it.number),
        title: it.title.clone(),
        severity: it.severity().as_str().to_owned(),
        blocking,
        fields: it.fields.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect(),
        body: it.body.clone(),
    };
    Review {
        verdict: answer.verdict.as_ref().map(|it| it.status.clone()),
        reason: answer.verdict.as_ref().map(|it| it.reason.clone()).unwrap_or_default(),
        blocks: answer.issues.iter().map(|it| block("ISSUE", it, it.is_blocking())).collect(),
        insights: answer.insights.iter().map(|it| block("INSIGHT", it, false)).collect(),
        text: None,
    }
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;
    use serde_json::{Value, json};

    use super::*;

    /// Names of all parameters, and of those that are needed; each is described.
    fn check(schema: &schemars::Schema, names: &[&str], required: &[&str]) {
        let schema = schema.as_value();
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.keys().map(String::as_str).collect::<Vec<_>>(), names);
        assert_eq!(schema["required"], json!(required));
        for (name, property) in properties {
            assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        }
    }

    #[test]
    fn parameters_are_those_of_the_reference() {
        let begin = schema_for!(BeginParameters);
        let names =
            ["skill", "mode", "input", "working_dir", "model", "effort", "timeout_seconds", "reviewer"];
        check(&begin, &names, &["skill", "input", "working_dir"]);
        let skills = &begin.as_value()["properties"]["skill"]["enum"];
        assert_eq!(*skills, json!(["review-plan", "review-impl", "review-think", "review-pr"]));
        check(&schema_for!(WaitParameters), &["session_dir", "max_wait_seconds"], &["session_dir"]);
        let names = ["session_dir", "input", "model", "effort"];
        check(&schema_for!(ReplyParameters), &names, &["session_dir", "input"]);
        check(&schema_for!(EndParameters), &["session_dir", "outcome"], &["session_dir"]);
        let timeout: &Value = &begin.as_value()["properties"]["timeout_seconds"];
        assert_eq!(timeout["minimum"], 1);
    }

    #[test]
    fn wrong_parameters_are_named() {
        let check = |json: Value, field: &str| {
            let error = crate::json::from_value::<BeginParameters>(json).unwrap_err().to_string();
            assert!(error.contains(field), "{error:?} lacks {field:?}");
        };
        check(json!({"skill": "review-plan", "input": "x"}), "working_dir");
        check(json!({"skill": 3, "input": "x", "working_dir": "/"}), "skill");
        let begin = |timeout: Value| json!({"skill": "s", "input": "x", "working_dir": "/", "timeout_seconds": timeout});
        check(begin(json!(-1)), "timeout_seconds");
        check(begin(json!("5")), "timeout_seconds");
        check(begin(json!(1.5)), "timeout_seconds");
    }
}
