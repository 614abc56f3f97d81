//! Values that stand where a secret would stand, and are none.

use super::masking::MASK;

/// The keys that providers print in their own documentation, and those of their emulators and playgrounds.
const PUBLISHED: [&str; 11] = [
    "4eC39HqLyjWDarjtT1zdp7dc",
    "BQokikJOvBiI2HlWgH4olfQ2",
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "mF_9.B5f-4.1JqM",
    "Zm9vOmJhcg",
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2",
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqob",
    "Q3AM3UQ867SPQQA43P2F",
    "zuf+tfteSlswRu7BJ86wekitnifILbZam1KYY3TG",
    "6LeIxAcTAAAAA",
];
const WORDS_ANYWHERE: [&str; 12] = [
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "your",
    "dummy",
    "xxxx",
    "replace",
    "insert_",
    "notreal",
];
/// Long tokens hold any short word somewhere.
const TOKEN_HEAD_BYTES: usize = 160;
/// Of these alone, whatever digits and signs stand between them, no real credential is made.
const WORDS_ALONE: [&str; 114] = [
    "a",
    "abc",
    "access",
    "account",
    "admin",
    "an",
    "any",
    "api",
    "app",
    "apikey",
    "auth",
    "bad",
    "bar",
    "basic",
    "baz",
    "bearer",
    "bot",
    "change",
    "changeit",
    "changeme",
    "client",
    "confirm",
    "correct",
    "credential",
    "credentials",
    "current",
    "db",
    "default",
    "demo",
    "dev",
    "dummy",
    "empty",
    "enter",
    "example",
    "fake",
    "false",
    "filtered",
    "foo",
    "foobar",
    "github",
    "good",
    "guest",
    "hash",
    "here",
    "hidden",
    "id",
    "incorrect",
    "insert",
    "invalid",
    "is",
    "it",
    "jwt",
    "key",
    "local",
    "localhost",
    "login",
    "masked",
    "me",
    "mock",
    "mongo",
    "my",
    "mypassword",
    "mysecret",
    "mysql",
    "name",
    "new",
    "nil",
    "no",
    "none",
    "not",
    "null",
    "oauth",
    "of",
    "old",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "placeholder",
    "postgres",
    "private",
    "pwd",
    "pw",
    "qwerty",
    "random",
    "real",
    "redacted",
    "redis",
    "refresh",
    "removed",
    "replace",
    "root",
    "sample",
    "secret",
    "secrets",
    "session",
    "some",
    "string",
    "stub",
    "temp",
    "temporary",
    "test",
    "tester",
    "testing",
    "the",
    "this",
    "tmp",
    "to",
    "token",
    "true",
    "undefined",
    "user",
    "username",
    "value",
];

/// Whether a token that has a provider's form is evidently made up.
pub(super) fn is_sham(token: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&token[..token.len().min(TOKEN_HEAD_BYTES)]);
    let lower = text.to_lowercase();
    is_published(token)
        || WORDS_ANYWHERE.iter().any(|word| lower.contains(word))
        || longest_repeat(&token[token.len() / 3..]) >= 8
        || has_hole(token)
}

/// Whether everybody has it.
pub(super) fn is_published(value: &[u8]) -> bool {
    let has = |published: &&str| value.windows(published.len()).any(|window| window == published.as_bytes());
    PUBLISHED.iter().any(has)
}

/// Whether a key block is a template. Base64 of a key holds words and repetitions by chance and by form.
pub(super) fn is_sham_block(block: &[u8]) -> bool {
    has_hole(block) || block.windows(7).any(|window| window.eq_ignore_ascii_case(b"example"))
}

/// Whether the value is filled in later: a variable, a format string, a template.
pub(super) fn is_interpolated(value: &[u8]) -> bool {
    // Two signs are how compose files escape one.
    let dollars = value.iter().take(2).take_while(|byte| **byte == b'$').count();
    let names_variable =
        || value.get(dollars).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'_');
    has_hole(value) || is_wrapped(value) || dollars > 0 && names_variable()
}

fn has_hole(value: &[u8]) -> bool {
    const MARKS: [&[u8]; 16] = [
        b"${", b"{{", b"$(", b"#{", b"%(", b"<%", b"%s", b"{}", b"%{", b"%v", b"{0}", b"$[", b"...", b"***",
        b"[[", b"@{",
    ];
    let has = |mark: &[u8]| value.windows(mark.len()).any(|window| window == mark);
    MARKS.iter().any(|mark| has(mark)) || has(MASK.as_bytes())
}

fn is_wrapped(value: &[u8]) -> bool {
    let ends = (value.first(), value.last());
    let pairs = [(b'<', b'>'), (b'{', b'}'), (b'[', b']'), (b'%', b'%'), (b'(', b')'), (b'_', b'_')];
    pairs.iter().any(|(open, close)| ends == (Some(open), Some(close))) || names_a_hole(value)
}

/// `prefix-<hole>` and `f"{name}"`: a name in brackets anywhere.
fn names_a_hole(value: &[u8]) -> bool {
    [(b'<', b'>'), (b'{', b'}')].into_iter().any(|(open, close)| {
        let mut parts = value.split(|byte| *byte == open).skip(1);
        parts.any(|part| {
            let end = part.iter().position(|byte| *byte == close).unwrap_or(0);
            end > 0 && part[..end].iter().all(|byte| byte.is_ascii_alphabetic() || b"_-. ".contains(byte))
        })
    })
}

fn longest_repeat(value: &[u8]) -> usize {
    value.chunk_by(|a, b| a == b).map(<[u8]>::len).max().unwrap_or(0)
}

/// Whether most characters are one more than the one before: `abcdefgh`, `12345678`.
pub(super) fn is_sequential(value: &[u8]) -> bool {
    let steps = value.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1)).count();
    value.len() >= 6 && steps * 2 > value.len()
}

/// Whether a password is one that everybody uses where none is meant.
pub(super) fn is_weak_password(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let anywhere = |word: &&str| lower.windows(word.len()).any(|window| window == word.as_bytes());
    value.len() < 3
        || is_interpolated(value)
        || longest_repeat(value) * 2 > value.len()
        || is_sequential(value)
        || WORDS_ANYWHERE.iter().any(anywhere)
        || is_of_common_words(value)
}

/// Whether all its words are in the list of common ones; a value without letters has none that are not.
pub(super) fn is_of_common_words(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    let mut words = text.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty());
    words.all(|word| camel_parts(word).iter().all(|part| WORDS_ALONE.contains(&part.as_str())))
}

fn camel_parts(word: &str) -> Vec<String> {
    let whole = word.to_lowercase();
    if WORDS_ALONE.contains(&whole.as_str()) {
        return vec![whole];
    }
    let mut parts: Vec<String> = Vec::new();
    let mut was_lower = false;
    for character in word.chars() {
        let starts = character.is_uppercase() && was_lower;
        was_lower = character.is_lowercase();
        match parts.last_mut().filter(|_| !starts) {
            Some(part) => part.extend(character.to_lowercase()),
            None => parts.push(character.to_lowercase().collect()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shams() {
        let check = |token: &str, expected: bool| assert_eq!(is_sham(token.as_bytes()), expected, "{token}");
        check("AKIAIOSFODNN7EXAMPLE", true);
        check("AKIAIOSFODNN7EXAMPLX", false);
        check("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", true);
        check("sk-<your-key>", true);
        check("AKIA0000000000000000", true);
    }

    #[test]
    fn weak() {
        let check = |value: &str, expected: bool| {
            assert_eq!(is_weak_password(value.as_bytes()), expected, "{value}");
        };
        for value in
            ["password", "Password123", "changeme", "my-secret", "${DB}", "12345678", "xxxx", "adminPass"]
        {
            check(value, true);
        }
        for value in ["hunter2", "S3cr3t!x", "kT8#qPz1", "tr0ub4dor"] {
            check(value, false);
        }
    }
}
