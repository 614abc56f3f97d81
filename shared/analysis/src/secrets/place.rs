//! What a path says about the values in its file.

/// Where a file holds payloads that nobody sent: what a request or an answer looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payloads {
    /// Nowhere.
    None,
    /// It is data: under keys that say `example`.
    InExamples,
    /// It describes an API.
    Everywhere,
}

/// How much a value in a file means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Tests, fixtures, examples, documentation: most values are made up.
    pub doubtful: bool,
    /// Lock files, minified code, translations: names that say `password` hold no passwords there.
    pub derived: bool,
    /// Configuration and scripts: a value needs no quotes there.
    pub bare: bool,
    /// Where made-up payloads of an API stand.
    pub payloads: Payloads,
}

const TEST_PARTS: [&str; 30] = [
    "test",
    "tests",
    "testing",
    "testdata",
    "test-data",
    "test_data",
    "__tests__",
    "__mocks__",
    "__fixtures__",
    "spec",
    "specs",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "stubs",
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "e2e",
    "testutil",
    "testutils",
    "docs",
    "doc",
    "docs_src",
    "documentation",
    "tutorial",
    "tutorials",
];
const TEST_MARKS: [&str; 12] = [
    "_test.",
    ".test.",
    "-test.",
    "_spec.",
    ".spec.",
    "-spec.",
    ".example",
    ".sample",
    ".dist",
    ".template",
    ".clienttest.",
    ".servertest.",
];
const PROSE: [&str; 10] = ["md", "markdown", "mdx", "rst", "adoc", "txt", "tex", "html", "htm", "ipynb"];
const DERIVED_NAMES: [&str; 16] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "cargo.lock",
    "go.sum",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "pipfile.lock",
    "gemfile.lock",
    "composer.lock",
    "podfile.lock",
    "flake.lock",
    "package.resolved",
];
const DERIVED_PARTS: [&str; 8] =
    ["locale", "locales", "i18n", "l10n", "lang", "translations", "node_modules", "__snapshots__"];
const DERIVED_ENDS: [&str; 9] =
    [".min.js", ".min.css", ".map", ".snap", ".svg", ".po", ".pot", ".arb", ".strings"];
const BARE: [&str; 28] = [
    "env",
    "ini",
    "cfg",
    "conf",
    "config",
    "cnf",
    "properties",
    "yml",
    "yaml",
    "toml",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "tfvars",
    "npmrc",
    "netrc",
    "pypirc",
    "service",
    "txt",
    "md",
    "log",
    "envrc",
    "http",
    "rest",
];

const DESCRIPTIONS: [&str; 5] = ["openapi", "swagger", "api-reference", "api_reference", "apispec"];

impl Place {
    /// Nothing is known: every value may mean something.
    pub const UNKNOWN: Self = Self { doubtful: false, derived: false, bare: true, payloads: Payloads::None };

    /// What `path` says.
    pub fn of(path: &str) -> Self {
        let has_camel_mark = path.split(['/', '.']).any(is_camel_test);
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let parts = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        let extension = parts.map_or("", |(_, extension)| extension);
        let folders = || path.split('/').rev().skip(1);
        let payloads = match ["yaml", "yml", "json"].contains(&extension) {
            true if DESCRIPTIONS.iter().any(|word| path.contains(word)) => Payloads::Everywhere,
            true => Payloads::InExamples,
            false => Payloads::None,
        };
        Self {
            payloads,
            doubtful: has_camel_mark
                || folders().any(|part| TEST_PARTS.contains(&part))
                || name.starts_with("test_")
                || name.starts_with("conftest.")
                || TEST_MARKS.iter().any(|mark| name.contains(mark))
                || PROSE.contains(&extension),
            derived: DERIVED_NAMES.contains(&name)
                || DERIVED_ENDS.iter().any(|end| name.ends_with(end))
                || folders().any(|part| DERIVED_PARTS.contains(&part)),
            bare: extension.is_empty()
                || BARE.contains(&extension)
                || name.starts_with(".env")
                || name.starts_with("dockerfile"),
        }
    }
}

/// `dockerTest`, `testFixtures`, `UserServiceTests`, `smoke-test`.
fn is_camel_test(part: &str) -> bool {
    ["Test", "Tests", "Spec", "TestCase", "-test", "-tests", "_test", "_tests"]
        .iter()
        .any(|end| part.ends_with(end))
        || part
            .strip_prefix("test")
            .is_some_and(|rest| rest.starts_with(|next: char| next.is_uppercase() || next == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert!(Place::of("src/tests/a.py").doubtful);
        assert!(Place::of("pkg/a_test.go").doubtful);
        assert!(Place::of(".env.example").doubtful);
        assert!(Place::of("src/dockerTest/a.yaml").doubtful);
        assert!(Place::of("src/UserTests.java").doubtful);
        assert!(!Place::of("src/latest/contest/a.py").doubtful);
        assert!(Place::of("web/yarn.lock").derived);
        assert!(Place::of("web/locales/de.json").derived);
        assert!(Place::of("deploy/.env.production").bare);
        assert!(Place::of("Dockerfile").bare);
        assert!(!Place::of("src/main.rs").bare);
        assert!(Place::of("README.md").doubtful);
        assert!(Place::of("web/login.clienttest.ts").doubtful);
        assert_eq!(Place::of("docs/api-reference/store.yaml").payloads, Payloads::Everywhere);
        assert_eq!(Place::of("src/openapi.py").payloads, Payloads::None);
        assert_eq!(Place::of("deploy/values.yaml").payloads, Payloads::InExamples);
        assert!(Place::of("docs_src/security/a.py").doubtful);
    }
}
