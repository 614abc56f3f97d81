//! Files that move: which new file git pairs with which old one.

use super::scene::text;
use super::states;

states! {
    moved => |scene| scene.rename("a.txt", "elsewhere/a2.txt");
    moved_and_edited => |scene| {
        scene.rename("b.txt", "dir/b2.txt");
        (0..40).step_by(2).for_each(|line| scene.edit("dir/b2.txt", line));
    };
    moved_by_git => |scene| { scene.git(&["mv", "a.txt", "z.txt"]); };
    swapped => |scene| {
        let (a, b) = (scene.read("a.txt"), scene.read("b.txt"));
        scene.write("a.txt", b);
        scene.write("b.txt", a);
    };
    two_candidates => |scene| {
        let content = scene.read("a.txt");
        scene.write("m1", &content);
        scene.write("m2", [&content[..], b"more\n"].concat());
        scene.remove("a.txt");
    };
    same_name_in_another_folder_wins => |scene| {
        let content = scene.read("a.txt");
        scene.write("q/a.txt", &content);
        scene.write("q/zz.txt", &content);
        scene.commit_as_base();
        scene.remove("q/a.txt");
        scene.remove("a.txt");
        scene.write("w/zz.txt", &content);
    };
    three_lines => |scene| {
        scene.write("s1", "a\nb\nc\n");
        scene.commit_as_base();
        scene.remove("s1");
        scene.write("s2", "a\nb\nd\n");
    };
    empty_file => |scene| scene.rename("nothing", "nothing2");
    copied => |scene| scene.write("copy.txt", scene.read("a.txt"));
    switched_off => |scene| {
        scene.config("diff.renames", "false");
        scene.rename("a.txt", "moved.txt");
    };
    over_the_configured_limit => |scene| {
        scene.config("diff.renameLimit", "2");
        for number in 0..5 {
            scene.write(format!("r{number}"), text(&format!("r{number}"), 20));
        }
        scene.commit_as_base();
        for number in 0..5 {
            scene.rename(&format!("r{number}"), &format!("s{number}"));
            scene.edit(&format!("s{number}"), 3);
        }
    };
    moved_with_another_mode => |scene| {
        scene.rename("a.txt", "z.txt");
        scene.chmod("z.txt", 0o755);
    };
}
