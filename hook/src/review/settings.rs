//! The settings of a session: the call's, then the repository's, then the user's, then the built-in ones.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use prevet_domain::policy::ReviewSettings;
use prevet_wire::policy_file::{self, FILE_BYTES_MAX, FILE_NAME};
use prevet_wire::review::BeginParameters;
use prevet_wire::user_config;

use super::error::{Code, ReviewError};
use super::reviewer::Reviewer;

const TIMEOUT_SECONDS_DEFAULT: u64 = 18_000;
/// A year: longer is a slip of the keyboard.
const TIMEOUT_SECONDS_MAX: u64 = 366 * 24 * 60 * 60;
const EFFORT_DEFAULT: &str = "high";
const WORD_BYTES_MAX: usize = 128;

/// What a session runs with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The reviewer.
    pub reviewer: Reviewer,
    /// Its model; its own default where none is set.
    pub model: Option<String>,
    /// Its reasoning effort.
    pub effort: String,
    /// The deadline of a round.
    pub timeout_seconds: u64,
    /// Whether the dashboard follows reviews.
    pub open_dashboard: bool,
}

/// Where a value comes from: decides the code of a complaint about it.
struct Source<'s> {
    name: &'s str,
    code: Code,
}

impl Settings {
    /// Merges the layers; every layer is checked, also where another one decides.
    pub fn merge(
        call: &BeginParameters,
        repository: &Path,
        user_file: Option<&Path>,
    ) -> Result<Self, ReviewError> {
        let call = ReviewSettings {
            reviewer: call.reviewer.clone(),
            model: call.model.clone(),
            effort: call.effort.clone(),
            timeout_seconds: call.timeout_seconds,
            open_dashboard: None,
        };
        let policy = repository.join(FILE_NAME);
        let shown = policy.display().to_string();
        let of_repository = match read(&policy)? {
            Some(text) => {
                policy_file::parse(&shown, &text).map_err(|error| invalid(&error.to_string()))?.review
            }
            None => ReviewSettings::default(),
        };
        let user_shown = user_file.map(|file| file.display().to_string()).unwrap_or_default();
        let of_user = match user_file.map(read).transpose()?.flatten() {
            Some(text) => user_config::parse(&user_shown, &text)
                .map_err(|error| invalid(&error.to_string()))?
                .review
                .into(),
            None => ReviewSettings::default(),
        };
        check(&call, &Source { name: "", code: Code::InvalidInput })?;
        check(&of_repository, &Source { name: &shown, code: Code::ConfigInvalid })?;
        check(&of_user, &Source { name: &user_shown, code: Code::ConfigInvalid })?;
        Ok(Self::of_layers(&[call, of_repository, of_user]))
    }

    fn of_layers(layers: &[ReviewSettings]) -> Self {
        let reviewer = layers.iter().find_map(|layer| layer.reviewer.as_deref());
        let effort = layers.iter().find_map(|layer| layer.effort.clone());
        let timeout = layers.iter().find_map(|layer| layer.timeout_seconds);
        Self {
            reviewer: reviewer.and_then(Reviewer::parse).unwrap_or_default(),
            model: layers.iter().find_map(|layer| layer.model.clone()),
            effort: effort.unwrap_or_else(|| EFFORT_DEFAULT.to_owned()),
            timeout_seconds: timeout.unwrap_or(TIMEOUT_SECONDS_DEFAULT),
            open_dashboard: layers.iter().find_map(|layer| layer.open_dashboard).unwrap_or(false),
        }
    }
}

/// Checks what a call changes for a session's later rounds.
pub fn check_change(model: Option<&str>, effort: Option<&str>) -> Result<(), ReviewError> {
    let change = ReviewSettings {
        model: model.map(str::to_owned),
        effort: effort.map(str::to_owned),
        ..ReviewSettings::default()
    };
    check(&change, &Source { name: "", code: Code::InvalidInput })
}

fn check(layer: &ReviewSettings, source: &Source<'_>) -> Result<(), ReviewError> {
    let refused = |problem: String| {
        let place =
            if source.name.is_empty() { String::new() } else { format!("{}: [review] ", source.name) };
        Err(ReviewError::new(source.code, format!("{place}{problem}")))
    };
    if let Some(reviewer) = layer.reviewer.as_deref().filter(|name| Reviewer::parse(name).is_none()) {
        return refused(format!("reviewer is {reviewer:?}, but only codex is known"));
    }
    for (name, value) in [("model", &layer.model), ("effort", &layer.effort)] {
        if let Some(value) = value.as_deref().filter(|value| !is_word(value)) {
            return refused(format!(
                "{name} is {value:?}, but it has to be a name of up to {WORD_BYTES_MAX} letters, digits and . : / _ - @"
            ));
        }
    }
    match layer.timeout_seconds {
        Some(seconds) if seconds == 0 || seconds > TIMEOUT_SECONDS_MAX => {
            refused(format!("timeout_seconds is {seconds}, but it has to be from 1 to {TIMEOUT_SECONDS_MAX}"))
        }
        _ => Ok(()),
    }
}

/// What can be an argument of a program without being taken for an option or for TOML.
pub(super) fn is_word(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || ".:/_-@".contains(c);
    (1..=WORD_BYTES_MAX).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(inner)
}

fn read(file: &Path) -> Result<Option<String>, ReviewError> {
    let unreadable = |why: String| Err(invalid(&format!("{} cannot be read: {why}", file.display())));
    let limit = u64::try_from(FILE_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let mut text = String::new();
    match fs::File::open(file).and_then(|opened| opened.take(limit).read_to_string(&mut text)) {
        Ok(_) if text.len() > FILE_BYTES_MAX => {
            unreadable(format!("it has more than {FILE_BYTES_MAX} bytes"))
        }
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => unreadable(error.to_string()),
    }
}

fn invalid(problem: &str) -> ReviewError {
    ReviewError::new(Code::ConfigInvalid, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(call: &BeginParameters, policy: &str, user: &str) -> Result<Settings, ReviewError> {
        let folder = tempfile::tempdir().unwrap();
        let user_file = folder.path().join("config.toml");
        fs::write(folder.path().join(FILE_NAME), policy).unwrap();
        fs::write(&user_file, user).unwrap();
        Settings::merge(call, folder.path(), Some(&user_file))
    }

    #[test]
    fn the_nearest_layer_decides() {
        let call = BeginParameters { effort: Some("low".into()), ..BeginParameters::default() };
        let policy = "[review]\neffort = \"medium\"\nmodel = \"m1\"\n";
        let user = "[review]\nmodel = \"m2\"\ntimeout_seconds = 7\nopen_dashboard = true\n";
        let settings = merged(&call, policy, user).unwrap();
        assert_eq!((settings.effort.as_str(), settings.model.as_deref()), ("low", Some("m1")));
        assert_eq!((settings.timeout_seconds, settings.open_dashboard), (7, true));
        let default = merged(&BeginParameters::default(), "", "").unwrap();
        assert_eq!((default.effort.as_str(), default.model), ("high", None));
        assert_eq!((default.timeout_seconds, default.open_dashboard), (18_000, false));
    }

    #[test]
    fn what_is_refused() {
        let check = |policy: &str, user: &str, parts: &[&str]| {
            let error = merged(&BeginParameters::default(), policy, user).unwrap_err();
            assert_eq!(error.code, Code::ConfigInvalid, "{error}");
            for part in parts {
                assert!(error.message.contains(part), "{error} lacks {part:?}");
            }
        };
        check("[review]\nefort = \"x\"", "", &[".prevet.toml", "efort"]);
        check("gate = 3", "", &[".prevet.toml", "gate"]);
        check("[review]\nreviewer = \"gemini\"", "", &[".prevet.toml", "gemini", "codex"]);
        check("[review]\ntimeout_seconds = 0", "", &[".prevet.toml", "timeout_seconds"]);
        check("[review]\ntimeout_seconds = -1", "", &[".prevet.toml", "timeout_seconds"]);
        check("", "[review]\nmodel = \"-c\"", &["config.toml", "model"]);
        check("", "[review]\nmodel = 3", &["config.toml", "model"]);
        check("", "[rewiew]\n", &["config.toml", "rewiew"]);
        let call = |call: BeginParameters| merged(&call, "", "").unwrap_err().code;
        let none = BeginParameters::default;
        assert_eq!(call(BeginParameters { timeout_seconds: Some(0), ..none() }), Code::InvalidInput);
        assert_eq!(call(BeginParameters { reviewer: Some("claude".into()), ..none() }), Code::InvalidInput);
        assert_eq!(call(BeginParameters { effort: Some("a\"b".into()), ..none() }), Code::InvalidInput);
    }
}
