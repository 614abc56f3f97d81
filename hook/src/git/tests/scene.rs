//! A throw-away repository, and the comparison of a capture with what git prints.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use tempfile::TempDir;

use crate::git::{Captured, GitEnvironment, Repository, environment};

/// A repository `repo` in a temporary folder that is also `HOME` and holds nothing of the user's.
pub(super) struct Scene {
    home: TempDir,
    /// The folder that is captured.
    pub root: PathBuf,
}

/// What makes git show a patch as if nobody had configured it, written down once more on purpose.
const PLAIN_SETTINGS: &[&str] = &[
    "core.splitIndex=false",
    "core.quotePath=true",
    "core.safecrlf=false",
    "core.abbrev=auto",
    "color.ui=false",
    "diff.suppressBlankEmpty=false",
    "diff.renameLimit=1000",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.relative=false",
    "diff.wsErrorHighlight=none",
];
const PLAIN_DIFF: &str = "diff --patch --no-color --no-ext-diff --no-textconv --src-prefix=a/ --dst-prefix=b/ \
    -U3 --inter-hunk-context=0 --diff-algorithm=myers --indent-heuristic -M50% -l1000 --submodule=short \
    --no-relative --output-indicator-new=+ --output-indicator-old=- -O/dev/null";

impl Scene {
    /// A repository without a commit.
    pub fn empty(init: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("repo");
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(home.path().join("tmp")).unwrap();
        let settings = "[user]\nname = a\nemail = a@example.test\n[protocol \"file\"]\nallow = always\n[gc]\nauto = 0\n\
                        [core]\nfsync = none\n\
                        [init]\ndefaultBranch = main\n[advice]\ndetachedHead = false\n";
        fs::write(home.path().join(".gitconfig"), settings).unwrap();
        let scene = Self { home, root };
        scene.git(&[&["init", "-q"], init].concat());
        scene
    }

    /// Some files on `main`, which is also `origin/main`, and one commit more on `feature`, checked out.
    pub fn standard() -> Self {
        Self::standard_with(&[])
    }

    /// The same, made with options for `git init`.
    pub fn standard_with(init: &[&str]) -> Self {
        let scene = Self::empty(init);
        for (name, lines) in
            [("a.txt", 40), ("b.txt", 60), ("c.txt", 30), ("dir/d.txt", 25), ("dir/e.txt", 25)]
        {
            scene.write(name, text(name, lines));
        }
        scene.write("bytes.bin", (0..=255).cycle().take(2560).collect::<Vec<u8>>());
        scene.write("crlf.txt", "one\r\ntwo\r\nthree\r\n");
        scene.write("open.txt", "first\nlast without newline");
        scene.write("script.sh", "#!/bin/sh\necho hello\n");
        scene.write("nothing", "");
        scene.write(".gitignore", "*.log\n/build/\n");
        std::os::unix::fs::symlink("a.txt", scene.path("link")).unwrap();
        scene.commit_as_base();
        scene.git(&["checkout", "-q", "-b", "feature"]);
        scene.write("feature.txt", text("feature", 5));
        scene.commit();
        scene
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.root.join(Path::new(name.as_ref()))
    }

    pub fn write(&self, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn remove(&self, name: &str) {
        let path = self.path(name);
        if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
            .unwrap();
    }

    pub fn rename(&self, from: &str, to: &str) {
        fs::create_dir_all(self.path(to).parent().unwrap()).unwrap();
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    pub fn link(&self, name: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
    }

    pub fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Replaces one line, counted from 0.
    pub fn edit(&self, name: &str, line: usize) {
        let old = self.read(name);
        let mut lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
        lines[line] = b"another line\n";
        self.write(name, lines.concat());
    }

    pub fn config(&self, name: &str, value: &str) {
        self.git(&["config", name, value]);
    }

    pub fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "commit"]);
    }

    /// Commits, and makes that what the work tree is compared with.
    pub fn commit_as_base(&self) {
        self.commit();
        self.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(&self.root, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {stderr}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub fn try_git(&self, folder: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        environment::apply(&mut command, &self.environment(folder));
        command.current_dir(folder).args(arguments).output().unwrap()
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        let date = "2024-01-01T00:00:00Z";
        let fixed = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", ""),
            ("GIT_AUTHOR_DATE", date),
            ("GIT_COMMITTER_DATE", date),
            ("LC_ALL", "C"),
        ];
        let mut variables: Vec<_> = fixed.iter().map(|(name, value)| (name.into(), value.into())).collect();
        variables[1].1 = self.home().join(".gitconfig").into();
        variables.push(("HOME".into(), self.home().into()));
        variables.push(("XDG_CONFIG_HOME".into(), self.home().join("xdg").into()));
        variables
    }

    /// What a program that runs in `folder` would see.
    pub fn environment(&self, folder: &Path) -> GitEnvironment {
        let variables = self.variables();
        GitEnvironment { variables, ..GitEnvironment::new(folder, self.home().join("tmp")) }
    }

    pub fn repository(&self) -> Repository {
        Repository::discover(&self.environment(&self.root)).unwrap()
    }

    /// What everything is compared with: the merge base, else the last commit, else nothing.
    pub fn base(&self) -> String {
        for asked in [
            &["merge-base", "refs/remotes/origin/main", "HEAD"][..],
            &["rev-parse", "-q", "--verify", "HEAD"],
        ] {
            let output = self.try_git(&self.root, asked);
            if output.status.success() {
                return String::from_utf8(output.stdout).unwrap().trim().to_owned();
            }
        }
        self.git(&["hash-object", "-t", "tree", "/dev/null"])
    }

    /// Captures, and compares with git; returns what was captured.
    pub fn check(&self) -> Captured {
        self.check_from(&self.environment(&self.root))
    }

    /// The same, found from another folder or with variables of a hook.
    pub fn check_from(&self, environment: &GitEnvironment) -> Captured {
        let base = self.base();
        let expected = self.recipe_on_a_copy(&base);
        let before = self.snapshot();
        let captured = Repository::discover(environment).unwrap().capture_work_tree(&base).unwrap();
        assert_eq!(self.snapshot(), before, "the capture changed files");
        assert_eq!(
            String::from_utf8_lossy(&captured.patch),
            String::from_utf8_lossy(&expected),
            "left: captured, right: git"
        );
        assert_eq!(captured.patch, expected);
        captured
    }

    fn recipe_on_a_copy(&self, base: &str) -> Vec<u8> {
        let copy = tempfile::tempdir().unwrap();
        let copied = Command::new("cp").arg("-a").arg(self.home()).arg(copy.path()).status().unwrap();
        assert!(copied.success());
        let home = copy.path().join(self.home().file_name().unwrap());
        let root = home.join(self.root.strip_prefix(self.home()).unwrap());
        if root == home.join("linked") {
            let own = home.join("repo/.git/worktrees/linked");
            fs::write(root.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
            fs::write(own.join("gitdir"), format!("{}\n", root.join(".git").display())).unwrap();
        }
        let settings: Vec<&str> = PLAIN_SETTINGS.iter().flat_map(|setting| ["-c", setting]).collect();
        let git = |arguments: &[&str]| self.try_git(&root, &[&settings, arguments].concat());
        if !git(&["add", "--intent-to-add", "."]).status.success() {
            git(&["add", "--intent-to-add", "--ignore-errors", "--sparse", "."]);
        }
        let mut diff: Vec<&str> = PLAIN_DIFF.split_whitespace().collect();
        diff.extend(["--output-indicator-context= ", base, "--"]);
        git(&diff).stdout
    }

    /// Every file but objects, with size, time and content: also what lies in the temporary folder.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.home().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, data) = (entry.path(), entry.metadata().unwrap());
                let name = entry.file_name();
                if data.is_dir() && name != "objects" {
                    folders.push(path);
                } else if data.is_file() && !name.to_string_lossy().starts_with("sharedindex.") {
                    let content = fs::read(&path).unwrap_or_default();
                    found.insert(path, (content, data.modified().unwrap()));
                }
            }
        }
        assert_eq!(fs::read_dir(self.home().join("tmp")).unwrap().count(), 0, "left in the temporary folder");
        found
    }
}

/// Lines that differ from each other and from those of other seeds.
pub(super) fn text(seed: &str, lines: usize) -> String {
    let mut state = seed.bytes().fold(17u64, |state, byte| state.wrapping_mul(31) + u64::from(byte));
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("word{} ", (state >> 33) % 300)
    };
    let lines: Vec<String> = (0..lines).map(|line| format!("{}{}{}\n", word(), word(), line % 7)).collect();
    lines.concat()
}
