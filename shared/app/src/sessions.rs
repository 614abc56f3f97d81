//! `POST /session`: mint or resume.

use prevet_domain::ids::{Branch, Developer, RepositoryName, Revision, SessionId, TenantKey};
use prevet_domain::limits::SESSION_IDLE_SECONDS;
use prevet_domain::session::{Integration, PriorTask, Product, Session, SessionIdentity, authorize};

use crate::error::AppError;
use crate::ports::{IntegrationLookup, SessionLookup, SessionTouch, Storage};
use crate::{App, sha256};

/// How often a race for an identity is run again before giving up.
const RACES_MAX: usize = 4;

/// What a caller says.
#[derive(Debug, Clone)]
pub struct OpenSession {
    /// The API key, as sent; none if none was.
    pub api_key: Option<String>,
    /// The stated tenant.
    pub tenant: TenantKey,
    /// The repository.
    pub repository: RepositoryName,
    /// Who works.
    pub developer: Option<Developer>,
    /// The current branch.
    pub branch: Branch,
    /// The current head.
    pub head: Revision,
}

/// A session, ready for use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedSession {
    /// Its id.
    pub id: SessionId,
    /// Whether it was there before.
    pub resumed: bool,
    /// The repository's integration, or why there is none.
    pub integration: Result<Integration, String>,
    /// The task checked last, on a resume.
    pub prior_task: Option<PriorTask>,
}

impl<S: Storage> App<S> {
    /// Mints or resumes the session of (tenant, repository, developer). Two storage calls on a resume.
    pub async fn open_session(&self, call: OpenSession) -> Result<OpenedSession, AppError> {
        let hash = key_hash(call.api_key.as_deref())?;
        let stated = SessionIdentity {
            tenant: call.tenant.clone(),
            repository: call.repository.clone(),
            developer: call.developer.clone(),
        };
        let lookup = self.storage.look_up_session(&hash, &call.tenant, &stated).await?;
        authorize(lookup.key.as_ref(), &call.tenant, Product::CodeReview, self.now())?;
        let (session, resumed) = self.resume_or_create(&call, stated, &lookup).await?;
        let integration = integration_or_reason(lookup.integration, &call.repository);
        Ok(OpenedSession { id: session.id, resumed, integration, prior_task: session.prior_task })
    }

    async fn resume_or_create(
        &self,
        call: &OpenSession,
        stated: SessionIdentity,
        lookup: &SessionLookup,
    ) -> Result<(Session, bool), AppError> {
        let identity = canonical(&stated, &lookup.integration);
        let touch = self.touch(call);
        if let Some(session) = self.touched(lookup.session_id.as_ref(), &identity, &touch).await? {
            return Ok((session, true));
        }
        if identity == stated {
            return self.race_for(call, identity, lookup.session_id.clone(), &touch).await;
        }
        // The first call under this one of the repository's names.
        let known = self.storage.session_of(&identity).await?;
        let (session, resumed) = self.race_for(call, identity, known, &touch).await?;
        self.storage.put_alias(&stated, &session.id).await?;
        Ok((session, resumed))
    }

    fn touch(&self, call: &OpenSession) -> SessionTouch {
        let now = self.now();
        let (branch, head) = (call.branch.clone(), call.head.clone());
        SessionTouch { branch, head, now, expires_at: now + SESSION_IDLE_SECONDS }
    }

    /// The session of that id, refreshed, if it lives and is `identity`'s.
    async fn touched(
        &self,
        id: Option<&SessionId>,
        identity: &SessionIdentity,
        touch: &SessionTouch,
    ) -> Result<Option<Session>, AppError> {
        let Some(id) = id else { return Ok(None) };
        let session = self.storage.touch_session(id, touch).await?;
        Ok(session.filter(|session| session.identity == *identity))
    }

    /// Makes the identity's session, or finds the one that another call makes at the same time.
    async fn race_for(
        &self,
        call: &OpenSession,
        identity: SessionIdentity,
        mut known: Option<SessionId>,
        touch: &SessionTouch,
    ) -> Result<(Session, bool), AppError> {
        for _ in 0..RACES_MAX {
            if let Some(session) = self.touched(known.as_ref(), &identity, touch).await? {
                return Ok((session, true));
            }
            let session = self.fresh_session(call, identity.clone(), touch.expires_at)?;
            match self.storage.create_session(&session, known.as_ref()).await? {
                None => return Ok((session, false)),
                Some(winner) => known = Some(winner),
            }
        }
        Err(AppError::Conflict("several calls made this session at once; call again".to_owned()))
    }

    fn fresh_session(
        &self,
        call: &OpenSession,
        identity: SessionIdentity,
        expires_at: u64,
    ) -> Result<Session, AppError> {
        Ok(Session {
            id: SessionId::parse(&self.token()?)?,
            identity,
            branch: call.branch.clone(),
            head: call.head.clone(),
            upload: None,
            generation: 0,
            prior_task: None,
            expires_at,
        })
    }
}

/// The identity by the repository's full name, where that is known: one repository has one session, whatever it is
/// called.
fn canonical(stated: &SessionIdentity, integration: &IntegrationLookup) -> SessionIdentity {
    let repository = match integration {
        IntegrationLookup::One(integration) => integration.full_name.clone(),
        IntegrationLookup::None | IntegrationLookup::Ambiguous(_) => stated.repository.clone(),
    };
    SessionIdentity { repository, ..stated.clone() }
}

/// What a key is kept under.
pub fn key_hash(api_key: Option<&str>) -> Result<String, AppError> {
    let key = api_key.map(str::trim).filter(|key| !key.is_empty());
    Ok(sha256(key.ok_or(prevet_domain::session::AccessError::NoKey)?.as_bytes()))
}

fn integration_or_reason(
    lookup: IntegrationLookup,
    repository: &RepositoryName,
) -> Result<Integration, String> {
    match lookup {
        IntegrationLookup::One(integration) => Ok(integration),
        IntegrationLookup::None => Err(format!(
            "the repository {repository} is not integrated; `prevet admin repo add` connects it. \
             Until then the change is taken against the remote's default branch, or HEAD"
        )),
        IntegrationLookup::Ambiguous(names) => Err(format!(
            "{repository} is the name of several integrated repositories ({}); send the full owner/name as repo",
            names.join(", ")
        )),
    }
}
