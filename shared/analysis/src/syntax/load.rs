//! Rule files into rules.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use ast_grep_config::{DeserializeEnv, RuleCore, SerializableRule, SerializableRuleCore, Transformation};
use globset::{Glob, GlobSet, GlobSetBuilder};
use prevet_domain::finding::{Confidence, ReportType, Severity};
use serde::Deserialize;
use serde_yaml_ng::Value;

use super::catalogue::RULE_FILES;
use super::check::Check;
use super::grammar::Grammar;
use crate::language::Language;
use crate::rule::Rule;

/// A rule with its pattern.
pub(super) struct SyntaxRule {
    pub rule: Arc<Rule>,
    pub languages: Vec<Language>,
    pub literals: Vec<String>,
    pub fix: Option<String>,
    /// What has to hold besides the pattern.
    pub check: Option<Check>,
    /// Whether it goes from a node along all its siblings.
    pub looks_along: bool,
    #[cfg(test)]
    pub matches: Vec<Example>,
    #[cfg(test)]
    pub passes: Vec<Example>,
    paths: Option<GlobSet>,
    except_paths: Option<GlobSet>,
    pattern: SerializableRuleCore,
    matchers: Vec<OnceLock<Result<RuleCore, String>>>,
}

/// Code that a rule has to find, or has to pass.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
#[cfg_attr(not(test), expect(dead_code, reason = "only the test runs examples"))]
pub(super) enum Example {
    /// In every language of the rule.
    Everywhere(String),
    /// In one, or at a path.
    At { language: Option<String>, path: Option<String>, code: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    id: String,
    languages: Vec<String>,
    report: ReportType,
    severity: Severity,
    confidence: Confidence,
    title: String,
    message: String,
    cwe: Option<String>,
    owasp: Option<String>,
    #[serde(default)]
    literals: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    except_paths: Vec<String>,
    fix: Option<String>,
    check: Option<Check>,
    rule: SerializableRule,
    constraints: Option<HashMap<String, SerializableRule>>,
    utils: Option<HashMap<String, SerializableRule>>,
    transform: Option<HashMap<String, Transformation>>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test runs examples"))]
    matches: Vec<Example>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test runs examples"))]
    passes: Vec<Example>,
}

/// One file's rules, and what could not be read.
#[derive(Default)]
pub(super) struct Loaded {
    pub rules: Vec<SyntaxRule>,
    pub broken: Vec<String>,
}

static LOADED: [OnceLock<Loaded>; RULE_FILES.len()] = [const { OnceLock::new() }; RULE_FILES.len()];

/// Every file.
pub(super) fn every_file() -> impl Iterator<Item = &'static Loaded> {
    RULE_FILES.iter().zip(&LOADED).map(|((name, text), slot)| slot.get_or_init(|| Loaded::read(name, text)))
}

/// The rules for `language`. Only the files that can hold some are read, for reading all takes longer than
/// looking at a small change.
pub(super) fn rules_for(language: Language) -> impl Iterator<Item = &'static SyntaxRule> {
    let files = RULE_FILES.iter().zip(&LOADED);
    let own =
        files.filter(move |((name, _), _)| directory_family(name).is_none_or(|own| own == family(language)));
    let loaded = own.map(|((name, text), slot)| slot.get_or_init(|| Loaded::read(name, text)));
    loaded.flat_map(|file| &file.rules).filter(move |rule| rule.languages.contains(&language))
}

/// Languages that may share a rule, by the one that stands for them.
pub(super) const fn family(language: Language) -> Language {
    match language {
        Language::TypeScript | Language::Tsx => Language::JavaScript,
        Language::Yaml => Language::Json,
        other => other,
    }
}

/// The family of the directory that the file `name` is in.
pub(super) fn directory_family(name: &str) -> Option<Language> {
    name.split('/').next().and_then(Language::parse).map(family)
}

impl Loaded {
    fn read(name: &str, text: &str) -> Self {
        let mut loaded = Self::default();
        match serde_yaml_ng::from_str::<Vec<Value>>(text) {
            Ok(entries) => entries.into_iter().for_each(|entry| loaded.add(name, entry)),
            Err(error) => loaded.broken.push(format!("{name}: {error}")),
        }
        loaded
    }

    fn add(&mut self, name: &str, entry: Value) {
        let id = entry.get("id").and_then(Value::as_str).unwrap_or("a rule without id").to_owned();
        match read_rule(name, entry) {
            Ok(rule) => self.rules.push(rule),
            Err(error) => self.broken.push(format!("{name}: {id}: {error}")),
        }
    }
}

/// Whether a relation to siblings is anywhere in it.
fn names_siblings(value: &Value) -> bool {
    match value {
        Value::Mapping(entries) => entries.iter().any(|(key, inner)| {
            key.as_str().is_some_and(|key| matches!(key, "follows" | "precedes")) || names_siblings(inner)
        }),
        Value::Sequence(items) => items.iter().any(names_siblings),
        _ => false,
    }
}

fn read_rule(file: &str, entry: Value) -> Result<SyntaxRule, String> {
    let looks_along = names_siblings(&entry);
    let text: RuleText = serde_yaml_ng::from_value(entry).map_err(|error| error.to_string())?;
    let languages = text
        .languages
        .iter()
        .map(|name| Language::parse(name).ok_or_else(|| format!("unknown language {name}")))
        .collect::<Result<Vec<_>, _>>()?;
    if languages.iter().any(|language| Some(family(*language)) != directory_family(file)) {
        return Err("the file's directory is of another family of languages".to_owned());
    }
    Ok(SyntaxRule {
        matchers: languages.iter().map(|_| OnceLock::new()).collect(),
        languages,
        literals: text.literals,
        fix: text.fix,
        check: text.check,
        looks_along,
        #[cfg(test)]
        matches: text.matches,
        #[cfg(test)]
        passes: text.passes,
        paths: globs(&text.paths)?,
        except_paths: globs(&text.except_paths)?,
        pattern: SerializableRuleCore {
            rule: text.rule,
            constraints: text.constraints,
            utils: text.utils,
            transform: text.transform,
        },
        rule: Arc::new(Rule {
            id: text.id,
            report_type: text.report,
            severity: text.severity,
            confidence: text.confidence,
            title: text.title,
            message: text.message,
            cwe: text.cwe,
            owasp: text.owasp,
        }),
    })
}

fn globs(patterns: &[String]) -> Result<Option<GlobSet>, String> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).map_err(|error| error.to_string())?);
    }
    builder.build().map(Some).map_err(|error| error.to_string())
}

impl SyntaxRule {
    /// Whether the rule looks at the file at `path`.
    pub fn applies_to(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.except_paths.as_ref().is_some_and(|globs| globs.is_match(path))
    }

    /// The matcher for `language`, compiled on first use; the reason where it does not compile.
    pub fn matcher(&self, language: Language) -> Result<&RuleCore, String> {
        let at = self.languages.iter().position(|own| *own == language);
        let slot = at.and_then(|at| self.matchers.get(at)).ok_or("not a rule of this language")?;
        slot.get_or_init(|| self.compile(language)).as_ref().map_err(Clone::clone)
    }

    fn compile(&self, language: Language) -> Result<RuleCore, String> {
        self.pattern.get_matcher(DeserializeEnv::new(Grammar(language))).map_err(|error| whole_chain(&error))
    }
}

fn whole_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text.push_str(": ");
        text.push_str(&source.to_string());
        next = source.source();
    }
    text
}
