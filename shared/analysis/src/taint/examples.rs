//! Every rule against its own examples, and the form of every rule.

use std::collections::BTreeSet;

use super::catalogue::{self, Catalogue};
use super::*;
use crate::language::Language;

const MESSAGE_CHARS_MAX: usize = 400;

fn hits(language: Language, code: &str) -> Vec<String> {
    let source = Source::new("src/example", Some(language), code.as_bytes(), true);
    let parsed = parse(&source).unwrap();
    assert!(!parsed.tree_root().has_error(), "does not parse:\n{code}");
    scan_parsed(&parsed).into_iter().map(|hit| hit.rule.id.clone()).collect()
}

fn failures(catalogue: &Catalogue) -> Vec<String> {
    let mut failures = Vec::new();
    for example in &catalogue.examples {
        let id = format!("{}.{}", catalogue.language.as_str(), example.rule);
        assert!(catalogue.rules().any(|rule| rule.id == id), "no pair for {id}");
        assert!(!example.matches.is_empty() && !example.passes.is_empty(), "{id} lacks examples");
        for (codes, wanted) in [(&example.matches, true), (&example.passes, false)] {
            for code in codes {
                let found = hits(catalogue.language, code);
                if found.contains(&id) != wanted {
                    let verb = if wanted { "does not find" } else { "wrongly finds" };
                    failures.push(format!("{id} {verb} ({found:?}):\n{code}"));
                }
                if !wanted && found.iter().any(|other| *other != id) {
                    failures.push(format!("{id}: other findings {found:?} in what passes:\n{code}"));
                }
            }
        }
    }
    failures
}

#[test]
fn no_file_is_broken() {
    assert!(broken_rules().is_empty(), "{}", broken_rules().join("\n"));
}

#[test]
fn rules_find_and_pass_their_examples() {
    let failures: Vec<String> = catalogue::all().flat_map(failures).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn rules_have_the_form() {
    let mut ids = BTreeSet::new();
    for rule in rules() {
        assert!(ids.insert(&rule.id), "{} twice", rule.id);
        assert!(!rule.title.is_empty() && !rule.title.ends_with('.'), "title of {}", rule.id);
        let length = rule.message.chars().count();
        assert!((20..=MESSAGE_CHARS_MAX).contains(&length), "message of {} has {length}", rule.id);
        assert!(rule.cwe.is_some() && rule.owasp.is_some(), "{} names no CWE or OWASP", rule.id);
    }
}

#[test]
fn nesting_and_length_are_bounded() {
    let nested = format!("def f():\n    x = {}request.args{}\n", "g(".repeat(300), ")".repeat(300));
    let long = format!("def f():\n    x = request.args\n    eval({}x)\n", "'a' + ".repeat(20_000));
    let wide = format!("def f():\n    x = [{}request.args]\n", "1, ".repeat(200_000));
    let branches = "    if a:\n        b = request.args\n".repeat(5_000);
    let calls = |count: usize, name: &str| format!("    {name}(x)\n").repeat(count);
    let called = format!(
        "def f():\n    x = request.args\n{}def g(x):\n{}def h(x):\n{}",
        calls(2_000, "g"),
        calls(200, "h"),
        calls(200, "f"),
    );
    for code in [nested, long, wide, format!("def f():\n{branches}"), called] {
        let source = Source::new("a.py", Some(Language::Python), code.as_bytes(), true);
        let _ = scan(&source);
    }
}

#[test]
fn scope_is_the_function() {
    let code = "def a():\n    pass\n\ndef b():\n    x = request.args['x']\n    os.system(x)\n";
    let source = Source::new("a.py", Some(Language::Python), code.as_bytes(), true);
    let found = scan(&source);
    assert_eq!(found.len(), 1);
    assert_eq!(&code[found[0].span.clone()], "x");
    assert!(code[found[0].scope.clone().unwrap()].starts_with("def b"));
}

#[test]
fn taking_a_guard_out_shows() {
    let guard = "    if host not in HOSTS:\n        abort(404)\n";
    let with = format!("def f():\n    host = request.args['h']\n{guard}    os.system('ping ' + host)\n");
    assert!(hits(Language::Python, &with).is_empty());
    assert_eq!(hits(Language::Python, &with.replace(guard, "")), ["python.request-to-shell"]);
}
