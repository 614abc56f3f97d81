//! Prompts: the templates that come with the program, those that a repository or a user puts in their place, and
//! what becomes of `{{NAME}}` in them.

use std::io::ErrorKind;
use std::path::Path;

use prevet_domain::review::input::Values;
use prevet_domain::review::subject::{Mode, Phase, Skill, Subject};

use super::error::{Code, ReviewError};
use super::folder::read_bounded;

const TEMPLATE_BYTES_MAX: u64 = 256 << 10;
/// Below the repository's root, and below the folder of the user's own file.
const FOLDER_IN_REPOSITORY: &str = ".prevet/templates";
const FOLDER_OF_USER: &str = "templates";
const NOTHING_GIVEN: &str = "(nothing given)";

/// Which of the templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// For the reviewer.
    Prompt(Subject, Phase),
    /// For a peer's own analysis.
    Analysis(Skill),
}

impl Template {
    /// The file's name, wherever it lies.
    fn file_name(self) -> String {
        match self {
            Self::Prompt(subject, Phase::Next) => format!("{}-next.md", subject.skill()),
            Self::Prompt(subject, Phase::First) => match subject.mode() {
                Some(mode) => format!("{}-{}.md", subject.skill(), mode.as_str()),
                None => format!("{}.md", subject.skill()),
            },
            Self::Analysis(skill) => format!("{skill}-analysis.md"),
        }
    }

    fn built_in(self) -> &'static str {
        use Phase::{First, Next};
        match self {
            Self::Prompt(Subject::Plan, First) => include_str!("templates/review-plan.md"),
            Self::Prompt(Subject::Plan, Next) => include_str!("templates/review-plan-next.md"),
            Self::Prompt(Subject::Impl(Mode::WorkingTree), First) => {
                include_str!("templates/review-impl-working-tree.md")
            }
            Self::Prompt(Subject::Impl(Mode::Branch), First) => {
                include_str!("templates/review-impl-branch.md")
            }
            Self::Prompt(Subject::Impl(_), Next) => include_str!("templates/review-impl-next.md"),
            Self::Prompt(Subject::Think, First) => include_str!("templates/review-think.md"),
            Self::Prompt(Subject::Think, Next) => include_str!("templates/review-think-next.md"),
            Self::Prompt(Subject::Pr, First) => include_str!("templates/review-pr.md"),
            Self::Prompt(Subject::Pr, Next) => include_str!("templates/review-pr-next.md"),
            Self::Analysis(Skill::Pr) => include_str!("templates/review-pr-analysis.md"),
            Self::Analysis(_) => include_str!("templates/review-think-analysis.md"),
        }
    }

    /// The text: the repository's, else the user's, else the program's own.
    pub fn load(self, repository: &Path, user_file: Option<&Path>) -> Result<String, ReviewError> {
        let of_user = user_file.and_then(Path::parent).map(|folder| folder.join(FOLDER_OF_USER));
        let folders = [Some(repository.join(FOLDER_IN_REPOSITORY)), of_user];
        for folder in folders.into_iter().flatten() {
            if let Some(text) = read(&folder.join(self.file_name()))? {
                return Ok(text);
            }
        }
        Ok(self.built_in().to_owned())
    }
}

fn read(file: &Path) -> Result<Option<String>, ReviewError> {
    let refused = |why: String| {
        let text = format!("the template {} cannot be read: {why}", file.display());
        ReviewError::new(Code::TemplateNotFound, text)
    };
    match read_bounded(file, TEMPLATE_BYTES_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| refused("it is not UTF-8".to_owned())),
        // Also where a file is in place of a folder. A link to nowhere is somebody's mistake.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                && file.symlink_metadata().is_err() =>
        {
            Ok(None)
        }
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Puts the values in place of `{{NAME}}`. A value is not looked at for names again.
pub fn render(template: &str, values: &Values) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        if let Some((name, behind)) = after.split_once("}}").filter(|(name, _)| is_name(name)) {
            text.push_str(values.get(name).unwrap_or(NOTHING_GIVEN));
            rest = behind;
        } else {
            text.push_str("{{");
            rest = after;
        }
    }
    text + rest
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SUBJECTS: [Subject; 5] = [
        Subject::Plan,
        Subject::Impl(Mode::WorkingTree),
        Subject::Impl(Mode::Branch),
        Subject::Think,
        Subject::Pr,
    ];

    #[test]
    fn built_in_templates_have_every_placeholder_and_no_other() {
        for subject in SUBJECTS {
            for phase in [Phase::First, Phase::Next] {
                let text = Template::Prompt(subject, phase).built_in();
                let mut known: Vec<_> = subject.placeholders(phase).iter().map(|(name, _)| *name).collect();
                if subject == Subject::Impl(Mode::WorkingTree) {
                    known.retain(|name| *name != "BASE_BRANCH");
                }
                for name in &known {
                    assert!(text.contains(&format!("{{{{{name}}}}}")), "{subject:?} {phase:?} lacks {name}");
                }
                assert_eq!(text.matches("{{").count(), known.len(), "{subject:?} {phase:?}");
                assert!(text.contains("### VERDICT") && text.contains("- Status:"), "{subject:?} {phase:?}");
            }
        }
    }

    #[test]
    fn values_are_not_expanded_again() {
        let values =
            Values::parse("## QUESTION\n{{CONSTRAINTS}} {{x}}", Subject::Think, Phase::First).unwrap();
        let check = |template: &str, expected: &str| assert_eq!(render(template, &values), expected);
        check("a {{QUESTION}} b", "a {{CONSTRAINTS}} {{x}} b");
        check("{{CONSTRAINTS}}", NOTHING_GIVEN);
        check("{{ QUESTION }} {{question}} {{", "{{ QUESTION }} {{question}} {{");
    }

    #[test]
    fn the_nearest_template_counts() {
        let (repository, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let user_file = home.path().join("config.toml");
        let template = Template::Prompt(Subject::Plan, Phase::First);
        let load = || template.load(repository.path(), Some(&user_file));
        assert_eq!(load().unwrap(), template.built_in());
        let of_user = home.path().join("templates");
        fs::create_dir(&of_user).unwrap();
        fs::write(of_user.join("review-plan.md"), "mine").unwrap();
        assert_eq!(load().unwrap(), "mine");
        let of_repository = repository.path().join(".prevet/templates");
        fs::create_dir_all(&of_repository).unwrap();
        fs::write(of_repository.join("review-plan.md"), "ours").unwrap();
        assert_eq!(load().unwrap(), "ours");
        fs::write(of_repository.join("review-plan.md"), b"\xff").unwrap();
        assert_eq!(load().unwrap_err().code, Code::TemplateNotFound);
        fs::remove_file(of_repository.join("review-plan.md")).unwrap();
        fs::create_dir(of_repository.join("review-plan.md")).unwrap();
        assert_eq!(load().unwrap_err().code, Code::TemplateNotFound);
    }
}
