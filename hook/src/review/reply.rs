//! `review_reply`: the next round, on the same thread.

use prevet_domain::review::input::Values;
use prevet_domain::review::ledger::Claims;
use prevet_domain::review::session::Event;
use prevet_domain::review::subject::Phase;
use prevet_wire::review::{ReplyParameters, ReplyResult};
use prevet_wire::review_files::RoundRecord;

use super::Rounds;
use super::error::{Code, ReviewError};
use super::folder::{self, SessionFolder, Stored};
use super::launch::launch;
use super::reviewer::Reviewer;
use super::settings::{self, is_word};
use super::template::{Template, render};
use super::wait::told;
use super::working_dir;

/// The session with its thread: whoever was stopped between the writing of its two files has left the one without it.
fn with_thread(folder: &SessionFolder, mut stored: Stored) -> Result<Stored, ReviewError> {
    if stored.session.thread.is_none() {
        stored.session.thread = told(folder, &stored)?.stream.thread.filter(|thread| is_word(thread));
        stored.state.thread_id.clone_from(&stored.session.thread);
    }
    Ok(stored)
}

impl Rounds {
    /// Starts the next round. Whatever is refused leaves the session as it was.
    pub async fn reply(&self, call: &ReplyParameters) -> Result<ReplyResult, ReviewError> {
        let folder = SessionFolder::open(call.session_dir.as_ref())?;
        settings::check_change(call.model.as_deref(), call.effort.as_deref())?;
        let _lock = folder.lock().await?;
        let before = with_thread(&folder, self.settle_locked(&folder).await?)?;
        // Whether it may is asked before what it says.
        before.session.step(Event::Replied(Claims::default()))?;
        let subject = before.session.subject;
        let values = Values::parse(&call.input, subject, Phase::Next)?;
        let claims = Claims::of(&values);
        let (session, _) = before.session.step(Event::Replied(claims.clone()))?;
        let place = working_dir::find(&before.state.working_dir, &self.temp_dir)
            .map_err(|error| ReviewError::new(Code::SessionBroken, error.message))?;
        let template = Template::Prompt(subject, Phase::Next);
        let template = template.load(&place.repository, self.user_config_file.as_deref())?;
        values.check_names(&[&template])?;
        let reviewer = Reviewer::parse(&before.state.reviewer).unwrap_or_default();
        let program = reviewer.find(self.search_path.as_deref()).await?;

        let next = self.next(&before, session, &claims, call);
        let round = next.session.round();
        folder::write(&folder.prompt(round), render(&template, &values).as_bytes())?;
        let started = match folder.save(&next.state, &next.rounds) {
            Ok(()) => launch(&self.prevet, &program, &folder).await,
            failed => failed,
        };
        if let Err(error) = started {
            folder.note(&format!("round {round}: {error}"));
            folder.save(&before.state, &before.rounds)?;
            return Err(error);
        }
        folder.refresh_page(&next);
        Ok(ReplyResult {
            status: "started".to_owned(),
            session_dir: folder.path().display().to_string(),
            round,
            thread_id: next.session.thread.unwrap_or_default(),
        })
    }

    fn next(
        &self,
        before: &Stored,
        session: prevet_domain::review::session::Session,
        claims: &Claims,
        call: &ReplyParameters,
    ) -> Stored {
        let Stored { mut state, mut rounds, .. } = before.clone();
        state.round = session.round();
        state.model = call.model.clone().or(state.model);
        state.effort = call.effort.clone().unwrap_or(state.effort);
        rounds.rounds.push(RoundRecord::begin(session.round(), claims, self.clock.now().to_string()));
        Stored { state, rounds, session }
    }
}
