//! A round's `input`: `NAME: value` lines between `---`, then a `## NAME` section for each longer value.

use std::collections::BTreeMap;

use super::markup::{self, lines};
use super::subject::{Need, Phase, Subject, is_placeholder};
use crate::limits::REVIEW_INPUT_BYTES_MAX;

/// The values of a round's placeholders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<String, String>);

/// Why an input is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Over [`REVIEW_INPUT_BYTES_MAX`].
    #[error("input has {bytes} bytes; the limit is {REVIEW_INPUT_BYTES_MAX}")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// Front matter without its second `---`.
    #[error(
        "input's front matter, which `---` opens on line 1, is never closed: put `---` on a line behind it"
    )]
    OpenFrontMatter,
    /// A line of the front matter that is none.
    #[error(
        "line {line} of input is not `NAME: value` (NAME in capitals), as lines between `---` have to be"
    )]
    FrontMatterLine {
        /// From 1.
        line: usize,
    },
    /// Text that belongs to no placeholder.
    #[error("line {line} of input is before the first `## NAME` section: say which placeholder it is for")]
    Stray {
        /// From 1.
        line: usize,
    },
    /// A name that nothing takes.
    #[error(
        "input has {}, which neither the skill nor its template has: mend the name, or make the heading `###` if it \
         belongs to the section above", .names.join(", ")
    )]
    Unknown {
        /// Their names.
        names: Vec<String>,
    },
    /// A name twice.
    #[error("input has {name} twice; the second is on line {line}")]
    Twice {
        /// Which.
        name: String,
        /// From 1.
        line: usize,
    },
    /// What a round does not go without.
    #[error("input lacks {}: give each as a `## NAME` section, or as `NAME: value` between `---` lines", .names.join(", "))]
    Missing {
        /// Their names.
        names: Vec<&'static str>,
    },
    /// None of what a round needs one of.
    #[error("input has none of {}: give at least one as a `## NAME` section", .names.join(", "))]
    MissingAll {
        /// Their names.
        names: Vec<&'static str>,
    },
}

impl Values {
    /// Reads the input of a round.
    pub fn parse(text: &str, subject: Subject, phase: Phase) -> Result<Self, InputError> {
        if text.len() > REVIEW_INPUT_BYTES_MAX {
            return Err(InputError::TooLarge { bytes: text.len() });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut values = Self::default();
        let read = values.front_matter(text)?;
        values.sections(text, read, subject, phase)?;
        values.check(subject, phase)?;
        Ok(values)
    }

    /// Refuses names that no skill has and none of these templates, so that nothing is lost without a word.
    pub fn check_names(&self, templates: &[&str]) -> Result<(), InputError> {
        let is_taken = |name: &&String| {
            is_placeholder(name) || templates.iter().any(|it| it.contains(&format!("{{{{{name}}}}}")))
        };
        let names: Vec<String> = self.0.keys().filter(|name| !is_taken(name)).cloned().collect();
        if names.is_empty() { Ok(()) } else { Err(InputError::Unknown { names }) }
    }

    /// A value; none where it was not given, or is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// How many lines the front matter takes.
    fn front_matter(&mut self, text: &str) -> Result<usize, InputError> {
        let mut numbered = text.lines().enumerate();
        if numbered.next().is_none_or(|(_, first)| first.trim_end() != "---") {
            return Ok(0);
        }
        for (at, text) in numbered {
            if text.trim_end() == "---" {
                return Ok(at + 1);
            }
            if text.trim().is_empty() {
                continue;
            }
            let line = at + 1;
            let (name, value) = text.split_once(':').ok_or(InputError::FrontMatterLine { line })?;
            if !is_name(name.trim()) {
                return Err(InputError::FrontMatterLine { line });
            }
            self.add(name.trim(), value, line)?;
        }
        Err(InputError::OpenFrontMatter)
    }

    fn sections(
        &mut self,
        text: &str,
        skipped: usize,
        subject: Subject,
        phase: Phase,
    ) -> Result<(), InputError> {
        let known = |name: &str| subject.placeholders(phase).iter().any(|(known, _)| *known == name);
        let mut open: Option<(&str, usize, String)> = None;
        for (at, line) in lines(text).enumerate().skip(skipped) {
            let name = section(line.text).filter(|name| !line.quoted && (known(name) || name.contains('_')));
            match (name, &mut open) {
                (Some(name), _) => {
                    if let Some((name, line, value)) = open.replace((name, at + 1, String::new())) {
                        self.add(name, &value, line)?;
                    }
                }
                (None, Some((_, _, value))) => {
                    value.push_str(line.text);
                    value.push('\n');
                }
                (None, None) if line.text.trim().is_empty() => {}
                (None, None) => return Err(InputError::Stray { line: at + 1 }),
            }
        }
        open.map_or(Ok(()), |(name, line, value)| self.add(name, &value, line))
    }

    fn add(&mut self, name: &str, value: &str, line: usize) -> Result<(), InputError> {
        match self.0.insert(name.to_owned(), value.trim().to_owned()) {
            Some(_) => Err(InputError::Twice { name: name.to_owned(), line }),
            None => Ok(()),
        }
    }

    fn check(&self, subject: Subject, phase: Phase) -> Result<(), InputError> {
        let of = |wanted: Need| {
            let placeholders = subject.placeholders(phase).iter();
            placeholders.filter(move |(_, need)| *need == wanted).map(|(name, _)| *name).collect::<Vec<_>>()
        };
        let given = |name: &&'static str| self.get(name).is_some();
        let names: Vec<_> = of(Need::Required).into_iter().filter(|name| !given(name)).collect();
        if !names.is_empty() {
            return Err(InputError::Missing { names });
        }
        let names = of(Need::OneOf);
        if !names.is_empty() && !names.iter().any(given) {
            return Err(InputError::MissingAll { names });
        }
        Ok(())
    }
}

/// The name of a `## NAME` heading.
fn section(line: &str) -> Option<&str> {
    let text = line.strip_prefix("##").filter(|rest| rest.starts_with([' ', '\t']))?;
    markup::heading(line).filter(|name| text.contains(name) && is_name(name))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::super::subject::Mode;
    use super::*;

    const BRANCH: Subject = Subject::Impl(Mode::Branch);

    fn values(text: &str) -> Vec<(String, String)> {
        let values = Values::parse(text, BRANCH, Phase::First).unwrap();
        values.0.into_iter().collect()
    }

    #[test]
    fn front_matter_and_sections() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let expected: Vec<_> =
                expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(values(text), expected, "{text:?}");
        };
        check(
            "---\nBASE_BRANCH: main\n\n---\n\n## USER_REQUEST\n\nAdd: it\n\n",
            &[("BASE_BRANCH", "main"), ("USER_REQUEST", "Add: it")],
        );
        check(
            "\u{feff}---\r\nBASE_BRANCH:  a:b\r\n---\r\n## USER_REQUEST\r\nx\r\n",
            &[("BASE_BRANCH", "a:b"), ("USER_REQUEST", "x")],
        );
        // Headings of the caller's own, and those in a fence, are part of the value.
        check(
            "## BASE_BRANCH\nm\n## USER_REQUEST\n## Goal\n## TODO\n### BASE_BRANCH\n```\n## BASE_BRANCH\n```\n",
            &[
                ("BASE_BRANCH", "m"),
                ("USER_REQUEST", "## Goal\n## TODO\n### BASE_BRANCH\n```\n## BASE_BRANCH\n```"),
            ],
        );
        check(
            "## BASE_BRANCH\nm\n## MY_OWN\nfor my template\n## USER_REQUEST\nx",
            &[("BASE_BRANCH", "m"), ("MY_OWN", "for my template"), ("USER_REQUEST", "x")],
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(---|## [A-Z_]{1,8}|```|[a-z:]|\n|\\PC){0,40}") {
            let whole = format!("## USER_REQUEST\nx\n## BASE_BRANCH\ny\n{text}");
            for text in [&text, &whole] {
                if let Ok(values) = Values::parse(text, BRANCH, Phase::First) {
                    proptest::prop_assert!(values.get("USER_REQUEST").is_some());
                    proptest::prop_assert!(values.get("BASE_BRANCH").is_some());
                }
            }
        }
    }

    #[test]
    fn what_is_refused() {
        let check = |text: &str, expected: InputError| {
            assert_eq!(Values::parse(text, BRANCH, Phase::First), Err(expected), "{text:?}");
        };
        check("---\nBASE_BRANCH: x\n## USER_REQUEST\nx", InputError::FrontMatterLine { line: 3 });
        check("---\nBASE_BRANCH: x\n", InputError::OpenFrontMatter);
        check("---\nbase: x\n---\n", InputError::FrontMatterLine { line: 2 });
        check("---\nno colon\n---\n", InputError::FrontMatterLine { line: 2 });
        check("\nplease review\n", InputError::Stray { line: 2 });
        check("## USER_REQUEST\nx\n", InputError::Missing { names: vec!["BASE_BRANCH"] });
        check("", InputError::Missing { names: vec!["USER_REQUEST", "BASE_BRANCH"] });
        check("## USER_REQUEST\n \n## BASE_BRANCH\nm", InputError::Missing { names: vec!["USER_REQUEST"] });
        check(
            "---\nUSER_REQUEST: x\n---\n## USER_REQUEST\ny",
            InputError::Twice { name: "USER_REQUEST".into(), line: 4 },
        );
        let bytes = REVIEW_INPUT_BYTES_MAX + 1;
        check(&"x".repeat(bytes), InputError::TooLarge { bytes });
        assert_eq!(
            Values::parse("", Subject::Plan, Phase::Next),
            Err(InputError::MissingAll { names: vec!["FIXED_ITEMS", "DISPUTED_ITEMS"] })
        );
        assert!(Values::parse("## NEW_FINDINGS\nx", Subject::Think, Phase::Next).is_ok());
    }
}
