//! Finding the repository, whatever form it has and wherever the process stands; and what it says of itself.

use prevet_domain::kind::Kind;
use prevet_domain::path::RepoPath;

use super::scene::Scene;
use crate::git::{GitError, Repository};

fn changed(scene: &Scene) {
    scene.edit("a.txt", 3);
    scene.write("dir/n", "1\n");
}

/// A linked worktree with an edit and a new file; the scene then stands in it.
fn linked(scene: &mut Scene) {
    scene.git(&["worktree", "add", "-q", "../linked", "-b", "linked"]);
    scene.write("only in the main checkout", "1\n");
    scene.root = scene.home().join("linked");
    changed(scene);
    scene.write("s/new.txt", "n\n");
}

#[test]
fn other_formats() {
    for init in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let scene = Scene::standard_with(init);
        scene.check();
        changed(&scene);
        scene.check();
        let repository = scene.repository();
        let base = repository.work_tree_base(None, None).unwrap();
        assert_eq!(base.commit, scene.base(), "{init:?}");
        let path = RepoPath::parse(b"open.txt").unwrap();
        assert_eq!(repository.file_at(&base.commit, &path).unwrap().unwrap(), scene.read("open.txt"));
        assert_eq!(repository.branch_name().unwrap(), "feature");
    }
}

#[test]
fn before_the_first_commit() {
    let scene = Scene::empty(&[]);
    scene.check();
    scene.write("a", "1\n");
    scene.write("b/c", "2\n");
    scene.git(&["add", "a"]);
    scene.check();
    assert_eq!(scene.repository().head().unwrap(), None);
}

#[test]
fn detached_and_without_a_remote() {
    let scene = Scene::standard();
    scene.git(&["checkout", "-q", "--detach"]);
    scene.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    changed(&scene);
    scene.check();
    assert_eq!(scene.repository().branch_name().unwrap(), "HEAD");
}

#[test]
fn from_a_linked_worktree() {
    let mut scene = Scene::standard();
    linked(&mut scene);
    let captured = scene.check();
    let patch = String::from_utf8(captured.patch).unwrap();
    assert!(patch.contains("b/s/new.txt") && !patch.contains("main checkout"), "{patch}");
}

/// A pre-push hook in a linked worktree has `GIT_DIR` set and may have inherited other variables.
#[test]
fn from_a_hook_in_a_linked_worktree() {
    let mut scene = Scene::standard();
    linked(&mut scene);
    let bare = scene.git(&["config", "core.bare"]);
    let mut environment = scene.environment(&scene.root);
    environment.git_dir = Some(scene.home().join("repo/.git/worktrees/linked").into());
    scene.check_from(&environment);
    assert_eq!(scene.git(&["config", "core.bare"]), bare);
}

#[test]
fn from_a_folder_inside_and_with_relative_variables() {
    let scene = Scene::standard();
    changed(&scene);
    scene.check_from(&scene.environment(&scene.path("dir")));
    let mut environment = scene.environment(&scene.root);
    environment.git_dir = Some(".git".into());
    scene.check_from(&environment);
    environment.cwd = scene.home().to_owned();
    environment.git_dir = Some("repo/.git".into());
    environment.git_work_tree = Some("repo".into());
    scene.check_from(&environment);
}

#[test]
fn work_tree_apart_from_the_repository() {
    let scene = Scene::standard();
    let apart = scene.home().join("apart");
    std::fs::rename(scene.path(".git"), &apart).unwrap();
    changed(&scene);
    let mut environment = scene.environment(&scene.root);
    environment.git_dir = Some("../apart".into());
    let captured = Repository::discover(&environment).unwrap().capture_work_tree("HEAD").unwrap();
    let patch = String::from_utf8(captured.patch).unwrap();
    assert!(patch.contains("b/dir/n") && patch.contains("+another line"), "{patch}");
}

#[test]
fn bare_or_none() {
    let scene = Scene::empty(&[]);
    let bare = scene.home().join("bare.git");
    scene.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    let repository = Repository::discover(&scene.environment(&bare)).unwrap();
    let error = repository.capture_work_tree("HEAD").unwrap_err();
    assert!(matches!(error, GitError::NoWorkTree { .. }), "{error}");
    assert_eq!(error.kind(), Kind::Invalid);
    let error = Repository::discover(&scene.environment(&scene.home().join("tmp"))).err().unwrap();
    assert!(error.to_string().contains("not a git repository"), "{error}");
    let missing = scene.home().join("no such folder");
    assert!(Repository::discover(&scene.environment(&missing)).is_err());
}

#[test]
fn shallow_clone() {
    let mut scene = Scene::standard();
    for name in ["k1", "k2", "k3"] {
        scene.write(name, "1\n");
        scene.commit();
    }
    let url = format!("file://{}", scene.root.display());
    let clone = scene.home().join("shallow");
    scene.git(&["clone", "-q", "--depth", "1", "--no-single-branch", &url, clone.to_str().unwrap()]);
    scene.root = clone;
    changed(&scene);
    scene.check();
    let error = scene.repository().work_tree_base(None, None);
    // The clone's default branch is the one that was checked out there.
    assert!(error.is_ok());
    scene.git(&["remote", "set-head", "origin", "main"]);
    let error = scene.repository().work_tree_base(None, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no merge base with origin/main (shallow clone?): run `git fetch --unshallow`"
    );
}

#[test]
fn says_of_itself() {
    let scene = Scene::standard();
    let repository = scene.repository();
    assert_eq!(repository.repository_name().unwrap(), "repo");
    assert_eq!(repository.user_email().unwrap().as_deref(), Some("a@example.test"));
    assert_eq!(repository.head().unwrap().unwrap(), scene.git(&["rev-parse", "HEAD"]));
    assert_eq!(repository.hooks_dir().unwrap(), repository.git_dir().join("hooks"));
    assert_eq!(repository.configured_hooks_path().unwrap(), None);
    assert!(!repository.is_dirty().unwrap());
    scene.write("n", "1\n");
    assert!(repository.is_dirty().unwrap());
    scene.config("core.hooksPath", ".husky");
    scene.config("remote.origin.url", "git@example.test:owner/product.git");
    let repository = scene.repository();
    assert_eq!(repository.repository_name().unwrap(), "product");
    assert_eq!(repository.hooks_dir().unwrap(), repository.work_tree().unwrap().join(".husky"));
    assert_eq!(repository.configured_hooks_path().unwrap().as_deref(), Some(".husky"));
}

#[test]
fn files_as_committed_and_as_they_lie() {
    let scene = Scene::standard();
    scene.write(".prevet.toml", "gate = \"low\"\n");
    scene.write(".gitattributes", "gen/* linguist-generated\n");
    scene.commit_as_base();
    scene.write(".prevet.toml", "gate = \"never\"\n");
    scene.write(".gitattributes", "* linguist-generated\n");
    scene.write("gen/x", "1\n");
    let (repository, base) = (scene.repository(), scene.base());
    let path = |name: &str| RepoPath::parse(name.as_bytes()).unwrap();
    assert_eq!(repository.policy_at(&base).unwrap().unwrap(), b"gate = \"low\"\n");
    assert_eq!(repository.policy_at("HEAD").unwrap().unwrap(), b"gate = \"low\"\n");
    for missing in ["dir", "gone", "a.txt/x"] {
        assert_eq!(repository.file_at(&base, &path(missing)).unwrap(), None, "{missing}");
        assert_eq!(repository.file_at("HEAD", &path(missing)).unwrap(), None, "{missing}");
        assert_eq!(repository.work_tree_file(&path(missing)).unwrap(), None, "{missing}");
    }
    assert_eq!(repository.work_tree_file(&path("gen/x")).unwrap().unwrap(), b"1\n");
    assert_eq!(repository.work_tree_file(&path("link")).unwrap(), None);
    assert!(repository.file_at("no such", &path("a.txt")).is_err());
    let names = ["linguist-generated", "linguist-vendored"];
    let found = repository.attributes_at(&base, &[path("a.txt"), path("gen/x")], &names).unwrap();
    let set: Vec<String> = found
        .iter()
        .filter(|value| value.is_set())
        .map(|value| format!("{} {}", value.path, value.name))
        .collect();
    assert_eq!(set, ["gen/x linguist-generated"]);
    assert_eq!(found.len(), 4);
}
