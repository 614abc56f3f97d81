//! What an agent asks for, checked.

use serde::{Deserialize, Serialize};

use super::canonical::folded;
use super::digest;
use crate::ids::{RepositoryName, TenantKey};
use crate::limits::{
    CONCEPT_CHARACTERS_MAX, CONCEPTS_MAX, FILES_MAX, OPTION_CHARACTERS_MAX, OPTIONS_MAX, PATH_BYTES_MAX,
    QUESTION_CHARACTERS_MAX, REQUEST_TEXT_BYTES_MAX,
};

/// One of the answers that are offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// For people.
    pub label: String,
    /// The answer itself.
    pub value: String,
    /// What follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consequence: Option<String>,
}

/// What a question or an answer is about. Nothing stated is the whole of the tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Product areas, folded, sorted, each once.
    pub concepts: Vec<String>,
    /// Files or contracts, sorted, each once.
    pub files: Vec<String>,
    /// Where the request comes from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<RepositoryName>,
}

/// A request for a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The question.
    pub question: String,
    /// The answers that exclude each other; none for free text.
    pub choices: Vec<Choice>,
    /// What the agent would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    /// What it is about.
    pub scope: Scope,
}

/// Why a request cannot be put to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// No text.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// Too long.
    #[error("{what} has {characters} characters; the limit is {limit_characters}")]
    TooLong {
        /// Which text.
        what: &'static str,
        /// Its length.
        characters: usize,
        /// The most that it may have.
        limit_characters: usize,
    },
    /// Too many.
    #[error("there are {count} {what}; the limit is {limit}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// The most that there may be.
        limit: usize,
    },
    /// Two options of the same value, or one alone.
    #[error("the options name {0:?} twice; each option has a value of its own")]
    Repeated(String),
    /// All of it together.
    #[error("the request has {bytes} bytes of text; the limit is {REQUEST_TEXT_BYTES_MAX}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
}

impl Request {
    /// Checks a request and puts it in order.
    pub fn parse(
        question: &str,
        choices: Vec<Choice>,
        recommendation: Option<&str>,
        scope: Scope,
    ) -> Result<Self, RequestError> {
        let question = text("question", question, QUESTION_CHARACTERS_MAX)?;
        let recommendation = recommendation.map(str::trim).filter(|it| !it.is_empty());
        let recommendation =
            recommendation.map(|it| text("recommendation", it, OPTION_CHARACTERS_MAX)).transpose()?;
        let request = Self { question, choices: checked_choices(choices)?, recommendation, scope };
        let bytes = request.bytes();
        if bytes > REQUEST_TEXT_BYTES_MAX { Err(RequestError::TooLarge { bytes }) } else { Ok(request) }
    }

    fn bytes(&self) -> usize {
        let choices = self
            .choices
            .iter()
            .map(|it| it.label.len() + it.value.len() + it.consequence.as_ref().map_or(0, String::len));
        let scope = self.scope.concepts.iter().chain(&self.scope.files).map(String::len);
        self.question.len() + choices.chain(scope).sum::<usize>()
    }

    /// The values of the options, as they were sent.
    pub fn values(&self) -> Vec<String> {
        self.choices.iter().map(|choice| choice.value.clone()).collect()
    }

    /// The same for the same request, whoever sends it and however long it waits: a hash of tenant, question (white
    /// space and case folded), option values, concepts and files.
    pub fn stable_key(&self, tenant: &TenantKey) -> String {
        let mut values: Vec<String> = self.values().iter().map(|value| folded(value)).collect();
        values.sort_unstable();
        let lists = [&values, &self.scope.concepts, &self.scope.files].map(|list| list.join("\u{1f}"));
        let question = folded(&self.question);
        let parts = [tenant.as_str(), &question, &lists[0], &lists[1], &lists[2]];
        digest(&parts)
    }
}

impl Scope {
    /// Checks and orders.
    pub fn parse(
        concepts: &[String],
        files: &[String],
        repository: Option<RepositoryName>,
    ) -> Result<Self, RequestError> {
        let ordered = |what, list: &[String], limit, characters, fold: bool| {
            if list.len() > limit {
                return Err(RequestError::TooMany { what, count: list.len(), limit });
            }
            let one = |it: &String| {
                let it = text(what, it, characters)?;
                Ok(if fold { folded(&it) } else { it })
            };
            let mut list = list.iter().map(one).collect::<Result<Vec<_>, RequestError>>()?;
            list.sort_unstable();
            list.dedup();
            Ok(list)
        };
        Ok(Self {
            concepts: ordered("concepts", concepts, CONCEPTS_MAX, CONCEPT_CHARACTERS_MAX, true)?,
            files: ordered("files", files, FILES_MAX, PATH_BYTES_MAX, false)?,
            repository,
        })
    }

    /// Whether every concept and file of `other` is one of these. Nothing stated is everything, so that a scope that
    /// names something does not cover one that names nothing.
    pub fn covers(&self, other: &Self) -> bool {
        let covered = |own: &[String], theirs: &[String]| {
            own.is_empty() || (!theirs.is_empty() && theirs.iter().all(|it| own.contains(it)))
        };
        covered(&self.concepts, &other.concepts) && covered(&self.files, &other.files)
    }

    /// Whether both may be about the same.
    pub fn overlaps(&self, other: &Self) -> bool {
        let meets = |own: &[String], theirs: &[String]| {
            own.is_empty() || theirs.is_empty() || theirs.iter().any(|it| own.contains(it))
        };
        meets(&self.concepts, &other.concepts) && meets(&self.files, &other.files)
    }
}

/// A text of one to `limit_characters`, trimmed.
pub fn text(what: &'static str, text: &str, limit_characters: usize) -> Result<String, RequestError> {
    let text = text.trim();
    let characters = text.chars().count();
    if characters == 0 {
        return Err(RequestError::Empty(what));
    }
    if characters > limit_characters {
        return Err(RequestError::TooLong { what, characters, limit_characters });
    }
    Ok(text.to_owned())
}

fn checked_choices(choices: Vec<Choice>) -> Result<Vec<Choice>, RequestError> {
    if choices.len() > OPTIONS_MAX {
        return Err(RequestError::TooMany { what: "options", count: choices.len(), limit: OPTIONS_MAX });
    }
    let mut checked: Vec<Choice> = Vec::new();
    for choice in choices {
        let consequence = choice.consequence.as_deref().map(str::trim).filter(|it| !it.is_empty());
        let choice = Choice {
            label: text("an option's label", &choice.label, OPTION_CHARACTERS_MAX)?,
            value: text("an option's value", &choice.value, OPTION_CHARACTERS_MAX)?,
            consequence: consequence
                .map(|it| text("an option's consequence", it, OPTION_CHARACTERS_MAX))
                .transpose()?,
        };
        if checked.iter().any(|other| folded(&other.value) == folded(&choice.value)) {
            return Err(RequestError::Repeated(choice.value));
        }
        checked.push(choice);
    }
    Ok(checked)
}
