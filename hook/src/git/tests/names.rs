//! Paths that git quotes, sorts or could take for something else.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::scene::Scene;
use super::states;

const AWKWARD: [&str; 9] =
    ["sp ace.txt", "ta\tb", "new\nline", "quo\"te", "back\\slash", " first", "last ", "bell\x07", "del\x7f"];

states! {
    awkward_characters => |scene| {
        for name in AWKWARD { scene.write(name, "x\n"); }
        scene.commit_as_base();
        for name in AWKWARD { scene.write(name, "y\n"); }
        scene.write("new sp ace/x y", "1\n");
        scene.write("new\ttab", "1\n");
    };
    not_ascii => |scene| {
        scene.write("héllo.txt", "x\n");
        scene.write("日本/語.txt", "y\n");
        scene.commit_as_base();
        scene.write("héllo.txt", "z\n");
        scene.write("ünew", "q\n");
    };
    not_ascii_and_quoting_off => |scene| {
        scene.config("core.quotePath", "false");
        scene.write("héllo.txt", "x\n");
        scene.write("日本/語.txt", "y\n");
    };
    not_utf_8 => |scene| {
        scene.write(OsStr::from_bytes(b"l\xe9.txt"), "x\n");
        scene.commit_as_base();
        scene.write(OsStr::from_bytes(b"l\xe9.txt"), "y\n");
        scene.write(OsStr::from_bytes(b"\xff\xfe"), "z\n");
    };
    like_patterns_and_options => |scene| {
        for name in ["[a].txt", "*.q", ":(top)x", "-dash", "--output=x", "#c", "!n"] {
            scene.write(name, "x\n");
        }
    };
    sorted_as_bytes => |scene| {
        for name in ["a-b", "a.b", "a/b", "a0", "A", "dir.x", "dir/0", "dir0/x", "dir-"] {
            scene.write(name, "1\n");
        }
    };
    very_long => |scene| {
        let folder = "long".repeat(60);
        scene.write(format!("{folder}/{folder}/{folder}/{}", "name".repeat(60)), "x\n");
        for number in 0..20 {
            scene.write(format!("{folder}/{folder}{number}"), "x\n");
        }
    };
}

#[test]
fn quoted_names_come_out_as_they_are() {
    let scene = Scene::standard();
    let names = ["café.txt", "my dir/a b.txt", "quo\"te.txt"];
    for name in names {
        scene.write(name, "x\n");
    }
    let captured = scene.check();
    let change = prevet_domain::change::parse(&captured.patch.into()).unwrap();
    let shown: Vec<String> = change.files.iter().map(prevet_domain::change::FileChange::shown_path).collect();
    for name in names {
        assert!(shown.iter().any(|path| path == name), "{name} in {shown:?}");
    }
}
