//! What a pattern cannot say: checks in code that a rule names, made on what its pattern found.

mod asynchronous;
mod condition;
mod hole;
mod placeholders;
mod resource;
mod value_kind;

use serde::Deserialize;

use super::parsed::SyntaxNode;
use crate::language::Language;

/// A check, by the name that a rule gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Check {
    /// Two comparisons joined by "or", one of which always holds.
    AlwaysTrue,
    /// Two comparisons joined by "and" that never hold together.
    NeverTrue,
    /// A call, as a statement, of a function that this file defines as asynchronous.
    CallsAsynchronous,
    /// A call whose format has another number of placeholders than there are values.
    PlaceholderCount,
    /// A call whose format has placeholders for which there is no value.
    PlaceholderMissing,
    /// An assignment of something open that its function neither closes nor hands on.
    NeverClosed,
    /// A text that names variables of its function in braces.
    NamesVariables,
    /// A text put together from values that are not all declared as numbers.
    ValueMayBeText,
}

impl Check {
    /// Whether it holds of `node`, in a file with this `text`.
    pub fn holds(self, node: &SyntaxNode, text: &str, language: Language) -> bool {
        match self {
            Self::AlwaysTrue => condition::is_always_true(node),
            Self::NeverTrue => condition::is_never_true(node),
            Self::CallsAsynchronous => asynchronous::is_of_this_file(node, text, language),
            Self::PlaceholderCount => placeholders::differ(node, language),
            Self::PlaceholderMissing => placeholders::are_missing(node, language),
            Self::NeverClosed => resource::is_left_open(node),
            Self::NamesVariables => hole::names_variables(node),
            Self::ValueMayBeText => value_kind::may_be_text(node, text),
        }
    }
}
