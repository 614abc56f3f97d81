//! Valid code that a grammar does not know yet.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::language::Language;

/// How many bytes around an error are looked at for what the grammar does not know.
const NEAR_BYTES: usize = 400;

/// What each grammar stumbles over, by the forms that its language's releases brought.
const GAPS: &[(&[Language], &str)] = &[
    (
        &[Language::TypeScript, Language::Tsx],
        r"export type \*|[>)]`|\busing\b|\baccessor\b|\bdefer\b|\b(in|out|const) [A-Z]\w*\b.*>|<\s*(typeof\s+)?import\(",
    ),
    (&[Language::JavaScript], r"\bimport (defer|source) |\busing \w+ =|\baccessor\b"),
    (&[Language::Go], r#"\bnew\(\s*([\w.]+\(|[\w.]+\{|["`\d&'-])"#),
    (
        &[Language::Rust],
        r"\bsafe (fn|static)\b|\bunsafe extern\b|\bgen (move )?\{|&raw (const|mut)\b|\buse<|\bif let\b.*&&|&& let\b",
    ),
    (&[Language::Ruby], r"\bdef (self\.)?\w+[?!]?(\(.*\))? = "),
    (
        &[Language::Python],
        r#"\b(def|class|type) \w+\[[^\]\n]*=|\bexcept\*? [\w.]+, *[\w.]+( *,[^:]*)?:|\b[tT][rR]?["']|\blazy (import|from)\b"#,
    ),
    (
        &[Language::Php],
        r"\(void\)|\|>|\bclone\(|\b(public|protected|private)\(set\)|\{\s*(get|set)\b|\bnew \w+\([^)]*\)->|#\[\\?NoDiscard",
    ),
    (
        &[Language::Java],
        r"(?m)\bimport module |^\s*(super|this)\(|^(static )?void main\(|\bcase .* when |\b_\b|\bStringTemplate\b|\bSTR\.",
    ),
];

/// Whether what the error at `span` is about may be such code.
pub(super) fn is_gap(language: Language, text: &[u8], span: &Range<usize>) -> bool {
    static COMPILED: LazyLock<Vec<Option<Regex>>> =
        LazyLock::new(|| GAPS.iter().map(|(_, pattern)| Regex::new(pattern).ok()).collect());
    let near = &text[span.start.saturating_sub(NEAR_BYTES)..(span.end + NEAR_BYTES).min(text.len())];
    let own = GAPS.iter().zip(COMPILED.iter()).filter(|((languages, _), _)| languages.contains(&language));
    own.filter_map(|(_, regex)| regex.as_ref()).any(|regex| regex.is_match(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for (languages, pattern) in GAPS {
            assert!(Regex::new(pattern).is_ok(), "{languages:?}: {pattern}");
        }
    }
}
