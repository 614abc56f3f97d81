//! What a process's environment says about the repository, and what git's children get to see of it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Where to look for the repository. The program's configuration fills it; nothing here reads the environment.
#[derive(Debug, Clone, Default)]
pub struct GitEnvironment {
    /// The folder to start from.
    pub cwd: PathBuf,
    /// `GIT_DIR`, which git sets for a hook; may be relative to `cwd`.
    pub git_dir: Option<OsString>,
    /// `GIT_WORK_TREE`.
    pub git_work_tree: Option<OsString>,
    /// Where private files may live for as long as a command runs.
    pub temp_dir: PathBuf,
    /// What git's processes get on top of what this process has.
    pub variables: Vec<(OsString, OsString)>,
}

impl GitEnvironment {
    /// Looks from `cwd`, with private files in `temp_dir` and nothing inherited from a surrounding git.
    pub fn new(cwd: impl Into<PathBuf>, temp_dir: impl Into<PathBuf>) -> Self {
        Self { cwd: cwd.into(), temp_dir: temp_dir.into(), ..Self::default() }
    }
}

/// What ties a process to one repository (`git rev-parse --local-env-vars`): a hook inherits these, and a child
/// that does so too reads the wrong repository. The configuration of `git -c` is no such tie and stays, as git
/// itself keeps it for submodules: `safe.directory` may be in it.
const REPOSITORY_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// What changes how git reads its arguments or shows a patch, whatever the options on its command line.
const PRESENTATION_VARIABLES: &[&str] = &[
    "GIT_ATTR_SOURCE",
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
];

/// Git's answers in English, without a question to anybody and without a write that nobody asked for.
const FIXED_VARIABLES: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
];

/// Gives `command` an environment that no surrounding git and no setting of the user's shell bends.
pub(super) fn apply(command: &mut Command, environment: &GitEnvironment) {
    for name in REPOSITORY_VARIABLES.iter().chain(PRESENTATION_VARIABLES) {
        command.env_remove(name);
    }
    command.envs(environment.variables.iter().map(|(name, value)| (name, value)));
    command.envs(FIXED_VARIABLES.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_what_git_calls_local() {
        let output = Command::new("git").args(["rev-parse", "--local-env-vars"]).output().unwrap();
        let kept = ["GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"];
        for name in String::from_utf8(output.stdout).unwrap().lines() {
            assert!(REPOSITORY_VARIABLES.contains(&name) || kept.contains(&name), "{name} is inherited");
        }
    }
}
