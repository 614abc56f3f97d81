//! `.prevet.toml`: the policy as people write it.

use std::collections::BTreeMap;

use prevet_domain::finding::Severity;
use prevet_domain::policy::{Gate, Guideline, NewIgnores, OnError, Policy, ReviewSettings, RuleSetting};
use serde::Deserialize;

use crate::json::without_value;

/// The file's name, at the repository's root.
pub const FILE_NAME: &str = ".prevet.toml";
/// The file's largest size.
pub const FILE_BYTES_MAX: usize = 256 << 10;

/// Why a policy is refused; names the file and the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} is not valid: {problem}")]
pub struct PolicyError {
    /// Which file.
    pub file: String,
    /// What is wrong, with line and key.
    pub problem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    gate: Option<String>,
    #[serde(default)]
    gate_uncommitted: bool,
    #[serde(default)]
    on_error: AllowOrBlock,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    new_ignores: AllowOrBlock,
    #[serde(default)]
    rules: BTreeMap<String, String>,
    #[serde(default)]
    guideline: Vec<GuidelineTable>,
    #[serde(default)]
    model: ModelTable,
    #[serde(default)]
    review: ReviewTable,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum AllowOrBlock {
    #[default]
    Allow,
    Block,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuidelineTable {
    #[serde(default)]
    paths: Vec<String>,
    text: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct ModelTable {
    budget_usd_per_day: Option<f64>,
}

/// The `[review]` table, the same in the policy and in the user's own file.
#[derive(Debug, Clone, Deserialize, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ReviewTable {
    /// The reviewer's CLI.
    pub reviewer: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Its reasoning effort.
    pub effort: Option<String>,
    /// The runner's deadline in seconds.
    pub timeout_seconds: Option<u64>,
    /// Whether the dashboard follows reviews.
    pub open_dashboard: Option<bool>,
}

impl From<ReviewTable> for ReviewSettings {
    fn from(table: ReviewTable) -> Self {
        let ReviewTable { reviewer, model, effort, timeout_seconds, open_dashboard } = table;
        Self { reviewer, model, effort, timeout_seconds, open_dashboard }
    }
}

/// Reads a policy; `file` is what errors call it.
pub fn parse(file: &str, text: &str) -> Result<Policy, PolicyError> {
    let refused = |problem: String| PolicyError { file: file.to_owned(), problem };
    if text.len() > FILE_BYTES_MAX {
        return Err(refused(format!("it has {} bytes, the limit is {FILE_BYTES_MAX}", text.len())));
    }
    let table: PolicyFile = toml::from_str(text).map_err(|error| refused(one_line(&error)))?;
    let rules =
        table.rules.iter().map(|(id, value)| Ok((id.clone(), rule_setting(id, value).map_err(refused)?)));
    let rules = rules.collect::<Result<_, PolicyError>>()?;
    let globs = table.exclude.iter().chain(table.guideline.iter().flat_map(|it| &it.paths));
    for glob in globs {
        globset::Glob::new(glob).map_err(|error| refused(format!("exclude or paths: {error}")))?;
    }
    Ok(Policy {
        gate: table.gate.as_deref().map_or(Ok(Gate::default()), gate).map_err(refused)?,
        gate_uncommitted: table.gate_uncommitted,
        on_error: match table.on_error {
            AllowOrBlock::Allow => OnError::Allow,
            AllowOrBlock::Block => OnError::Block,
        },
        exclude: table.exclude,
        new_ignores: match table.new_ignores {
            AllowOrBlock::Allow => NewIgnores::Allow,
            AllowOrBlock::Block => NewIgnores::Block,
        },
        rules,
        guidelines: table
            .guideline
            .into_iter()
            .map(|it| Guideline { paths: it.paths, text: it.text })
            .collect(),
        budget_usd_per_day: table.model.budget_usd_per_day,
        review: table.review.into(),
    })
}

/// A gate as it is written in the policy and on the command line.
pub fn gate(text: &str) -> Result<Gate, String> {
    match (text, Severity::parse(text)) {
        ("never", _) => Ok(Gate::Never),
        (_, Some(severity)) => Ok(Gate::At(severity)),
        _ => Err("gate is not one of critical, high, medium, low, never".to_owned()),
    }
}

fn rule_setting(id: &str, value: &str) -> Result<RuleSetting, String> {
    match (value, Severity::parse(value)) {
        ("off", _) => Ok(RuleSetting::Off),
        (_, Some(severity)) => Ok(RuleSetting::Severity(severity)),
        _ => Err(format!("rules.{id:?} is not one of off, critical, high, medium, low")),
    }
}

/// What stands before the equals sign; the value may be a secret that is in the wrong place.
fn key(code: &str) -> String {
    code.split_once('=').map(|(key, _)| key.trim().to_owned()).unwrap_or_default()
}

/// A TOML error on one line: the place and the key, without the picture and the value.
pub fn one_line(error: &toml::de::Error) -> String {
    let rendered = error.to_string();
    let place = rendered.lines().next().filter(|line| line.starts_with("TOML parse error"));
    let place = place.map(|line| line.trim_start_matches("TOML parse error ").to_owned());
    let code = rendered.lines().find_map(|line| line.split_once(" | ")).map(|(_, code)| key(code));
    let parts = [
        place,
        code.filter(|code| !code.is_empty()).map(|code| format!("`{code}`")),
        Some(without_value(&error.message().replace('\n', " "))),
    ];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, expected: &[&str]) {
        let error = parse(".prevet.toml", text).unwrap_err().to_string();
        assert!(error.contains(".prevet.toml"));
        for part in expected {
            assert!(error.contains(part), "{error:?} lacks {part:?}");
        }
    }

    #[test]
    fn the_contract_s_example() {
        let text = r#"
gate = "high"
gate_uncommitted = false
on_error = "block"
exclude = ["third_party/**"]
new_ignores = "block"
[rules]
"python.assert-used" = "off"
"go.x" = "low"
[[guideline]]
paths = ["src/api/**"]
text = "Every handler checks the tenant."
[model]
budget_usd_per_day = 5.0
[review]
effort = "high"
"#;
        let policy = parse(".prevet.toml", text).unwrap();
        assert_eq!(policy.on_error, OnError::Block);
        assert_eq!(policy.new_ignores, NewIgnores::Block);
        assert_eq!(policy.rules["python.assert-used"], RuleSetting::Off);
        assert_eq!(policy.rules["go.x"], RuleSetting::Severity(Severity::Low));
        assert_eq!(policy.guidelines.len(), 1);
        assert_eq!(parse("f", "").unwrap(), Policy::default());
        assert_eq!(parse("f", "gate = \"never\"").unwrap().gate, Gate::Never);
    }

    #[test]
    fn errors_name_file_and_key() {
        refused("gates = \"high\"", &["gates", "unknown field"]);
        refused("gate = 3", &["gate", "string"]);
        refused("gate = \"hihg\"", &["gate", "never"]);
        refused("on_error = \"maybe\"", &["on_error", "maybe"]);
        refused("[rules]\n\"a.b\" = \"loud\"", &["a.b", "off"]);
        refused("[review]\nefort = \"x\"", &["efort"]);
        refused("[[guideline]]\npaths = []", &["text"]);
        refused("gate = ", &["line 1"]);
        refused("exclude = [\"src/[\"]", &["exclude", "src/["]);
    }
}
