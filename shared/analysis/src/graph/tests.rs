use std::collections::BTreeMap;

use bytes::Bytes;
use prevet_domain::change::parse;
use prevet_domain::path::RepoPath;

use super::*;
use crate::language::{TextKind, detect};

fn candidate(path: &str, text: &str) -> Candidate {
    let TextKind::Known(language) = detect(&RepoPath::parse(path.as_bytes()).unwrap(), b"") else {
        panic!("{path} is in no language")
    };
    let symbols = read(language, text.as_bytes(), |_| true).unwrap();
    Candidate { path: path.to_owned(), language, symbols }
}

fn graph(files: &[(&str, &str)]) -> Graph {
    let mut graph = Graph::default();
    for (path, text) in files {
        let it = candidate(path, text);
        graph.add(&it.path, it.language, it.symbols).unwrap();
    }
    graph
}

/// `user:line kind in symbol by` for each use of the definition in `path`.
fn users(files: &[(&str, &str)], path: &str, name: &str) -> Vec<String> {
    let graph = graph(files);
    let definitions = graph.definitions(name).iter().filter(|it| graph.path(it.file) == path);
    let shown = |(place, by): (Place, By)| {
        let it = graph.reference(place).unwrap();
        let inside = graph.inside(place).map_or("-", |it| it.qualified.as_str());
        format!("{}:{} {:?} {inside} {by:?}", graph.path(place.file), it.line, it.kind)
    };
    definitions.flat_map(|it| graph.users(*it)).map(shown).collect()
}

fn check(files: &[(&str, &str)], path: &str, name: &str, expected: &[&str]) {
    assert_eq!(users(files, path, name), expected, "{name} of {path}");
}

#[test]
fn python() {
    let shop = "class Cart:\n    def total(self):\n        return self.sum_of()\n    def sum_of(self):\n        return 1\n\n\
                def load():\n    return Cart()\n";
    let user = "from shop import Cart, load as get\nimport shop\n\n@load\ndef page(load=1):\n    # load() and total()\n    \
                c = get()\n    print('load()', c.total())\n    return shop.load()\n";
    let other = "def load(): pass\n\ndef run():\n    return load()\n";
    let files = [("shop.py", shop), ("app/user.py", user), ("app/other.py", other)];
    check(&files, "shop.py", "sum_of", &["shop.py:3 Call Cart.total SameFile"]);
    check(&files, "shop.py", "total", &["app/user.py:8 Call page Imported"]);
    check(&files, "shop.py", "Cart", &["shop.py:8 Call load SameFile", "app/user.py:1 Import - Imported"]);
    check(
        &files,
        "shop.py",
        "load",
        &[
            "app/user.py:1 Import - Imported",
            "app/user.py:1 Import - Imported",
            "app/user.py:4 Call - Imported",
            "app/user.py:7 Call page Imported",
            "app/user.py:9 Call page Imported",
        ],
    );
    check(&files, "app/other.py", "load", &["app/other.py:4 Call run SameFile"]);
}

#[test]
fn relative_imports_of_python() {
    let files = [
        ("pkg/a/tools.py", "def run(): pass\n"),
        ("pkg/b/tools.py", "def run(): pass\n"),
        ("pkg/a/main.py", "from .tools import run\nrun()\n"),
        ("pkg/b/sub/main.py", "from ..tools import run\nrun()\n"),
        ("pkg/c.py", "from pkg.a import tools\ntools.run()\n"),
        ("pkg/d.py", "run()\n"),
    ];
    check(
        &files,
        "pkg/a/tools.py",
        "run",
        &[
            "pkg/a/main.py:1 Import - Imported",
            "pkg/a/main.py:2 Call - Imported",
            "pkg/c.py:2 Call - Imported",
            "pkg/d.py:1 Call - Ambiguous",
        ],
    );
    check(
        &files,
        "pkg/b/tools.py",
        "run",
        &[
            "pkg/b/sub/main.py:1 Import - Imported",
            "pkg/b/sub/main.py:2 Call - Imported",
            "pkg/d.py:1 Call - Ambiguous",
        ],
    );
}

#[test]
fn javascript_and_typescript() {
    let tools = "exports.total = function total(items) { return add(items) }\nconst add = (a) => a\n\
                 class Cart { sum() { return this.part() } part() { return 1 } }\nmodule.exports.Cart = Cart\n";
    let user = "const { total } = require('./tools')\nfunction page() { return total([1]) + 'total()' }\n";
    let typed = "import { total as sum, Cart } from '../lib/tools';\nexport const view = () => {\n  const c = new Cart();\n  \
                 return <Total x={sum([])} y={c.sum()} />;\n};\nexport function Total(p: { x: number }) { return null }\n";
    let files = [("lib/tools.js", tools), ("lib/user.js", user), ("web/view.tsx", typed)];
    check(&files, "lib/tools.js", "add", &["lib/tools.js:1 Call total SameFile"]);
    check(&files, "lib/tools.js", "part", &["lib/tools.js:3 Call Cart.sum SameFile"]);
    check(&files, "lib/tools.js", "sum", &["web/view.tsx:4 Call view Imported"]);
    check(&files, "web/view.tsx", "Total", &["web/view.tsx:4 Call view SameFile"]);
    let of_total = users(&files, "lib/tools.js", "total");
    assert!(of_total.contains(&"lib/user.js:2 Call page Imported".to_owned()), "{of_total:?}");
    assert!(of_total.contains(&"web/view.tsx:4 Call view Imported".to_owned()), "{of_total:?}");
    assert!(!of_total.iter().any(|it| it.contains("tools.js")), "{of_total:?}");
}

#[test]
fn go() {
    let store = "package store\n\ntype Shop struct{}\n\nfunc (s *Shop) Total(x int) int { return half(x) }\n\nfunc half(x int) int { \
                 return x / 2 }\n\nfunc New() *Shop { return &Shop{} }\n\nconst Limit = 3\n";
    let main = "package main\n\nimport \"example.com/shop/internal/store\"\n\nfunc main() {\n\ts := store.New()\n\tgo \
                s.Total(store.Limit)\n}\n";
    let near = "package store\n\nfunc near(s Shop) int {\n\treturn half(2)\n}\n";
    let files = [("internal/store/shop.go", store), ("cmd/main.go", main), ("internal/store/near.go", near)];
    check(
        &files,
        "internal/store/shop.go",
        "half",
        &[
            "internal/store/shop.go:5 Call Shop.Total SameFile",
            "internal/store/near.go:4 Call near SamePackage",
        ],
    );
    check(&files, "internal/store/shop.go", "New", &["cmd/main.go:6 Call main Imported"]);
    check(&files, "internal/store/shop.go", "Total", &["cmd/main.go:7 Call main Imported"]);
    check(&files, "internal/store/shop.go", "Limit", &["cmd/main.go:7 Use main Imported"]);
    let uses = users(&files, "internal/store/shop.go", "Shop");
    assert!(uses.contains(&"internal/store/near.go:3 Use near SamePackage".to_owned()), "{uses:?}");
}

#[test]
fn java_and_csharp() {
    let java = "package a;\npublic class Cart {\n  static int LIMIT = 1;\n  int total() { return part() + LIMIT; }\n  int part() { \
                return 1; }\n}\n";
    let user = "package b;\nimport a.Cart;\nclass Page {\n  int show() { return new Cart().total(); }\n}\n";
    let files = [("src/a/Cart.java", java), ("src/b/Page.java", user)];
    check(&files, "src/a/Cart.java", "part", &["src/a/Cart.java:4 Call Cart.total SameFile"]);
    check(&files, "src/a/Cart.java", "total", &["src/b/Page.java:4 Call Page.show Imported"]);
    check(&files, "src/a/Cart.java", "LIMIT", &["src/a/Cart.java:4 Use Cart.total SameFile"]);
    check(
        &files,
        "src/a/Cart.java",
        "Cart",
        &["src/b/Page.java:2 Import - Imported", "src/b/Page.java:4 Call Page.show Imported"],
    );
    let cs = "namespace A { public class Cart { public int Total() { return Part<int>(); } int Part<T>() { return 1; } } }\n";
    let page = "using A;\nclass Page { int Show(Cart c) { return c.Total() + new Cart().Total(); } }\n";
    let files = [("A/Cart.cs", cs), ("B/Page.cs", page)];
    check(&files, "A/Cart.cs", "Part", &["A/Cart.cs:1 Call Cart.Total SameFile"]);
    check(
        &files,
        "A/Cart.cs",
        "Total",
        &["B/Page.cs:2 Call Page.Show Only", "B/Page.cs:2 Call Page.Show Only"],
    );
    check(
        &files,
        "A/Cart.cs",
        "Cart",
        &["B/Page.cs:2 Use Page.Show Only", "B/Page.cs:2 Call Page.Show Only"],
    );
}

#[test]
fn rust_code() {
    let money = "pub struct Money<T>(u32, T);\nimpl<T> Money<T> {\n    pub fn new() -> Self { Self::check(); helper(); Self(1) }\n    fn check() \
                 {}\n}\nfn helper() {}\nmacro_rules! pay { () => {} }\npub const MAX: u32 = 3;\n";
    let user = "use crate::money::{Money, MAX};\nfn page() -> Money {\n    pay!();\n    println!(\"{}\", helper(MAX));\n    \
                Money::new()\n}\n";
    let files = [("src/money.rs", money), ("src/page.rs", user)];
    check(&files, "src/money.rs", "check", &["src/money.rs:3 Call Money.new SameFile"]);
    check(&files, "src/money.rs", "new", &["src/page.rs:5 Call page Imported"]);
    check(&files, "src/money.rs", "pay", &["src/page.rs:3 Call page Imported"]);
    check(
        &files,
        "src/money.rs",
        "helper",
        &["src/money.rs:3 Call Money.new SameFile", "src/page.rs:4 Call page Imported"],
    );
    check(
        &files,
        "src/money.rs",
        "MAX",
        &["src/page.rs:1 Import - Imported", "src/page.rs:4 Use page Imported"],
    );
}

#[test]
fn ruby_php_and_shell() {
    let cart = "class Cart\n  RATE = 2\n  def total\n    part(1)\n  end\n  def part(x)\n    x\n  end\nend\n";
    let page = "require_relative 'cart'\ndef show\n  Cart.new.total\nend\n";
    let files = [("lib/cart.rb", cart), ("lib/page.rb", page)];
    check(&files, "lib/cart.rb", "part", &["lib/cart.rb:4 Call Cart.total SameFile"]);
    check(&files, "lib/cart.rb", "total", &["lib/page.rb:3 Call show Imported"]);
    let cart = "<?php\nnamespace A;\nclass Cart { function total() { return $this->part(); } function part() { return 1; } }\nfunction \
                load() { return new Cart(); }\n";
    let page = "<?php\nuse A\\Cart;\nfunction show() { $c = load(); Cart::total(); return $c->total(); }\n";
    let files = [("A/Cart.php", cart), ("B/page.php", page)];
    check(&files, "A/Cart.php", "part", &["A/Cart.php:3 Call Cart.total SameFile"]);
    check(
        &files,
        "A/Cart.php",
        "total",
        &["B/page.php:3 Call show Imported", "B/page.php:3 Call show Imported"],
    );
    check(&files, "A/Cart.php", "load", &["B/page.php:3 Call show Imported"]);
    let library = "deploy() {\n  echo deploy\n}\n";
    let script = "#!/bin/sh\n. ./library.sh\nif true; then deploy now; fi\necho \"deploy\"\n";
    let files = [("bin/library.sh", library), ("bin/run.sh", script)];
    check(&files, "bin/library.sh", "deploy", &["bin/run.sh:3 Call - Imported"]);
}

#[test]
fn names_that_several_files_define_are_said_to_be_ambiguous() {
    let files =
        [("a.py", "def run(): pass\n"), ("b.py", "def run(): pass\n"), ("x/c.py", "def f():\n    run()\n")];
    check(&files, "a.py", "run", &["x/c.py:2 Call f Ambiguous"]);
    check(&files, "b.py", "run", &["x/c.py:2 Call f Ambiguous"]);
    let other = [("a.py", "def run(): pass\n"), ("b.rb", "run(1)\n")];
    check(&other, "a.py", "run", &[]);
}

const BEFORE: &str = "def total(items):\n    return sum(items)\n\ndef gone(x):\n    return x\n";
const AFTER: &str = "def total(items):\n    return sum(price(i) for i in items)\n";

fn change() -> prevet_domain::change::Change {
    let lines = |sign: &str, text: &str| text.lines().map(|it| format!("{sign}{it}\n")).collect::<String>();
    let patch = format!(
        "diff --git a/shop.py b/shop.py\n--- a/shop.py\n+++ b/shop.py\n@@ -1,5 +1,2 @@\n{}{}",
        lines("-", BEFORE),
        lines("+", AFTER)
    );
    parse(&Bytes::from(patch)).unwrap()
}

fn after() -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([("shop.py".to_owned(), AFTER.as_bytes().to_vec())])
}

#[test]
fn what_a_change_makes_interesting() {
    let wanted = wanted(&change(), &after());
    let changed: Vec<_> = wanted.changed.iter().map(|it| (it.name.as_str(), it.state)).collect();
    assert_eq!(changed, [("total", State::Changed), ("gone", State::Removed)]);
    let called: Vec<_> = wanted.called.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(called, ["price", "sum"]);
}

const LIMITS: Limits =
    Limits { files_max: 10, bytes_max: 10_000, file_bytes_max: 2_000, whole_bytes_max: 60 };

fn found(files: &[(&str, &str)], limits: &Limits) -> Vec<Related> {
    let wanted = wanted(&change(), &after());
    let candidates = files.iter().map(|(path, text)| candidate(path, text)).collect();
    let texts: BTreeMap<&str, &str> = files.iter().copied().collect();
    related(&wanted, vec![candidate("shop.py", AFTER)], candidates, limits, |path| {
        texts.get(path).map(|it| (*it).to_owned())
    })
}

#[test]
fn what_is_related_and_why() {
    let padding = "# padding\n".repeat(40);
    let caller = format!(
        "from shop import total, gone\n{padding}def page(x):\n    return total(x)\n{padding}gone(1)\n"
    );
    let files = [
        ("prices.py", "def price(item):\n    return item.price\n"),
        ("caller.py", &caller),
        ("tests/test_shop.py", "from shop import total\ntotal([])\n"),
        ("unrelated.py", "def page():\n    return 1\n"),
    ];
    let found = found(&files, &LIMITS);
    let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["caller.py", "prices.py", "tests/test_shop.py"]);
    assert_eq!(
        found[0].reasons,
        [
            "calls gone(), which the change removes",
            "calls total() in page",
            "imports gone, which the change removes",
            "imports total"
        ]
    );
    assert_eq!(found[1].reasons, ["defines price"]);
    let page = found[0].excerpts.iter().find(|it| it.first_line == 42).unwrap();
    assert_eq!(page.text, "def page(x):\n    return total(x)\n");
    assert_eq!(
        found[0].excerpts[0],
        Excerpt { first_line: 1, text: "from shop import total, gone\n".to_owned() }
    );
    assert_eq!(found[1].excerpts, [Excerpt { first_line: 1, text: files[0].1.to_owned() }]);
}

#[test]
fn limits_hold_and_the_best_comes_first() {
    let callers: Vec<(String, String)> = (0..30)
        .map(|at| {
            (
                format!("c{at:02}.py"),
                format!("from shop import total\ndef f{at}():\n    return total({at})\n"),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = callers.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let check = |limits: Limits, expected: usize| {
        let found = found(&files, &limits);
        let bytes: usize = found.iter().flat_map(|it| &it.excerpts).map(|it| it.text.len()).sum();
        assert_eq!(found.len(), expected);
        assert!(bytes <= limits.bytes_max, "{bytes}");
    };
    check(LIMITS, 10);
    check(Limits { bytes_max: 150, ..LIMITS }, 3);
    check(Limits { bytes_max: 0, ..LIMITS }, 0);
    check(Limits { files_max: 0, ..LIMITS }, 0);
}

#[test]
fn the_definitions_around_hunks() {
    let body = "    a = 1\n".repeat(120);
    let text = format!("import os\n\ndef long():\n{body}\ndef short():\n    return 2\n");
    let patch = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -60,1 +60,1 @@\n-    a = 2\n+    a = 1\n\
                 @@ -126,1 +126,1 @@\n-    return 1\n+    return 2\n";
    let change = parse(&Bytes::from(patch)).unwrap();
    let excerpts = enclosing_excerpts(&change.files[0], &text, 10_000);
    let shown: Vec<(u32, usize)> =
        excerpts.iter().map(|it| (it.first_line, it.text.lines().count())).collect();
    assert_eq!(shown, [(3, 2), (52, 17), (125, 2)]);
}

#[test]
fn hostile_text_is_not_read() {
    let deep = format!("x = {}{}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert!(read(crate::language::Language::Python, deep.as_bytes(), |_| true).is_none());
    let wide = "f()\n".repeat(50_100);
    let found = read(crate::language::Language::Python, wide.as_bytes(), |_| true).unwrap();
    assert_eq!(found.references.len(), 50_000);
}
