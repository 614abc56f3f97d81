//! Light stemming: plural and verb endings, and nothing that changes what a word means.

/// Letters that a stem keeps at the least.
const STEM_LETTERS_MIN: usize = 3;
/// Words whose ending is none.
const WHOLE: [&str; 28] = [
    "staging",
    "during",
    "string",
    "setting",
    "morning",
    "nothing",
    "something",
    "embed",
    "feed",
    "seed",
    "speed",
    "need",
    "exceed",
    "breed",
    "weed",
    "bed",
    "red",
    "shared",
    "hundred",
    "https",
    "redis",
    "kubernetes",
    "postgres",
    "aws",
    "always",
    "state",
    "mode",
    "note",
];

/// The stem of a lower-case word of letters.
pub fn stem(word: &str) -> String {
    if WHOLE.contains(&word) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let singular = without_plural(word);
    if WHOLE.contains(&singular.as_str()) {
        return singular;
    }
    normal_end(&without_verb_ending(&singular))
}

/// Whether the word is a verb's past participle by its form.
pub fn is_participle(word: &str) -> bool {
    word.ends_with("ed") && !WHOLE.contains(&word)
}

fn without_plural(word: &str) -> String {
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match word.strip_suffix('s') {
        Some(rest) if !kept && rest.len() >= 2 => match rest.strip_suffix("ie") {
            Some(start) if start.len() >= STEM_LETTERS_MIN => format!("{start}y"),
            _ => rest.to_owned(),
        },
        _ => word.to_owned(),
    }
}

fn without_verb_ending(word: &str) -> String {
    for ending in ["ing", "ed"] {
        let Some(rest) = word.strip_suffix(ending) else { continue };
        let has_vowel = rest.bytes().any(|byte| b"aeiouy".contains(&byte));
        if rest.len() >= 2 && has_vowel && !(ending == "ed" && rest.ends_with('e')) {
            return undoubled(rest).to_owned();
        }
    }
    word.to_owned()
}

/// "capp" of "capped" as "cap"; "call" and "pass" have two letters of their own.
fn undoubled(base: &str) -> &str {
    let bytes = base.as_bytes();
    match bytes {
        [.., one, other] if one == other && !b"lsz".contains(one) && bytes.len() > STEM_LETTERS_MIN => {
            &base[..base.len() - 1]
        }
        _ => base,
    }
}

/// A final e and a final y are told apart by no ending that was taken off.
fn normal_end(word: &str) -> String {
    let mut letters: Vec<u8> = word.bytes().collect();
    if letters.len() > STEM_LETTERS_MIN && letters.last() == Some(&b'e') {
        letters.pop();
    }
    if letters.len() >= STEM_LETTERS_MIN && letters.last() == Some(&b'y') {
        letters.pop();
        letters.push(b'i');
    }
    String::from_utf8(letters).unwrap_or_else(|_| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_meet() {
        let check = |words: &[&str]| {
            let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{words:?}: {stems:?}");
        };
        check(&["encrypt", "encrypts", "encrypted", "encrypting"]);
        check(&["store", "stores", "stored", "storing"]);
        check(&["cap", "caps", "capped", "capping"]);
        check(&["call", "calls", "called", "calling"]);
        check(&["policy", "policies"]);
        check(&["cookie", "cookies"]);
        check(&["retry", "retries", "retried", "retrying"]);
        check(&["address", "addresses"]);
        check(&["index", "indexes"]);
        check(&["status", "statuses"]);
        check(&["name", "names", "named", "naming"]);
    }

    #[test]
    fn words_that_only_look_alike_stay_apart() {
        let check = |one: &str, other: &str| assert_ne!(stem(one), stem(other));
        check("string", "str");
        check("billing", "building");
        check("valid", "invalid");
        check("during", "dure");
        check("need", "ne");
        check("user", "use");
        check("file", "fill");
        check("role", "roll");
        check("state", "stats");
        check("note", "not");
    }
}
