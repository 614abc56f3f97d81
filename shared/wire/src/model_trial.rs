//! `POST /model`: one real question to the model.

use serde::{Deserialize, Serialize};

/// What the question came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelTrial {
    /// Provider and model.
    pub model: String,
    /// The beginning of the answer.
    pub answer: String,
    /// Tokens of the question.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// What both cost, in US dollars, where the server knows the prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}
