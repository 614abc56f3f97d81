//! The guard: whether two questions ask the same, or in what they differ.
//!
//! No similarity decides here. Traps ("keep"/"drop", "staging"/"production", A→B/B→A) are as similar as paraphrases,
//! so every word of both sides has to be explained.

use std::fmt;

use super::canonical::{Canonical, Class, Token};
use super::order;
use super::words::tables;

/// Words of a difference that are shown.
const SHOWN_WORDS_MAX: usize = 4;

/// In what two questions differ, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Words that only one side has; the most telling class comes first.
    Words {
        /// Of the earlier question.
        earlier: String,
        /// Of the question at hand.
        now: String,
    },
    /// One wants another kind of answer.
    Asks {
        /// The earlier question.
        earlier: &'static str,
        /// The question at hand.
        now: &'static str,
    },
    /// One asks whether something is allowed, or required, and the other does not.
    Permission,
    /// One destroys one thing, the other several.
    Number {
        /// Of the earlier question.
        earlier: String,
        /// Of the question at hand.
        now: String,
    },
    /// The same words in another order.
    Order,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words { earlier, now } if earlier.is_empty() => {
                write!(f, "differs: only this one says \"{now}\"")
            }
            Self::Words { earlier, now } if now.is_empty() => {
                write!(f, "differs: only the earlier one says \"{earlier}\"")
            }
            Self::Words { earlier, now } | Self::Number { earlier, now } => {
                write!(f, "differs: {earlier}/{now}")
            }
            Self::Asks { earlier, now } => {
                write!(f, "differs: the earlier one asks {earlier}, this one {now}")
            }
            Self::Permission => f.write_str("differs: what is allowed or required, and what is done"),
            Self::Order => f.write_str("differs: the same words in another order"),
        }
    }
}

/// Whether both ask the same; else in what they differ.
pub fn compare(earlier: &Canonical, now: &Canonical) -> Result<(), Difference> {
    if earlier.folded() == now.folded() && earlier.stems() == now.stems() {
        return Ok(());
    }
    let (left, right) = (unmatched(earlier, now), unmatched(now, earlier));
    if earlier.asks != now.asks && left.is_empty() && right.is_empty() {
        return Err(Difference::Asks { earlier: earlier.asks.as_str(), now: now.asks.as_str() });
    }
    if !left.is_empty() || !right.is_empty() {
        return Err(words(&left, &right));
    }
    if earlier.tokens.is_empty() {
        // Nothing that counts is left to compare.
        return Err(Difference::Order);
    }
    if (earlier.allow, earlier.need) != (now.allow, now.need) {
        return Err(Difference::Permission);
    }
    if let Some(number) = number(earlier, now) {
        return Err(number);
    }
    if order::agrees(earlier, now) { Ok(()) } else { Err(Difference::Order) }
}

/// In questions that destroy something, "the branch" is not "branches"; nor is "the last commit" "the last commits".
fn number(earlier: &Canonical, now: &Canonical) -> Option<Difference> {
    let tables = tables();
    let counts =
        |token: &Token| [&tables.destroying, &tables.places].iter().any(|it| it.contains(&token.stem));
    if !earlier.tokens.iter().any(counts) {
        return None;
    }
    let plural = |token: &Token| token.shown.ends_with('s') && !token.shown.ends_with("ss");
    let counted = |token: &&Token| token.class == Class::Content && !counts(token);
    let same_word = |one: &Token, other: &Token| tables.stem(&one.shown) == tables.stem(&other.shown);
    earlier.tokens.iter().filter(counted).find_map(|one| {
        let mut others = now.tokens.iter().filter(|other| other.stem == one.stem).peekable();
        others.peek()?;
        let other = others.next().filter(|other| plural(other) != plural(one) && same_word(one, other))?;
        Some(Difference::Number { earlier: one.shown.clone(), now: other.shown.clone() })
    })
}

/// The tokens of `one` that `other` has no counterpart for.
fn unmatched<'a>(one: &'a Canonical, other: &Canonical) -> Vec<&'a Token> {
    let mut bag = other.bag();
    let has = |token: &&Token| match bag.iter().position(|stem| *stem == token.stem) {
        Some(at) => {
            bag.swap_remove(at);
            false
        }
        None => true,
    };
    let mut has = has;
    one.tokens.iter().filter(|token| has(token)).collect()
}

/// The most telling words that differ: of the first class in which one of the sides has any.
fn words(left: &[&Token], right: &[&Token]) -> Difference {
    let classes = left.iter().chain(right).map(|token| token.class);
    let class = classes.min().unwrap_or(Class::Content);
    let shown = |tokens: &[&Token]| {
        let of_class: Vec<&str> =
            tokens.iter().filter(|token| token.class == class).map(|token| token.shown.as_str()).collect();
        of_class.into_iter().take(SHOWN_WORDS_MAX).collect::<Vec<_>>().join(" ")
    };
    Difference::Words { earlier: shown(left), now: shown(right) }
}
