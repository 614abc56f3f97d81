//! `share_context`: what others should know, without asking anybody.

use prevet_domain::decision::request::{Scope, text};
use prevet_domain::limits::{CONTEXT_BODY_CHARACTERS_MAX, CONTEXT_KIND_CHARACTERS_MAX};

use super::ports::{ContextItem, DecisionStore, Exact};
use super::{Caller, DecisionError};
use crate::App;
use crate::error::AppError;
use crate::ports::Storage;

/// What is shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContext {
    /// finding, risk, evidence, note …
    pub kind: String,
    /// The text.
    pub body: String,
    /// What it applies to; empty for everything.
    pub concepts: Vec<String>,
    /// The thread that shares it; the key where none is named.
    pub thread: Option<String>,
}

impl<S: Storage + DecisionStore> App<S> {
    /// Shares an item; its id.
    pub async fn share_context(&self, caller: &Caller, call: &NewContext) -> Result<String, AppError> {
        let kind = text("kind", &call.kind, CONTEXT_KIND_CHARACTERS_MAX).map_err(DecisionError::from)?;
        let body = text("body", &call.body, CONTEXT_BODY_CHARACTERS_MAX).map_err(DecisionError::from)?;
        let scope = Scope::parse(&call.concepts, &[], None).map_err(DecisionError::from)?;
        let id = self.timed_id("ctx")?;
        let by = call.thread.clone().unwrap_or_else(|| caller.key_id.clone());
        let audit = self.audit(caller, "shared", &id, &kind)?;
        let item = ContextItem { id: id.clone(), kind, body, concepts: scope.concepts, by, at: self.now() };
        self.storage.put_context(&caller.tenant, &item, &audit).await?;
        Ok(id)
    }

    /// What was shared about concepts, newest first. One read.
    pub(super) async fn context_of(
        &self,
        caller: &Caller,
        concepts: &[String],
    ) -> Result<Vec<ContextItem>, AppError> {
        let exact = Exact { concepts, ..Exact::default() };
        Ok(self.storage.look_up(&caller.tenant, &exact).await?.context)
    }
}
