//! Which untracked files count.

use super::states;

states! {
    rules_of_all_kinds => |scene| {
        scene.write("x.log", "1");
        scene.write("build/o", "1");
        scene.write("dir/.gitignore", "*.tmp\n!keep.tmp\n");
        scene.write("dir/a.tmp", "1");
        scene.write("dir/keep.tmp", "1\n");
        scene.write(".git/info/exclude", "*.ex\n");
        scene.write("y.ex", "1");
        std::fs::write(scene.home().join("everywhere"), "*.glob\n").unwrap();
        scene.config("core.excludesFile", scene.home().join("everywhere").to_str().unwrap());
        scene.write("z.glob", "1");
        scene.write("deep/.gitignore", "/**/cache/\n**/foo\\ \n");
        scene.write("deep/a/cache/x", "1");
        scene.write("deep/foo ", "1");
        scene.write("deep/a/kept", "1\n");
    };
    tracked_all_the_same => |scene| {
        scene.write("t.log", "1\n");
        scene.git(&["add", "--force", "t.log"]);
        scene.git(&["commit", "-q", "-m", "log"]);
        scene.write("t.log", "2\n");
    };
    everything_but => |scene| {
        scene.write(".gitignore", "/*\n!/src/\n!/.gitignore\nsrc/*\n!src/keep*\n");
        scene.write("src/keep1", "1\n");
        scene.write("src/other", "1\n");
        scene.write("other", "1\n");
    };
    no_longer_tracked_and_ignored => |scene| {
        scene.git(&["rm", "-q", "--cached", "a.txt"]);
        scene.write(".gitignore", "a.txt\n");
    };
    folder_that_ignores_itself => |scene| {
        scene.write(".cross-review/.gitignore", "*\n");
        scene.write(".cross-review/sessions/x/state.json", "{}");
        scene.edit("a.txt", 1);
    };
}
