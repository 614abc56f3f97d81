//! One real question to the model, for whoever sets it up.

use prevet_domain::session::{Product, authenticate};

use crate::error::AppError;
use crate::model::{ModelAnswer, ModelRequest};
use crate::ports::Storage;
use crate::{App, sha256};

const SYSTEM: &str = "You are asked whether you can be reached. Answer with the one word: ready";
const USER: &str = "Are you there?";
/// Room for the word, and for models that think before it.
const ANSWER_TOKENS_MAX: u32 = 200;

/// What the question came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Provider and model.
    pub model: String,
    /// Its answer.
    pub answer: ModelAnswer,
}

impl<S: Storage> App<S> {
    /// Asks the model one question on the account of the key's tenant.
    pub async fn try_model(&self, api_key: &str) -> Result<Trial, AppError> {
        let record = self.storage.key(&sha256(api_key.as_bytes())).await?;
        let tenant = authenticate(record.as_ref(), Product::CodeReview, self.now())?.tenant.clone();
        let model = self.model.clone().ok_or(AppError::NoModel("prevet doctor --model"))?;
        let (system, user) = (SYSTEM.to_owned(), USER.to_owned());
        let request = ModelRequest { system, user, output_tokens_max: ANSWER_TOKENS_MAX, purpose: "doctor" };
        let answer = model.ask(&tenant, request).await?;
        Ok(Trial { model: model.name(), answer })
    }
}
