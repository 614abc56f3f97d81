//! `.gitattributes`, filters, diff drivers and encodings.

use super::scene::Scene;
use super::states;

states! {
    text_auto => |scene| {
        scene.write(".gitattributes", "* text=auto\n");
        scene.commit_as_base();
        scene.write("new.txt", "x\r\ny\r\n");
        scene.write("crlf.txt", "one\r\nTWO\r\nthree\r\n");
        scene.write("mixed.txt", "a\r\nb\n");
    };
    not_to_be_shown => |scene| {
        scene.write(".gitattributes", "a.txt -diff\nb.txt binary\n");
        scene.edit("a.txt", 1);
        scene.edit("b.txt", 1);
    };
    binary_shown_all_the_same => |scene| {
        scene.write(".gitattributes", "bytes.bin diff\n");
        scene.write("bytes.bin", b"\0a\nb\0\n");
    };
    of_this_clone_only => |scene| {
        scene.write(".git/info/attributes", "a.txt -diff\n");
        scene.edit("a.txt", 1);
    };
    ident => |scene| {
        scene.write("id.txt", "$Id$\n$Id: abc $\n");
        scene.write(".gitattributes", "id.txt ident\n");
        scene.commit_as_base();
        scene.write("id.txt", "$Id: 1234 $\n$Id: abc $\nmore\n");
    };
    binary_driver => |scene| {
        scene.write(".gitattributes", "*.txt diff=opaque\n");
        scene.config("diff.opaque.binary", "true");
        scene.edit("a.txt", 30);
    };
    text_conversion_hides_nothing => |scene| {
        scene.write(".gitattributes", "*.txt diff=same\n");
        scene.config("diff.same.textconv", "echo always the same #");
        scene.edit("a.txt", 3);
    };
    clean_filter => |scene| {
        let filter = scene.home().join("pointer.sh");
        std::fs::write(&filter, "#!/bin/sh\necho pointer; cksum | cut -d' ' -f1\n").unwrap();
        scene.config("filter.large.clean", &format!("sh {}", filter.display()));
        scene.config("filter.large.required", "true");
        scene.write(".gitattributes", "*.big filter=large -text\n");
        scene.write("x.big", "content 1\n");
        scene.commit_as_base();
        scene.write("x.big", "content 2\n");
        scene.write("y.big", "content 3\n");
    };
    encoding_of_the_work_tree => |scene| {
        let encode = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        scene.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16LE\n");
        scene.write("x.u16", encode("hello\nworld\n"));
        scene.commit_as_base();
        scene.write("x.u16", encode("hello\nWORLD\n"));
        scene.write("y.u16", encode("new\n"));
    };
    functions_in_many_languages => |scene| {
        let body = |line: &str| format!("{line}\n").repeat(20);
        let languages = [
            ("rust", "impl fmt::Display for X {\n    fn fmt(&self) -> R {\n", "        a();"),
            ("python", "class A:\n    async def two(self):\n", "        a()"),
            ("cpp", "namespace x {\nclass A {\n public:\n  int foo(int a) {\n", "    a++;"),
            ("golang", "package m\n\nfunc (a *T) Foo() {\n", "\ta()"),
            ("css", ".a .b {\n", "  x: y;"),
            ("markdown", "# T\n\n## Sub\n", "text"),
            ("html", "<html>\n  <h1>T</h1>\n", "<p>"),
            ("java", "class A {\n  int foo(int a) throws E {\n", "    a++;"),
            ("ruby", "class A\n  def foo\n", "    a"),
            ("bash", "foo() {\n", "  a"),
            ("php", "<?php\nclass A {\n  public function foo($a) {\n", "    a;"),
            ("csharp", "class B {\n  public async Task<int> Foo(int a)\n  {\n", "    a++;"),
        ];
        let rules: Vec<String> = languages.iter().map(|(name, ..)| format!("*.{name} diff={name}\n")).collect();
        scene.write(".gitattributes", rules.concat());
        for (name, head, line) in languages {
            scene.write(format!("f.{name}"), head.to_owned() + &body(line));
        }
        scene.write("long.c", format!("int {}(void)   \n{{\n{}}}\n", "é".repeat(60), body("  a;")));
        scene.commit_as_base();
        for (name, ..) in languages {
            scene.edit(&format!("f.{name}"), 15);
        }
        scene.edit("long.c", 15);
    };
}

/// A driver that prints nothing would make any change look clean.
#[test]
fn external_diff_is_not_run() {
    let scene = Scene::standard();
    scene.config("diff.external", "true");
    scene.write(".gitattributes", "b.txt diff=mute\n");
    scene.config("diff.mute.command", "true");
    scene.edit("a.txt", 1);
    scene.edit("b.txt", 1);
    let captured = scene.check();
    assert!(String::from_utf8(captured.patch).unwrap().matches("+another line").count() == 2);
}
