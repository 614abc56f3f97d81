//! The product's limits, each with its unit last in the name.

/// The largest diff that is accepted, unpacked.
pub const DIFF_BYTES_MAX: usize = 64 << 20;
/// The largest context pack that is accepted, unpacked.
pub const CONTEXT_BYTES_MAX: usize = 32 << 20;
/// The largest request body as it travels (compressed or not). Lambda takes 6 MB a request, of which about
/// 4.5 MB are left where a binary body is carried as base64 (AWS Lambda quotas page).
pub const REQUEST_BODY_BYTES_MAX: usize = 4_500_000;
/// The largest upload that is put into the bucket by itself, packed or not: a diff, a context pack, and the lines between
/// them.
pub const PLACED_BODY_BYTES_MAX: usize = DIFF_BYTES_MAX + CONTEXT_BYTES_MAX + (64 << 10);
/// How long a place for an upload takes one.
pub const PLACE_SECONDS: u64 = 15 * 60;
/// The largest JSON request body, unpacked.
pub const JSON_BODY_BYTES_MAX: usize = 1 << 20;
/// Files in one change.
pub const CHANGE_FILES_MAX: usize = 50_000;
/// A path inside a repository; longer ones do not exist on Linux (`PATH_MAX` is 4,096 with its NUL).
pub const PATH_BYTES_MAX: usize = 4_095;
/// Names that callers choose: repository, developer, branch.
pub const NAME_BYTES_MAX: usize = 255;
/// Free text of a call: intent, pull request title and description.
pub const FREE_TEXT_BYTES_MAX: usize = 64 << 10;
/// A session ends this long after its last use.
pub const SESSION_IDLE_SECONDS: u64 = 30 * 24 * 60 * 60;
/// What one tool result may carry, in tokens (counted as four bytes each).
pub const RESULT_TOKENS_MAX: usize = 20_000;
/// Findings that one report keeps; the rest are counted as not reviewed.
pub const FINDINGS_MAX: usize = 2_000;
/// A file larger than this is not parsed; secrets are looked for in it all the same.
pub const PARSED_FILE_BYTES_MAX: usize = 2 << 20;
/// A decision's question. One that is longer asks for more than a person can answer now.
pub const QUESTION_CHARACTERS_MAX: usize = 2_000;
/// An answer in free text.
pub const ANSWER_CHARACTERS_MAX: usize = 4_000;
/// A reason for dismissing.
pub const REASON_CHARACTERS_MAX: usize = 1_000;
/// Options of one request.
pub const OPTIONS_MAX: usize = 20;
/// An option's label, value or consequence.
pub const OPTION_CHARACTERS_MAX: usize = 500;
/// Concepts of one request or context item.
pub const CONCEPTS_MAX: usize = 20;
/// A concept's name.
pub const CONCEPT_CHARACTERS_MAX: usize = 100;
/// Files of one request.
pub const FILES_MAX: usize = 50;
/// All texts of one request together.
pub const REQUEST_TEXT_BYTES_MAX: usize = 32 << 10;
/// A context item's body.
pub const CONTEXT_BODY_CHARACTERS_MAX: usize = 4_000;
/// A context item's kind.
pub const CONTEXT_KIND_CHARACTERS_MAX: usize = 50;
/// How long one call of `request_decision` may wait.
pub const WAIT_SECONDS_MAX: u32 = 55;
/// How long it waits where nothing is stated.
pub const WAIT_SECONDS_DEFAULT: u32 = 50;
/// A request that nobody has asked again for this long is no longer waited for.
pub const LOT_IDLE_SECONDS: u64 = 30 * 24 * 60 * 60;
/// Matches of one lookup where nothing is stated.
pub const MATCHES_DEFAULT: u32 = 10;
/// Matches of one lookup.
pub const MATCHES_MAX: u32 = 50;
/// Other wordings that one lot holds.
pub const LOT_ASKS_MAX: usize = 50;
/// The `input` of a review round.
pub const REVIEW_INPUT_BYTES_MAX: usize = 1 << 20;
/// What is read of a reviewer's text; the rest counts as not said.
pub const REVIEW_ANSWER_BYTES_MAX: usize = 2 << 20;
/// Rounds of one session.
pub const REVIEW_ROUNDS_MAX: usize = 100;
/// Issues of one round; those that follow are left out, and no verdict approves beside them.
pub const REVIEW_ISSUES_MAX: usize = 500;
