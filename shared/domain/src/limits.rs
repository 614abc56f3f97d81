//! The product's limits, each with its unit last in the name.

/// The largest diff that is accepted, unpacked.
pub const DIFF_BYTES_MAX: usize = 64 << 20;
/// The largest context pack that is accepted, unpacked.
pub const CONTEXT_BYTES_MAX: usize = 32 << 20;
/// The largest request body as it travels (compressed or not). Lambda takes 6 MB a request, of which about
/// 4.5 MB are left where a binary body is carried as base64 (AWS Lambda quotas page).
pub const REQUEST_BODY_BYTES_MAX: usize = 4_500_000;
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
/// The `input` of a review round.
pub const REVIEW_INPUT_BYTES_MAX: usize = 1 << 20;
/// What is read of a reviewer's text; the rest counts as not said.
pub const REVIEW_ANSWER_BYTES_MAX: usize = 2 << 20;
/// Issues of one round; those that follow are left out, and no verdict approves beside them.
pub const REVIEW_ISSUES_MAX: usize = 500;
