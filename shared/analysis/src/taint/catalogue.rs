//! Rule files into sources, sinks, sanitizers and rules.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;
use prevet_domain::finding::{Confidence, ReportType, Severity};
use serde::Deserialize;

use super::pattern::Pattern;
use super::value::{Danger, Dangers, Origin};
use crate::language::Language;
use crate::rule::Rule;

/// What a pair of origin and danger means, in every language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: String,
    from: Origin,
    to: Vec<Danger>,
    report: ReportType,
    severity: Severity,
    confidence: Confidence,
    title: String,
    message: String,
    cwe: Option<String>,
    owasp: Option<String>,
}

/// A language's file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sources: Vec<Source>,
    #[serde(default)]
    parameters: Vec<Parameters>,
    #[serde(default)]
    plain_types: Vec<String>,
    #[serde(default)]
    plain_names: Vec<String>,
    sinks: Vec<Sink>,
    #[serde(default)]
    sanitizers: Vec<Sanitizer>,
    passes_on: Vec<Pattern>,
    #[serde(default)]
    formats: Vec<Pattern>,
    #[serde(default)]
    stops: Vec<String>,
    examples: Vec<Example>,
}

/// Names that give an outsider's value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    pub from: Origin,
    /// Read as a variable or a field.
    #[serde(default)]
    pub names: Vec<Pattern>,
    /// Called.
    #[serde(default)]
    pub calls: Vec<Pattern>,
    /// Called, and the value is written into an argument.
    #[serde(default)]
    pub fills: Vec<Pattern>,
}

/// Functions whose parameters an outsider sets. Every condition that is stated has to hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    pub from: Origin,
    /// The function stands under one of these.
    #[serde(default)]
    pub decorators: Vec<Pattern>,
    /// The function is an argument of one of these calls, or in an object that is.
    #[serde(default)]
    pub callbacks: Vec<Pattern>,
    /// As the value of one of these keys.
    #[serde(default)]
    pub properties: Vec<String>,
    /// The parameter itself stands under one of these.
    #[serde(default)]
    pub marks: Vec<String>,
    /// Another parameter has this type.
    #[serde(default)]
    pub beside: Vec<String>,
    /// The class extends one of these.
    #[serde(default)]
    pub classes: Vec<String>,
    /// The function is called one of these.
    #[serde(default)]
    pub functions: Vec<String>,
    /// The function is given as a tool elsewhere in the file.
    #[serde(default)]
    pub listed: bool,
    /// The function is public.
    #[serde(default)]
    pub public: bool,
    /// Only the first parameter.
    #[serde(default)]
    pub first: bool,
}

/// A first argument that makes the others dangerous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Leader {
    /// A program that interprets a command line.
    Shell,
}

/// A place where a value does harm.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sink {
    pub to: Danger,
    #[serde(default)]
    pub calls: Vec<Pattern>,
    /// Calls of those names that are something else.
    #[serde(default)]
    pub except: Vec<Pattern>,
    /// Kinds of nodes.
    #[serde(default)]
    pub nodes: Vec<String>,
    /// Assigned to.
    #[serde(default)]
    pub assigned: Vec<Pattern>,
    /// Which arguments, from 0; all where neither these nor `keywords` nor `receiver` is stated.
    #[serde(default)]
    pub arguments: Vec<usize>,
    #[serde(default)]
    pub keywords: Vec<String>,
    #[serde(default)]
    pub receiver: bool,
    /// The arguments are a program and its arguments.
    #[serde(default)]
    pub argv: bool,
    /// Only where the first argument is one of these.
    pub after: Option<Leader>,
    /// Only with so many arguments.
    pub count: Option<usize>,
    /// Only with these named arguments or options.
    #[serde(default)]
    pub when: HashMap<String, String>,
    /// Never with these.
    #[serde(default)]
    pub unless: HashMap<String, String>,
    /// Only text that was put together in this function, in the sink's language where it can be told.
    #[serde(default)]
    pub built: bool,
    /// Only from these; from all where none is stated.
    #[serde(default)]
    pub from: Vec<Origin>,
}

impl Sink {
    /// The facts that `built` asks for.
    pub fn needs(&self) -> Dangers {
        match (self.built, self.to) {
            (false, _) => Dangers::NONE,
            (true, Danger::Sql) => Dangers::BUILT_SQL,
            (true, Danger::Html) => Dangers::BUILT_HTML,
            (true, Danger::Shell) => Dangers::BUILT_COMMAND,
            (true, _) => Dangers::BUILT,
        }
    }
}

/// Calls whose result is no longer dangerous.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sanitizer {
    pub calls: Vec<Pattern>,
    /// For these; for everything where none is stated.
    #[serde(default)]
    clears: Vec<Danger>,
    /// Takes `..` out of a path, so that its start can be checked.
    #[serde(default)]
    pub normalizes: bool,
}

impl Sanitizer {
    pub fn dangers(&self) -> Dangers {
        if self.normalizes {
            return Dangers::DOTTED;
        }
        let every = if self.clears.is_empty() { Dangers::EVERY } else { Dangers::NONE };
        self.clears.iter().fold(every, |sum, danger| sum.and(Dangers::of(*danger)))
    }
}

/// Code for one rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    /// The pair.
    pub rule: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test runs examples"))]
    pub matches: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test runs examples"))]
    pub passes: Vec<String>,
}

/// What is known of one language.
pub(super) struct Catalogue {
    pub sources: Vec<Source>,
    pub parameters: Vec<Parameters>,
    pub plain_types: Vec<String>,
    pub plain_names: Vec<String>,
    pub sinks: Vec<Sink>,
    pub sanitizers: Vec<Sanitizer>,
    pub passes_on: Vec<Pattern>,
    pub formats: Vec<Pattern>,
    pub stops: Vec<String>,
    #[cfg(test)]
    pub language: Language,
    #[cfg(test)]
    pub examples: Vec<Example>,
    source_words: HashSet<String>,
    origins: Option<AhoCorasick>,
    rules: HashMap<(Origin, Danger), Arc<Rule>>,
    in_order: Vec<Arc<Rule>>,
}

impl Catalogue {
    /// The rule for a value of `origin` that arrives at `danger`.
    pub fn rule(&self, origin: Origin, danger: Danger) -> Option<&Arc<Rule>> {
        self.rules.get(&(origin, danger))
    }

    /// Whether anything in `text` can be a source: most files hold none, and are not walked.
    pub fn has_source(&self, text: &str) -> bool {
        self.origins.as_ref().is_none_or(|origins| origins.is_match(text))
    }

    /// Whether a variable of that name can be a source.
    pub fn names_source(&self, name: &str) -> bool {
        self.source_words.contains(name)
    }

    pub fn rules(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.in_order.iter()
    }
}

const PAIRS: &str = include_str!("../../rules/taint/pairs.yml");

const FILES: &[(Language, &str)] = &[
    (Language::Python, include_str!("../../rules/taint/python.yml")),
    (Language::JavaScript, include_str!("../../rules/taint/javascript.yml")),
    (Language::Go, include_str!("../../rules/taint/go.yml")),
    (Language::Java, include_str!("../../rules/taint/java.yml")),
    (Language::Ruby, include_str!("../../rules/taint/ruby.yml")),
    (Language::Php, include_str!("../../rules/taint/php.yml")),
    (Language::CSharp, include_str!("../../rules/taint/csharp.yml")),
];

struct Loaded {
    catalogues: Vec<(Language, Catalogue)>,
    broken: Vec<String>,
}

static LOADED: LazyLock<Loaded> = LazyLock::new(|| {
    let mut loaded = Loaded { catalogues: Vec::new(), broken: Vec::new() };
    let pairs: Vec<Pair> = serde_yaml_ng::from_str(PAIRS).unwrap_or_else(|error| {
        loaded.broken.push(format!("pairs.yml: {error}"));
        Vec::new()
    });
    for (language, text) in FILES {
        match serde_yaml_ng::from_str(text) {
            Ok(file) => loaded.catalogues.push((*language, catalogue(*language, file, &pairs))),
            Err(error) => loaded.broken.push(format!("{}.yml: {error}", language.as_str())),
        }
    }
    loaded
});

fn catalogue(language: Language, file: File, pairs: &[Pair]) -> Catalogue {
    let mut rules = HashMap::new();
    let mut in_order = Vec::new();
    for pair in pairs.iter().filter(|pair| file.examples.iter().any(|example| example.rule == pair.id)) {
        let rule = Arc::new(rule_of(language, pair));
        rules.extend(pair.to.iter().map(|danger| ((pair.from, *danger), rule.clone())));
        in_order.push(rule);
    }
    let origins = origin_words(&file);
    let source_names = file.sources.iter().flat_map(|source| &source.names);
    Catalogue {
        source_words: source_names.flat_map(Pattern::words).map(str::to_owned).collect(),
        origins: AhoCorasick::builder().ascii_case_insensitive(true).build(origins).ok(),
        sources: file.sources,
        parameters: file.parameters,
        plain_types: file.plain_types,
        plain_names: file.plain_names,
        sinks: file.sinks,
        sanitizers: file.sanitizers,
        passes_on: file.passes_on,
        formats: file.formats,
        stops: file.stops,
        #[cfg(test)]
        language,
        #[cfg(test)]
        examples: file.examples,
        rules,
        in_order,
    }
}

/// A word of each source, one of which stands in every file that has one.
fn origin_words(file: &File) -> HashSet<String> {
    /// Shorter names of functions, such as `get`, stand in every file; what they are given is named beside them.
    const FUNCTION_BYTES_MIN: usize = 8;
    let sources = file.sources.iter().flat_map(|source| [&source.names, &source.calls, &source.fills]);
    let functions = file.parameters.iter().flat_map(|rule| [&rule.decorators, &rule.callbacks]);
    let patterns = sources.chain(functions).flatten().filter_map(Pattern::longest_word);
    let plain = file.parameters.iter().flat_map(|rule| [&rule.marks, &rule.beside]);
    let listed = file.parameters.iter().any(|rule| rule.listed).then(|| "tool".to_owned());
    let plain = plain.flatten().map(|word| word.rsplit('.').next().unwrap_or(word).to_owned());
    let named = file.parameters.iter().flat_map(|rule| {
        let own = if rule.classes.is_empty() { &rule.functions } else { &rule.classes };
        own.iter().filter(|name| !rule.classes.is_empty() || name.len() >= FUNCTION_BYTES_MIN).cloned()
    });
    patterns.map(str::to_owned).chain(plain).chain(named).chain(listed).collect()
}

fn rule_of(language: Language, pair: &Pair) -> Rule {
    Rule {
        id: format!("{}.{}", language.as_str(), pair.id),
        report_type: pair.report,
        severity: pair.severity,
        confidence: pair.confidence,
        title: pair.title.clone(),
        message: pair.message.clone(),
        cwe: pair.cwe.clone(),
        owasp: pair.owasp.clone(),
    }
}

/// The catalogue for `language`. TypeScript shares JavaScript's.
pub(super) fn of(language: Language) -> Option<&'static Catalogue> {
    let file = match language {
        Language::TypeScript | Language::Tsx => Language::JavaScript,
        other => other,
    };
    LOADED.catalogues.iter().find(|(own, _)| *own == file).map(|(_, catalogue)| catalogue)
}

pub(super) fn all() -> impl Iterator<Item = &'static Catalogue> {
    LOADED.catalogues.iter().map(|(_, catalogue)| catalogue)
}

pub(super) fn broken() -> &'static [String] {
    &LOADED.broken
}
