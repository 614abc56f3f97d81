//! A user's taste in patches, which must not show.

use super::scene::Scene;
use super::states;

states! {
    prefixes => |scene| {
        scene.config("diff.noprefix", "true");
        scene.config("diff.mnemonicPrefix", "true");
        scene.config("diff.srcPrefix", "x/");
        scene.edit("a.txt", 3);
    };
    algorithm => |scene| {
        scene.config("diff.algorithm", "histogram");
        let content = String::from_utf8(scene.read("a.txt")).unwrap();
        let mut lines: Vec<&str> = content.lines().collect();
        lines.sort_unstable();
        scene.write("a.txt", lines.join("\n") + "\n");
    };
    context => |scene| {
        scene.config("diff.context", "8");
        scene.config("diff.interHunkContext", "10");
        scene.edit("a.txt", 10);
        scene.edit("a.txt", 22);
    };
    colours_and_widths => |scene| {
        scene.config("color.ui", "always");
        scene.config("core.abbrev", "12");
        scene.config("core.pager", "false");
        scene.config("diff.colorMoved", "zebra");
        scene.config("diff.wsErrorHighlight", "all");
        scene.edit("a.txt", 10);
    };
    blank_lines => |scene| {
        scene.config("diff.suppressBlankEmpty", "true");
        scene.write("blank", "a\n\nb\n\nc\n");
        scene.commit_as_base();
        scene.write("blank", "a\n\nB\n\nc\n");
    };
    order => |scene| {
        scene.write(".git/order", "b.txt\n*.txt\n");
        scene.config("diff.orderFile", ".git/order");
        scene.edit("a.txt", 1);
        scene.edit("b.txt", 1);
    };
    white_space => |scene| {
        scene.config("core.whitespace", "trailing-space,cr-at-eol");
        let content = String::from_utf8(scene.read("a.txt")).unwrap();
        scene.write("a.txt", content.replace('\n', " \n"));
    };
    relative_and_statistics => |scene| {
        scene.config("diff.relative", "true");
        scene.config("diff.dirstat", "lines");
        scene.config("diff.submodule", "log");
        scene.config("diff.ignoreSubmodules", "all");
        scene.edit("dir/d.txt", 3);
    };
}

/// Variables of the shell bend a patch too.
#[test]
fn variables_do_not_show() {
    let scene = Scene::standard();
    scene.edit("a.txt", 10);
    scene.write("n", "1\n");
    let mut environment = scene.environment(&scene.root);
    for (name, value) in
        [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "diff.context"), ("GIT_CONFIG_VALUE_0", "0")]
    {
        environment.variables.push((name.into(), value.into()));
    }
    scene.check_from(&environment);
}
