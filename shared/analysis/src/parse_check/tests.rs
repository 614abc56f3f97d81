use super::*;

const NOTHING: [u32; 0] = [];

fn lines(path: &str, old: &str, new: &str) -> Vec<u32> {
    let name = path.rsplit('.').next().unwrap();
    let language = match name {
        "py" => Language::Python,
        "ts" => Language::TypeScript,
        "go" => Language::Go,
        "rs" => Language::Rust,
        "json" => Language::Json,
        "yml" => Language::Yaml,
        "sh" => Language::Shell,
        "php" => Language::Php,
        "js" => Language::JavaScript,
        "rb" => Language::Ruby,
        "java" => Language::Java,
        other => panic!("{other}"),
    };
    let source = Source::new(path, Some(language), new.as_bytes(), true);
    let hits = check(&source, old.as_bytes(), &|_| true);
    hits.iter().map(|hit| source.line_of(hit.span.start)).collect()
}

#[test]
fn a_broken_change_is_found() {
    let check = |path: &str, old: &str, new: &str, expected: &[u32]| {
        assert_eq!(lines(path, old, new), expected, "{path}: {new}");
    };
    check("a.py", "x = f(1)\ny = 2\n", "x = f(1\ny = 2\n", &[1]);
    check("a.py", "x = f(1\n", "x = f(1\ny = 2\n", &[]);
    check("a.py", "", "def f(:\n    pass\n", &[1]);
    check("a.ts", "let a = 1;\n", "let a = 1;\n<<<<<<< HEAD\nlet b = 1;\n=======\n", &[2]);
    check("a.go", "package a\n", "package a\nfunc f() {\n", &[2]);
    check("a.rs", "fn a() {}\n", "fn a() {\n", &[1]);
    check("a.sh", "ls\n", "if (((\n", &[]);
}

#[test]
fn what_the_grammars_do_not_know_is_no_error() {
    let styled = "const A = styled.div<{ $a: B; $c: D }>`\n  color: red;\n`;\n";
    assert_eq!(lines("a.ts", "let a = 1;\n", styled), NOTHING);
    assert_eq!(lines("a.ts", "", "export type * as A from 'a'\n"), NOTHING);
    assert_eq!(lines("a.php", "", "<p><?php echo 1 ?></p>\n"), NOTHING);
    assert_eq!(lines("a.php", "<?php\necho 1;\n", "<?php\nif (1) {\n").len(), 1);
    assert_eq!(lines("testdata/a.json", "", "OK\n"), NOTHING);
}

#[test]
fn new_syntax_is_no_error() {
    let check = |path: &str, old: &str, new: &str| {
        assert_eq!(lines(path, old, &format!("{old}{new}")), NOTHING, "{path}: {new}");
    };
    check("a.ts", "let a = 1;\n", "const m = await load<typeof import(\"./m\")>();\n");
    check("a.ts", "let a = 1;\n", "const m = load<import(\"x\").T>();\n");
    check("a.js", "let a = 1;\n", "import defer * as b from \"b\";\n");
    check("a.go", "package a\n", "var p = new(int32(5))\n");
    check("a.rs", "fn a() {}\n", "unsafe extern \"C\" { safe fn f(); }\n");
    check("a.rb", "a = 1\n", "def m = puts \"a\"\n");
    check("a.py", "a = 1\n", "def f[T: int = str](x: T) -> T:\n    return x\n");
    check("a.php", "<?php\n", "(void) f();\n");
    check("a.java", "import java.util.List;\n", "import module java.base;\nclass A {}\n");
    check("a.java", "", "class A extends B { A(int x) {\n if (x < 0) { throw new E(); }\n super(x); } }\n");
}

#[test]
fn only_what_is_proven_is_high() {
    let check = |path: &str, old: &str, new: &str, expected: Option<Severity>| {
        let is_python = path == "a.py";
        let language = if is_python { Language::Python } else { Language::JavaScript };
        let source = Source::new(path, Some(language), new.as_bytes(), true);
        let hits = super::check(&source, old.as_bytes(), &|_| true);
        assert_eq!(hits.first().map(|hit| hit.rule.severity), expected, "{new}");
        assert!(hits.iter().all(|hit| hit.rule.id == rule().id));
    };
    check("a.js", "f(1);\n", "f(1;\n", Some(Severity::High));
    check("a.js", "f(1);\n", "f(1);\n<<<<<<< HEAD\nf(2);\n", Some(Severity::High));
    check("a.js", "export class A {}\n", "export class extends A {}\n", Some(Severity::Medium));
    check("a.js", "", "export class extends A {}\n", None);
    check("a.py", "x = 1\n", "x = = 1\n", Some(Severity::Medium));
}

#[test]
fn a_mask_explains_an_error() {
    let check = |path: &str, old: &str, new: &str| assert_eq!(lines(path, old, new), NOTHING, "{new}");
    check("a.json", "{\n\"a\": 1\n}\n", "{\n\"password:\"[masked]\"b\"\n}\n");
    check("a.yml", "a: 1\n", "\"Your password:\"[masked]\"x\"\nb: 1\n");
    check("a.py", "x = 1\n", "print(\"password:\"[masked]\"\")\n");
    assert_eq!(lines("a.py", "x = 1\n", "a = \"[masked]\"\n\n\n\n\n\nx = f(\n"), [7]);
}

#[test]
fn json_takes_comments_where_its_readers_do() {
    let commented = "{\n  // a\n  \"a\": \"//\", /* b */\n  \"b\": [1, 2,],\n}\n";
    assert_eq!(lines("tsconfig.base.json", "{}", commented), NOTHING);
    assert_eq!(lines("web/.vscode/settings.json", "{}", commented), NOTHING);
    assert_eq!(lines("package.json", "{}", commented), [2]);
    assert_eq!(lines("package.json", "{}", "{\"a\": 1}\n"), NOTHING);
    assert_eq!(lines("tsconfig.json", "{}", "{\n\"a\": 1\n\"b\": 2}\n"), [3]);
    assert_eq!(lines("a.json", "", ""), NOTHING);
    assert_eq!(lines("a.json", "", &("[".repeat(200) + &"]".repeat(200))), NOTHING);
}

#[test]
fn yaml_is_loaded() {
    assert_eq!(lines("a.yml", "a: 1\n", "a: 1\nb: 2\n---\nc: !Ref d\n"), NOTHING);
    assert_eq!(lines("a.yml", "a: 1\n", "a: 1\n b: 2\n"), [2]);
    assert_eq!(lines("a.yml", "a: 1\n", "a: {{ .Values.a }}\n  b: 1\n"), NOTHING);
    assert_eq!(lines("a.yml", "a: 1\n", "a: 1\na: 2\n").len(), 1);
}

#[test]
fn only_near_a_touched_line_and_only_whole_files() {
    let text = "x = 1\n\n\n\ny = f(\n";
    let source = Source::new("a.py", Some(Language::Python), text.as_bytes(), true);
    assert!(check(&source, b"x = 1\n", &|line| line == 1).is_empty());
    assert_eq!(check(&source, b"x = 1\n", &|line| line == 5).len(), 1);
    let part = Source::new("a.py", Some(Language::Python), text.as_bytes(), false);
    assert!(check(&part, b"x = 1\n", &|_| true).is_empty());
}

#[test]
fn templates_are_less_sure() {
    let text = b"import {{ cookiecutter.name }}\nx = {{ a }\n";
    let source = Source::new("a.py", Some(Language::Python), text, true);
    let hits = check(&source, b"", &|_| true);
    assert!(hits.iter().all(|hit| hit.confidence == Some(Confidence::Low)), "{hits:?}");
}
