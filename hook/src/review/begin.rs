//! `review_begin`: checks everything, then makes the session and starts round 1.

use std::fs;

use prevet_domain::review::input::Values;
use prevet_domain::review::ledger::Claims;
use prevet_domain::review::session::Session;
use prevet_domain::review::subject::{Phase, Subject};
use prevet_wire::review::{BeginParameters, BeginResult};
use prevet_wire::review_files::{RoundRecord, RoundsFile, StateFile, VERSION};

use super::Rounds;
use super::error::ReviewError;
use super::folder::{self, Lock, SessionFolder, Stored};
use super::launch::launch;
use super::settings::Settings;
use super::template::{Template, render};
use super::working_dir::{self, Place};

/// The sandbox of every round: the reviewer never writes.
pub(super) const SANDBOX: &str = "read-only";

impl Rounds {
    /// Begins a session. Whatever is refused leaves nothing behind.
    pub async fn begin(&self, call: &BeginParameters) -> Result<BeginResult, ReviewError> {
        let subject = Subject::parse(&call.skill, call.mode.as_deref())?;
        let place = working_dir::find(&call.working_dir, &self.temp_dir)?;
        let user_file = self.user_config_file.as_deref();
        let settings = Settings::merge(call, &place.repository, user_file)?;
        let values = Values::parse(&call.input, subject, Phase::First)?;
        let load = |template: Template| template.load(&place.repository, user_file);
        let template = load(Template::Prompt(subject, Phase::First))?;
        let skill = subject.skill();
        let analysis = skill.is_peer().then(|| load(Template::Analysis(skill))).transpose()?;
        values.check_names(&[&template, analysis.as_deref().unwrap_or_default()])?;
        let prompt = render(&template, &values);
        let program = settings.reviewer.find(self.search_path.as_deref()).await?;

        let (folder, _lock) = self.create(subject, &place, &settings, &prompt)?;
        if let Err(error) = launch(&self.prevet, &program, &folder).await {
            // There is nothing in it that the error does not say.
            let _ = fs::remove_dir_all(folder.path());
            return Err(error);
        }
        let shown = self.show_on_dashboard(&folder, settings.open_dashboard).await.transpose();
        let (dashboard_url, dashboard_error) = match shown {
            Ok(url) => (url, None),
            Err(why) => (None, Some(why)),
        };
        Ok(BeginResult {
            session_dir: folder.path().display().to_string(),
            round: 1,
            status: "running".to_owned(),
            analysis_prompt: analysis.map(|template| render(&template, &values)),
            dashboard_url,
            dashboard_error,
        })
    }

    fn create(
        &self,
        subject: Subject,
        place: &Place,
        settings: &Settings,
        prompt: &str,
    ) -> Result<(SessionFolder, Lock), ReviewError> {
        let now = self.clock.now();
        let (session, _) = Session::begin(subject);
        let state = StateFile {
            version: VERSION,
            skill: subject.skill().as_str().to_owned(),
            mode: subject.mode().map(|mode| mode.as_str().to_owned()),
            reviewer: settings.reviewer.as_str().to_owned(),
            model: settings.model.clone(),
            effort: settings.effort.clone(),
            sandbox: SANDBOX.to_owned(),
            timeout_seconds: settings.timeout_seconds,
            working_dir: place.working_dir.display().to_string(),
            created_at: now.to_string(),
            round: session.round(),
            thread_id: None,
            ended: None,
        };
        let first = RoundRecord::begin(1, &Claims::default(), now.to_string());
        let rounds = RoundsFile { version: VERSION, rounds: vec![first] };
        let date = now.strftime("%Y%m%d").to_string();
        let stored = Stored { state, rounds, session };
        folder::create(&place.repository, subject.skill(), &date, |folder| {
            folder::write(&folder.prompt(1), prompt.as_bytes())?;
            folder.save(&stored.state, &stored.rounds)
        })
        .inspect(|(folder, _)| folder.refresh_page(&stored))
    }
}
