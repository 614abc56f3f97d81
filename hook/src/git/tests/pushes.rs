//! The plan for pushes into real repositories.

use prevet_domain::ids::Branch;

use super::scene::Scene;
use crate::git::{NothingToReview, PushPlan, parse_push_lines};

const NONE: &str = "0000000000000000000000000000000000000000";

/// The plan for lines of `<local revision> <remote ref> <remote id>`.
fn plan(scene: &Scene, remote: &str, pushed: &[(&str, &str, &str)]) -> PushPlan {
    let id = |name: &str| if name.is_empty() { NONE.to_owned() } else { scene.git(&["rev-parse", name]) };
    let line = |(local, remote_ref, remote_id): &(&str, &str, &str)| {
        let remote_id = if remote_id.len() == 40 { (*remote_id).to_owned() } else { id(remote_id) };
        format!("some ref {} {remote_ref} {remote_id}\n", id(local))
    };
    let stdin: String = pushed.iter().map(line).collect();
    let target = Branch::parse("main").unwrap();
    scene.repository().plan_push(remote, &parse_push_lines(stdin.as_bytes()).unwrap(), Some(&target)).unwrap()
}

/// `base..commit` of each review, with the number of its references.
fn ranges(scene: &Scene, plan: &PushPlan) -> Vec<(String, String, usize)> {
    let name =
        |id: &str| scene.git(&["name-rev", "--name-only", "--no-undefined", "--refs=refs/heads/*", id]);
    let base = |id: &str| if id.starts_with("4b825dc") { "empty".into() } else { name(id) };
    plan.reviews.iter().map(|review| (base(&review.base), name(&review.oid), review.refs.len())).collect()
}

fn owned(expected: &[(&str, &str, usize)]) -> Vec<(String, String, usize)> {
    expected.iter().map(|(base, commit, refs)| ((*base).into(), (*commit).into(), *refs)).collect()
}

fn scene() -> Scene {
    let scene = Scene::standard();
    scene.config("remote.origin.url", "/srv/origin.git");
    scene
}

#[test]
fn branches() {
    let scene = scene();
    let check = |pushed: &[(&str, &str, &str)], expected: &[(&str, &str, usize)]| {
        assert_eq!(ranges(&scene, &plan(&scene, "origin", pushed)), owned(expected), "{pushed:?}");
    };
    check(&[("feature", "refs/heads/x", "")], &[("main", "feature", 1)]);
    let never_fetched = "1".repeat(40);
    check(&[("feature", "refs/heads/x", &never_fetched)], &[("main", "feature", 1)]);
    check(&[("feature", "refs/heads/main", "main")], &[("main", "feature", 1)]);
    check(&[("feature", "refs/heads/main", &never_fetched)], &[("main", "feature", 1)]);
    check(&[("feature", "refs/heads/x", ""), ("feature", "refs/heads/y", "")], &[("main", "feature", 2)]);
    check(&[("main", "refs/heads/x", "")], &[]);
    check(&[("", "refs/heads/x", "feature"), ("feature", "refs/heads/y", "")], &[("main", "feature", 1)]);
}

#[test]
fn only_deletions() {
    let scene = scene();
    let found = plan(&scene, "origin", &[("", "refs/heads/x", "feature")]);
    assert_eq!(found.skipped, [("refs/heads/x".to_owned(), NothingToReview::Deleted)]);
}

#[test]
fn tags_and_other_references() {
    let scene = scene();
    scene.git(&["tag", "-a", "-m", "v1", "v1", "feature"]);
    scene.git(&["tag", "blob", "feature:a.txt"]);
    let found = plan(&scene, "origin", &[("v1", "refs/tags/v1", "")]);
    assert_eq!(ranges(&scene, &found), owned(&[("main", "feature", 1)]));
    assert!(found.reviews[0].is_head);
    let found = plan(&scene, "origin", &[("blob", "refs/tags/blob", ""), ("feature", "refs/notes/x", "")]);
    let reasons: Vec<NothingToReview> = found.skipped.iter().map(|(_, reason)| *reason).collect();
    assert_eq!(reasons, [NothingToReview::NoCommit, NothingToReview::OtherReference]);
    scene.write("later", "1\n");
    scene.commit();
    let pushed = [("v1", "refs/tags/v1", ""), ("feature", "refs/heads/feature", "")];
    let found = plan(&scene, "origin", &pushed);
    assert_eq!(ranges(&scene, &found), owned(&[("main", "feature", 1)]));
    assert_eq!(found.skipped, [("refs/tags/v1".to_owned(), NothingToReview::AlreadyThere)]);
    scene.git(&["checkout", "-q", "main"]);
    assert!(!plan(&scene, "origin", &pushed).reviews[0].is_head);
}

#[test]
fn without_a_merge_base() {
    let scene = scene();
    scene.git(&["checkout", "-q", "--orphan", "alone"]);
    scene.commit();
    scene.git(&["branch", "start"]);
    scene.write("more", "1\n");
    scene.commit();
    let check = |remote: &str, remote_id: &str, base: &str| {
        let found = plan(&scene, remote, &[("alone", "refs/heads/x", remote_id)]);
        assert_eq!(ranges(&scene, &found), owned(&[(base, "alone", 1)]), "{remote_id:?}");
    };
    check("origin", "", "empty");
    check("origin", "start", "start");
    scene.git(&["update-ref", "refs/remotes/origin/start", "start"]);
    check("origin", "", "start");
    check("/srv/origin.git", "", "start");
    check("https://elsewhere.test/x.git", "", "empty");
}
