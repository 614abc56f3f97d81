//! Which files nobody reads: lock files, vendored and generated code, by the conventions that exist.
//!
//! The names follow what GitHub's Linguist documents and what package managers write. Secrets are looked for in
//! these files all the same.

use prevet_domain::path::RepoPath;

/// Why a file is left out by its name alone; `None` for a file to read.
pub fn by_name(path: &RepoPath) -> Option<&'static str> {
    let whole = String::from_utf8_lossy(path.as_bytes()).to_lowercase();
    let name = whole.rsplit('/').next().unwrap_or(&whole);
    if LOCK_FILES.contains(&name) {
        return Some("lock file");
    }
    if whole.split('/').rev().skip(1).any(|folder| VENDORED_FOLDERS.contains(&folder)) {
        return Some("vendored");
    }
    if MINIFIED_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return Some("minified");
    }
    GENERATED_ENDINGS.iter().any(|ending| name.ends_with(ending)).then_some("generated")
}

const LOCK_FILES: &[&str] = &[
    "bun.lock",
    "cargo.lock",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
    ".terraform.lock.hcl",
];

const VENDORED_FOLDERS: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "third-party",
    "thirdparty",
    ".yarn",
    "godeps",
];

const MINIFIED_ENDINGS: &[&str] = &[".min.js", ".min.mjs", ".min.css", ".js.map", ".css.map", ".mjs.map"];

const GENERATED_ENDINGS: &[&str] = &[
    ".pb.go",
    ".pb.gw.go",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    "_pb.js",
    "_pb.d.ts",
    "_grpc_pb.js",
    ".designer.cs",
    ".g.cs",
    ".g.dart",
    ".freezed.dart",
    ".bundle.js",
    ".bundle.mjs",
    "modelsnapshot.cs",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(by_name(&RepoPath::parse(path.as_bytes()).unwrap()), expected, "{path}");
        };
        check("web/package-lock.json", Some("lock file"));
        check("Cargo.lock", Some("lock file"));
        check("a/node_modules/x/i.js", Some("vendored"));
        check("static/app.min.js", Some("minified"));
        check("api/v1/x.pb.go", Some("generated"));
        check("static/crypto.bundle.js", Some("generated"));
        check("Migrations/JellyfinDbModelSnapshot.cs", Some("generated"));
        check("src/bundle.js", None);
        check("vendor.py", None);
        check("src/lock.rs", None);
        check("package.json", None);
    }
}
