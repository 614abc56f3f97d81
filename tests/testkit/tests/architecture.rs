//! The house's rules that a compiler does not check: which crate may import which, where an SDK may be named, how
//! long a file may be, and where the environment is read.

#![expect(clippy::expect_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Who may import whom. A crate that is not here has no room in the house.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("prevet-domain", &[]),
    ("prevet-wire", &["prevet-domain"]),
    ("prevet-analysis", &["prevet-domain"]),
    ("prevet-app", &["prevet-domain", "prevet-analysis"]),
    ("prevet-store", &["prevet-app", "prevet-domain"]),
    ("prevet-llm", &["prevet-app", "prevet-domain"]),
    ("prevet-upstream", &["prevet-app", "prevet-domain"]),
    (
        "prevet-routes",
        &["prevet-app", "prevet-wire", "prevet-store", "prevet-llm", "prevet-upstream", "prevet-domain"],
    ),
    ("session", &["prevet-routes"]),
    ("upload", &["prevet-routes"]),
    ("mcp", &["prevet-routes"]),
    ("inbox", &["prevet-routes"]),
    // It wires the store to the emulator.
    ("prevet-local", &["prevet-routes", "prevet-emulator", "prevet-app", "prevet-domain", "prevet-store"]),
    ("prevet", &["prevet-domain", "prevet-analysis", "prevet-wire", "prevet-local?"]),
    ("prevet-emulator", &[]),
];
/// May import all of ours but the binary, and may be imported by tests alone.
const TESTKIT: &str = "prevet-testkit";
const FUNCTIONS: [&str; 4] = ["session", "upload", "mcp", "inbox"];
const LINES_MAX: usize = 500;

/// A crate of ours and what it states to depend on.
struct Crate {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Clone, Copy, PartialEq)]
enum Use {
    Always,
    BehindFeature,
    InTests,
}

struct Dependency {
    name: String,
    ours: bool,
    usage: Use,
}

/// Every edge that the table does not allow.
fn wrong_edges(crates: &[Crate]) -> Vec<String> {
    let mut wrong = Vec::new();
    for of in crates {
        for dependency in &of.dependencies {
            let allowed =
                if dependency.ours { may_import(of, dependency) } else { may_name(of, &dependency.name) };
            if !allowed {
                wrong.push(format!("{} may not depend on {}", of.name, dependency.name));
            }
        }
    }
    wrong
}

fn may_import(of: &Crate, dependency: &Dependency) -> bool {
    if of.name == TESTKIT {
        return dependency.name != "prevet";
    }
    if dependency.name == TESTKIT {
        return dependency.usage == Use::InTests;
    }
    let row = MAY_IMPORT.iter().find(|(name, _)| *name == of.name);
    row.is_some_and(|(_, allowed)| {
        allowed.iter().any(|entry| match entry.strip_suffix('?') {
            Some(optional) => optional == dependency.name && dependency.usage == Use::BehindFeature,
            None => *entry == dependency.name,
        })
    })
}

/// Where crates that are not ours may be named, for those that have a place of their own.
fn may_name(of: &Crate, foreign: &str) -> bool {
    let name = of.name.as_str();
    if foreign.starts_with("lambda_") || foreign.starts_with("aws_lambda") {
        FUNCTIONS.contains(&name)
    } else if foreign.starts_with("aws-") {
        matches!(name, "prevet-store" | "prevet-emulator")
    } else if foreign == "git2" || foreign.starts_with("libgit2") {
        matches!(name, "prevet" | TESTKIT)
    } else {
        true
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("no repository")
}

fn workspace() -> Vec<Crate> {
    let metadata = MetadataCommand::new().current_dir(root()).no_deps().exec().expect("no cargo metadata");
    let of = |package: cargo_metadata::Package| Crate {
        name: package.name.to_string(),
        dependencies: package
            .dependencies
            .iter()
            .map(|it| Dependency {
                name: it.name.clone(),
                ours: it.path.is_some(),
                usage: match it.kind {
                    DependencyKind::Development => Use::InTests,
                    _ if it.optional => Use::BehindFeature,
                    _ => Use::Always,
                },
            })
            .collect(),
    };
    metadata.packages.into_iter().map(of).collect()
}

#[test]
fn every_edge_is_allowed() {
    let crates = workspace();
    assert!(crates.len() > 10, "the workspace was not read");
    assert_eq!(wrong_edges(&crates), Vec::<String>::new());
    for name in crates.iter().map(|it| it.name.as_str()).filter(|name| *name != TESTKIT) {
        assert!(MAY_IMPORT.iter().any(|(known, _)| *known == name), "{name} is not in the table");
    }
}

#[test]
fn a_wrong_edge_is_found() {
    let check = |of: &str, name: &str, ours: bool, usage: Use, expected: bool| {
        let dependencies = vec![Dependency { name: name.to_owned(), ours, usage }];
        let wrong = wrong_edges(&[Crate { name: of.to_owned(), dependencies }]);
        assert_eq!(wrong.is_empty(), expected, "{of} → {name}: {wrong:?}");
    };
    check("prevet-app", "prevet-domain", true, Use::Always, true);
    check("prevet-domain", "prevet-app", true, Use::Always, false);
    check("prevet-app", "prevet-store", true, Use::Always, false);
    check("prevet-app", "prevet-store", true, Use::InTests, false);
    check("prevet-app", TESTKIT, true, Use::InTests, true);
    check("prevet-app", TESTKIT, true, Use::Always, false);
    check("prevet", "prevet-local", true, Use::BehindFeature, true);
    check("prevet", "prevet-local", true, Use::Always, false);
    check("prevet", "prevet-store", true, Use::BehindFeature, false);
    check("mcp", "prevet-store", true, Use::Always, false);
    check("a-new-crate", "prevet-domain", true, Use::Always, false);
    check("prevet-store", "aws-sdk-s3", false, Use::Always, true);
    check("prevet-routes", "aws-config", false, Use::Always, false);
    check("prevet", "aws-config", false, Use::InTests, false);
    check("mcp", "lambda_http", false, Use::Always, true);
    check("prevet-routes", "lambda_http", false, Use::Always, false);
    check("prevet", "git2", false, Use::Always, true);
    check("prevet-app", "git2", false, Use::Always, false);
    check("prevet-app", "serde", false, Use::Always, true);
    check(TESTKIT, "prevet-local", true, Use::Always, true);
    check(TESTKIT, "prevet", true, Use::Always, false);
}

/// What is wrong with one source file of the product.
fn wrong_lines(path: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    let count = text.lines().count();
    if count > LINES_MAX && !is_test {
        wrong.push(format!("{path} has {count} lines; the limit is {LINES_MAX}"));
    }
    let own_path =
        ["/commands/init.rs", "/commands/demo.rs", "/config.rs"].iter().any(|it| path.ends_with(it));
    for (at, line) in text.lines().enumerate() {
        let reads = line.contains("env::var") || line.contains("clippy::disallowed_methods");
        let asks = line.contains("env::current_exe");
        if (reads && !path.ends_with("/config.rs")) || (asks && !own_path) {
            wrong.push(format!("{path}:{} reads the environment", at + 1));
        }
    }
    wrong
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("no such folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_are_short_and_the_environment_is_read_in_one_place() {
    let (root, mut files) = (root(), Vec::new());
    for room in ["functions", "hook", "shared"] {
        sources(&root.join(room), &mut files);
    }
    assert!(files.len() > 100, "the sources were not read");
    let of = |path: &PathBuf| {
        let shown = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        wrong_lines(&shown, &fs::read_to_string(path).expect("a source cannot be read"))
    };
    assert_eq!(files.iter().flat_map(of).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn a_wrong_file_is_found() {
    let check = |path: &str, text: &str, expected: usize| {
        assert_eq!(wrong_lines(path, text).len(), expected, "{path}: {text:.60}");
    };
    check("shared/app/src/lib.rs", "fn f() {}\n", 0);
    check("shared/app/src/lib.rs", &"\n".repeat(501), 1);
    check("hook/src/git/tests.rs", &"\n".repeat(501), 0);
    check("shared/app/src/lib.rs", "let x = std::env::var(\"X\");\n", 1);
    check("shared/app/src/lib.rs", "#[expect(clippy::disallowed_methods, reason = \"r\")]\n", 1);
    check("hook/src/config.rs", "let x = env::var_os(\"X\");\n", 0);
    check("hook/src/commands/init.rs", "std::env::current_exe()\n", 0);
    check("hook/src/commands/diff.rs", "std::env::current_exe()\n", 1);
}
