//! Whether two questions over the same words say the same by their order.

use super::canonical::{Asks, Canonical, Class, Lead, Token};
use super::words::tables;

type Words<'a> = Vec<&'a Token>;

/// Whether the order of the same words comes to the same.
pub fn agrees(one: &Canonical, other: &Canonical) -> bool {
    let (left, right) = (fixed(one), fixed(other));
    if stems(&left) == stems(&right) {
        let uses = one.uses || other.uses;
        return left.iter().zip(&right).all(|(one, other)| follow_alike(one, other, uses));
    }
    let reads_as = |from: &Words<'_>, to: &Words<'_>| {
        // What is taken out of its phrase is in none on the other side: "hashes of tokens" is not "tokens of hashes".
        let taken = |class: &str| count(from, class) == count(to, class) + 1;
        let by = by_agent(from).filter(|_| taken("by"));
        let compounds = if taken("for") { compounds(from) } else { Vec::new() };
        by.into_iter().chain(compounds).any(|form| form == stems(to))
    };
    if reads_as(&left, &right) || reads_as(&right, &left) {
        return true;
    }
    let (left, right) = without_common_phrases(&left, &right);
    stems(&left) == stems(&right)
        || moved_verb(one, &left, &right)
        || moved_verb(other, &right, &left)
        || turned((one, &left), (other, &right))
        || turned((other, &right), (one, &left))
}

/// "Deploy with Terraform" does not deploy Terraform, and "in the docs" is not "to the docs".
fn follow_alike(one: &Token, other: &Token, uses: bool) -> bool {
    // "Capped at 5 MB" is "limited to 5 MB"; what is used for the cache is wanted as the cache.
    let is_bound = |class: &str| one.class == Class::Number && ["in", "to"].contains(&class);
    let is_role = |class: &str| uses && ["for", "as"].contains(&class);
    match (&one.lead, &other.lead) {
        (Lead::Phrase(one), Lead::Phrase(other)) => {
            one == other || (is_bound(one) && is_bound(other)) || (is_role(one) && is_role(other))
        }
        (Lead::Phrase(_), _) | (_, Lead::Phrase(_)) => false,
        _ => true,
    }
}

/// How many phrases with a preposition of that class there are.
fn count(words: &Words<'_>, class: &str) -> usize {
    words.iter().filter(|token| token.lead == Lead::Phrase(class.to_owned())).count()
}

/// The words whose place means something. An adverb says the same at the end ("deleted daily"), in front of the verb
/// that it goes with, and there alone: "daily backups" are some of the backups.
fn fixed(form: &Canonical) -> Words<'_> {
    let tokens = &form.tokens;
    let floats = |at: usize| {
        let token = &tokens[at];
        let next = tokens.get(at + 1);
        let is_adverb = ADVERBS.contains(&token.shown.as_str());
        let before_verb = next.is_some_and(|next| match at {
            0 => form.we_act && !next.participle,
            _ => token.lead == Lead::Main && next.participle,
        });
        tables().floating.contains(&token.stem) && (next.is_none() || (is_adverb && before_verb))
    };
    (0..tokens.len()).filter(|at| !floats(*at)).map(|at| &tokens[at]).collect()
}

/// What is an adverb wherever it stands, and never says which of several.
const ADVERBS: [&str; 6] =
    ["automatically", "manually", "immediately", "instantly", "asynchronously", "synchronously"];

fn stems(words: &[&Token]) -> Vec<String> {
    words.iter().map(|token| token.stem.clone()).collect()
}

/// "tokens are validated by the gateway" as "the gateway validates tokens".
fn by_agent(words: &Words<'_>) -> Option<Vec<String>> {
    let by = words.iter().position(|token| token.lead == Lead::Phrase("by".to_owned()))?;
    let verb = by.checked_sub(1).filter(|verb| words[*verb].participle)?;
    let end = words[by + 1..]
        .iter()
        .position(|token| token.lead != Lead::Same)
        .map_or(words.len(), |at| by + 1 + at);
    let parts = [&words[by..end], &words[verb..by], &words[..verb], &words[end..]];
    Some(parts.iter().flat_map(|part| stems(part)).collect())
}

/// "support for IE11" as "IE11 support".
fn compounds(words: &Words<'_>) -> Vec<Vec<String>> {
    let of = Lead::Phrase("for".to_owned());
    let starts = (1..words.len()).filter(|at| words[*at].lead == of);
    let compound = |at: usize| {
        let end = words[at + 1..]
            .iter()
            .position(|token| token.lead != Lead::Same)
            .map_or(words.len(), |it| at + 1 + it);
        let parts = [&words[..at - 1], &words[at..end], &words[at - 1..at], &words[end..]];
        parts.iter().flat_map(|part| stems(part)).collect()
    };
    starts.map(compound).collect()
}

/// A phrase: its preposition's class and its words.
type Phrase<'a> = (&'a Lead, Words<'a>);

fn phrases<'a>(words: &Words<'a>) -> Vec<Phrase<'a>> {
    let mut phrases: Vec<Phrase<'_>> = Vec::new();
    let mut in_phrase = false;
    for token in words {
        match (&token.lead, phrases.last_mut()) {
            (Lead::Phrase(_), _) => {
                in_phrase = true;
                phrases.push((&token.lead, vec![*token]));
            }
            (Lead::Main, _) => in_phrase = false,
            (Lead::Same, Some((_, words))) if in_phrase => words.push(token),
            (Lead::Same, _) => {}
        }
    }
    phrases
}

/// What is left of both without the phrases that both have, wherever they stand.
fn without_common_phrases<'a>(one: &Words<'a>, other: &Words<'a>) -> (Words<'a>, Words<'a>) {
    let mut right = phrases(other);
    let mut common: Vec<*const Token> = Vec::new();
    for (lead, words) in phrases(one) {
        let same = |(other_lead, other_words): &Phrase<'_>| {
            *other_lead == lead && stems(other_words) == stems(&words)
        };
        if let Some(at) = right.iter().position(same) {
            let (_, other_words) = right.swap_remove(at);
            common.extend(words.iter().chain(&other_words).map(|token| std::ptr::from_ref(*token)));
        }
    }
    let rest = |words: &Words<'a>| -> Words<'a> {
        words.iter().filter(|token| !common.contains(&std::ptr::from_ref(**token))).copied().collect()
    };
    (rest(one), rest(other))
}

/// "encrypt the backups" and "backups are encrypted"; "run the job" and "the job runs". The verb comes first where
/// nobody but the asking side acts, and stands further back on the other side.
fn moved_verb(active: &Canonical, left: &Words<'_>, right: &Words<'_>) -> bool {
    let Some((verb, rest)) = left.split_first().filter(|_| active.we_act) else { return false };
    let ergative = tables().ergative.contains(&verb.stem);
    (1..right.len()).any(|at| {
        let moved = right[at];
        let passive = moved.participle && !verb.participle;
        // What follows directly would be an object: "users keep sessions" is not "we keep users' sessions".
        let has_object = right.get(at + 1).is_some_and(|next| next.lead == Lead::Same);
        let others: Vec<&Token> = right[..at].iter().chain(&right[at + 1..]).copied().collect();
        moved.stem == verb.stem && stems(&others) == stems(rest) && (passive || (ergative && !has_object))
    })
}

/// "block the release on flaky tests" and "flaky tests block the release"; "who owns it, A or B" and "A or B owns it".
fn turned((active, left): (&Canonical, &Words<'_>), (other, right): (&Canonical, &Words<'_>)) -> bool {
    (1..left.len()).any(|at| {
        let (front, back) = left.split_at(at);
        let rotated: Vec<&Token> = back.iter().chain(front).copied().collect();
        if stems(&rotated) != stems(right) {
            return false;
        }
        // On the other side it is the subject, and what it does is no phrase.
        let subject = right.iter().all(|token| !matches!(token.lead, Lead::Phrase(_))) && !other.we_act;
        let stative = active.need || (active.uses && other.uses) || tables().stative.contains(&front[0].stem);
        match &back[0].lead {
            Lead::Phrase(class) => subject && (class == "as" || (stative && active.we_act)),
            Lead::Main => {
                active.asks == Asks::Alternative && back[0].listed && !front.iter().any(|token| token.listed)
            }
            Lead::Same => false,
        }
    })
}
