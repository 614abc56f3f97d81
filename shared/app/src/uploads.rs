//! `POST /upload/{session_id}`: replace a session's diff.

use bytes::Bytes;
use prevet_analysis::rule_name;
use prevet_domain::ids::{Revision, SessionId};
use prevet_domain::limits::{
    CONTEXT_BYTES_MAX, DIFF_BYTES_MAX, PLACE_SECONDS, PLACED_BODY_BYTES_MAX, SESSION_IDLE_SECONDS,
};
use prevet_domain::policy::Policy;
use prevet_domain::session::{Product, Session, Upload, authenticate};

use crate::error::AppError;
use crate::inspection::{Contents, verify_contents};
use crate::ports::{Place, Storage};
use crate::sessions::key_hash;
use crate::{App, digest, sha256};

/// What a caller sends.
#[derive(Debug, Clone)]
pub struct UploadDiff {
    /// The diff.
    pub diff: Bytes,
    /// The commit it was taken against.
    pub base: Option<Revision>,
    /// The context pack.
    pub context: Option<Bytes>,
    /// Both, as one object.
    pub body: Vec<u8>,
    /// Both, decoded.
    pub contents: Contents,
}

impl<S: Storage> App<S> {
    /// The live session that this key may upload to. One storage call, before any body is unpacked.
    pub async fn authorize_upload(&self, api_key: Option<&str>, id: &str) -> Result<Session, AppError> {
        let hash = key_hash(api_key)?;
        // An id that is none is unknown, to whoever has a key.
        let (key, session) = match SessionId::parse(id) {
            Ok(id) => self.storage.look_up_upload(&hash, &id).await?,
            Err(_) => (self.storage.key(&hash).await?, None),
        };
        let key = authenticate(key.as_ref(), Product::CodeReview, self.now())?;
        let session =
            session.filter(|session| is_live(session, self.now())).ok_or(AppError::UnknownSession)?;
        if session.identity.tenant != key.tenant {
            return Err(prevet_domain::session::AccessError::OtherTenant.into());
        }
        Ok(session)
    }

    /// A place for a body that does not fit in one request. No storage call.
    pub async fn place_upload(
        &self,
        session: &Session,
        body_bytes: u64,
    ) -> Result<(String, Place), AppError> {
        let bytes = usize::try_from(body_bytes).unwrap_or(usize::MAX);
        within("the upload's body", bytes, PLACED_BODY_BYTES_MAX)?;
        let token = self.token()?;
        let key = place_key(session, &token);
        Ok((token, self.storage.place(&key, body_bytes, PLACE_SECONDS).await?))
    }

    /// Takes away what was put at a place of this session. Two storage calls.
    pub async fn take_placed(&self, session: &Session, token: &str) -> Result<Bytes, AppError> {
        let placed = self.storage.take_placed(&place_key(session, token), PLACED_BODY_BYTES_MAX).await?;
        placed.ok_or_else(|| {
            let text = "nothing was put at this place, or it was taken already: ask for another one, and put the body there";
            AppError::Missing(text.to_owned())
        })
    }

    /// Replaces the session's diff; true if it and its context are those of the last upload and still there.
    /// Two storage calls.
    pub async fn upload_diff(&self, session: &Session, call: UploadDiff) -> Result<bool, AppError> {
        within("the diff", call.diff.len(), DIFF_BYTES_MAX)?;
        within("the context", call.context.as_ref().map_or(0, Bytes::len), CONTEXT_BYTES_MAX)?;
        verify_contents(&call.contents)?;
        if let Some(context) = &call.contents.context {
            verify_rules(&context.policy)?;
        }
        self.keep(call, session).await
    }

    async fn keep(&self, call: UploadDiff, session: &Session) -> Result<bool, AppError> {
        let upload = described(&session.id, &call);
        let unchanged = session.upload.as_ref().is_some_and(|last| *last == upload)
            && self.storage.has_body(&upload.object_key).await?;
        if !unchanged {
            self.storage.put_body(&upload.object_key, call.body).await?;
        }
        let expires_at = self.now() + SESSION_IDLE_SECONDS;
        if !self.storage.record_upload(&session.id, &upload, expires_at).await? {
            return Err(AppError::UnknownSession);
        }
        Ok(unchanged)
    }
}

/// Whether a session has not ended; the table forgets ended ones only some time later.
pub fn is_live(session: &Session, now: u64) -> bool {
    now < session.expires_at
}

/// A place is its session's: nobody else's name for it leads there. The prefix is what the bucket's rule for short-lived
/// objects goes by.
fn place_key(session: &Session, token: &str) -> String {
    format!("placed-{}", digest(&[session.id.as_str(), token].map(str::as_bytes)))
}

/// A rule that is weighed by a name that is none would be weighed by nobody.
fn verify_rules(policy: &Policy) -> Result<(), AppError> {
    match rule_name::unknown(policy.rules.keys()) {
        Some(problem) => Err(AppError::Input(format!(".prevet.toml: {problem}"))),
        None => Ok(()),
    }
}

fn described(session_id: &SessionId, call: &UploadDiff) -> Upload {
    let diff_sha256 = sha256(&call.diff);
    let context_sha256 = call.context.as_ref().map(|context| sha256(context));
    let parts = [session_id.as_str(), &diff_sha256, context_sha256.as_deref().unwrap_or("-")];
    Upload {
        object_key: digest(&parts.map(str::as_bytes)),
        diff_bytes: call.diff.len() as u64,
        diff_sha256,
        context_sha256,
        base: call.base.clone(),
    }
}

fn within(what: &'static str, bytes: usize, limit_bytes: usize) -> Result<(), AppError> {
    if bytes > limit_bytes { Err(AppError::TooLarge { what, bytes, limit_bytes }) } else { Ok(()) }
}
