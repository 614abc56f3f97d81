//! Credentials in a text: found to be reported, found to be masked.
//!
//! Both go through the same rules, which are data under `rules/secrets/`: one pass of a literal prefilter over the
//! bytes, then each rule looks at a small window around its keyword. Reporting is careful: what is evidently a
//! placeholder, an interpolation or a name is left alone. Masking is greedy: a false mask costs a reader one
//! word, a missed one costs a credential. So whatever [`scan`] finds, [`mask`] takes out, and more.
//!
//! [`mask`] wants the whole text. A single line taken out of a private key shows nothing of what it is, so mask
//! first and take the line then.

mod assignment;
mod catalog;
mod checks;
mod detector;
mod example;
mod generic;
mod key_block;
mod masking;
mod place;
mod placeholder;
mod search;
mod url;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use prevet_domain::finding::Confidence;

use crate::hit::Hit;
use crate::rule::Rule;
use crate::source::Source;
use place::Place;

pub use masking::{MASK, is_masked, mask};

/// Secrets that one text can give; a file with more is a dump, and says so with these.
pub const HITS_MAX: usize = 1_000;

/// A secret in a text that has no path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSpan {
    /// The rule that found it. Its severity is lower than the catalog's where the place or the value is doubtful.
    pub rule: Arc<Rule>,
    /// The secret's bytes, without quotes or key.
    pub span: Range<usize>,
    /// How sure, where it differs from the rule's.
    pub confidence: Option<Confidence>,
}

/// Every secret rule, as it is without a doubtful place or value.
pub fn rules() -> impl Iterator<Item = &'static Arc<Rule>> {
    catalog::catalog().detectors.iter().map(|detector| &detector.rule)
}

/// The secrets in `source`, in the order of the text, none overlapping another, at most [`HITS_MAX`].
pub fn scan(source: &Source) -> Vec<Hit> {
    let spans = search::report(source.text, Place::of(source.path));
    spans.into_iter().map(hit).collect()
}

/// The same for bytes that stand nowhere in particular.
pub fn scan_bytes(text: &[u8]) -> Vec<SecretSpan> {
    search::report(text, Place::UNKNOWN)
}

fn hit(secret: SecretSpan) -> Hit {
    Hit { rule: secret.rule, span: secret.span, scope: None, fix: None, confidence: secret.confidence }
}

/// Whether `text` holds anything that [`mask`] would take out.
pub fn is_clean(text: &[u8]) -> bool {
    matches!(mask(text), Cow::Borrowed(_))
}
