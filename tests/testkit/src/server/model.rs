//! A model that says what the test says.

use std::fmt;
use std::sync::{Arc, Mutex};

use prevet_app::model::{Answer, Model, ModelAnswer, ModelError, ModelRequest};
use prevet_domain::ids::TenantKey;

type Script = dyn Fn(&ModelRequest) -> Result<String, ModelError> + Send + Sync;

/// Answers by a script, and keeps what it was asked.
#[derive(Clone)]
pub struct ScriptedModel {
    script: Arc<Script>,
    input_tokens_max: usize,
    requests: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ScriptedModel {
    /// That answers as `script` says, and takes questions of so many tokens.
    pub fn new(
        input_tokens_max: usize,
        script: impl Fn(&ModelRequest) -> Result<String, ModelError> + Send + Sync + 'static,
    ) -> Self {
        Self { script: Arc::new(script), input_tokens_max, requests: Arc::default() }
    }

    /// That gives one answer to everything.
    pub fn saying(answer: &str) -> Self {
        let answer = answer.to_owned();
        Self::new(100_000, move |_| Ok(answer.clone()))
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().expect("a test ended").clone()
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScriptedModel")
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn input_tokens_max(&self) -> usize {
        self.input_tokens_max
    }

    fn ask<'a>(&'a self, _tenant: &'a TenantKey, request: ModelRequest) -> Answer<'a> {
        let text = (self.script)(&request);
        self.requests.lock().expect("a test ended").push(request);
        Box::pin(async move { text.map(|text| ModelAnswer { text, ..ModelAnswer::default() }) })
    }
}
