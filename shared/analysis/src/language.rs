//! Which language a file is in, by name, extension and first line.

use prevet_domain::path::RepoPath;

/// The languages that have rules here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// `.py`
    Python,
    /// `.js`, `.jsx`, `.mjs`, `.cjs`
    JavaScript,
    /// `.ts`, `.mts`, `.cts`
    TypeScript,
    /// `.tsx`
    Tsx,
    /// `.go`
    Go,
    /// `.java`
    Java,
    /// `.rs`
    Rust,
    /// `.rb`
    Ruby,
    /// `.php`
    Php,
    /// `.cs`
    CSharp,
    /// `.sh` and what begins with a shell's `#!`
    Shell,
    /// `.yml`, `.yaml`
    Yaml,
    /// `.json`
    Json,
    /// `Dockerfile`, `Containerfile`
    Dockerfile,
    /// `.tf`, `.hcl`
    Terraform,
}

/// What kind of text a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// A language with rules.
    Known(Language),
    /// Source code in a language that has no rules here.
    UnknownCode,
    /// Prose, data and the rest: nothing but what applies to any text.
    Plain,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Go,
        Self::Java,
        Self::Rust,
        Self::Ruby,
        Self::Php,
        Self::CSharp,
        Self::Shell,
        Self::Yaml,
        Self::Json,
        Self::Dockerfile,
        Self::Terraform,
    ];

    /// The name in rule files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::Go => "go",
            Self::Java => "java",
            Self::Rust => "rust",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::CSharp => "csharp",
            Self::Shell => "shell",
            Self::Yaml => "yaml",
            Self::Json => "json",
            Self::Dockerfile => "dockerfile",
            Self::Terraform => "terraform",
        }
    }

    /// The language of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == name)
    }
}

/// The kind of text at `path`, whose first bytes are `head`.
pub fn detect(path: &RepoPath, head: &[u8]) -> TextKind {
    let name = String::from_utf8_lossy(path.file_name()).to_lowercase();
    if let Some(language) = by_extension(&path.extension()).or_else(|| by_name(&name)) {
        return TextKind::Known(language);
    }
    if let Some(language) = by_interpreter(head) {
        return TextKind::Known(language);
    }
    if is_plain(path, &name) { TextKind::Plain } else { TextKind::UnknownCode }
}

/// What nobody runs. Three kinds of files look like code by their ending and are decided here by what they are:
///
/// - Descriptions of interfaces, schemas and projects (`.proto`, `.graphql`, `.csproj`) are declarations. What
///   applies to any text is all that a rule could say, as with a `pom.xml`.
/// - A template (`.j2`, `.tmpl`) is what it makes: `nginx.conf.j2` is data, and so is a manifest, `run.sh.j2` is
///   code. One whose name does not say stays code.
/// - A list of names in `META-INF/services` is data, though each file is called after a class.
///
/// What is run stays code without rules, which somebody has to read: Makefiles, Gradle scripts, SQL, build
/// targets, units of systemd, pages and components with scripts in them.
fn is_plain(path: &RepoPath, name: &str) -> bool {
    let is_listed = |extension: &str| PROSE_AND_DATA.contains(&extension);
    let extension = path.extension();
    if extension.is_empty() {
        return !CODE_NAMES.contains(&name);
    }
    let made = name.rsplit_once('.').filter(|(_, own)| TEMPLATES.contains(own)).map(|(made, _)| made);
    let made = made.and_then(|made| made.rsplit_once('.')).map(|(_, made)| made);
    let is_data =
        |made: &str| is_listed(made) || matches!(by_extension(made), Some(Language::Yaml | Language::Json));
    let in_services = String::from_utf8_lossy(path.as_bytes()).contains("META-INF/services/");
    is_listed(&extension) || made.is_some_and(is_data) || in_services || name.starts_with(".env")
}

/// Whether the name alone is one of source code, with rules or without.
pub fn is_code_name(path: &RepoPath) -> bool {
    let known = matches!(detect(path, b""), TextKind::Known(_));
    known || CODE_WITHOUT_RULES.contains(&path.extension().as_str())
}

fn by_extension(extension: &str) -> Option<Language> {
    Some(match extension {
        "py" | "pyi" | "pyw" => Language::Python,
        "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "go" => Language::Go,
        "java" => Language::Java,
        "rs" => Language::Rust,
        "rb" | "rake" | "gemspec" => Language::Ruby,
        "php" | "phtml" => Language::Php,
        "cs" => Language::CSharp,
        "sh" | "bash" | "zsh" | "ksh" => Language::Shell,
        "yml" | "yaml" => Language::Yaml,
        "json" => Language::Json,
        "tf" | "hcl" | "tfvars" => Language::Terraform,
        "dockerfile" => Language::Dockerfile,
        _ => return None,
    })
}

fn by_name(name: &str) -> Option<Language> {
    Some(match name {
        "dockerfile" | "containerfile" => Language::Dockerfile,
        "rakefile" | "gemfile" => Language::Ruby,
        ".bashrc" | ".bash_profile" | ".profile" | ".zshrc" | ".envrc" => Language::Shell,
        _ if name.starts_with("dockerfile.") || name.starts_with("containerfile.") => Language::Dockerfile,
        _ => return None,
    })
}

fn by_interpreter(head: &[u8]) -> Option<Language> {
    let first = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(first);
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let interpreter = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let bare = interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match bare {
        "sh" | "bash" | "zsh" | "dash" | "ksh" => Language::Shell,
        "python" => Language::Python,
        "node" | "bun" => Language::JavaScript,
        "deno" | "tsx" | "ts-node" => Language::TypeScript,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        _ => return None,
    })
}

/// Extensions of well-known languages that have no rules.
const CODE_WITHOUT_RULES: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "swift", "kt", "kts", "scala", "clj",
    "cljs", "ex", "exs", "erl", "hrl", "hs", "ml", "mli", "fs", "fsx", "vb", "lua", "pl", "pm", "r", "jl",
    "dart", "zig", "nim", "d", "sql", "sol", "vue", "svelte", "ps1", "psm1", "bat", "cmd", "asm", "s",
    "groovy", "gradle", "cob", "f90", "pas", "ada", "adb", "lisp", "scm", "rkt", "tcl", "v", "vhd", "sv",
    "cu",
];

/// Extensions of templates, behind that of what they make.
const TEMPLATES: &[&str] = &["j2", "jinja", "jinja2", "tmpl", "tpl", "gotmpl"];

/// Extensions of prose, data and declarations: nothing in such a file runs. Any other extension counts as code without rules, and
/// such a file is not called reviewed.
const PROSE_AND_DATA: &[&str] = &[
    "adoc",
    "asc",
    "avsc",
    "baseline",
    "bib",
    "cfg",
    "cnf",
    "conf",
    "config",
    "crt",
    "csproj",
    "csr",
    "css",
    "csv",
    "diff",
    "editorconfig",
    "env",
    "example",
    "fbs",
    "fsproj",
    "geojson",
    "gitattributes",
    "gitignore",
    "gitkeep",
    "gql",
    "graphql",
    "graphqls",
    "ics",
    "ini",
    "json5",
    "jsonc",
    "jsonl",
    "key",
    "less",
    "license",
    "lock",
    "log",
    "map",
    "markdown",
    "md",
    "md5",
    "mdc",
    "mod",
    "ndjson",
    "patch",
    "pem",
    "plist",
    "po",
    "pot",
    "prisma",
    "properties",
    "props",
    "proto",
    "pub",
    "resx",
    "rst",
    "sass",
    "scss",
    "sha1",
    "sha256",
    "sha512",
    "sln",
    "slnx",
    "snap",
    "srt",
    "strings",
    "sum",
    "svg",
    "template",
    "tex",
    "text",
    "thrift",
    "toml",
    "tsv",
    "txt",
    "typed",
    "vbproj",
    "vtt",
    "work",
    "xlf",
    "xml",
    "xsd",
];

/// Names without an extension that hold code for which there are no rules.
const CODE_NAMES: &[&str] = &[
    "appfile",
    "brewfile",
    "build",
    "crontab",
    "earthfile",
    "fastfile",
    "gnumakefile",
    "jenkinsfile",
    "justfile",
    "makefile",
    "meson.build",
    "podfile",
    "procfile",
    "snakefile",
    "tiltfile",
    "vagrantfile",
    "workspace",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code() {
        for (path, expected) in
            [("a.py", true), ("a.c", true), ("i.png", false), ("a.woff2", false), ("a.md", false)]
        {
            assert_eq!(is_code_name(&RepoPath::parse(path.as_bytes()).unwrap()), expected, "{path}");
        }
    }

    #[test]
    fn kinds() {
        let check = |path: &str, head: &str, expected: TextKind| {
            let path = RepoPath::parse(path.as_bytes()).unwrap();
            assert_eq!(detect(&path, head.as_bytes()), expected, "{path}");
        };
        check("src/a.PY", "", TextKind::Known(Language::Python));
        check("run", "#!/usr/bin/env -S python3.12 -u\n", TextKind::Known(Language::Python));
        check("run", "#!/bin/sh\n", TextKind::Known(Language::Shell));
        check("build/Dockerfile.dev", "", TextKind::Known(Language::Dockerfile));
        check("a.tsx", "", TextKind::Known(Language::Tsx));
        check("lib/x.c", "", TextKind::UnknownCode);
        check("README.md", "", TextKind::Plain);
        check("LICENSE", "", TextKind::Plain);
        check("web/a.jsp", "", TextKind::UnknownCode);
        check("Makefile", "", TextKind::UnknownCode);
        for path in ["build.gradle", "db/schema.sql", "a.targets", "a.service", "i.html", "a.vue", "a.mdx"] {
            check(path, "", TextKind::UnknownCode);
        }
        for path in ["A.csproj", "a.sln", "Directory.Build.props", "api.proto", "api.graphql", "a.sha256"] {
            check(path, "", TextKind::Plain);
        }
        check("src/META-INF/services/org.acme.Reader", "", TextKind::Plain);
        check(".env.example.complete", "", TextKind::Plain);
        check("nginx.conf.j2", "", TextKind::Plain);
        check("deployment.yaml.tmpl", "", TextKind::Plain);
        check("run.sh.j2", "", TextKind::UnknownCode);
        check("motd.j2", "", TextKind::UnknownCode);
        check(".gitignore", "", TextKind::Plain);
    }
}
