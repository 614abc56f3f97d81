//! Every rule file, embedded.

/// A rule file: its name under `rules/syntax/`, and its text.
pub(super) type RuleFile = (&'static str, &'static str);

macro_rules! rule_files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../rules/syntax/", $name)))),*]
    };
}

/// The rule files. Each rule names its languages itself; they have to be of the directory's family.
pub(super) const RULE_FILES: &[RuleFile] = rule_files![
    "python/agent.yml",
    "python/bugs.yml",
    "python/control.yml",
    "python/injection.yml",
    "python/web.yml",
    "python/llm.yml",
    "python/mcp.yml",
    "python/security.yml",
    "javascript/agent.yml",
    "javascript/bugs.yml",
    "javascript/control.yml",
    "javascript/injection.yml",
    "javascript/web.yml",
    "javascript/llm.yml",
    "javascript/mcp.yml",
    "javascript/security.yml",
    "typescript/agent.yml",
    "typescript/bugs.yml",
    "typescript/llm.yml",
    "typescript/mcp.yml",
    "typescript/security.yml",
    "tsx/bugs.yml",
    "tsx/security.yml",
    "go/agent.yml",
    "go/bugs.yml",
    "go/llm.yml",
    "go/mcp.yml",
    "go/security.yml",
    "java/bugs.yml",
    "java/security.yml",
    "rust/bugs.yml",
    "rust/security.yml",
    "ruby/bugs.yml",
    "ruby/security.yml",
    "php/bugs.yml",
    "php/security.yml",
    "csharp/bugs.yml",
    "csharp/security.yml",
    "shell/bugs.yml",
    "shell/security.yml",
    "yaml/agent.yml",
    "yaml/bugs.yml",
    "yaml/mcp.yml",
    "yaml/security.yml",
    "json/agent.yml",
    "json/bugs.yml",
    "json/mcp.yml",
    "json/security.yml",
    "dockerfile/bugs.yml",
    "dockerfile/security.yml",
    "terraform/bugs.yml",
    "terraform/security.yml",
];
