//! What an engine found, before it is known whether it belongs to the change.

use std::ops::Range;
use std::sync::Arc;

use prevet_domain::finding::Confidence;

use crate::rule::Rule;

/// A rule's match in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The rule.
    pub rule: Arc<Rule>,
    /// The bytes of the file's text that are wrong.
    pub span: Range<usize>,
    /// The bytes of the enclosing function, where there is one.
    pub scope: Option<Range<usize>>,
    /// A replacement for the whole lines that `span` touches, where one is sure.
    pub fix: Option<String>,
    /// How sure, where it differs from the rule's.
    pub confidence: Option<Confidence>,
}
