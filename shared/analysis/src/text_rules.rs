//! What is wrong in any text, whatever its language: conflict markers left behind, and characters that make a
//! text read otherwise than it runs.

use std::sync::{Arc, LazyLock};

use prevet_domain::finding::{Confidence, ReportType, Severity};

use crate::hit::Hit;
use crate::rule::Rule;
use crate::source::Source;

/// Hits of one text; the rest would say the same again.
const HITS_MAX: usize = 100;

static CONFLICT_MARKER: LazyLock<Arc<Rule>> = LazyLock::new(|| {
    Arc::new(Rule {
        id: "text.conflict-marker".to_owned(),
        report_type: ReportType::Bug,
        severity: Severity::High,
        confidence: Confidence::High,
        title: "Merge conflict marker left in the file".to_owned(),
        message:
            "A conflict of a merge was committed unresolved: both sides and git's markers are in the file. \
                  Choose a side and remove the markers."
                .to_owned(),
        cwe: None,
        owasp: None,
    })
});

static BIDIRECTIONAL_OVERRIDE: LazyLock<Arc<Rule>> = LazyLock::new(|| {
    Arc::new(Rule {
        id: "text.bidirectional-override".to_owned(),
        report_type: ReportType::Security,
        severity: Severity::High,
        confidence: Confidence::High,
        title: "Invisible character that reorders what a reader sees".to_owned(),
        message: "A Unicode bidirectional control makes this line look different from what is compiled or executed, \
                  so a reviewer approves other code than runs. Remove it."
            .to_owned(),
        cwe: Some("CWE-1007".to_owned()),
        owasp: None,
    })
});

static HIDDEN_TAG_TEXT: LazyLock<Arc<Rule>> = LazyLock::new(|| {
    Arc::new(Rule {
        id: "text.hidden-instruction".to_owned(),
        report_type: ReportType::LlmSecurity,
        severity: Severity::High,
        confidence: Confidence::High,
        title: "Text in invisible Unicode tag characters".to_owned(),
        message: "Characters of the Unicode tag block are invisible to people and read by language models: a way to \
                  hide instructions in a file that an agent will read. Remove them."
            .to_owned(),
        cwe: Some("CWE-1427".to_owned()),
        owasp: Some("LLM01:2025".to_owned()),
    })
});

/// The rules of this engine.
pub fn rules() -> [&'static Arc<Rule>; 3] {
    [&CONFLICT_MARKER, &BIDIRECTIONAL_OVERRIDE, &HIDDEN_TAG_TEXT]
}

/// The hits in a text.
pub fn scan(source: &Source<'_>) -> Vec<Hit> {
    (1..=source.line_count()).flat_map(|number| scan_line(source, number)).take(HITS_MAX).collect()
}

fn scan_line(source: &Source<'_>, number: u32) -> Vec<Hit> {
    let line = source.line(number);
    let mut hits = Vec::new();
    if is_conflict_marker(line) {
        hits.push(hit(source, number, &CONFLICT_MARKER));
    }
    // Both kinds of character begin with one of these bytes in UTF-8.
    if line.contains(&0xe2) && contains_any(line, &BIDIRECTIONAL_CONTROLS) && !only_isolates(line) {
        hits.push(hit(source, number, &BIDIRECTIONAL_OVERRIDE));
    }
    if line.contains(&0xf3) && tag_characters(line) >= HIDDEN_TEXT_CHARACTERS_MIN {
        hits.push(hit(source, number, &HIDDEN_TAG_TEXT));
    }
    hits
}

fn hit(source: &Source<'_>, number: u32, rule: &Arc<Rule>) -> Hit {
    let start = source.line_start(number);
    let span = start..start + source.line(number).len();
    Hit { rule: Arc::clone(rule), span, scope: None, fix: None, confidence: None }
}

/// Seven markers and a space, or nothing more: a row of `=` alone is also how headings are underlined.
fn is_conflict_marker(line: &[u8]) -> bool {
    line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ") || line.starts_with(b"||||||| ")
}

/// U+202A–U+202E and U+2066–U+2069 in UTF-8.
const BIDIRECTIONAL_CONTROLS: [&str; 9] = [
    "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2067}", "\u{2068}",
    "\u{2069}",
];

/// Whether all of them are isolates (U+2066 and U+2068) that are closed one by one: what is in them is kept from
/// reordering the rest, which is what they are recommended for (UAX #9, section 2.7).
fn only_isolates(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let controls: Vec<char> =
        text.chars().filter(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')).collect();
    controls.chunks(2).all(|pair| matches!(pair, ['\u{2066}' | '\u{2068}', '\u{2069}']))
}

/// Flags of regions end in a few tag characters; words have more.
const HIDDEN_TEXT_CHARACTERS_MIN: usize = 8;

fn contains_any(line: &[u8], needles: &[&str]) -> bool {
    needles.iter().any(|needle| line.windows(needle.len()).any(|window| window == needle.as_bytes()))
}

/// The longest run of characters of the block U+E0000–U+E007F. Each flag is a run of its own.
fn tag_characters(line: &[u8]) -> usize {
    let text = String::from_utf8_lossy(line);
    let runs = text.split(|c: char| !matches!(c, '\u{e0000}'..='\u{e007f}'));
    runs.map(|run| run.chars().count()).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |text: &str, expected: &[&str]| {
            let source = Source::new("a", None, text.as_bytes(), true);
            let found: Vec<String> = scan(&source).iter().map(|hit| hit.rule.id.clone()).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check(
            "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n",
            &["text.conflict-marker", "text.conflict-marker"],
        );
        check("Title\n=======\n<<<<<<<<<\n", &[]);
        check("if x /*\u{202e} } \u{2066}*/ {\n", &["text.bidirectional-override"]);
        check("`${name} \u{2066}(${percent}%)\u{2069} \u{2068}x\u{2069}`\n", &[]);
        for nested in
            ["\u{2066}\u{2066}a\u{2069}\u{2069}", "\u{2066}a", "\u{2069}a\u{2066}", "\u{2067}a\u{2069}"]
        {
            check(nested, &["text.bidirectional-override"]);
        }
        // England, Scotland and Wales: a flag is black, with a region's letters and an end behind it.
        let flag = |region: &str| -> String {
            let letters = region.bytes().filter_map(|b| char::from_u32(0xe0000 + u32::from(b)));
            format!("\u{1f3f4}{}\u{e007f}", letters.collect::<String>())
        };
        check(&["gbeng", "gbsct", "gbwls"].map(flag).concat(), &[]);
        let hidden: String =
            "run this now".bytes().filter_map(|b| char::from_u32(0xe0000 + u32::from(b))).collect();
        check(&format!("hello {hidden}\n"), &["text.hidden-instruction"]);
        check("naïve — “quoted” 🏴\n", &[]);
    }
}
