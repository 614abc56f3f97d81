//! What kind of answer a question wants, by how it opens.

use super::scan::Piece;
use super::words::tables;

/// What kind of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asks {
    /// Yes or no.
    Whether,
    /// One of the alternatives that it names.
    Alternative,
    /// What, which.
    Which,
    /// Who.
    Who,
    /// Where.
    Where,
    /// When.
    When,
    /// Why.
    Why,
    /// In what way.
    How,
    /// For how long.
    HowLong,
    /// How many or how much.
    HowMuch,
    /// How often.
    HowOften,
    /// Whether something happened already, or will by itself.
    Happened,
    /// How things are.
    State,
    /// No question: keywords, or a statement.
    Nothing,
}

impl Asks {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Whether => "whether",
            Self::Alternative => "which of several",
            Self::Which => "which",
            Self::Who => "who",
            Self::Where => "where",
            Self::When => "when",
            Self::Why => "why",
            Self::How => "how",
            Self::HowLong => "how long",
            Self::HowMuch => "how many",
            Self::HowOften => "how often",
            Self::Happened => "what happens",
            Self::State => "how it is",
            Self::Nothing => "no question",
        }
    }
}

/// What the last sentence with a question mark, or the last sentence, wants.
pub(super) fn asks(pieces: &[Piece]) -> Asks {
    let sentences: Vec<&[Piece]> = pieces.split_inclusive(|piece| matches!(piece, Piece::End(_))).collect();
    let is_question = |sentence: &&&[Piece]| matches!(sentence.last(), Some(Piece::End(true)));
    let Some(sentence) = sentences.iter().rfind(is_question).or(sentences.last()) else {
        return Asks::Nothing;
    };
    for clause in sentence.split(|piece| matches!(piece, Piece::Comma)) {
        let words: Vec<&str> = clause
            .iter()
            .filter_map(|piece| if let Piece::Word(word) = piece { Some(word.text.as_str()) } else { None })
            .collect();
        if let Some(asks) = clause_asks(&words) {
            return asks;
        }
    }
    if is_question(&sentence) { Asks::Whether } else { Asks::Nothing }
}

pub(super) const AUXILIARIES: [&str; 26] = [
    "do", "does", "did", "should", "shall", "can", "could", "may", "might", "must", "will", "would", "is",
    "are", "was", "were", "has", "have", "am", "need", "whether", "decide", "to", "we", "i", "ought",
];

const HAPPENED: [&str; 5] = ["did", "was", "were", "has", "have"];

/// What a clause asks by its first words; `None` if it opens no question.
fn clause_asks(words: &[&str]) -> Option<Asks> {
    let wh = ["what", "which", "who", "whom", "whose", "where", "when", "why", "how"];
    // "Under which license", "For how long"
    let start = words.iter().take(3).position(|word| wh.contains(word));
    let start = start.filter(|at| {
        *at == 0 || tables().prepositions.contains_key(words[at - 1]) || words[at - 1] == "under"
    });
    let Some(at) = start else {
        let first = words.first()?;
        let opens = AUXILIARIES.contains(first).then_some(Asks::Whether);
        let foretold = *first == "will" && !words.get(1).is_some_and(|next| ["we", "i"].contains(next));
        // "Is the cache warm?", but not "is it fine to" and "are we to".
        let ours = ["it", "we", "i", "there"].contains(&words.get(1).copied().unwrap_or_default());
        return match *first {
            "is" | "are" if !ours => Some(Asks::State),
            first if HAPPENED.contains(&first) || foretold => Some(Asks::Happened),
            _ => opens,
        };
    };
    let next = words.get(at + 1).copied().unwrap_or_default();
    let asked = AUXILIARIES.contains(&next) || words.len() == 1;
    match words[at] {
        "what" | "which" | "whose" => Some(Asks::Which),
        "who" | "whom" => Some(Asks::Who),
        "where" if asked => Some(Asks::Where),
        "when" if asked => Some(Asks::When),
        "why" => Some(Asks::Why),
        "how" => Some(match next {
            "long" => Asks::HowLong,
            "many" | "much" => Asks::HowMuch,
            "often" | "frequently" => Asks::HowOften,
            _ => Asks::How,
        }),
        _ => None,
    }
}
