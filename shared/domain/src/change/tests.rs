use bytes::Bytes;

use crate::change::{
    Change, Content, LineKind, parse, post_fragment, post_image, pre_image, verify_post_image,
};

fn parsed(patch: &str) -> Change {
    parse(&Bytes::copy_from_slice(patch.as_bytes())).unwrap()
}

/// One line a file: kind, path, and its added and removed lines with their numbers.
fn shown(change: &Change) -> String {
    let file = |file: &crate::change::FileChange| {
        let lines =
            file.hunks().iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != LineKind::Context);
        let lines: Vec<String> = lines
            .map(|line| match line.kind {
                LineKind::Added => format!("+{} {}", line.new_number, String::from_utf8_lossy(&line.text)),
                _ => format!("-{} {}", line.old_number, String::from_utf8_lossy(&line.text)),
            })
            .collect();
        let content = match file.content {
            Content::Binary => " binary",
            Content::Unmerged => " unmerged",
            Content::Text(_) => "",
        };
        format!("{:?} {}{content} [{}]", file.kind, file.shown_path(), lines.join("|"))
    };
    change.files.iter().map(file).collect::<Vec<_>>().join("\n")
}

fn check(patch: &str, expected: &str) {
    assert_eq!(shown(&parsed(patch)), expected);
}

fn refused(patch: &[u8], expected: &str) {
    let error = parse(&Bytes::copy_from_slice(patch)).unwrap_err().to_string();
    assert!(error.contains(expected), "{error:?} lacks {expected:?}");
}

#[test]
fn removed_line_that_looks_like_a_header() {
    check(
        "diff --git a/t.lua b/t.lua\nindex 1..2 100644\n--- a/t.lua\n+++ b/t.lua\n@@ -1 +1 @@\n--- old comment\n+-- new\n@@ -6 +6 @@ local d = 4\n-x = 1\n+x = 2\n",
        "Modified t.lua [-1 -- old comment|+1 -- new|-6 x = 1|+6 x = 2]",
    );
    check(
        "diff --git a/t b/t\n--- a/t\n+++ b/t\n@@ -1,2 +1 @@\n--- a\n+++ b\n-@@ -1 +1 @@\n",
        "Modified t [-1 -- a|+1 ++ b|-2 @@ -1 +1 @@]",
    );
}

#[test]
fn names_of_every_kind() {
    check(
        "diff --git \"a/caf\\303\\251.txt\" \"b/caf\\303\\251.txt\"\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ \"b/caf\\303\\251.txt\"\n@@ -0,0 +1 @@\n+x\n",
        "Added café.txt [+1 x]",
    );
    check(
        "diff --git a/my dir/a b.txt b/my dir/a b.txt\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/my dir/a b.txt\t\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n",
        "Added my dir/a b.txt [+1 x|+2 y]",
    );
    check("diff --git a/e b/e\nnew file mode 100644\nindex 0..e69\n", "Added e []");
    check("diff --git a/e b/e\ndeleted file mode 100644\nindex 0..e69\n", "Deleted e []");
    check("diff --git a/run b/run\nold mode 100644\nnew mode 100755\n", "Modified run []");
    check("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n", "Renamed n []");
    check("diff --git a/o b/n\nsimilarity index 90%\ncopy from o\ncopy to n\n", "Copied n []");
    check(
        "diff --git a/b.dat b/b.dat\nindex 1..2 100644\nBinary files a/b.dat and b/b.dat differ\n",
        "Modified b.dat binary []",
    );
    check(
        "* Unmerged path a.txt\ndiff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n",
        "Modified a.txt unmerged []\nModified a.txt [-1 a|+1 b]",
    );
}

#[test]
fn other_prefixes() {
    let body = "@@ -1 +1 @@\n-a\n+b\n";
    check(
        &format!("diff --git b/x.rs b/x.rs\n--- b/x.rs\n+++ b/x.rs\n{body}"),
        "Modified b/x.rs [-1 a|+1 b]",
    );
    check(&format!("diff --git i/x.rs w/x.rs\n--- i/x.rs\n+++ w/x.rs\n{body}"), "Modified x.rs [-1 a|+1 b]");
    check(&format!("--- a/x.rs\n+++ b/x.rs\n{body}"), "Modified x.rs [-1 a|+1 b]");
}

#[test]
fn zero_context_positions() {
    check(
        "--- a/x\n+++ b/x\n@@ -3,0 +4,2 @@\n+p\n+q\n@@ -9,2 +11,0 @@\n-r\n-s\n",
        "Modified x [+4 p|+5 q|-9 r|-10 s]",
    );
    let change = parsed("--- a/x\n+++ b/x\n@@ -9,2 +11,0 @@\n-r\n-s\n");
    assert_eq!(change.files[0].removed_lines().next().unwrap().new_number, 12);
}

#[test]
fn bytes_stay_bytes() {
    let patch =
        b"diff --git a/l.py b/l.py\n--- a/l.py\n+++ b/l.py\n@@ -1 +1 @@\n-caf\xe9 = 1\r\n+caf\xe9 = 2\r\n"
            .to_vec();
    let change = parse(&Bytes::from(patch)).unwrap();
    assert_eq!(change.files[0].added_lines().next().unwrap().text.as_ref(), b"caf\xe9 = 2\r");
}

#[test]
fn what_is_no_patch() {
    refused(b"hello\n", "line 1 of the diff is not part of a patch");
    refused(b"\x1b[1mdiff --git a/x b/x\x1b[m\n", "--no-color");
    refused(b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", "cut");
    refused(b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\ndiff --git a/y b/y\n", "does not fit");
    refused(b"--- a/x\n+++ b/x\n", "no hunk");
    refused(b"--- a/x\n@@ -1 +1 @@\n", "+++");
    refused(b"--- a/x\n+++ b/x\n@@ -1,4294967295 +1 @@\n", "no hunk header");
    refused(b"--- a/x\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "leaves the repository");
    refused(b"diff --git a/x b/x\nrename from /etc/passwd\nrename to y\n", "absolute");
    refused(b"--- a/x\n+++ b//abs\n@@ -1 +1 @@\n-a\n+b\n", "is absolute");
    refused(format!("--- a/x\n+++ b/{}\n@@ -1 +1 @@\n-a\n+b\n", "y".repeat(5000)).as_bytes(), "5000 bytes");
    refused(b"--- a/x\n+++ \"b/a\\000b\"\n@@ -1 +1 @@\n-a\n+b\n", "NUL");
}

#[test]
fn what_was_cut_between_a_header_and_its_hunks() {
    let cut = "content does not follow";
    refused(b"diff --git a/x b/x\nindex 1..2 100644\n", cut);
    refused(b"diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1111111\n", cut);
    refused(b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n", "no hunk follows");
    refused(
        b"diff --git a/x b/x\nindex 1..2 100644\ndiff --git a/y b/y\nold mode 100644\nnew mode 100755\n",
        cut,
    );
    let whole = [
        "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n",
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1111111..0000000\n",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
        "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n",
    ];
    for patch in whole {
        assert_eq!(parsed(patch).files.len(), 1, "{patch}");
    }
}

#[test]
fn images() {
    let patch = "--- a/x\n+++ b/x\n@@ -2,3 +2,2 @@\n two\n-three\n-four\n+3\n@@ -7 +6,2 @@\n seven\n+eight\n\\ No newline at end of file\n";
    let file = parsed(patch).files.remove(0);
    let post = b"one\ntwo\n3\nfive\nsix\nseven\neight";
    verify_post_image(&file, post, |_| false).unwrap();
    assert_eq!(pre_image(&file, post), b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    assert_eq!(post_fragment(&file), b"\ntwo\n3\n\n\nseven\neight\n");
    let stale = verify_post_image(&file, b"one\ntwo\n4\nfive\nsix\nseven\neight", |_| false).unwrap_err();
    assert_eq!(stale.line, 3);
    verify_post_image(&file, b"one\r\ntwo\r\n3\r\nfive\r\nsix\r\nseven\r\neight", |_| false).unwrap();
    verify_post_image(&file, b"one\ntwo\n****\nfive\nsix\nseven\neight", |line| line.contains(&b'*'))
        .unwrap();
    let latin =
        parse(&Bytes::from_static(b"--- a/l\n+++ b/l\n@@ -1 +1 @@\n-x\n+caf\xe9\n")).unwrap().files.remove(0);
    verify_post_image(&latin, "caf\u{fffd}\n".as_bytes(), |_| false).unwrap();
}

#[test]
fn a_patch_applies_or_it_does_not() {
    let check = |before: &str, hunks: &str, expected: Option<&str>| {
        let change = parsed(&format!("diff --git a/a b/a\n--- a/a\n+++ b/a\n{hunks}"));
        let after = post_image(&change.files[0], before.as_bytes());
        let after = after.map(|after| String::from_utf8(after).unwrap()).ok();
        assert_eq!(after.as_deref(), expected, "{before:?} {hunks:?}");
        if let Some(after) = expected {
            assert_eq!(pre_image(&change.files[0], after.as_bytes()), before.as_bytes());
        }
    };
    let middle = "@@ -2,3 +2,4 @@\n b\n-c\n+x\n+y\n d\n";
    check("a\nb\nc\nd\ne\n", middle, Some("a\nb\nx\ny\nd\ne\n"));
    check("a\nb\nc\nd\ne", middle, Some("a\nb\nx\ny\nd\ne"));
    check("a\nb\nother\nd\ne\n", middle, None);
    check("a\nb\n", middle, None);
    check("", middle, None);
    check("", "@@ -0,0 +1,2 @@\n+a\n+b\n", Some("a\nb\n"));
    check("a\nb\n", "@@ -1,0 +2,1 @@\n+x\n", Some("a\nx\nb\n"));
    check("a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", Some(""));
    check("a\nb", "@@ -2,1 +2,1 @@\n-b\n\\ No newline at end of file\n+c\n", Some("a\nc\n"));
    check("a\nb\nc\nd\n", "@@ -1,1 +1,1 @@\n-a\n+A\n@@ -4,1 +4,1 @@\n-d\n+D\n", Some("A\nb\nc\nD\n"));
}
