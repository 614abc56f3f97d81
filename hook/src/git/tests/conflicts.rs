//! Merges that are not finished.

use super::scene::Scene;
use super::states;

/// Both sides change a file, one deletes what the other edits, and both add the same name.
fn conflict(scene: &Scene) {
    scene.git(&["checkout", "-q", "-b", "other", "main"]);
    scene.edit("a.txt", 5);
    scene.remove("c.txt");
    scene.write("both", "1\n");
    scene.commit();
    scene.git(&["checkout", "-q", "feature"]);
    scene.write("a.txt", String::from_utf8(scene.read("a.txt")).unwrap().replace('5', "five"));
    scene.edit("c.txt", 5);
    scene.write("both", "2\n");
    scene.commit();
    assert!(!scene.try_git(&scene.root, &["merge", "other"]).status.success());
}

states! {
    untouched => |scene| conflict(scene);
    resolved_but_not_staged => |scene| {
        conflict(scene);
        scene.write("a.txt", "resolved\n");
        scene.write("new.txt", "1\n");
    };
    deleted => |scene| {
        conflict(scene);
        scene.remove("a.txt");
    };
}

/// `git add` in the user's index would conclude the conflict.
#[test]
fn the_conflict_is_still_there_afterwards() {
    let scene = Scene::standard();
    conflict(&scene);
    let before = scene.git(&["ls-files", "--unmerged"]);
    scene.check();
    assert_eq!(scene.git(&["ls-files", "--unmerged"]), before);
    assert!(!before.is_empty());
}
