//! What stands in files: bytes, line ends, missing newlines, sizes.

use super::scene::{Scene, text};
use super::states;

states! {
    binary_changed => |scene| scene.write("bytes.bin", (0..=255).rev().collect::<Vec<u8>>());
    binary_new_and_gone => |scene| {
        scene.remove("bytes.bin");
        scene.write("new.bin", b"\0\x01\x02".repeat(300));
    };
    nul_behind_the_part_that_is_looked_at => |scene| {
        let line = "x".repeat(78) + "\n";
        scene.write("late.txt", line.repeat(120) + "\0\n");
        scene.write("early.txt", line.repeat(90) + "\0\n");
    };
    latin_1 => |scene| {
        scene.write("latin.py", b"caf\xe9 = 1\n");
        scene.write("good.py", "x = 1\n");
        scene.commit_as_base();
        scene.write("latin.py", b"caf\xe9 = 2\n");
        scene.write("good.py", "x = 2\n");
    };
    newline_at_the_end => |scene| {
        scene.write("open.txt", "first\nlast without newline\n");
        scene.write("nothing", "no newline");
    };
    carriage_returns => |scene| {
        scene.write("crlf.txt", "one\r\nTWO\r\nthree\r\n");
        let content = String::from_utf8(scene.read("a.txt")).unwrap();
        scene.write("a.txt", content.replace('\n', "\r\n"));
    };
    autocrlf => |scene| {
        scene.config("core.autocrlf", "true");
        let content = String::from_utf8(scene.read("a.txt")).unwrap();
        scene.write("a.txt", content.replace('\n', "\r\n"));
        scene.write("crlf.txt", "one\r\nTWO\r\nthree\r\n");
        scene.write("new.txt", "x\r\ny\r\n");
    };
    shuffled => |scene| {
        let content = text("shuffle", 1500);
        scene.write("s.txt", &content);
        scene.commit_as_base();
        let mut lines: Vec<&str> = content.lines().collect();
        for at in (0..1400).step_by(7) {
            let line = lines.remove((at * 31) % lines.len());
            lines.insert((at * 17) % lines.len(), line);
        }
        scene.write("s.txt", lines.join("\n"));
    };
    block_that_can_slide => |scene| {
        let block = "fn a() {\n    x();\n}\n\nfn b() {\n    x();\n}\n\n";
        scene.write("s.rs", block.repeat(3));
        scene.commit_as_base();
        scene.write("s.rs", block.to_owned() + "fn c() {\n    x();\n}\n\n" + &block.repeat(2));
    };
    large_file => |scene| {
        scene.write("large.txt", text("large", 200_000));
        scene.commit_as_base();
        scene.edit("large.txt", 5);
        scene.edit("large.txt", 150_000);
        scene.write("large2.txt", text("large2", 200_000));
    };
    over_the_big_file_threshold => |scene| {
        scene.config("core.bigFileThreshold", "1k");
        scene.edit("b.txt", 3);
        scene.write("big-new", text("big", 200));
    };
    many_files => |scene| {
        for number in 0..3000 {
            scene.write(format!("m/{}/{number}", number % 50), format!("{number}\n"));
        }
        scene.commit_as_base();
        for number in (0..3000).step_by(20) {
            scene.write(format!("m/{}/{number}", number % 50), format!("{number} changed\n"));
            scene.write(format!("m/{}/{number}.new", number % 50), format!("new {number}\n"));
        }
    };
}

/// A removed line that begins with two dashes looks like the header of a file.
#[test]
fn removed_line_like_a_header() {
    let scene = Scene::standard();
    let lines = "local a = 1\nlocal b = 2\nlocal c = 3\nlocal d = 4\nlocal e = 5\nlocal f = 6\nlocal g = 7\n";
    scene.write("t.lua", format!("-- old comment\n{lines}x = 1\n"));
    scene.commit_as_base();
    scene.write("t.lua", format!("-- new comment\n{lines}x = 2\n"));
    let captured = scene.check();
    let change = prevet_domain::change::parse(&captured.patch.into()).unwrap();
    let shown: Vec<String> = change.files.iter().map(prevet_domain::change::FileChange::shown_path).collect();
    assert_eq!(shown, ["t.lua"]);
    let added: Vec<u32> = change.files[0].added_lines().map(|line| line.new_number).collect();
    assert_eq!(added, [1, 9]);
}
