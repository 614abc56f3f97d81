//! Where sessions lie, and where they never show.

use std::fs;
use std::os::unix::fs::symlink;

use prevet_testkit::stub::{Answer, Stub};

use super::scene::{PLAN_INPUT, Scene, code, says};

const APPROVE: &str = "### VERDICT\n- Status: APPROVE\n";

#[test]
fn sessions_never_show() {
    let scene = Scene::fake(&says(APPROVE));
    let repository = scene.repository();
    repository.write("new.txt", "new\n");
    let diff = || repository.prevet(&["diff", "--base", "HEAD"]).succeeds().text();
    let (status, before) = (repository.git(&["status", "--porcelain", "--untracked-files=all"]), diff());
    scene.begin_plan().comes_to("completed", "done", "approved");
    assert_eq!(repository.git(&["status", "--porcelain", "--untracked-files=all"]), status);
    assert_eq!(diff(), before);
    assert!(before.contains("new.txt") && !before.contains("cross-review"));
    // Also where the user's git ignores nothing, and after everything was added.
    repository.git(&["add", "--all"]);
    assert!(!repository.git(&["ls-files"]).contains("cross-review"));
    let stub = Stub::always(Answer::Status(500, vec![], String::new()));
    let inspected = repository
        .prevet(&["inspect"])
        .env("PREVET_API_URL", stub.url())
        .env("PREVET_API_KEY", "k")
        .env("PREVET_TENANT_KEY", "t")
        .run();
    inspected.never_says(&["cross-review"]);
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
