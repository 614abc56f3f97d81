//! The texts that land on disk. All are POSIX sh, hold under `sh -e`, and end their lines in LF alone.

use std::path::Path;

use super::HookError;

/// The version of all texts below; raised whenever one of them changes.
pub(super) const VERSION: u32 = 1;

/// The first line of a file that we made where others may add to it; one that is this and our block is ours
/// to delete.
pub(super) const CREATED_HEADER: &str = "# Made by `prevet init`; what else is wanted here can be added.\n";
/// The same for husky 8, whose hooks run husky's own script first.
pub(super) const CREATED_HEADER_HUSKY_8: &str = "#!/usr/bin/env sh\n. \"$(dirname -- \"$0\")/_/husky.sh\"\n";

/// How a hook finds the program.
#[derive(Debug, Clone, Copy)]
pub(super) enum Finder<'a> {
    /// By its absolute path: for files that stay on this machine.
    Path(&'a Path),
    /// By the launcher in the git directory: for files that may be committed.
    Launcher,
}

const BY_LAUNCHER: &str = "\
prevet_program=$(git rev-parse --git-common-dir)/prevet/launch || :
";

const READ_AND_REVIEW: &str = r#"{ [ -f "$prevet_program" ] && [ -x "$prevet_program" ]; } ||
  prevet_program=$(command -v prevet) || prevet_program=
prevet_lines=$(cat && printf x)
prevet_lines=${prevet_lines%x}
prevet_status=127
if [ -n "$prevet_program" ]; then
  prevet_status=0
  printf '%s' "$prevet_lines" | "$prevet_program" hook pre-push "$@" || prevet_status=$?
fi
case $prevet_status in
  0) ;;
  126 | 127) echo 'prevet: the program is not found or does not start; this push goes out without a review' >&2 ;;
  *) exit "$prevet_status" ;;
esac
"#;

/// A kept hook that calls us again (as a tool does that was installed over us) is not run a second time.
const RUN_KEPT: &str = r#"
prevet_kept=$(dirname -- "$0")/pre-push.prevet-kept
if [ -f "$prevet_kept" ] && [ -x "$prevet_kept" ] && [ -z "${PREVET_CHAINED-}" ]; then
  printf '%s' "$prevet_lines" | PREVET_CHAINED=1 "$prevet_kept" "$@" || exit $?
fi
"#;

const GIVE_STDIN_BACK: &str = r#"prevet_newline='
'
if [ -n "$prevet_lines" ]; then
exec <<PREVET_LINES
${prevet_lines%"$prevet_newline"}
PREVET_LINES
else
exec </dev/null
fi
"#;

/// A hook that is ours altogether.
pub(super) fn hook(finder: Finder<'_>) -> Result<String, HookError> {
    let find = match finder {
        Finder::Path(binary) => format!("prevet_program={}\n", quoted(binary)?),
        Finder::Launcher => BY_LAUNCHER.to_owned(),
    };
    Ok(format!(
        "#!/bin/sh\n# prevet hook v{VERSION}\n\
         # Written by `prevet init`, which renews it; `prevet init --remove` puts back what was here.\n\
         # The review goes first, since other hooks may send content away; a hook that was here before\n\
         # runs after it, with the same arguments and stdin. Without the program a push is not held up.\n\
         {find}{READ_AND_REVIEW}{RUN_KEPT}"
    ))
}

/// The block for a shell hook that belongs to somebody else: reviews, then gives the rest its stdin back.
pub(super) fn block() -> String {
    format!("{}{BY_LAUNCHER}{READ_AND_REVIEW}{GIVE_STDIN_BACK}{}", begin(), end())
}

/// The block for `lefthook-local.yml`.
pub(super) fn lefthook_yaml() -> String {
    format!("{}{}{}", begin(), lefthook_yaml_body(), end())
}

/// What stands in it.
pub(super) fn lefthook_yaml_body() -> String {
    format!("pre-push:\n  commands:\n    prevet:\n      run: {LEFTHOOK_RUN}\n      use_stdin: true\n")
}

/// The block for `lefthook-local.toml`.
pub(super) fn lefthook_toml() -> String {
    format!("{}[pre-push.commands.prevet]\nrun = '''{LEFTHOOK_RUN}'''\nuse_stdin = true\n{}", begin(), end())
}

const LEFTHOOK_RUN: &str = "launch=\"$(git rev-parse --git-common-dir)/prevet/launch\"; \
                            [ ! -f \"$launch\" ] || sh \"$launch\" hook pre-push {0}";

/// The launcher in the git directory.
pub(super) fn launcher(binary: &Path) -> Result<String, HookError> {
    Ok(format!(
        "#!/bin/sh\n# prevet launcher v{VERSION}\n\
         # Written by `prevet init`: finds the program for hooks that are shared and name no path.\n\
         prevet_program={}\n\
         {{ [ -f \"$prevet_program\" ] && [ -x \"$prevet_program\" ]; }} ||\n  \
         prevet_program=$(command -v prevet) || prevet_program=\n\
         [ -n \"$prevet_program\" ] && exec \"$prevet_program\" \"$@\"\n\
         echo 'prevet: the program is not found; this push goes out without a review' >&2\n",
        quoted(binary)?
    ))
}

fn begin() -> String {
    format!("# >>> prevet v{VERSION} >>> written by `prevet init`; `prevet init --remove` takes it out\n")
}

const fn end() -> &'static str {
    "# <<< prevet <<<\n"
}

/// The path as one word of sh. Git for Windows' sh takes forward slashes.
fn quoted(path: &Path) -> Result<String, HookError> {
    let refused = || HookError::BinaryPath { path: path.to_owned() };
    let text = path.to_str().filter(|text| !text.contains(['\n', '\r'])).ok_or_else(refused)?;
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(quoted(Path::new(path)).ok().as_deref(), expected, "{path:?}");
        };
        check("/opt/my tools/prevet", Some("'/opt/my tools/prevet'"));
        check("/it's $(here)`x`\"", Some(r#"'/it'\''s $(here)`x`"'"#));
        check("/a\nb", None);
    }

    #[test]
    fn shared_texts_name_no_path() {
        assert!(!block().contains("'/"));
        assert!(!hook(Finder::Launcher).unwrap().contains("'/"));
    }
}
