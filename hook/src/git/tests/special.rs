//! What git itself stumbles on: the rest of the change is still captured, and the odd entry is named.

use std::process::Command;

use super::scene::Scene;

fn captured(scene: &Scene) -> (String, Vec<(String, String)>) {
    let before = scene.snapshot();
    let captured = scene.repository().capture_work_tree(&scene.base()).unwrap();
    assert_eq!(scene.snapshot(), before);
    let left_out = captured.left_out.into_iter().map(|left_out| (left_out.path, left_out.reason)).collect();
    (String::from_utf8(captured.patch).unwrap(), left_out)
}

fn make_pipe(scene: &Scene, name: &str) {
    assert!(Command::new("mkfifo").arg(scene.path(name)).status().unwrap().success());
}

#[test]
fn new_pipe() {
    let scene = Scene::standard();
    make_pipe(&scene, "pipe");
    scene.edit("a.txt", 1);
    scene.check();
}

#[test]
fn file_replaced_by_a_pipe() {
    let scene = Scene::standard();
    scene.remove("b.txt");
    make_pipe(&scene, "b.txt");
    scene.edit("a.txt", 1);
    scene.edit("c.txt", 1);
    scene.write("new.txt", "1\n");
    let (patch, left_out) = captured(&scene);
    for name in ["a.txt", "c.txt", "new.txt"] {
        assert!(patch.contains(&format!("+++ b/{name}")), "{patch}");
    }
    assert_eq!(left_out, [("b.txt".into(), "b.txt: unsupported file type".into())]);
}

#[test]
fn filter_that_fails() {
    let scene = Scene::standard();
    scene.write(".gitattributes", "*.big filter=broken\n");
    scene.write("one.big", "1\n");
    scene.write("two.big", "1\n");
    scene.commit_as_base();
    scene.config("filter.broken.clean", "false");
    scene.config("filter.broken.required", "true");
    scene.write("one.big", "22\n");
    scene.write("two.big", "22\n");
    scene.edit("a.txt", 1);
    scene.edit("c.txt", 1);
    let (patch, left_out) = captured(&scene);
    assert!(patch.contains("+++ b/a.txt") && patch.contains("+++ b/c.txt"), "{patch}");
    assert!(!patch.contains("22"), "{patch}");
    let names: Vec<&str> = left_out.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["one.big", "two.big"]);
    assert!(left_out[0].1.contains("'broken'"), "{left_out:?}");
}

/// Nothing is closed to the superuser, so there is nothing to see then.
fn closed(scene: &Scene, name: &str) -> bool {
    scene.chmod(name, 0);
    std::fs::File::open(scene.path(name)).is_err()
}

#[test]
fn folder_that_cannot_be_read() {
    let scene = Scene::standard();
    scene.write("secret/x", "1\n");
    scene.write("n", "1\n");
    if closed(&scene, "secret") {
        let (patch, left_out) = captured(&scene);
        assert!(patch.contains("+++ b/n"), "{patch}");
        assert_eq!(left_out[0].0, "secret/");
    }
    scene.chmod("secret", 0o755);
}

#[test]
fn files_that_cannot_be_read() {
    let scene = Scene::standard();
    scene.edit("a.txt", 1);
    scene.edit("b.txt", 1);
    scene.write("new.txt", "1\n");
    scene.edit("c.txt", 1);
    if closed(&scene, "b.txt") && closed(&scene, "new.txt") {
        let (patch, left_out) = captured(&scene);
        assert!(patch.contains("+++ b/a.txt") && patch.contains("+++ b/c.txt"), "{patch}");
        let names: Vec<&str> = left_out.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(names, ["b.txt", "new.txt"]);
        assert!(left_out[0].1.contains("Permission denied"), "{left_out:?}");
    }
}
