//! The model port on the crate `genai`: Anthropic, `OpenAI`, OpenAI-compatible endpoints, Ollama and Bedrock.
//!
//! [`settings`] says which model and within which bounds; [`Llm`] asks it, with time, retries and the tenant's
//! budget bounded. What a provider says in an error is not handed on: some repeat the key there.

mod budget;
mod failure;
pub mod settings;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatResponse};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ModelSpec, ServiceTarget};
use prevet_app::model::{Answer, Model, ModelAnswer, ModelError, ModelRequest};
use prevet_app::usage::Usage;
use prevet_domain::ids::TenantKey;
use tokio::time::{Instant, timeout_at};

use crate::budget::Budget;
use crate::failure::{Attempt, classify};
use crate::settings::{ModelSettings, SettingsError};

/// How often one question is put to the provider at most.
const ATTEMPTS_MAX: u32 = 3;
/// The first wait between two attempts; each one after it is twice as long.
const BACKOFF_MILLISECONDS: u64 = 500;
/// A provider that asks for a longer pause is not waited for.
const RETRY_AFTER_SECONDS_MAX: u64 = 20;
/// What of an answer is looked at.
const ANSWER_BYTES_MAX: usize = 1 << 20;
const CONNECT_TIMEOUT_SECONDS: u64 = 10;

/// A configured model.
#[derive(Debug, Clone)]
pub struct Llm {
    client: Client,
    target: ModelSpec,
    name: String,
    timeout_seconds: u64,
    input_tokens_max: usize,
    budget: Budget,
}

impl Llm {
    /// The model of `settings`, whose cost is recorded by `usage` on the day that `now_seconds` says.
    pub fn new(
        settings: &ModelSettings,
        usage: Arc<dyn Usage>,
        now_seconds: fn() -> u64,
    ) -> Result<Self, SettingsError> {
        let (kind, name) = settings.adapter()?;
        let web = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(CONNECT_TIMEOUT_SECONDS))
            // A key is for the configured address alone.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|_| SettingsError::Client)?;
        let client = Client::builder().with_reqwest(web).build().map_err(|_| SettingsError::Client)?;
        let model = ModelIden::new(kind, name);
        let target = match settings.base_url()? {
            // Bedrock's address follows the region that the role's own settings name.
            None => ModelSpec::Iden(model),
            Some(url) => {
                let auth = AuthData::Key(settings.api_key.clone().unwrap_or_default());
                ModelSpec::Target(ServiceTarget { endpoint: Endpoint::from_owned(url), auth, model })
            }
        };
        Ok(Self {
            client,
            target,
            name: settings.model.clone(),
            timeout_seconds: settings.timeout_seconds,
            input_tokens_max: settings.input_tokens_max,
            budget: Budget::new(settings, usage, now_seconds),
        })
    }

    async fn answer(
        &self,
        tenant: &TenantKey,
        request: ModelRequest,
        budget_micro_usd: Option<u64>,
    ) -> Result<ModelAnswer, ModelError> {
        let reserved = self.budget.reserve(tenant, &request, budget_micro_usd).await?;
        let outcome = self.attempts(&request).await;
        self.budget.settle(tenant, request.purpose, reserved, outcome.as_ref().ok()).await;
        outcome.map(|answer| ModelAnswer {
            micro_usd: self.budget.cost_micro_usd(answer.input_tokens, answer.output_tokens),
            ..answer
        })
    }

    async fn attempts(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let deadline = Instant::now() + Duration::from_secs(self.timeout_seconds);
        let mut backoff = Duration::from_millis(BACKOFF_MILLISECONDS);
        for attempt in 1.. {
            let timed_out = ModelError::TimedOut { seconds: self.timeout_seconds };
            let Ok(outcome) = timeout_at(deadline, self.attempt(request)).await else {
                return Err(timed_out);
            };
            let (error, pause) = match outcome {
                Ok(answer) => return Ok(answer),
                Err(Attempt::Final(error)) => return Err(error),
                Err(Attempt::Again { error, retry_after }) => (error, retry_after.unwrap_or(backoff)),
            };
            let too_long = pause > Duration::from_secs(RETRY_AFTER_SECONDS_MAX)
                || Instant::now() + pause >= deadline
                || attempt >= ATTEMPTS_MAX;
            if too_long {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            backoff *= 2;
        }
        Err(ModelError::Failed("no attempt was made".to_owned()))
    }

    async fn attempt(&self, request: &ModelRequest) -> Result<ModelAnswer, Attempt> {
        let messages = vec![ChatMessage::user(request.user.clone())];
        let chat = ChatRequest::new(messages).with_system(request.system.clone());
        let options = ChatOptions::default().with_max_tokens(request.output_tokens_max);
        let response = self.client.exec_chat(self.target.clone(), chat, Some(&options)).await;
        response.map(|response| answer_of(request, &response)).map_err(|error| classify(&error))
    }
}

impl Model for Llm {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn input_tokens_max(&self) -> usize {
        self.input_tokens_max
    }

    fn ask<'a>(&'a self, tenant: &'a TenantKey, request: ModelRequest) -> Answer<'a> {
        Box::pin(self.answer(tenant, request, None))
    }

    fn ask_within<'a>(
        &'a self,
        tenant: &'a TenantKey,
        request: ModelRequest,
        budget_micro_usd: Option<u64>,
    ) -> Answer<'a> {
        Box::pin(self.answer(tenant, request, budget_micro_usd))
    }
}

/// The answer's text, bounded, and what it cost; estimated where the provider does not say.
fn answer_of(request: &ModelRequest, response: &ChatResponse) -> ModelAnswer {
    let mut text = response.content.joined_texts().unwrap_or_default();
    if text.len() > ANSWER_BYTES_MAX {
        let end = (0..=ANSWER_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    let counted = |tokens: Option<i32>| tokens.and_then(|it| u64::try_from(it).ok()).filter(|it| *it > 0);
    let input = counted(response.usage.prompt_tokens).unwrap_or_else(|| budget::question_tokens(request));
    let output = counted(response.usage.completion_tokens).unwrap_or_else(|| budget::tokens(text.len()));
    ModelAnswer { text, input_tokens: input, output_tokens: output, micro_usd: None }
}
