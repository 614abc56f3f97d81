//! Which model, and within which bounds.

use std::fmt;

use genai::adapter::AdapterKind;

/// Where the providers are that have one address.
const OPENAI_URL: &str = "https://api.openai.com/v1/";
const ANTHROPIC_URL: &str = "https://api.anthropic.com/v1/";
const OLLAMA_URL: &str = "http://localhost:11434/";

/// A model's settings. They are printed without the key.
#[derive(Clone, PartialEq)]
pub struct ModelSettings {
    /// `anthropic::…`, `openai::…`, `ollama::…`, `bedrock::…`, or a plain name beside [`Self::url`].
    pub model: String,
    /// The base URL of an OpenAI-compatible endpoint, or another address of the named provider.
    pub url: Option<String>,
    /// The provider's key.
    pub api_key: Option<String>,
    /// The longest that one question may take, retries included.
    pub timeout_seconds: u64,
    /// The tokens that one question may have.
    pub input_tokens_max: usize,
    /// US dollars for a million tokens of questions.
    pub usd_per_million_input: f64,
    /// US dollars for a million tokens of answers.
    pub usd_per_million_output: f64,
    /// The tokens that a tenant may use a day.
    pub tokens_per_day: Option<u64>,
    /// US dollars that a tenant may use a day.
    pub usd_per_day: Option<f64>,
}

/// Settings that name no model that can be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A provider that is not known.
    #[error(
        "PREVET_MODEL={0:?} names no provider that is known: write anthropic::, openai::, ollama:: or bedrock:: before \
         the model's name, or set PREVET_MODEL_URL for an OpenAI-compatible endpoint"
    )]
    Provider(String),
    /// A URL that is none.
    #[error("PREVET_MODEL_URL is not an http or https address")]
    Url,
    /// The HTTP client cannot be made.
    #[error("the HTTP client for the model cannot be made")]
    Client,
}

impl fmt::Debug for ModelSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelSettings")
            .field("model", &self.model)
            .field("has_url", &self.url.is_some())
            .field("has_key", &self.api_key.is_some())
            .finish_non_exhaustive()
    }
}

impl ModelSettings {
    /// The provider's protocol and the model's own name.
    pub(crate) fn adapter(&self) -> Result<(AdapterKind, String), SettingsError> {
        let unknown = || SettingsError::Provider(self.model.clone());
        let (kind, name) = match self.model.split_once("::") {
            Some(("anthropic", name)) => (AdapterKind::Anthropic, name),
            Some(("openai", name)) => (AdapterKind::OpenAI, name),
            Some(("ollama", name)) => (AdapterKind::Ollama, name),
            Some(("bedrock", name)) => (AdapterKind::BedrockSigv4, name),
            None if self.url.is_some() => (AdapterKind::OpenAI, self.model.as_str()),
            _ => return Err(unknown()),
        };
        if name.trim().is_empty() { Err(unknown()) } else { Ok((kind, name.to_owned())) }
    }

    /// The address, ending in a slash; none where the provider's own settings say it.
    pub(crate) fn base_url(&self) -> Result<Option<String>, SettingsError> {
        if let Some(url) = &self.url {
            if !url.starts_with("https://") && !url.starts_with("http://") {
                return Err(SettingsError::Url);
            }
            let bare = url.trim_end_matches('/').trim_end_matches("/chat/completions");
            return Ok(Some(format!("{bare}/")));
        }
        let known = match self.adapter()?.0 {
            AdapterKind::OpenAI => Some(OPENAI_URL),
            AdapterKind::Anthropic => Some(ANTHROPIC_URL),
            AdapterKind::Ollama => Some(OLLAMA_URL),
            _ => None,
        };
        Ok(known.map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(model: &str, url: Option<&str>) -> ModelSettings {
        ModelSettings {
            model: model.to_owned(),
            url: url.map(str::to_owned),
            api_key: Some("sk-the-key".to_owned()),
            timeout_seconds: 1,
            input_tokens_max: 1,
            usd_per_million_input: 0.0,
            usd_per_million_output: 0.0,
            tokens_per_day: None,
            usd_per_day: None,
        }
    }

    #[test]
    fn providers() {
        let check = |model: &str, url: Option<&str>, kind: AdapterKind, name: &str, base: Option<&str>| {
            let settings = settings(model, url);
            assert_eq!(settings.adapter(), Ok((kind, name.to_owned())), "{model}");
            assert_eq!(settings.base_url().unwrap().as_deref(), base, "{model}");
        };
        check("anthropic::claude-x", None, AdapterKind::Anthropic, "claude-x", Some(ANTHROPIC_URL));
        check("openai::gpt-x", None, AdapterKind::OpenAI, "gpt-x", Some(OPENAI_URL));
        check("ollama::qwen", None, AdapterKind::Ollama, "qwen", Some(OLLAMA_URL));
        check("bedrock::us.anthropic.x-v1:0", None, AdapterKind::BedrockSigv4, "us.anthropic.x-v1:0", None);
        check("qwen", Some("http://h:1/v1"), AdapterKind::OpenAI, "qwen", Some("http://h:1/v1/"));
        let whole = Some("http://h/v1/chat/completions");
        check("qwen", whole, AdapterKind::OpenAI, "qwen", Some("http://h/v1/"));
        check(
            "ollama::qwen",
            Some("http://gpu:11434"),
            AdapterKind::Ollama,
            "qwen",
            Some("http://gpu:11434/"),
        );
    }

    #[test]
    fn what_names_no_model() {
        assert!(settings("gpt-x", None).adapter().is_err());
        assert!(settings("acme::x", None).adapter().is_err());
        assert!(settings("openai::", None).adapter().is_err());
        assert_eq!(settings("x", Some("ftp://h")).base_url(), Err(SettingsError::Url));
    }

    #[test]
    fn the_key_is_not_printed() {
        assert!(!format!("{:?}", settings("openai::x", None)).contains("the-key"));
    }
}
