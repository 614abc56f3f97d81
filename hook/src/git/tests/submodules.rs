//! Repositories inside the repository.

use super::scene::Scene;
use super::states;

/// A repository beside the scene's, with one commit.
fn library(scene: &Scene) -> String {
    let path = scene.home().join("library");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("f"), "1\n").unwrap();
    for arguments in [&["init", "-q"][..], &["add", "f"], &["commit", "-q", "-m", "one"]] {
        assert!(scene.try_git(&path, arguments).status.success());
    }
    path.to_str().unwrap().to_owned()
}

fn add(scene: &Scene) {
    scene.git(&["submodule", "--quiet", "add", &library(scene), "sub"]);
}

fn added(scene: &Scene) {
    add(scene);
    scene.commit_as_base();
}

fn commit_inside(scene: &Scene) {
    scene.write("sub/f", "2\n");
    assert!(scene.try_git(&scene.path("sub"), &["commit", "-q", "-a", "-m", "two"]).status.success());
}

fn nested(scene: &Scene, commits: bool) {
    scene.write("nest/f", "1\n");
    let folder = scene.path("nest");
    assert!(scene.try_git(&folder, &["init", "-q"]).status.success());
    if commits {
        assert!(scene.try_git(&folder, &["add", "f"]).status.success());
        assert!(scene.try_git(&folder, &["commit", "-q", "-m", "one"]).status.success());
    }
    scene.write("n", "1\n");
    scene.edit("a.txt", 1);
}

states! {
    clean => |scene| { added(scene); scene.edit("a.txt", 1); };
    edited => |scene| { added(scene); scene.write("sub/f", "2\n"); };
    untracked_inside => |scene| { added(scene); scene.write("sub/n", "2\n"); };
    committed_inside_and_edited => |scene| {
        added(scene);
        commit_inside(scene);
        scene.write("sub/f", "3\n");
    };
    shown_as_a_log => |scene| {
        added(scene);
        commit_inside(scene);
        scene.config("diff.submodule", "log");
    };
    removed => |scene| { added(scene); scene.remove("sub"); };
    ignored_by_its_setting => |scene| {
        added(scene);
        commit_inside(scene);
        scene.config("submodule.sub.ignore", "all");
    };
    just_added => |scene| add(scene);
    nested_repository => |scene| nested(scene, true);
}

#[test]
fn nested_repository_without_a_commit_is_named() {
    let scene = Scene::standard();
    nested(&scene, false);
    let captured = scene.check();
    assert_eq!(captured.left_out.len(), 1, "{:?}", captured.left_out);
    assert_eq!(captured.left_out[0].path, "nest/");
    assert!(captured.left_out[0].reason.contains("does not have a commit"), "{:?}", captured.left_out);
    assert!(String::from_utf8(captured.patch).unwrap().contains("diff --git a/n b/n"));
}

#[test]
fn inside_a_submodule() {
    let mut scene = Scene::standard();
    added(&scene);
    scene.root = scene.path("sub");
    scene.write("f", "changed\n");
    scene.write("n", "1\n");
    let repository = scene.repository();
    assert_eq!(repository.work_tree().unwrap(), scene.root.canonicalize().unwrap());
    let captured = repository.capture_work_tree("HEAD").unwrap();
    let patch = String::from_utf8(captured.patch).unwrap();
    assert!(patch.contains("+changed") && patch.contains("b/n"), "{patch}");
}
