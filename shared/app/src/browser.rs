//! People in a browser: signed in with a human key, for a while, until they sign out.

use std::future::Future;

use prevet_domain::ids::TenantKey;
use serde::{Deserialize, Serialize};

use crate::decisions::Caller;
use crate::decisions::ports::DecisionStore;
use crate::error::{AppError, StorageError};
use crate::ports::Storage;
use crate::{App, sha256};

/// How long somebody stays signed in.
pub const BROWSER_SESSION_SECONDS: u64 = 12 * 60 * 60;
/// How long a link to sign in works, once.
pub const SIGN_IN_LINK_SECONDS: u64 = 5 * 60;

type Answer<T> = Result<T, StorageError>;

/// A browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowserSession {
    /// Whose decisions.
    pub tenant: TenantKey,
    /// The hash of the key that it was signed in with; the key's end is the session's.
    pub key_hash: String,
    /// Proves that a form comes from our own page.
    pub form_token: String,
    /// Seconds since the epoch.
    pub expires_at: u64,
}

/// A link to sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInLink {
    /// The hash of the key that asked for it.
    pub key_hash: String,
    /// Seconds since the epoch.
    pub expires_at: u64,
}

/// What browsers' sessions are kept in, by the hashes of their tokens. Each method is one call.
pub trait BrowserStore: Clone + Send + Sync + 'static {
    /// Keeps a session.
    fn put_browser_session(
        &self,
        token_hash: &str,
        session: &BrowserSession,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// A session, ended or not.
    fn browser_session(
        &self,
        token_hash: &str,
    ) -> impl Future<Output = Answer<Option<BrowserSession>>> + Send;

    /// Forgets a session.
    fn delete_browser_session(&self, token_hash: &str) -> impl Future<Output = Answer<()>> + Send;

    /// Keeps a link.
    fn put_sign_in_link(&self, code_hash: &str, link: &SignInLink)
    -> impl Future<Output = Answer<()>> + Send;

    /// Takes a link away: of two who follow it at once, one has it.
    fn take_sign_in_link(&self, code_hash: &str) -> impl Future<Output = Answer<Option<SignInLink>>> + Send;
}

/// Somebody in a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    /// Who it is.
    pub caller: Caller,
    /// What their forms carry.
    pub form_token: String,
    /// Whether they see the review rounds of the machine that this runs on.
    pub sees_reviews: bool,
}

impl<S: Storage + DecisionStore + BrowserStore> App<S> {
    /// Signs a person in with their key; the session's token.
    pub async fn sign_in(&self, api_key: Option<&str>) -> Result<String, AppError> {
        let caller = self.person(api_key).await?;
        self.start_browser_session(caller.tenant, crate::sessions::key_hash(api_key)?).await
    }

    async fn start_browser_session(&self, tenant: TenantKey, key_hash: String) -> Result<String, AppError> {
        let (token, form_token) = (self.token()?, self.token()?);
        let expires_at = self.now() + BROWSER_SESSION_SECONDS;
        let session = BrowserSession { tenant, key_hash, form_token, expires_at };
        self.storage.put_browser_session(&sha256(token.as_bytes()), &session).await?;
        Ok(token)
    }

    /// Makes a link's code that signs the person of this key in, once.
    pub async fn make_sign_in_link(&self, api_key: Option<&str>) -> Result<String, AppError> {
        self.person(api_key).await?;
        let code = self.token()?;
        let (key_hash, expires_at) = (crate::sessions::key_hash(api_key)?, self.now() + SIGN_IN_LINK_SECONDS);
        self.storage.put_sign_in_link(&sha256(code.as_bytes()), &SignInLink { key_hash, expires_at }).await?;
        Ok(code)
    }

    /// Signs in whoever follows a link; none if it was followed before or is too old.
    pub async fn follow_sign_in_link(&self, code: &str) -> Result<Option<String>, AppError> {
        let link = self.storage.take_sign_in_link(&sha256(code.as_bytes())).await?;
        let Some(link) = link.filter(|link| self.now() < link.expires_at) else { return Ok(None) };
        let record = self.storage.key(&link.key_hash).await?;
        let caller = Caller::person(record.as_ref(), self.now())?;
        self.start_browser_session(caller.tenant, link.key_hash).await.map(Some)
    }

    /// Who the session of `token` belongs to; none where it ended, or the key was revoked. Two reads.
    pub async fn visitor(&self, token: &str) -> Result<Option<Visitor>, AppError> {
        let session = self.storage.browser_session(&sha256(token.as_bytes())).await?;
        let Some(session) = session.filter(|session| self.now() < session.expires_at) else {
            return Ok(None);
        };
        let record = self.storage.key(&session.key_hash).await?;
        let caller = Caller::person(record.as_ref(), self.now()).ok();
        Ok(caller.map(|caller| Visitor {
            sees_reviews: self.reviews_for(&caller).is_some(),
            caller,
            form_token: session.form_token,
        }))
    }

    /// Ends a session.
    pub async fn sign_out(&self, token: &str) -> Result<(), AppError> {
        Ok(self.storage.delete_browser_session(&sha256(token.as_bytes())).await?)
    }
}
