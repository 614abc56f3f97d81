//! Where sessions lie, and where they never show.

use std::fs;
use std::os::unix::fs::symlink;

use super::scene::{PLAN_INPUT, Scene, code, says};

const APPROVE: &str = "### VERDICT\n- Status: APPROVE\n";

#[test]
fn sessions_never_show() {
    let scene = Scene::fake(&says(APPROVE));
    let repository = scene.repository();
    repository.write("new.txt", "new\n");
    let diff = || repository.prevet(&["diff", "--base", "HEAD"]).succeeds().text();
    let (status, before) = (repository.git(&["status", "--porcelain", "--untracked-files=all"]), diff());
    // A key that is none, so that an upload of the session would show.
    let key = ["AKIA", "Z7QH3M2X", "LD4KTV5R"].concat();
    let session =
        scene.begin(&["review-plan"], &format!("{PLAN_INPUT}## SESSION_CONTEXT\nkey = \"{key}\"\n"));
    session.comes_to("completed", "done", "approved");
    assert_eq!(repository.git(&["status", "--porcelain", "--untracked-files=all"]), status);
    assert_eq!(diff(), before);
    assert!(before.contains("new.txt") && !before.contains("cross-review"));
    let inspect = |code: i32| repository.prevet(&["inspect", "--format", "json"]).exits(code);
    inspect(0).never_says(&["cross-review"]);
    // Also after everything was added.
    repository.git(&["add", "--all"]);
    assert!(!repository.git(&["ls-files"]).contains("cross-review"));
    assert_eq!(inspect(0).json()["verdict"], "approve");
    // The same text is found where it is part of the change.
    fs::copy(session.path("prompts/round-001.md"), repository.path("prompt.md")).unwrap();
    assert_eq!(inspect(1).json()["verdict"], "request_changes");
}

#[test]
fn a_folder_below_the_root_and_another_checkout() {
    let scene = Scene::fake(&format!("pwd >>'$OUT'\n{}", says(APPROVE)));
    let out = scene.world.path("pwd");
    scene.reviewer(&format!("pwd >>'{}'\n{}", out.display(), says(APPROVE)));
    let repository = scene.repository();
    repository.write("src/deep/a.rs", "");
    let begin = |directory: &std::path::Path| {
        let skill = ["review-plan", "--working-dir", directory.to_str().unwrap()];
        scene.begin(&skill, PLAN_INPUT)
    };
    let session = begin(&repository.path("src/deep"));
    session.comes_to("completed", "done", "approved");
    assert!(session.directory.starts_with(repository.path(".cross-review/sessions")));
    repository.git(&["worktree", "add", "-q", "../other"]);
    let other = scene.world.path("other");
    let session = begin(&other);
    session.comes_to("completed", "done", "approved");
    assert!(session.directory.starts_with(other.join(".cross-review/sessions")));
    let started = fs::read_to_string(out).unwrap();
    assert_eq!(started, format!("{}\n{}\n", repository.path("src/deep").display(), other.display()));
}

#[test]
fn links() {
    let scene = Scene::fake(&says(APPROVE));
    let repository = scene.repository();
    let other = scene.world.repository("other");
    symlink(other.root(), repository.path("out")).unwrap();
    let begin = |directory: &std::path::Path| {
        scene.begin_call(&["review-plan", "--working-dir", directory.to_str().unwrap()], PLAN_INPUT)
    };
    let refused = begin(&repository.path("out")).exits(2);
    assert_eq!(code(&refused), "INVALID_INPUT");
    assert!(!other.path(".cross-review").exists() && !repository.path(".cross-review").exists());
    // A link to the repository itself leads nowhere else.
    symlink(repository.root(), scene.world.path("link")).unwrap();
    let begun = begin(&scene.world.path("link")).succeeds().json();
    let root = repository.root().canonicalize().unwrap();
    assert!(begun["session_dir"].as_str().unwrap().starts_with(root.to_str().unwrap()), "{begun}");
}
