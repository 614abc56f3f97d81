//! End to end: real `sh`, real `git push`, a `prevet` that records what it is given.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::*;

const PREVET: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$RECORDS/prevet.args\"\ncat > \"$RECORDS/prevet.stdin\"\n\
     echo prevet >> \"$RECORDS/order\"\nexit \"${PREVET_EXIT:-0}\"\n";
const OTHER: &str = "printf '%s\\n' \"$@\" > \"$RECORDS/other.args\"\ncat > \"$RECORDS/other.stdin\"\n\
                     echo other >> \"$RECORDS/order\"\nexit \"${OTHER_EXIT:-0}\"\n";

/// A repository with one commit, a bare remote, and a home of its own, in a directory with a space and quotes.
struct World {
    dir: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: TempDir::with_prefix("it's \"a\" world ").unwrap() };
        for name in ["home", "records", "work", "my bin"] {
            fs::create_dir(world.path(name)).unwrap();
        }
        write(&world.path("my bin/prevet"), PREVET, 0o755);
        world.git(&["init", "--quiet", "--initial-branch=main", "."]);
        world.git(&["init", "--quiet", "--bare", "../remote.git"]);
        world.git(&["remote", "add", "origin", "../remote.git"]);
        world.git(&["commit", "--quiet", "--allow-empty", "--message=one"]);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("work")).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.path("home"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("RECORDS", self.path("records"));
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "n").env(format!("GIT_{role}_EMAIL"), "n@example.com");
        }
        command
    }

    fn git(&self, arguments: &[&str]) {
        let output = self.command("git").args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Pushes a new branch; the exit codes of the review and of the other hook as given.
    fn push(&self, branch: &str, prevet_exit: u8, other_exit: u8) -> Output {
        let mut command = self.command("git");
        command.env("PREVET_EXIT", prevet_exit.to_string()).env("OTHER_EXIT", other_exit.to_string());
        command.args(["push", "--quiet", "origin", &format!("HEAD:refs/heads/{branch}")]).output().unwrap()
    }

    fn site(&self, hooks_dir: &str) -> HookSite {
        let hooks_dir = self.path("work").join(hooks_dir);
        let configured = !hooks_dir.ends_with(".git/hooks");
        HookSite {
            work_tree: self.path("work"),
            git_dir: self.path("work/.git"),
            hooks_path_configured: configured.then(|| hooks_dir.clone()),
            hooks_dir,
            binary: self.path("my bin/prevet"),
        }
    }

    fn run(&self, hooks_dir: &str, action: Action) -> Plan {
        let plan = plan(&read(&self.site(hooks_dir)).unwrap(), action).unwrap();
        apply(&plan).unwrap();
        plan
    }

    fn install(&self, hooks_dir: &str) {
        assert!(self.run(hooks_dir, Action::Install).changes_anything());
        assert!(!self.run(hooks_dir, Action::Install).changes_anything(), "a second init changed something");
    }

    fn record(&self, name: &str) -> String {
        let path = self.path("records").join(name);
        let text = fs::read_to_string(&path).unwrap_or_default();
        drop(fs::remove_file(path));
        text
    }

    /// Both got the push's arguments and stdin, the review first; either stops the push.
    fn assert_both_run(&self) {
        let output = self.push("both", 0, 0);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(self.record("order"), "prevet\nother\n");
        assert_eq!(self.record("prevet.args"), "hook\npre-push\norigin\n../remote.git\n");
        assert_eq!(self.record("other.args"), "origin\n../remote.git\n");
        let stdin = self.record("prevet.stdin");
        assert!(stdin.starts_with("HEAD ") && stdin.ends_with('\n'), "{stdin:?}");
        assert_eq!(self.record("other.stdin"), stdin);
        assert!(!self.push("stopped-by-other", 0, 1).status.success());
        assert_eq!(self.record("order"), "prevet\nother\n");
        assert!(!self.push("stopped-by-prevet", 1, 0).status.success());
        assert_eq!(self.record("order"), "prevet\n");
    }
}

fn write(path: &Path, contents: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// All files below `dir` with mode and contents, or what they link to.
fn snapshot(dir: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_symlink() {
                found.push((
                    path.clone(),
                    0,
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(),
                ));
            } else if path.is_dir() {
                open.push(path);
            } else {
                found.push((path.clone(), mode(&path), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[track_caller]
fn check_round_trip(hooks_dir: &str, prepare: impl Fn(&World)) {
    let world = World::new();
    prepare(&world);
    let before = snapshot(&world.path("work"));
    world.install(hooks_dir);
    world.run(hooks_dir, Action::Remove);
    assert_eq!(snapshot(&world.path("work")), before);
    world.install(hooks_dir);
    world.assert_both_run();
}

#[test]
fn plain_shell_hook() {
    check_round_trip(".git/hooks", |world| {
        write(&world.path("work/.git/hooks/pre-push"), &format!("#!/bin/sh\n{OTHER}"), 0o751);
    });
}

#[test]
fn hook_without_shebang_or_last_newline() {
    check_round_trip(".git/hooks", |world| {
        write(&world.path("work/.git/hooks/pre-push"), OTHER.trim_end(), 0o755);
    });
}

#[test]
fn linked_hook() {
    check_round_trip(".git/hooks", |world| {
        write(&world.path("work/scripts/push.sh"), &format!("#!/bin/sh\n{OTHER}"), 0o755);
        symlink("../../scripts/push.sh", world.path("work/.git/hooks/pre-push")).unwrap();
    });
}

#[test]
fn hook_that_looks_at_its_name() {
    check_round_trip(".git/hooks", |world| {
        let text = format!("#!/bin/sh\n[ \"$(basename \"$0\")\" = pre-push ] || exit 9\n{OTHER}");
        write(&world.path("work/.git/hooks/pre-push"), &text, 0o755);
    });
}

#[test]
fn shared_hooks_path() {
    check_round_trip(".githooks", |world| {
        world.git(&["config", "core.hooksPath", ".githooks"]);
        write(&world.path("work/.githooks/pre-push"), &format!("#!/bin/bash\nset -eu\n{OTHER}"), 0o755);
    });
}

#[test]
fn husky_nine_without_last_newline() {
    check_round_trip(".husky/_", |world| {
        world.git(&["config", "core.hooksPath", ".husky/_"]);
        write(
            &world.path("work/.husky/_/h"),
            "sh -e \"$(dirname \"$(dirname \"$0\")\")/pre-push\" \"$@\"",
            0o644,
        );
        write(&world.path("work/.husky/_/pre-push"), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755);
        write(&world.path("work/.husky/pre-push"), OTHER.trim_end(), 0o644);
    });
}

#[test]
fn husky_eight_runs_the_block_once() {
    check_round_trip(".husky", |world| {
        world.git(&["config", "core.hooksPath", ".husky"]);
        let husky = "if [ -z \"$again\" ]; then\n  export again=1\n  sh -e \"$0\" \"$@\"\n  exit $?\nfi\n";
        write(&world.path("work/.husky/_/husky.sh"), husky, 0o644);
        let hook = format!("#!/usr/bin/env sh\n. \"$(dirname -- \"$0\")/_/husky.sh\"\n\n{OTHER}");
        write(&world.path("work/.husky/pre-push"), &hook, 0o755);
    });
}

/// Runs the legacy hook first with the stdin that it read, as pre-commit does.
#[test]
fn pre_commit() {
    let hook = "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\nlines=$(cat)\n\
                if [ -x \"$(dirname \"$0\")/pre-push.legacy\" ]; then\n\
                printf '%s\\n' \"$lines\" | \"$(dirname \"$0\")/pre-push.legacy\" \"$@\" || exit $?\nfi\n";
    check_round_trip(".git/hooks", |world| {
        write(&world.path("work/.git/hooks/pre-push"), hook, 0o755);
        write(&world.path("work/.git/hooks/pre-push.legacy"), &format!("#!/bin/sh\n{OTHER}"), 0o755);
    });
}

#[test]
fn a_hook_that_is_not_executable_stays_unheard() {
    let world = World::new();
    let hook = world.path("work/.git/hooks/pre-push");
    write(&hook, "#!/bin/sh\nexit 1\n", 0o644);
    world.install(".git/hooks");
    assert!(world.push("a", 0, 0).status.success());
    assert_eq!(world.record("order"), "prevet\n");
    world.run(".git/hooks", Action::Remove);
    assert_eq!((mode(&hook), fs::read(&hook).unwrap()), (0o644, b"#!/bin/sh\nexit 1\n".to_vec()));
}

#[test]
fn without_a_hooks_directory() {
    let world = World::new();
    fs::remove_dir_all(world.path("work/.git/hooks")).unwrap();
    world.install(".git/hooks");
    assert!(!world.push("a", 1, 0).status.success());
}

/// The moved-away program is looked for on PATH; without it the push goes on, and that is said.
#[test]
fn a_missing_program_blocks_nothing() {
    let check = |hooks_dir: &str, prepare: &dyn Fn(&World)| {
        let world = World::new();
        prepare(&world);
        world.install(hooks_dir);
        fs::rename(world.path("my bin/prevet"), world.path("records/moved")).unwrap();
        let output = world.push("a", 1, 0);
        assert!(output.status.success());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("prevet: the program is not found"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        world.run(hooks_dir, Action::Remove);
    };
    check(".git/hooks", &|_| {});
    check(".githooks", &|world| {
        world.git(&["config", "core.hooksPath", ".githooks"]);
        write(&world.path("work/.githooks/pre-push"), "#!/bin/sh -eu\ntrue\n", 0o755);
    });
}

#[test]
fn finds_the_program_on_the_path() {
    let world = World::new();
    world.install(".git/hooks");
    fs::create_dir(world.path("elsewhere")).unwrap();
    fs::rename(world.path("my bin/prevet"), world.path("elsewhere/prevet")).unwrap();
    let search = format!("{}:/usr/local/bin:/usr/bin:/bin", world.path("elsewhere").display());
    let mut command = world.command("git");
    command.env("PATH", search).args(["push", "--quiet", "origin", "HEAD:refs/heads/a"]);
    assert!(command.status().unwrap().success());
    assert_eq!(world.record("order"), "prevet\n");
}

/// The bytes arrive as they are, none included, and more of them than a pipe holds.
#[test]
fn stdin_is_the_same_for_both() {
    let check = |shell: &str, hook: &str, stdin: &str| {
        let world = World::new();
        let path = world.path("work/.git/hooks/pre-push");
        write(&path, hook, 0o755);
        world.install(".git/hooks");
        fs::write(world.path("stdin"), stdin).unwrap();
        let mut command = world.command(shell);
        command.arg(&path).stdin(Stdio::from(fs::File::open(world.path("stdin")).unwrap()));
        assert!(command.status().unwrap().success());
        assert_eq!(world.record("prevet.stdin"), stdin);
        assert_eq!(world.record("other.stdin"), stdin);
    };
    let many = "refs/heads/$(x)`y`\\n \"'1\n".repeat(20_000);
    for hook in [format!("#!/bin/sh\n{OTHER}"), format!("#!/bin/sh\n: \"$0\"\n{OTHER}")] {
        for stdin in ["", "a b c d\n", &many] {
            check("sh", &hook, stdin);
            check("bash", &hook, stdin);
        }
    }
}

#[test]
fn an_impossible_place_is_an_error_and_changes_nothing() {
    let world = World::new();
    fs::write(world.path("work/file"), "x").unwrap();
    let facts = read(&world.site("file")).unwrap();
    assert!(plan(&facts, Action::Install).is_err());
    let to = world.path("work/file/below/pre-push");
    let hook = world.path("work/.git/hooks/pre-push");
    write(&hook, "mine", 0o755);
    let steps = vec![
        Step::Move { from: hook.clone(), to: hook.with_file_name(KEPT_NAME) },
        Step::Write { path: to, contents: Vec::new(), mode: 0o755 },
    ];
    let error = apply(&Plan { steps }).unwrap_err();
    assert!(error.to_string().starts_with("could not write"), "{error}");
    assert_eq!(fs::read(&hook).unwrap(), b"mine");
}

#[test]
fn a_failing_step_moves_back_what_was_moved() {
    let world = World::new();
    let hook = world.path("work/.git/hooks/pre-push");
    write(&hook, "mine", 0o755);
    let steps = vec![
        Step::Move { from: hook.clone(), to: hook.with_file_name(KEPT_NAME) },
        Step::Write { path: hook.clone(), contents: b"ours".to_vec(), mode: 0o755 },
        Step::Delete { path: world.path("nowhere") },
    ];
    assert!(apply(&Plan { steps }).is_err());
    assert_eq!(fs::read(&hook).unwrap(), b"mine");
}
