//! The closed tables of `words.txt`, read once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use super::stem::stem;

const TEXT: &str = include_str!("words.txt");

/// The tables.
#[derive(Debug, Default)]
pub struct Tables {
    /// Phrases by the stem of their first word, longest first, and what stands for them.
    pub phrases: HashMap<String, Vec<(Vec<String>, String)>>,
    /// Openings that only say that something is to be decided, by their first word, longest first.
    pub dropped: HashMap<String, Vec<Vec<String>>>,
    /// Words that carry nothing.
    pub filler: BTreeSet<String>,
    /// Words of permission.
    pub allow: BTreeSet<String>,
    /// Words of obligation.
    pub need: BTreeSet<String>,
    /// Prepositions that open a phrase, and the class of each.
    pub prepositions: BTreeMap<String, String>,
    /// Prepositions that mean something by themselves.
    pub clauses: BTreeSet<String>,
    /// Words that turn a question round.
    pub negations: BTreeSet<String>,
    /// Where something runs.
    pub environments: BTreeSet<String>,
    /// How much of something.
    pub quantifiers: BTreeSet<String>,
    /// Verbs whose object may be their subject: "run the job", "the job runs".
    pub ergative: BTreeSet<String>,
    /// Verbs with nobody who acts: "show a price on invoices", "invoices show a price".
    pub stative: BTreeSet<String>,
    /// Adverbs, which may stand anywhere.
    pub floating: BTreeSet<String>,
    /// Verbs that mean nothing without what they are about.
    pub vague: BTreeSet<String>,
    /// Verbs after which something is gone.
    pub destroying: BTreeSet<String>,
    /// Which one of several in a row.
    pub places: BTreeSet<String>,
    /// What is dropped without being deleted.
    pub dropped_things: BTreeSet<String>,
    /// What is raised without being more.
    pub raised_things: BTreeSet<String>,
    /// Pairs that are never synonyms, both ways round.
    pub antonyms: BTreeSet<(String, String)>,
    irregular: BTreeMap<String, String>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(read);

/// The tables.
pub fn tables() -> &'static Tables {
    &TABLES
}

/// Whether the word is a past participle that does not end in -ed.
pub fn is_irregular_participle(word: &str) -> bool {
    tables().irregular.contains_key(word)
}

impl Tables {
    /// The stem of one lower-case word.
    pub fn stem(&self, word: &str) -> String {
        stem(self.irregular.get(word).map_or(word, String::as_str))
    }

    /// What stands for a word with parts joined by `_`, as lists name it.
    fn listed(&self, word: &str) -> String {
        let stems: Vec<String> = word.split('_').map(|part| self.stem(part)).collect();
        let known = self.phrases.get(&stems[0]).and_then(|all| all.iter().find(|(words, _)| *words == stems));
        known.map_or_else(|| stems.join("_"), |(_, canonical)| canonical.clone())
    }

    /// The longest phrase that `stems` begin with: its length in words, and what stands for it.
    pub fn phrase(&self, stems: &[String]) -> Option<(usize, &str)> {
        let candidates = self.phrases.get(stems.first()?)?;
        let found = candidates.iter().find(|(words, _)| stems.starts_with(words))?;
        Some((found.0.len(), &found.1))
    }

    /// How many of `words` are an opening that carries nothing.
    pub fn opening(&self, words: &[String]) -> usize {
        let candidates = words.first().and_then(|first| self.dropped.get(first));
        candidates.and_then(|all| all.iter().find(|it| words.starts_with(it))).map_or(0, Vec::len)
    }
}

fn read() -> Tables {
    let sections = sections();
    let lines = |name: &str| sections.get(name).cloned().unwrap_or_default();
    let mut tables = Tables::default();
    for line in lines("irregular") {
        if let Some((form, base)) = line.split_once(": ") {
            tables.irregular.insert(form.to_owned(), base.to_owned());
        }
    }
    read_phrases(&mut tables, &lines("synonyms"));
    for line in lines("dropped") {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        tables.dropped.entry(words[0].clone()).or_default().push(words);
    }
    for all in tables.dropped.values_mut() {
        all.sort_by_key(|words| std::cmp::Reverse(words.len()));
    }
    for line in lines("prepositions") {
        let Some((class, members)) = line.split_once(": ") else { continue };
        tables.prepositions.extend(items(members).map(|word| (word.to_owned(), class.to_owned())));
    }
    let words = |name: &str| -> BTreeSet<String> {
        lines(name).iter().flat_map(|line| items(line).map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    (tables.filler, tables.allow, tables.need) = (words("filler"), words("allow"), words("need"));
    let stems = |name: &str| words(name).iter().map(|word| tables.listed(word)).collect();
    let [clauses, negations, environments] = ["clauses", "negations", "environments"].map(stems);
    let [quantifiers, ergative, stative, floating, vague, destroying] =
        ["quantifiers", "ergative", "stative", "floating", "vague", "destroying"].map(stems);
    let [places, dropped_things, raised_things] = ["places", "dropped_things", "raised_things"].map(stems);
    let mut antonyms = BTreeSet::new();
    for pair in words("antonyms") {
        let Some((one, other)) = pair.split_once('/') else { continue };
        let (one, other) = (tables.listed(one), tables.listed(other));
        antonyms.insert((one.clone(), other.clone()));
        antonyms.insert((other, one));
    }
    Tables {
        clauses,
        negations,
        environments,
        quantifiers,
        ergative,
        stative,
        floating,
        vague,
        destroying,
        places,
        dropped_things,
        raised_things,
        antonyms,
        ..tables
    }
}

fn read_phrases(tables: &mut Tables, lines: &[&str]) {
    let mut phrases: HashMap<String, Vec<(Vec<String>, String)>> = HashMap::new();
    for line in lines {
        let members: Vec<Vec<String>> =
            items(line).map(|it| it.split(' ').map(|word| tables.stem(word)).collect()).collect();
        let canonical = members[0].join("_");
        for words in members {
            let known = phrases.entry(words[0].clone()).or_default();
            if !known.iter().any(|(other, _)| *other == words) {
                known.push((words, canonical.clone()));
            }
        }
    }
    for all in phrases.values_mut() {
        all.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    }
    tables.phrases = phrases;
}

fn sections() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in TEXT.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(opened) => name = opened,
            None => sections.entry(name).or_default().push(line),
        }
    }
    sections
}

fn items(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_stands_for_one_thing() {
        let mut seen: BTreeMap<Vec<String>, String> = BTreeMap::new();
        let tables = tables();
        for line in &sections()["synonyms"] {
            let mut canonical = None;
            for member in items(line) {
                let words: Vec<String> = member.split(' ').map(|word| tables.stem(word)).collect();
                let class = canonical.get_or_insert_with(|| words.join("_")).clone();
                let other = seen.entry(words).or_insert_with(|| class.clone());
                assert_eq!(*other, class, "{member:?} is in two classes");
            }
        }
    }

    #[test]
    fn no_antonyms_are_synonyms() {
        assert!(tables().antonyms.len() > 100);
        for (one, other) in &tables().antonyms {
            assert_ne!(one, other);
        }
    }
}
