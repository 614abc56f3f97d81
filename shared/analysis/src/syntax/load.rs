//! Rule files into rules.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use ast_grep_config::{DeserializeEnv, RuleCore, SerializableRule, SerializableRuleCore, Transformation};
use globset::{Glob, GlobSet, GlobSetBuilder};
use prevet_domain::finding::{Confidence, ReportType, Severity};
use serde::Deserialize;
use serde_yaml_ng::Value;

use super::catalogue::RULE_FILES;
use super::grammar::Grammar;
use crate::language::Language;
use crate::rule::Rule;

/// A rule with its pattern.
pub(super) struct SyntaxRule {
    pub rule: Arc<Rule>,
    pub languages: Vec<Language>,
    pub literals: Vec<String>,
    pub fix: Option<String>,
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
    rule: SerializableRule,
    constraints: Option<HashMap<String, SerializableRule>>,
    utils: Option<HashMap<String, SerializableRule>>,
    transform: Option<HashMap<String, Transformation>>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test runs examples"))]
    matches: Vec<Example>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test runs examples"))]
    passes: Vec<Example>,
}

/// All rules, and what could not be read.
pub(super) struct Catalogue {
    pub rules: Vec<SyntaxRule>,
    pub broken: Vec<String>,
}

/// The embedded rules.
pub(super) static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut catalogue = Catalogue { rules: Vec::new(), broken: Vec::new() };
    for (name, text) in RULE_FILES {
        catalogue.read(name, text);
    }
    catalogue
});

impl Catalogue {
    fn read(&mut self, name: &str, text: &str) {
        let entries: Vec<Value> = match serde_yaml_ng::from_str(text) {
            Ok(entries) => entries,
            Err(error) => return self.broken.push(format!("{name}: {error}")),
        };
        for entry in entries {
            let id = entry.get("id").and_then(Value::as_str).unwrap_or("a rule without id").to_owned();
            match read_rule(entry) {
                Ok(rule) => self.rules.push(rule),
                Err(error) => self.broken.push(format!("{name}: {id}: {error}")),
            }
        }
    }
}

fn read_rule(entry: Value) -> Result<SyntaxRule, String> {
    let text: RuleText = serde_yaml_ng::from_value(entry).map_err(|error| error.to_string())?;
    let languages = text
        .languages
        .iter()
        .map(|name| Language::parse(name).ok_or_else(|| format!("unknown language {name}")))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(SyntaxRule {
        matchers: languages.iter().map(|_| OnceLock::new()).collect(),
        languages,
        literals: text.literals,
        fix: text.fix,
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
