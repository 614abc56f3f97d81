use std::collections::BTreeMap;

use bytes::Bytes;
use prevet_domain::change::{Change, parse};

use super::{describe, outline, trivial};

/// A patch of one file, from the text before and the text after, as one hunk.
fn patch(path: &str, before: &str, after: &str) -> Change {
    let (old, new) = (before.lines().count(), after.lines().count());
    let start = |count: usize| usize::from(count > 0);
    let head = format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{},{old} +{},{new} @@\n",
        start(old),
        start(new)
    );
    let removed = before.lines().map(|line| format!("-{line}\n"));
    let added = after.lines().map(|line| format!("+{line}\n"));
    let text: String = std::iter::once(head).chain(removed).chain(added).collect();
    parse(&Bytes::from(text)).unwrap()
}

fn files(path: &str, after: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([(path.to_owned(), after.as_bytes().to_vec())])
}

fn described(path: &str, before: &str, after: &str) -> String {
    let text = describe(&outline(&patch(path, before, after), &files(path, after)));
    text.lines().find(|line| line.starts_with("- ")).unwrap_or_default().to_owned()
}

#[test]
fn symbols_of_each_language() {
    let check = |path: &str, before: &str, after: &str, expected: &str| {
        let line = described(path, before, after);
        let symbols = line.split_once("): ").map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        assert_eq!(symbols, expected, "{path}: {line}");
    };
    check(
        "a.py",
        "class A:\n    def f(self):\n        return 1\n\n    def gone(self):\n        return 7\n",
        "class A:\n    def f(self):\n        return 2\n\ndef g(x):\n    return x\n",
        "adds function `g`; removes function `A.gone`; changes function `A.f`",
    );
    check(
        "a.py",
        "def total(items):\n    return sum(items)\n",
        "def amount(items):\n    return sum(items)\n",
        "renames function `total` to `amount`",
    );
    check(
        "a.ts",
        "",
        "export const load = async () => 1;\ninterface P { a: string }\n",
        "adds function `load`, interface `P`",
    );
    check("a.tsx", "class A { f() { return 1 } }", "class A { f() { return 2 } }", "changes method `A.f`");
    check(
        "a.go",
        "package a\nfunc (s *Server) Run() int { return 1 }\n",
        "package a\nfunc (s *Server) Run() int { return 2 }\ntype T struct{}\n",
        "adds type `T`; changes method `Server.Run`",
    );
    check(
        "A.java",
        "class A { int f() { return 1; } }",
        "class A { int f() { return 1; } int g() { return 2; } }",
        "adds method `A.g`",
    );
    check(
        "a.rs",
        "impl A { fn f(&self) {} }\n",
        "impl A { fn f(&self) { g(); } }\nconst N: u8 = 1;\n",
        "adds constant `N`; changes function `A.f`",
    );
    check(
        "a.rb",
        "module M\n  def f\n    1\n  end\nend\n",
        "module M\n  def f\n    2\n  end\nend\n",
        "changes method `M.f`",
    );
    check(
        "a.php",
        "<?php\nfunction f() { return 1; }\n",
        "<?php\nfunction f() { return 2; }\n",
        "changes function `f`",
    );
    check(
        "A.cs",
        "class A { int F() { return 1; } }",
        "class A { int F() { return 2; } }",
        "changes method `A.F`",
    );
    check("a.sh", "", "deploy() {\n  echo hi\n}\n", "adds function `deploy`");
    check("a.json", "{}", "{\"a\": 1}", "");
}

#[test]
fn trivial_changes_are_one_line() {
    let check = |path: &str, before: &str, after: &str, expected: Option<&str>| {
        let (change, files) = (patch(path, before, after), files(path, after));
        let found = trivial(&change, &outline(&change, &files), &files);
        let bare = found.as_deref().map(|text| text.trim_start_matches("Trivial change \u{2014} "));
        assert_eq!(bare, expected, "{path}: {before:?} {after:?}");
    };
    let space = |path: &str| format!("only white space differs in `{path}`.");
    check("a.js", "f( 1 );\ng();\n", "f(1);\n\ng();\n", Some(&space("a.js")));
    check("a.js", "x = 'a b';\ny = 2;\n", "x = 'ab';\ny =  2;\n", None);
    check("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", None);
    check(
        "a.py",
        "# one\nx = 1\ny = 2\n",
        "# two words\nx = 1\n\ny = 2\n",
        Some("only comments and white space differ in `a.py`."),
    );
    check("notes.txt", "a \nb\n", "a\nb\n", Some(&space("notes.txt")));
    check("docs/a.md", "old\nwords\n", "new\nthings\n", Some("documentation only: `docs/a.md` (4 lines)."));
    check("requirements.txt", "a==1\nb==1\n", "a==2\nb==2\n", None);
    check("a.py", "x = 1\n", "x = 2\n", Some("one line of `a.py` (line 1): `x = 1` becomes `x = 2`."));
    check("a.py", "x = 1\n", "x = 2\ny = 3\n", None);
}

#[test]
fn moves_are_one_line() {
    let text = "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n";
    let change = parse(&Bytes::from(text)).unwrap();
    let files = BTreeMap::new();
    let found = trivial(&change, &outline(&change, &files), &files);
    assert_eq!(found.as_deref(), Some("Trivial change \u{2014} renames `old.py` to `new.py`."));
}

#[test]
fn a_secret_is_not_shown() {
    let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
    let after = format!("aws_access_key_id = '{key}'\n");
    let (change, files) = (patch("a.py", "aws_access_key_id = ''\n", &after), files("a.py", &after));
    let found = trivial(&change, &outline(&change, &files), &files).unwrap();
    assert!(!found.contains(&key), "{found}");
}

#[test]
fn a_fragment_names_what_git_names() {
    let text = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n\
                @@ -40,3 +40,3 @@ def total(items):\n     a = 1\n-    b = 2\n+    b = 3\n     c = 4\n";
    let change = parse(&Bytes::from(text)).unwrap();
    let text = describe(&outline(&change, &BTreeMap::new()));
    assert!(text.contains("- `a.py` (modified, +1 \u{2212}1): changes in `total`"), "{text}");
}
