//! The canonical form of a question: what is left once words that carry nothing are gone and synonyms are one.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

pub use super::asks::Asks;
use super::asks::{AUXILIARIES, asks};
use super::scan::{Piece, Word, scan};
use super::stem::is_participle;
use super::synonyms::Synonyms;
use super::words::{Tables, is_irregular_participle, tables};

/// Bytes of the hash that name a canonical form: 128 bits.
const HASH_BYTES: usize = 16;
/// The version of the rules: forms of other versions do not meet.
const RULES: &str = "1";

/// What a word is, for the order in which differences are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// not, never, without
    Negation,
    /// A number, a unit or a version.
    Number,
    /// Where something runs.
    Environment,
    /// A name in code, a path.
    Identifier,
    /// all, some, only
    Quantifier,
    /// before, after, per
    Relation,
    /// Any other word.
    Content,
}

/// How a token follows the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lead {
    /// Directly.
    Same,
    /// It begins a phrase with a preposition of that class.
    Phrase(String),
    /// It goes on with the main clause.
    Main,
}

/// A word that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What stands for it and its synonyms.
    pub stem: String,
    /// As it was written, in lower case.
    pub shown: String,
    /// What it is.
    pub class: Class,
    /// How it follows.
    pub lead: Lead,
    /// Whether it has the form of a past participle.
    pub participle: bool,
    /// Whether its place among its neighbours means nothing: "A or B".
    pub listed: bool,
}

/// A question's canonical form.
#[expect(clippy::struct_excessive_bools, reason = "four facts, each by itself")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// What it wants.
    pub asks: Asks,
    /// Whether it asks for a permission.
    pub allow: bool,
    /// Whether it asks for an obligation.
    pub need: bool,
    /// Whether nobody but the asking side acts: "should we", "is it fine to".
    pub we_act: bool,
    /// Whether it says that something is used.
    pub uses: bool,
    /// The words that count, in order.
    pub tokens: Vec<Token>,
    folded: String,
}

impl Canonical {
    /// The canonical form of `question`, with a tenant's own synonyms.
    pub fn of(question: &str, synonyms: &Synonyms) -> Self {
        let pieces = scan(question);
        let tables = tables();
        let says = |words: &[&str]| {
            pieces.iter().any(|it| matches!(it, Piece::Word(word) if words.contains(&word.text.as_str())))
        };
        let mut reader = Reader::new(tables, synonyms);
        reader.read(&pieces);
        let alternative = reader.items.iter().any(|item| matches!(item, Item::Join("or")));
        let wants = asks(&pieces);
        let asks = match wants {
            Asks::Whether | Asks::Which | Asks::Who if alternative => Asks::Alternative,
            other => other,
        };
        let (allow, need, dropped) = (reader.allow, reader.need, reader.dropped);
        let mut tokens = joined(&reader.items, wants == Asks::Whether);
        literal(&mut tokens);
        if says(&["done", "performed"]) {
            // "Is rounding done per line": as if it said "rounded".
            for token in tokens.iter_mut().filter(|token| token.shown.ends_with("ing")) {
                token.participle = true;
            }
        }
        let (we_act, uses) = (says(&["we", "i"]) || dropped, says(&["use", "uses", "using"]));
        Self { asks, allow, need, we_act, uses, tokens, folded: folded(question) }
    }

    /// White space and case folded: what two identical questions share.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Whether it says what is to be done, and nothing of what with: "Should I proceed?", "Fix it?"
    pub fn is_vague(&self) -> bool {
        self.tokens.iter().all(|token| tables().vague.contains(&token.stem))
    }

    /// The words that count, each once.
    pub fn stems(&self) -> BTreeSet<&str> {
        self.tokens.iter().map(|token| token.stem.as_str()).collect()
    }

    /// The words that count, sorted, each as often as it is there.
    pub fn bag(&self) -> Vec<&str> {
        let mut bag: Vec<&str> = self.tokens.iter().map(|token| token.stem.as_str()).collect();
        bag.sort_unstable();
        bag
    }

    /// Names all questions of the same kind over the same words, in whatever order: whoever asks the same is among
    /// them.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for part in [
            RULES,
            self.asks.as_str(),
            if self.allow { "allow" } else { "" },
            if self.need { "need" } else { "" },
        ] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        for stem in self.bag() {
            hash.update(stem.as_bytes());
            hash.update([0]);
        }
        data_encoding::HEXLOWER.encode(&hash.finalize()[..HASH_BYTES])
    }
}

/// White space and case folded.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[derive(Debug, Clone)]
enum Item {
    Token(Token),
    /// and, or
    Join(&'static str),
    Comma,
}

struct Reader<'a> {
    tables: &'a Tables,
    synonyms: &'a Synonyms,
    items: Vec<Item>,
    allow: bool,
    need: bool,
    dropped: bool,
    /// The class of the phrase that is being read.
    phrase: Option<String>,
}

/// After these, "to" is no preposition; nor is it after a word of permission or obligation.
const TO_DO: [&str; 5] = ["want", "wants", "going", "like", "ought"];

const OPENED_BY_NOBODY: [&str; 7] = ["is", "are", "whether", "decide", "need", "does", "please"];

impl<'a> Reader<'a> {
    fn new(tables: &'a Tables, synonyms: &'a Synonyms) -> Self {
        let (items, phrase) = (Vec::new(), None);
        Self { tables, synonyms, items, allow: false, need: false, dropped: false, phrase }
    }

    fn read(&mut self, pieces: &[Piece]) {
        for run in pieces.split_inclusive(|piece| !matches!(piece, Piece::Word(_))) {
            let words: Vec<&Word> = run
                .iter()
                .filter_map(|it| if let Piece::Word(word) = it { Some(word) } else { None })
                .collect();
            let words = together(words);
            self.read_run(&words.iter().collect::<Vec<_>>());
            if matches!(run.last(), Some(Piece::Comma)) {
                self.items.push(Item::Comma);
            }
        }
    }

    fn read_run(&mut self, words: &[&Word]) {
        let texts: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
        let stems: Vec<String> = words
            .iter()
            .map(|word| if word.exact { word.text.clone() } else { self.tables.stem(&word.text) })
            .collect();
        let mut at = 0;
        while let length @ 1.. = self.tables.opening(&texts[at..]) {
            self.dropped |= OPENED_BY_NOBODY.contains(&texts[at].as_str());
            at += length;
        }
        // A trailing "or not" says nothing.
        let end =
            if texts.ends_with(&["or".to_owned(), "not".to_owned()]) { words.len() - 2 } else { words.len() };
        let mut lead = Lead::Main;
        self.phrase = None;
        while at < end {
            at += self.read_word(words, &stems, at, end, &mut lead);
        }
    }

    /// Reads one word or phrase; how many words it has.
    fn read_word(
        &mut self,
        words: &[&Word],
        stems: &[String],
        at: usize,
        end: usize,
        lead: &mut Lead,
    ) -> usize {
        let word = words[at];
        let text = word.text.as_str();
        if let Some((length, canonical)) =
            self.tables.phrase(&stems[at..end]).filter(|(length, _)| *length > 1)
        {
            let canonical = canonical.to_owned();
            let shown: Vec<&str> = words[at..at + length].iter().map(|word| word.text.as_str()).collect();
            self.push(&canonical, shown.join(" "), false, lead);
            return length;
        }
        let before = at.checked_sub(1).map_or("", |before| words[before].text.as_str());
        // "in us region", but not "for us to decide"
        let next = words[..end].get(at + 1).map_or("", |next| next.text.as_str());
        let region = text == "us" && before != "let" && !self.holds_together(next);
        let asked = self.items.is_empty() && ["where", "when"].contains(&text) && AUXILIARIES.contains(&next);
        if asked {
            return 1;
        }
        if text == "to"
            && (TO_DO.contains(&before)
                || self.tables.allow.contains(before)
                || self.tables.need.contains(before))
        {
            *lead = Lead::Main;
            return 1;
        }
        if !word.exact && !region && self.is_grammar(text, before, lead) {
            return 1;
        }
        let stem = match self.tables.phrase(&stems[at..=at]) {
            Some((_, canonical)) => canonical.to_owned(),
            None => stems[at].clone(),
        };
        self.push(&stem, text.to_owned(), word.exact, lead);
        1
    }

    fn holds_together(&self, text: &str) -> bool {
        let tables = self.tables;
        text.is_empty()
            || ["and", "or"].contains(&text)
            || [&tables.filler, &tables.allow, &tables.need].iter().any(|words| words.contains(text))
            || tables.prepositions.contains_key(text)
    }

    /// Whether the word only holds others together; what it says is kept.
    fn is_grammar(&mut self, text: &str, before: &str, lead: &mut Lead) -> bool {
        let auxiliary =
            ["be", "is", "are", "do", "does", "should", "will", "was", "were", "can", "must", "may"];
        let in_condition = self.phrase.as_deref() == Some("when");
        if auxiliary.contains(&text) && !in_condition {
            *lead = Lead::Main;
        }
        if let Some(join) = ["and", "or"].into_iter().find(|join| *join == text) {
            self.items.push(Item::Join(join));
        } else if self.tables.allow.contains(text) {
            self.allow = true;
        } else if self.tables.need.contains(text) {
            self.need = true;
        } else if let Some(class) = self.tables.prepositions.get(text) {
            *lead = Lead::Phrase(class.clone());
            self.phrase = Some(class.clone());
        } else {
            let asked = ["how", "why"].contains(&text);
            let measured = before == "how" && ["long", "often", "much", "many"].contains(&text);
            return self.tables.filler.contains(text) || asked || measured;
        }
        true
    }

    fn push(&mut self, canonical: &str, shown: String, exact: bool, lead: &mut Lead) {
        let stem = self.synonyms.canonical(canonical).to_owned();
        let class = self.class(&stem, exact);
        let first = shown.split(' ').next().unwrap_or_default();
        let participle = is_participle(first) || is_irregular_participle(first);
        let own = std::mem::replace(lead, Lead::Same);
        let own = match class {
            Class::Relation => Lead::Phrase(stem.clone()),
            _ => own,
        };
        if class == Class::Relation {
            self.phrase = Some(stem.clone());
        }
        let stem = if NOT.contains(&stem.as_str()) { "!not".to_owned() } else { stem };
        self.items.push(Item::Token(Token { stem, shown, class, lead: own, participle, listed: false }));
    }

    fn class(&self, stem: &str, exact: bool) -> Class {
        let tables = self.tables;
        if tables.negations.contains(stem) {
            Class::Negation
        } else if stem.bytes().any(|byte| byte.is_ascii_digit()) && !stem.contains(['_', '/']) {
            Class::Number
        } else if tables.environments.contains(stem) {
            Class::Environment
        } else if exact && stem.contains(['_', '/', '.', ':', '@', '#']) {
            Class::Identifier
        } else if tables.quantifiers.contains(stem) {
            Class::Quantifier
        } else if tables.clauses.contains(stem) {
            Class::Relation
        } else {
            Class::Content
        }
    }
}

/// Words that are no synonyms in such company: "remove the user from the organization" deletes nobody, "drop requests"
/// no request, and "raise the exception" makes it no larger.
fn literal(tokens: &mut [Token]) {
    let has = |things: &dyn Fn(&str) -> bool| tokens.iter().any(|token| things(&token.stem));
    let tables = tables();
    let cases = [
        ("remov", "take_from", has(&|stem| stem == "from")),
        ("drop", "drop", has(&|stem| tables.dropped_things.contains(stem))),
        ("rais", "raise", has(&|stem| tables.raised_things.contains(stem))),
        ("bump", "bump", has(&|stem| tables.raised_things.contains(stem))),
    ];
    for (start, stem, _) in cases.iter().filter(|(_, _, applies)| *applies) {
        for token in tokens.iter_mut().filter(|token| token.shown.starts_with(start)) {
            (*stem).clone_into(&mut token.stem);
        }
    }
}

const NOT: [&str; 6] = ["not", "never", "no", "neither", "nor", "nothing"];

/// Words between the halves of a verb at the most: "turn the nightly build off".
const SPLIT_WORDS_MAX: usize = 4;

/// The words with "turn X off" as "turn off X".
fn together(words: Vec<&Word>) -> Vec<Word> {
    let mut words: Vec<Word> = words.into_iter().cloned().collect();
    let turns = |word: &Word| ["turn", "turned", "switch", "switched"].contains(&word.text.as_str());
    let Some(verb) = words.iter().position(turns) else { return words };
    let end = words.len().min(verb + 2 + SPLIT_WORDS_MAX);
    let closes = |at: usize| {
        let next = words.get(at + 1).map(|word| word.text.as_str());
        let opens = next.is_none_or(|next| tables().prepositions.contains_key(next));
        words[at].text == "off" || (words[at].text == "on" && opens)
    };
    if let Some(particle) = (verb + 2..end).find(|at| closes(*at)) {
        let particle = words.remove(particle);
        words.insert(verb + 1, particle);
    }
    words
}

/// Takes the joints out; what they join is sorted, since "A or B" is "B or A".
fn joined(items: &[Item], lists: bool) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    // Where each token stands in `items`.
    let mut places: Vec<usize> = Vec::new();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Token(token) => {
                let mut token = token.clone();
                if at > 0 && matches!(items[at - 1], Item::Comma) && token.lead == Lead::Same {
                    token.lead = Lead::Main;
                }
                tokens.push(token);
                places.push(at);
            }
            Item::Join(_) if !tokens.is_empty() && matches!(items.get(at + 1), Some(Item::Token(_))) => {
                let last = tokens.len() - 1;
                let mut first = last;
                // "Is it A, B or C", but not "who owns it, A or B"
                while lists
                    && first > 0
                    && places[first] == places[first - 1] + 2
                    && matches!(items[places[first] - 1], Item::Comma)
                {
                    first -= 1;
                }
                groups.push((first, last + 1));
            }
            Item::Join(_) | Item::Comma => {}
        }
    }
    for (first, last) in groups {
        let Some(group) = tokens.get_mut(first..=last) else { continue };
        let leads: Vec<Lead> = group.iter().map(|token| token.lead.clone()).collect();
        group.sort_by(|one, other| one.stem.cmp(&other.stem));
        for (token, lead) in group.iter_mut().zip(leads) {
            token.lead = lead;
            token.listed = true;
        }
    }
    tokens
}
