//! Whether two questions over the same words say the same by their order.

use super::canonical::{Asks, Canonical, Class, Lead, Token};
use super::words::tables;

type Words<'a> = Vec<&'a Token>;

/// Whether the order of the same words comes to the same.
pub fn agrees(one: &Canonical, other: &Canonical) -> bool {
    let (left, right) = (fixed(one), fixed(other));
    if stems(&left) == stems(&right) {
        let alike = alike(&left, &right)
            || ((one.uses || other.uses) && stems(&left) == stems(&right) && in_a_role(&left, &right));
        return alike && !turns_adjective((one, &left), (other, &right));
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
    alike(&left, &right)
        || moved_verb(one, &left, &right)
        || moved_verb(other, &right, &left)
        || turned((one, &left), (other, &right))
        || turned((other, &right), (one, &left))
}

/// The same words, and the same prepositions before them: "deploy with Terraform" is not "deploy Terraform".
fn alike(one: &[&Token], other: &[&Token]) -> bool {
    let preposition = |token: &Token| match &token.lead {
        // "cap it at 5", "limit it to 5"
        Lead::Phrase(class) if class == "to" && token.class == Class::Number => Some("in".to_owned()),
        Lead::Phrase(class) => Some(class.clone()),
        Lead::Same | Lead::Main => None,
    };
    let prepositions = |words: &[&Token]| words.iter().map(|it| preposition(it)).collect::<Vec<_>>();
    stems(one) == stems(other) && prepositions(one) == prepositions(other)
}

/// "use Redis for the session cache" and "use Redis as the session cache".
fn in_a_role(one: &[&Token], other: &[&Token]) -> bool {
    let role = |token: &Token| match &token.lead {
        Lead::Phrase(class) if class == "for" || class == "as" => Some("as".to_owned()),
        Lead::Phrase(class) => Some(class.clone()),
        Lead::Same | Lead::Main => None,
    };
    one.iter().zip(other).all(|(one, other)| role(one) == role(other))
}

/// "merged branches" against "merge branches": a participle before what it belongs to, and none.
fn turns_adjective((one, left): (&Canonical, &Words<'_>), (other, right): (&Canonical, &Words<'_>)) -> bool {
    let verb_first = one.we_act && other.we_act;
    (usize::from(verb_first)..left.len()).any(|at| {
        let before_noun = |words: &Words<'_>| words.get(at + 1).is_some_and(|next| next.lead == Lead::Same);
        left[at].participle != right[at].participle && before_noun(left) && before_noun(right)
    })
}

/// How many phrases with a preposition of that class there are.
fn count(words: &Words<'_>, class: &str) -> usize {
    words.iter().filter(|token| token.lead == Lead::Phrase(class.to_owned())).count()
}

/// The words whose place means something. An adverb belongs to the word that follows it directly: "automatically
/// generated", "daily backups". Where none does, or it stands before the verb of the asking side, it may stand anywhere.
fn fixed(form: &Canonical) -> Words<'_> {
    let floats = |at: usize, token: &Token| {
        let alone = form.tokens.get(at + 1).is_none_or(|next| next.lead != Lead::Same);
        let before_verb = at == 0 && form.we_act && token.shown.ends_with("ally");
        tables().floating.contains(&token.stem) && (alone || before_verb)
    };
    let kept = form.tokens.iter().enumerate().filter(|(at, token)| !floats(*at, token));
    kept.map(|(_, token)| token).collect()
}

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
        // What follows directly would be an object, or what an adjective belongs to: "users keep sessions" is not "we
        // keep users' sessions", "close archived accounts" not "archive closed accounts".
        let has_object =
            right.get(at + 1).is_some_and(|next| next.lead == Lead::Same) && !is_interval(&right[at + 1..]);
        let others: Vec<&Token> = right[..at].iter().chain(&right[at + 1..]).copied().collect();
        moved.stem == verb.stem && alike(&others, rest) && !has_object && (passive || ergative)
    })
}

/// "every 90 days"
fn is_interval(words: &[&Token]) -> bool {
    words.first().is_some_and(|it| it.stem == "all")
        && words.get(1).is_some_and(|it| it.class == Class::Number)
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
