//! Files that come, go, change their mode or become something else.

use super::scene::text;
use super::states;

states! {
    unchanged => |_| {};
    edited => |scene| {
        scene.edit("a.txt", 10);
        scene.edit("a.txt", 30);
        scene.edit("dir/d.txt", 0);
        scene.edit("b.txt", 59);
    };
    new => |scene| {
        scene.write("new1.txt", text("new1", 3));
        scene.write("new/deep/x.txt", text("new2", 4));
        scene.write("new/y", "no newline");
        scene.write("new/empty", "");
    };
    deleted => |scene| {
        scene.remove("a.txt");
        scene.remove("dir");
    };
    made_executable => |scene| scene.chmod("script.sh", 0o755);
    made_executable_and_edited => |scene| {
        scene.chmod("script.sh", 0o755);
        scene.edit("script.sh", 1);
    };
    new_executable => |scene| {
        scene.write("tool.sh", "#!/bin/sh\n");
        scene.chmod("tool.sh", 0o755);
    };
    modes_not_trusted => |scene| {
        scene.config("core.fileMode", "false");
        scene.write("tool.sh", "#!/bin/sh\n");
        scene.chmod("tool.sh", 0o755);
        scene.chmod("script.sh", 0o755);
    };
    link_to_elsewhere => |scene| {
        scene.remove("link");
        scene.link("link", "b.txt");
        scene.link("dangling", "nowhere");
        scene.link("folder", "dir");
    };
    link_becomes_file => |scene| {
        scene.remove("link");
        scene.write("link", "plain\n");
    };
    file_becomes_link => |scene| {
        scene.remove("a.txt");
        scene.link("a.txt", "b.txt");
    };
    file_becomes_folder => |scene| {
        scene.remove("a.txt");
        scene.write("a.txt/inside.txt", "x\n");
        scene.write("a.txt-after", "x\n");
    };
    folder_becomes_file => |scene| {
        scene.remove("dir");
        scene.write("dir", "a file now\n");
    };
    folder_becomes_link => |scene| {
        scene.remove("dir");
        scene.write("src/d.txt", "x\n");
        scene.link("dir", "src");
    };
}
