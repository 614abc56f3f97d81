//! Every rule against its own examples, and the form of every rule.

use std::collections::BTreeSet;

use ast_grep_core::matcher::Matcher;
use prevet_domain::finding::{Confidence, ReportType};
use regex::Regex;

use super::load::Example;
use super::*;
use crate::language::Language;

const MESSAGE_CHARS_MAX: usize = 400;

fn runs_of(rule: &SyntaxRule, example: &Example) -> Vec<(Language, String, String)> {
    let (language, path, code) = match example {
        Example::Everywhere(code) => (None, None, code),
        Example::At { language, path, code } => (language.as_ref(), path.as_ref(), code),
    };
    let languages = match language {
        Some(name) => vec![Language::parse(name).unwrap_or_else(|| panic!("{}: {name}", rule.rule.id))],
        None => rule.languages.clone(),
    };
    let path = path.cloned().unwrap_or_else(|| "src/example".to_owned());
    languages.into_iter().map(|language| (language, path.clone(), code.clone())).collect()
}

fn hits_of(rule: &SyntaxRule, language: Language, path: &str, code: &str) -> Vec<Hit> {
    let source = Source::new(path, Some(language), code.as_bytes(), true);
    scan(&source).into_iter().filter(|hit| hit.rule.id == rule.rule.id).collect()
}

fn failures_of(rule: &SyntaxRule, examples: &[Example], wanted: bool) -> Vec<String> {
    let mut failures = Vec::new();
    for (language, path, code) in examples.iter().flat_map(|example| runs_of(rule, example)) {
        let hits = hits_of(rule, language, &path, &code);
        if hits.is_empty() == wanted {
            let verb = if wanted { "does not find" } else { "wrongly finds" };
            failures.push(format!("{} {verb} ({}):\n{code}", rule.rule.id, language.as_str()));
        }
    }
    failures
}

#[test]
fn no_rule_is_broken() {
    let broken = broken_rules();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn rules_find_and_pass_their_examples() {
    let mut failures = Vec::new();
    for rule in every_rule() {
        if rule.matches.is_empty() || rule.passes.is_empty() {
            failures.push(format!("{} lacks examples", rule.rule.id));
        }
        failures.extend(failures_of(rule, &rule.matches, true));
        failures.extend(failures_of(rule, &rule.passes, false));
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn rules_have_the_form() {
    let id = Regex::new(r"^[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*$").unwrap();
    let cwe = Regex::new(r"^CWE-[1-9][0-9]{0,3}$").unwrap();
    let owasp =
        Regex::new(r"^(A(0[1-9]|10):20(21|25)|LLM(0[1-9]|10):2025|ASI(0[1-9]|10):2026|MCP(0[1-9]|10):2025)$")
            .unwrap();
    let mut ids = BTreeSet::new();
    for rule in rules() {
        assert!(ids.insert(&rule.id), "{} twice", rule.id);
        assert!(id.is_match(&rule.id), "{}", rule.id);
        assert!(!rule.title.is_empty() && !rule.title.ends_with('.'), "title of {}", rule.id);
        let length = rule.message.chars().count();
        assert!((20..=MESSAGE_CHARS_MAX).contains(&length), "message of {} has {length}", rule.id);
        assert!(rule.cwe.as_deref().is_none_or(|text| cwe.is_match(text)), "cwe of {}", rule.id);
        assert!(rule.owasp.as_deref().is_none_or(|text| owasp.is_match(text)), "owasp of {}", rule.id);
        let named = rule.cwe.is_some() || rule.owasp.is_some();
        assert!(named || rule.report_type == ReportType::Bug, "{} names neither CWE nor OWASP", rule.id);
    }
}

#[test]
fn rules_are_cheap_to_select() {
    let mut slow = Vec::new();
    for rule in every_rule() {
        if rule.literals.is_empty() {
            slow.push(format!("{} has no literals", rule.rule.id));
        }
        for language in &rule.languages {
            if rule.matcher(*language).is_ok_and(|matcher| matcher.potential_kinds().is_none()) {
                slow.push(format!("{} tries every node of {}", rule.rule.id, language.as_str()));
            }
        }
    }
    assert!(slow.iter().all(|line| !line.contains("every node")), "{}", slow.join("\n"));
}

#[test]
fn every_report_has_rules() {
    for report_type in ReportType::ALL.into_iter().filter(|report_type| *report_type != ReportType::Secret) {
        assert!(rules().any(|rule| rule.report_type == report_type), "{report_type}");
    }
}

#[test]
fn the_scope_is_the_function_and_the_fix_the_line() {
    let text = b"def f(a):\n    if a is 'x':\n        return 1\n";
    let source = Source::new("a.py", Some(Language::Python), text, true);
    let hits = scan(&source);
    let hit = hits.iter().find(|hit| hit.rule.id == "python.identity-of-literal").unwrap();
    assert_eq!(&text[hit.span.clone()], b"a is 'x'");
    assert_eq!(hit.scope, Some(0..text.len() - 1));
    assert_eq!(hit.fix.as_deref(), Some("    if a == 'x':"));
    assert_eq!(hit.confidence, None);
}

#[test]
fn no_bugs_are_told_of_lines_that_a_program_made() {
    let bug = "try { a() } catch (e) {} if (b == NaN) { c() } eval(d);";
    let ids = |text: &str| {
        let source = Source::new("a.js", Some(Language::JavaScript), text.as_bytes(), true);
        scan(&source).into_iter().map(|hit| hit.rule.id.clone()).collect::<BTreeSet<_>>()
    };
    assert!(ids(bug).contains("javascript.comparison-with-nan"));
    let long = format!("{bug}{}", "f(1);".repeat(1_000));
    assert_eq!(ids(&long).into_iter().collect::<Vec<_>>(), ["javascript.dynamic-code"]);
}

#[test]
fn what_does_not_parse_is_less_sure() {
    let text = b"def f(a):\n    x = ((\n    if a is 'x' )) ]:\n";
    let source = Source::new("a.py", Some(Language::Python), text, false);
    let hits = scan(&source);
    assert!(hits.iter().all(|hit| hit.confidence == Some(Confidence::Medium)), "{hits:?}");
}

fn parses(language: Language, code: &[u8]) -> bool {
    parse_text(language, code).is_ok_and(|parsed| !parsed.tree_root().has_error())
}

/// A mask that breaks code would be told as an error of the change.
fn broken_by_mask(language: Language, code: &str) -> Option<String> {
    let masked = crate::secrets::mask(code.as_bytes());
    let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').count();
    assert_eq!(lines(&masked), lines(code.as_bytes()), "{code}");
    let is_broken = parses(language, code.as_bytes()) && !parses(language, &masked);
    is_broken.then(|| format!("{}:\n{code}\n{}", language.as_str(), String::from_utf8_lossy(&masked)))
}

#[test]
fn masked_examples_still_parse() {
    let mut broken = Vec::new();
    for rule in every_rule() {
        for example in rule.matches.iter().chain(&rule.passes) {
            let runs = runs_of(rule, example).into_iter();
            broken.extend(runs.filter_map(|(language, _, code)| broken_by_mask(language, &code)));
        }
    }
    assert!(broken.is_empty(), "{} broken\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn masked_sentences_still_parse() {
    const NAMES: [&str; 7] =
        ["password", "Your password", "user_token", "api_key", "client-secret", "Authorization", "DB_PASS"];
    const FORMS: &[(Language, &[&str])] = &[
        (
            Language::Python,
            &[
                "print(\"NAME:\", end=\"\")\n",
                "f('&NAME=' + g('NAME'), 'x1')\n",
                "x = {\"NAME:\": \"x1y2\", 'NAME': 'x1y2'}\n",
                "x = f\"NAME={y}\" + \"z\"\n",
                "log(\"NAME = '\" + f('x1') + \"'\")\n",
                "x = \"NAME\" in y and \"NAME=\" not in z\n",
            ],
        ),
        (
            Language::JavaScript,
            &[
                "f(\"NAME:\", \"x1\");\n",
                "a = '&NAME=' + f('NAME') + '&b=' + c;\n",
                "x = { 'NAME:': 'x1y2', \"NAME\": \"x1y2\" };\n",
                "x = `NAME=${y}` + \"z\";\n",
                "x = a ? 'NAME:' : 'b1';\n",
                "f(\"NAME='\" + g('x1') + \"'\");\n",
            ],
        ),
        (Language::Java, &["class A { String a = \"NAME:\" + f(\"x1\") + \"NAME=\" + b; }\n"]),
        (Language::Go, &["package a\n\nvar b = f(\"NAME:\", \"x1\") + \"NAME=\" + c + \"&d=\"\n"]),
        (Language::Rust, &["fn a() { f(\"NAME:\", \"x1\"); g(format!(\"NAME={b}\"), \"c\"); }\n"]),
        (
            Language::Ruby,
            &[
                "a(\"NAME:\", 'x1')\n",
                "b = { 'NAME:' => 'x1', \"NAME\" => :x }\n",
                "c = 'NAME=' + d('NAME')\n",
            ],
        ),
        (Language::Php, &["<?php\n$a = 'NAME=' . f('NAME') . '&b=' . $c['d'];\nf(\"NAME:\", \"x1\");\n"]),
        (Language::CSharp, &["class A { string b = \"NAME:\" + C(\"x1\") + \"NAME=\" + d; }\n"]),
        (Language::Json, &["{\"NAME:\": \"x1y2\", \"NAME\": \"x1y2\", \"a\": \"NAME: b\"}\n"]),
        (Language::Yaml, &["\"NAME:\": \"x1y2\"\n'NAME': x1y2\na: 'NAME:'\nb: c\n"]),
        (Language::Shell, &["echo \"NAME:\" \"x1\"\nread -p 'NAME=' x\ncurl \"$A?NAME=$B\" -d 'c=\"d\"'\n"]),
    ];
    let mut broken = Vec::new();
    for (language, forms) in FORMS {
        for (form, name) in forms.iter().flat_map(|form| NAMES.map(|name| (form, name))) {
            let code = form.replace("NAME", name);
            assert!(parses(*language, code.as_bytes()), "{code}");
            broken.extend(broken_by_mask(*language, &code));
        }
    }
    assert!(broken.is_empty(), "{} broken\n{}", broken.len(), broken.join("\n"));
}
