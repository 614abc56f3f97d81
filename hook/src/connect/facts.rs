//! What is there, read once.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::document::Document;
use super::{CONFIG_BYTES_MAX, ConnectError, Harness, Homes, Places, skills};

/// What an agent has now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The agent.
    pub harness: Harness,
    /// Where it looks.
    pub places: Places,
    /// The configuration that counts, behind whatever links lead to it.
    pub config: PathBuf,
    /// Its text, where it exists.
    pub text: Option<String>,
    /// What was kept of it beside it, where something was.
    pub backup: Option<String>,
    /// The skills' files.
    pub skills: Vec<SkillFile>,
}

/// A skill's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// The skill.
    pub skill: skills::Skill,
    /// Where it belongs.
    pub path: PathBuf,
    /// What is there.
    pub text: Option<String>,
}

/// Looks at everything of `harness` that connecting it concerns.
pub fn read(harness: Harness, homes: &Homes) -> Result<Facts, ConnectError> {
    let places = harness.places(homes)?;
    let named = places.configs.iter().find(|path| path.exists()).or_else(|| places.configs.first());
    let named = named.cloned().unwrap_or_default();
    // A link, as dotfiles have them, stays one.
    let config = fs::canonicalize(&named).unwrap_or_else(|_| end_of_link(named));
    let skills = skills::ALL.into_iter().map(|skill| {
        let path = places.skills.join(skill.name).join("SKILL.md");
        Ok(SkillFile { skill, text: read_text(&path)?, path })
    });
    Ok(Facts {
        harness,
        text: read_text(&config)?,
        backup: read_text(&backup_of(&config))?,
        skills: skills.collect::<Result<_, ConnectError>>()?,
        config,
        places,
    })
}

/// Where a link leads to whose file is not there yet.
fn end_of_link(path: PathBuf) -> PathBuf {
    match (fs::read_link(&path), path.parent()) {
        (Ok(target), Some(folder)) => folder.join(target),
        _ => path,
    }
}

/// Where a configuration is kept.
pub fn backup_of(config: &Path) -> PathBuf {
    let mut name = config.file_name().unwrap_or_default().to_owned();
    name.push(".before-prevet");
    config.with_file_name(name)
}

/// A file's text; `None` where there is none.
pub fn read_text(path: &Path) -> Result<Option<String>, ConnectError> {
    let failed = |source| ConnectError::File { what: "read", path: path.to_owned(), source };
    // Whatever else has the name would be waited for, or has no end.
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        let problem = "it is no regular file".to_owned();
        return Err(ConnectError::Unreadable { path: path.to_owned(), problem });
    }
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut bytes = Vec::new();
    file.take(CONFIG_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > CONFIG_BYTES_MAX {
        return Err(ConnectError::TooLarge { path: path.to_owned(), limit_bytes: CONFIG_BYTES_MAX });
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| ConnectError::Unreadable {
        path: path.to_owned(),
        problem: "it is not UTF-8".to_owned(),
    })
}

impl Facts {
    /// The configuration's text as a document; of nothing, where there is no file.
    pub fn document(&self) -> Document<'_> {
        self.document_of(self.text.as_deref().unwrap_or_default())
    }

    /// Another text as a document of this agent's.
    pub fn document_of<'a>(&self, text: &'a str) -> Document<'a> {
        Document { format: self.places.format, container: self.places.container, text }
    }

    /// A document that cannot be used, as an error.
    pub fn unreadable(&self, problem: String) -> ConnectError {
        ConnectError::Unreadable { path: self.config.clone(), problem }
    }
}
