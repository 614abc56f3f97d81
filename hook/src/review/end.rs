//! `review_end`: stops the reviewer, and writes down what the review came to.

use prevet_domain::review::session::{Conclusion, Ending, Event, Outcome};
use prevet_wire::review::{EndParameters, EndResult, ledger};
use prevet_wire::review_files::{EndedRecord, MetaFile, RunnerFile, VERSION};
use rustix::process::Signal;

use super::Rounds;
use super::error::{Code, ReviewError};
use super::folder::{SessionFolder, Stored, read_json, write_json};
use super::process;

/// How long a runner may take to stop its reviewer; it kills what does not end by itself.
const STOP_SECONDS_MAX: u64 = 20;

impl Rounds {
    /// Ends a session. A second end says the same as the first.
    pub async fn end(&self, call: &EndParameters) -> Result<EndResult, ReviewError> {
        let folder = SessionFolder::open(call.session_dir.as_ref())?;
        let outcome = call.outcome.as_deref().filter(|outcome| !outcome.is_empty());
        let outcome = outcome.map(|name| {
            Outcome::parse(name).ok_or_else(|| {
                let text = format!("outcome is {name:?}, but it has to be consensus or stalemate");
                ReviewError::new(Code::InvalidInput, text)
            })
        });
        let outcome = outcome.transpose()?;
        let _lock = folder.lock().await?;
        let mut stored = self.settle_locked(&folder).await?;
        if stored.session.is_running() {
            stop(&folder, stored.session.round()).await?;
            stored = self.settle_locked(&folder).await?;
        }
        if let Some(ending) = stored.session.ending {
            return Ok(result(&folder, ending, None));
        }
        let (session, _) = stored.session.step(Event::EndAsked(outcome))?;
        stored.session = session;
        let ending = stored.session.ending.unwrap_or(Ending::Stopped);
        let (ending, error) = match ending {
            Ending::Stopped => (Ending::Stopped, None),
            Ending::Finalized(conclusion) => match self.finalize(&folder, &stored, conclusion) {
                Ok(()) => (ending, None),
                Err(error) => {
                    folder.note(&error.message);
                    (Ending::Stopped, Some(error.message))
                }
            },
        };
        stored.session.ending = Some(ending);
        stored.state.ended = Some(EndedRecord { at: self.clock.now().to_string(), verdict: verdict(ending) });
        folder.save(&stored.state, &stored.rounds)?;
        folder.refresh_page(&stored);
        Ok(result(&folder, ending, error))
    }

    fn finalize(
        &self,
        folder: &SessionFolder,
        stored: &Stored,
        conclusion: Conclusion,
    ) -> Result<(), ReviewError> {
        let state = &stored.state;
        let meta = MetaFile {
            version: VERSION,
            session: folder.name(),
            skill: state.skill.clone(),
            mode: state.mode.clone(),
            verdict: conclusion.as_str().to_owned(),
            rounds: stored.session.round(),
            reviewer: state.reviewer.clone(),
            model: state.model.clone(),
            effort: state.effort.clone(),
            thread_id: state.thread_id.clone(),
            created_at: state.created_at.clone(),
            finalized_at: self.clock.now().to_string(),
            ledger: ledger(&stored.session.ledger()),
        };
        write_json(&folder.meta(), &meta)
    }
}

fn verdict(ending: Ending) -> Option<String> {
    match ending {
        Ending::Finalized(conclusion) => Some(conclusion.as_str().to_owned()),
        Ending::Stopped => None,
    }
}

fn result(folder: &SessionFolder, ending: Ending, error: Option<String>) -> EndResult {
    EndResult {
        status: "ended".to_owned(),
        session_dir: folder.path().display().to_string(),
        finalized: matches!(ending, Ending::Finalized(_)),
        verdict: verdict(ending),
        error,
    }
}

/// Stops a round: asks its runner, which stops the reviewer and all that it started; kills both if it does not.
async fn stop(folder: &SessionFolder, round: u32) -> Result<(), ReviewError> {
    let processes = match read_json::<RunnerFile>(&folder.runner(round), Code::SessionBroken) {
        Ok(processes) => processes,
        // Nobody says which processes they are.
        Err(error) if folder.is_round_alive(round) => return Err(error),
        Err(_) => return Ok(()),
    };
    // Only a runner that lives holds the lock: what a repository brought along signals nobody.
    process::signal(&processes.runner, Signal::TERM);
    if folder.lock_round(round, STOP_SECONDS_MAX).await?.is_some() {
        return Ok(());
    }
    let started = process::descendants(&processes.runner);
    for record in started.iter().chain([&processes.reviewer, &processes.runner]) {
        process::signal(record, Signal::KILL);
    }
    if folder.lock_round(round, STOP_SECONDS_MAX).await?.is_some() {
        return Ok(());
    }
    let text = format!(
        "the runner of round {round} still runs, and is not the process that {} names: end it by hand",
        folder.runner(round).display()
    );
    Err(ReviewError::new(Code::SessionBroken, text))
}
