//! What the work tree is compared with.

use prevet_domain::ids::Branch;

use super::scene::Scene;
use crate::git::{BaseSource, GitError};

fn branch(name: &str) -> Branch {
    Branch::parse(name).unwrap()
}

#[test]
fn the_target_branch_comes_first() {
    let scene = Scene::standard();
    scene.git(&["update-ref", "refs/remotes/origin/release", "HEAD"]);
    scene.write("later", "1\n");
    scene.commit();
    let base = scene.repository().work_tree_base(Some(&branch("release")), None).unwrap();
    assert_eq!(base.commit, scene.git(&["rev-parse", "HEAD~1"]));
    assert_eq!(base.source, BaseSource::TargetBranch("refs/remotes/origin/release".into()));
}

#[test]
fn then_the_default_branch_of_the_remote() {
    let scene = Scene::standard();
    let base = scene.repository().work_tree_base(None, None).unwrap();
    let main = scene.git(&["rev-parse", "main"]);
    assert_eq!(
        (base.commit, base.source),
        (main, BaseSource::RemoteDefault("refs/remotes/origin/main".into()))
    );
    scene.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    scene.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    let base = scene.repository().work_tree_base(Some(&branch("unknown")), None).unwrap();
    assert_eq!(base.commit, scene.git(&["rev-parse", "HEAD"]));
    assert_eq!(base.source, BaseSource::RemoteDefault("refs/remotes/origin/trunk".into()));
}

#[test]
fn then_the_last_commit_and_then_nothing() {
    let scene = Scene::empty(&[]);
    let base = scene.repository().work_tree_base(None, None).unwrap();
    assert_eq!(base.source, BaseSource::NoCommits);
    scene.write("a", "1\n");
    assert!(!scene.repository().capture_work_tree(&base.commit).unwrap().patch.is_empty());
    scene.commit();
    let base = scene.repository().work_tree_base(None, None).unwrap();
    assert_eq!((base.commit, base.source), (scene.git(&["rev-parse", "HEAD"]), BaseSource::Head));
}

/// Falling back to `HEAD` here would silently drop every commit.
#[test]
fn unrelated_histories_are_an_error() {
    let scene = Scene::standard();
    scene.git(&["checkout", "-q", "--orphan", "alone"]);
    scene.commit();
    let error = scene.repository().work_tree_base(None, None).unwrap_err();
    assert!(matches!(error, GitError::NoMergeBase { .. }), "{error}");
}

#[test]
fn a_missing_target_branch_is_fetched() {
    let mut scene = Scene::standard();
    scene.git(&["branch", "release", "main"]);
    let url = format!("file://{}", scene.root.display());
    let clone = scene.home().join("clone");
    scene.git(&["clone", "-q", "--single-branch", "-b", "feature", &url, clone.to_str().unwrap()]);
    scene.root = clone;
    let base = scene.repository().work_tree_base(Some(&branch("release")), Some("origin")).unwrap();
    assert_eq!(base.source, BaseSource::TargetBranch("refs/remotes/origin/release".into()));
    assert_eq!(base.commit, scene.git(&["rev-parse", "HEAD~1"]));
    let base = scene.repository().work_tree_base(Some(&branch("nowhere")), Some("origin")).unwrap();
    assert_eq!(base.source, BaseSource::RemoteDefault("refs/remotes/origin/feature".into()));
}

#[test]
fn another_remote_is_asked_before_the_usual_one() {
    let scene = Scene::standard();
    scene.git(&["update-ref", "refs/remotes/fork/main", "HEAD"]);
    let base = scene.repository().work_tree_base(Some(&branch("main")), Some("fork")).unwrap();
    assert_eq!(base.source, BaseSource::TargetBranch("refs/remotes/fork/main".into()));
    let base = scene.repository().work_tree_base(Some(&branch("main")), Some("-x")).unwrap();
    assert_eq!(base.source, BaseSource::TargetBranch("refs/remotes/origin/main".into()));
}

#[test]
fn revisions_are_no_options() {
    let scene = Scene::standard();
    for revision in ["--output=x", "-x", "no-such", ""] {
        let error = scene.repository().capture_work_tree(revision).unwrap_err();
        assert!(matches!(error, GitError::UnknownRevision { .. }), "{revision}: {error}");
    }
}
