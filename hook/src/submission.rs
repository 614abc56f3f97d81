//! The work tree's change on its way to the server's tools: the session it belongs to, and the upload.

use bytes::Bytes;
use prevet_domain::kind::Kind;
use prevet_domain::policy::Policy;
use prevet_wire::session::{SessionRequest, SessionResponse};

use crate::client::Upload;
use crate::commands::inspect;
use crate::context::{self, After};
use crate::error::CommandError;
use crate::git::{LeftOut, Repository};
use crate::inspection::{self, BinarySecrets, Sides};

/// Where there is no change.
pub const NOTHING_CHANGED: &str = "nothing has changed: there is nothing to read";

/// A change, captured and packed.
pub struct Submission {
    /// Its session.
    pub session: SessionResponse,
    /// What is uploaded.
    pub upload: Upload,
    /// What git could not capture.
    pub left_out: Vec<LeftOut>,
    /// What is to be told of what it was compared with.
    pub note: Option<&'static str>,
    /// For an inspection: the secrets in files of which the server sees no text, and the policy as of the base.
    pub binary: Option<(BinarySecrets, Policy)>,
}

/// What a change is captured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be judged.
    Inspection,
    /// To be read.
    Reading,
}

/// What `POST /session` is asked for the branch that is checked out.
pub fn session_request(repository: &Repository, tenant_key: &str) -> Result<SessionRequest, CommandError> {
    let (branch, head) = (repository.branch_name()?, repository.head()?);
    inspection::session_request(repository, tenant_key, &branch, head.as_deref())
}

/// What there is to submit.
pub enum Capture {
    /// A change.
    Change(Box<Submission>),
    /// None, and what is to be told of where it was looked for.
    Nothing(Option<&'static str>),
}

/// Captures the change against `base`, or against the session's own.
pub fn capture(
    repository: &Repository,
    session: SessionResponse,
    base: Option<&str>,
    purpose: Purpose,
) -> Result<Capture, CommandError> {
    let (base, note) = match base {
        Some(base) => (repository.base_id(base)?, None),
        None => inspect::base(repository, &session)?,
    };
    let captured = repository.capture_work_tree(&base)?;
    inspect::tell_left_out(&captured);
    if captured.patch.is_empty() && !captured.left_out.is_empty() {
        let text = "nothing of the change could be captured (see standard error): nothing was read";
        return Err(CommandError::new(Kind::Unavailable, text));
    }
    if captured.patch.is_empty() {
        return Ok(Capture::Nothing(note));
    }
    let patch = Bytes::from(captured.patch);
    let change = inspection::parse(&patch)?;
    let pack = context::build(repository, &change, &base, After::WorkTree)?;
    let binary = match purpose {
        Purpose::Reading => None,
        Purpose::Inspection => {
            let policy = inspection::policy(repository, &base)?;
            let sides = Sides { repository, base: &base, after: After::WorkTree };
            Some((inspection::binary_secrets(sides, &change, &policy)?, policy))
        }
    };
    let upload = Upload::new(&patch, &base, &pack)?;
    Ok(Capture::Change(Box::new(Submission { session, upload, left_out: captured.left_out, note, binary })))
}
