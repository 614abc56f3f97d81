//! One pass over a text: the prefilter finds keywords, each asks its rules.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use prevet_domain::finding::Confidence;

use super::catalog::{Catalog, catalog};
use super::checks::{Check, Verdict};
use super::detector::{Detector, Engine, Tier};
use super::example::is_in_example;
use super::generic::{self, Noun, Worth};
use super::place::{Payloads, Place};
use super::placeholder::{is_interpolated, is_sequential, is_sham, is_sham_block};
use super::{HITS_MAX, SecretSpan, assignment, key_block, url};

/// Assignments on lines that nobody wrote by hand, read one by one.
const LONG_LINE_ASKS_MAX: usize = 2_000;

/// How a found value is to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grade {
    pub confidence: Option<Confidence>,
    /// With low severity.
    pub is_quiet: bool,
}

/// A value that a rule matched.
#[derive(Debug)]
pub(super) struct Found {
    /// The rule's place in the catalog.
    pub detector: usize,
    pub span: Range<usize>,
    /// None: masked only.
    pub grade: Option<Grade>,
}

/// The rules that code chooses.
struct Named {
    key_blocks: [usize; 4],
    database: usize,
    url: usize,
    nouns: [usize; 4],
}

fn named() -> &'static Named {
    static NAMED: LazyLock<Named> = LazyLock::new(|| {
        let index = |id: &str| catalog().index_of(id);
        Named {
            key_blocks: [
                index("secrets.private-key"),
                index("secrets.private-key-openssh"),
                index("secrets.private-key-pgp"),
                index("secrets.private-key-encrypted"),
            ],
            database: index("secrets.database-url"),
            url: index("secrets.url-password"),
            nouns: [
                index("secrets.generic-password"),
                index("secrets.generic-secret"),
                index("secrets.generic-api-key"),
                index("secrets.generic-token"),
            ],
        }
    });
    &NAMED
}

struct Search<'a> {
    text: &'a [u8],
    place: Place,
    catalog: &'static Catalog,
    /// For each rule, up to where the text is done.
    resume: Vec<usize>,
    found: Vec<Found>,
    /// What is only masked and not told is wanted too.
    masks: bool,
    /// Assignments looked at on lines that nobody wrote by hand.
    long_line_asks: usize,
}

/// Everything that any rule matches, overlaps included; with `masks` also what is never told.
pub(super) fn everything(text: &[u8], place: Place, found_max: usize, masks: bool) -> Vec<Found> {
    let catalog = catalog();
    let resume = vec![0; catalog.detectors.len()];
    let mut search = Search { text, place, catalog, resume, found: Vec::new(), masks, long_line_asks: 0 };
    for keyword in catalog.prefilter.find_overlapping_iter(text) {
        for at in &catalog.owners[keyword.pattern().as_usize()] {
            search.ask(*at, &(keyword.start()..keyword.end()));
        }
        if search.found.len() >= found_max {
            break;
        }
    }
    search.found
}

/// What is worth telling, the best of each overlapping lot, in the order of the text.
pub(super) fn report(text: &[u8], place: Place) -> Vec<SecretSpan> {
    let mut found = everything(text, place, HITS_MAX * 4, false);
    found.retain(|found| found.grade.is_some());
    let mut spans: Vec<SecretSpan> = best(found).into_iter().filter_map(told).collect();
    spans.truncate(HITS_MAX);
    spans
}

fn told(found: Found) -> Option<SecretSpan> {
    let detector = &catalog().detectors[found.detector];
    let grade = found.grade?;
    let rule = if grade.is_quiet { &detector.quiet } else { &detector.rule };
    let confidence = grade.confidence.filter(|confidence| *confidence != rule.confidence);
    Some(SecretSpan { rule: rule.clone(), span: found.span, confidence })
}

/// Of findings that overlap, the one of the first tier; of those, the longest; of those, the surest.
fn best(mut found: Vec<Found>) -> Vec<Found> {
    let sureness = |found: &Found| Reverse(catalog().detectors[found.detector].rule.confidence);
    let rank = |found: &Found| (tier(found), Reverse(found.span.len()), sureness(found));
    found.sort_by_key(|found| (found.span.start, rank(found)));
    let mut kept: Vec<Found> = Vec::new();
    for next in found {
        match kept.last() {
            Some(last) if last.span.end > next.span.start && rank(last) <= rank(&next) => {}
            Some(last) if last.span.end > next.span.start => {
                kept.pop();
                kept.push(next);
            }
            _ => kept.push(next),
        }
    }
    kept
}

fn tier(found: &Found) -> Tier {
    catalog().detectors[found.detector].tier
}

impl Search<'_> {
    fn ask(&mut self, at: usize, keyword: &Range<usize>) {
        if keyword.start < self.resume[at] {
            return;
        }
        let detector = &self.catalog.detectors[at];
        match detector.engine {
            Engine::Pattern => self.ask_pattern(at, detector, keyword),
            Engine::KeyBlock => self.ask_key_block(at, keyword.start),
            Engine::KeyBlockEnd => self.ask_key_block_end(keyword.start),
            Engine::Url => self.ask_url(keyword),
            Engine::Assignment => self.ask_assignment(at, keyword),
            Engine::None => {}
        }
    }

    fn push(&mut self, detector: usize, span: Range<usize>, grade: Option<Grade>) {
        self.found.push(Found { detector, span, grade });
    }

    fn ask_pattern(&mut self, at: usize, detector: &Detector, keyword: &Range<usize>) {
        let Some(span) = detector.find(self.text, keyword) else { return };
        let secret = &self.text[span.clone()];
        let verdict = detector.check.judge(secret);
        if verdict == Verdict::Drop && matches!(detector.check, Check::Pem | Check::Mixed) {
            return;
        }
        let is_loose = detector.is_loose(self.text, &span);
        if !is_loose {
            self.resume[at] = span.end;
        }
        let is_shapeless = detector.tier != Tier::Provider && detector.check != Check::Pem;
        let is_payload = || is_shapeless && self.is_example(span.start);
        let is_told = !is_loose
            && verdict != Verdict::Drop
            && !is_sham(secret)
            && !detector.is_dull(secret)
            && !is_payload();
        let grade = is_told.then(|| self.grade(detector, secret, verdict));
        self.push(at, span, grade);
    }

    fn grade(&self, detector: &Detector, secret: &[u8], verdict: Verdict) -> Grade {
        let mut confidence = detector.rule.confidence;
        if let Verdict::Sure(sure) = verdict {
            confidence = sure;
        }
        if is_sequential(&secret[secret.len() / 3..]) {
            confidence = Confidence::Low;
        } else if self.place.doubtful {
            confidence = confidence.min(Confidence::Medium);
        }
        let is_block = detector.check == Check::Pem;
        let is_quiet = match detector.tier {
            Tier::Provider => false,
            Tier::Structure => self.place.doubtful && !is_block,
            Tier::Generic => self.place.doubtful || self.place.derived,
        };
        Grade { confidence: Some(confidence), is_quiet }
    }

    fn ask_key_block(&mut self, at: usize, begin: usize) {
        let Some(block) = key_block::from_begin(self.text, begin) else { return };
        self.resume[at] = block.span.end;
        let confidence = if block.has_body { None } else { Some(Confidence::Medium) };
        let confidence = if self.place.doubtful { Some(Confidence::Medium) } else { confidence };
        let is_sham = is_sham_block(&self.text[block.span.clone()]);
        let is_told = (block.has_body || block.is_cut) && !is_sham;
        if block.has_body || block.is_cut {
            let grade = is_told.then_some(Grade { confidence, is_quiet: false });
            self.push(named().key_blocks[block.kind as usize], block.span, grade);
        }
    }

    fn ask_key_block_end(&mut self, end: usize) {
        let is_known =
            self.found.iter().rev().take(4).any(|found| found.span.start < end && end < found.span.end);
        let Some(block) = key_block::from_end(self.text, end).filter(|block| block.has_body && !is_known)
        else {
            return;
        };
        let grade = Grade { confidence: Some(Confidence::Medium), is_quiet: false };
        self.push(named().key_blocks[block.kind as usize], block.span, Some(grade));
    }

    fn ask_url(&mut self, mark: &Range<usize>) {
        let Some(found) = url::find(self.text, mark) else { return };
        let detector = match found.kind {
            url::Kind::Database => named().database,
            url::Kind::Other => named().url,
        };
        let is_doubtful = self.place.doubtful;
        let confidence = is_doubtful.then_some(Confidence::Low);
        let is_quiet = is_doubtful || found.is_local;
        self.push(detector, found.span, found.is_real.then_some(Grade { confidence, is_quiet }));
    }

    fn ask_assignment(&mut self, at: usize, keyword: &Range<usize>) {
        let is_by_hand = self.is_by_hand(keyword.start);
        if !is_by_hand && self.skips_long_line(at, keyword) {
            return;
        }
        let Some(found) = assignment::find(self.text, keyword) else { return };
        let Some(noun) = generic::noun_of(&self.text[found.name.clone()]) else { return };
        self.resume[at] = found.name.end;
        let worth =
            if is_by_hand { generic::worth(self.text, &found, noun, self.place) } else { Worth::None };
        let grade = match worth {
            Worth::Full | Worth::Low if self.is_example(keyword.start) => None,
            Worth::Full => Some(Grade { confidence: None, is_quiet: false }),
            Worth::Low => Some(Grade { confidence: Some(Confidence::Low), is_quiet: true }),
            Worth::None => None,
        };
        if grade.is_some() || is_masked_anyway(&self.text[found.value.clone()], found.form, noun) {
            self.push(named().nouns[noun as usize], found.value, grade);
        }
    }

    /// On a line that nobody wrote nothing is told, and from so many assignments on its rest is masked unread.
    fn skips_long_line(&mut self, at: usize, keyword: &Range<usize>) -> bool {
        self.long_line_asks += 1;
        if !self.masks || self.long_line_asks <= LONG_LINE_ASKS_MAX {
            return !self.masks;
        }
        let rest = &self.text[keyword.end..];
        let end = keyword.end + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.resume[at] = end.max(keyword.end);
        if end > keyword.end {
            self.push(named().nouns[Noun::Password as usize], keyword.end..end, None);
        }
        true
    }

    /// Whether what stands at `at` is part of an API's description, or of an example in one.
    fn is_example(&self, at: usize) -> bool {
        match self.place.payloads {
            Payloads::None => false,
            Payloads::InExamples => is_in_example(self.text, at),
            Payloads::Everywhere => true,
        }
    }

    /// Whether the line is short enough to have been written by a person.
    fn is_by_hand(&self, at: usize) -> bool {
        let half = generic::LINE_BYTES_MAX / 2;
        let before = &self.text[at.saturating_sub(half)..at];
        let after = &self.text[at..self.text.len().min(at + half)];
        (before.len() < half || before.contains(&b'\n')) && (after.len() < half || after.contains(&b'\n'))
    }
}

/// `:token` in Ruby, and signs alone.
fn is_symbol(value: &[u8]) -> bool {
    let name = value.strip_prefix(b":").unwrap_or_default();
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    is_name || !value.iter().any(u8::is_ascii_alphanumeric)
}

/// Digits of a password that is a number.
const PIN_DIGITS_MIN: usize = 4;
/// Digits of a token or a key that is a number; fewer are a count.
const CODE_DIGITS_MIN: usize = 10;

/// A number with fewer digits than a secret has: `max_token = 512`.
fn is_number(value: &[u8], digits_min: usize) -> bool {
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'_');
    digits.len() < digits_min && digits.iter().all(is_digit)
}

/// Whether masking takes the value though nothing is told of it: any literal, but no code.
fn is_masked_anyway(value: &[u8], form: assignment::Form, noun: Noun) -> bool {
    const TYPES: [&[u8]; 24] = [
        b"string",
        b"String",
        b"str",
        b"bool",
        b"boolean",
        b"number",
        b"int",
        b"null",
        b"None",
        b"nil",
        b"true",
        b"false",
        b"any",
        b"undefined",
        b"bytes",
        b"Optional",
        b"required",
        b"True",
        b"False",
        b"|",
        b">",
        b"object",
        b"write",
        b"read",
    ];
    let is_code = |byte: &u8| b"(){}[];,<>".contains(byte);
    let is_part_open = |part: &[u8]| is_interpolated(part) || part.iter().all(u8::is_ascii_alphabetic);
    let is_hole = is_interpolated(value) && value.split(|byte| *byte == b' ').all(is_part_open);
    let is_path = || value.contains(&b'.') && value[0].is_ascii_alphabetic();
    let is_bare = matches!(form, assignment::Form::Bare | assignment::Form::Loose);
    if is_bare && is_number(value, if noun == Noun::Password { PIN_DIGITS_MIN } else { CODE_DIGITS_MIN }) {
        return false;
    }
    match form {
        assignment::Form::Quoted => {
            !is_hole && (value.len() > 2 || noun == Noun::Password && !value.is_empty())
        }
        assignment::Form::Argument => !is_hole && value.iter().any(|byte| !byte.is_ascii_alphabetic()),
        assignment::Form::Loose => {
            !is_hole && !is_path() && value.iter().any(u8::is_ascii_digit) && !value.iter().any(is_code)
        }
        assignment::Form::Bare => {
            !is_hole && !TYPES.contains(&value) && !value.iter().any(is_code) && !is_symbol(value)
        }
    }
}
