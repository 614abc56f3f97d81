//! Whether a named value is worth a word. False alarms live here, so most of this says no.

use super::assignment::{Assignment, Form};
use super::checks::{entropy_bits, has_three_classes};
use super::place::Place;
use super::placeholder::{
    is_interpolated, is_of_common_words, is_published, is_sequential, is_weak_password,
};

/// A password.
const PASSWORD_BYTES_MIN: usize = 6;
/// A secret that is called one.
const SECRET_BYTES_MIN: usize = 10;
/// A token or a key.
const TOKEN_BYTES_MIN: usize = 16;
/// Words and numbers between dashes, from which on they are a name also where a password could stand.
const DASHED_NAME_PARTS_MIN: usize = 4;
/// Underscores from which on capitals are a name also where a password could stand.
const CONSTANT_SEAMS_MIN: usize = 2;
/// Longer values are data.
const VALUE_BYTES_MAX: usize = 256;
/// A line longer than this was not written by hand.
pub(super) const LINE_BYTES_MAX: usize = 4_000;

/// What a name says that its value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Noun {
    Password,
    Secret,
    Key,
    Token,
}

/// How much a value is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// As the rule says.
    Full,
    /// A remark.
    Low,
    /// Nothing.
    None,
}

const NOUNS: [(&str, Noun); 34] = [
    ("password", Noun::Password),
    ("passwd", Noun::Password),
    ("passwort", Noun::Password),
    ("passphrase", Noun::Password),
    ("passcode", Noun::Password),
    ("pwd", Noun::Password),
    ("pass", Noun::Password),
    ("secret", Noun::Secret),
    ("secrets", Noun::Secret),
    ("secretkey", Noun::Secret),
    ("secretkeybase", Noun::Secret),
    ("secretvalue", Noun::Secret),
    ("credential", Noun::Secret),
    ("credentials", Noun::Secret),
    ("privatekey", Noun::Secret),
    ("signingkey", Noun::Secret),
    ("encryptionkey", Noun::Secret),
    ("masterkey", Noun::Secret),
    ("apikey", Noun::Key),
    ("appkey", Noun::Key),
    ("accesskey", Noun::Key),
    ("authkey", Noun::Key),
    ("accountkey", Noun::Key),
    ("sharedkey", Noun::Key),
    ("servicekey", Noun::Key),
    ("storagekey", Noun::Key),
    ("subscriptionkey", Noun::Key),
    ("licensekey", Noun::Key),
    ("sessionkey", Noun::Key),
    ("authtoken", Noun::Token),
    ("accesstoken", Noun::Token),
    ("token", Noun::Token),
    ("authorization", Noun::Token),
    ("webhookkey", Noun::Key),
];
/// Names that hold a noun and no secret.
const INNOCENT: [&str; 46] = [
    "public",
    "pubkey",
    "hash",
    "digest",
    "example",
    "sample",
    "placeholder",
    "csrf",
    "xsrf",
    "nexttoken",
    "pagetoken",
    "continuationtoken",
    "synctoken",
    "canceltoken",
    "cancellationtoken",
    "eostoken",
    "bostoken",
    "padtoken",
    "unktoken",
    "masktoken",
    "septoken",
    "clstoken",
    "specialtoken",
    "stoptoken",
    "starttoken",
    "endtoken",
    "forgot",
    "reset",
    "invalid",
    "wrong",
    "incorrect",
    "missing",
    "label",
    "message",
    "error",
    "tokentype",
    "hint",
    "encrypted",
    "hashed",
    "bypass",
    "compass",
    "trespass",
    "surpass",
    "overpass",
    "fake",
    "dummy",
];
const SUFFIXES: [&str; 14] = [
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "live",
    "test",
    "default",
    "value",
    "string",
    "str",
    "b64",
    "base64",
];

/// What `name` says, by its last words.
pub(super) fn noun_of(name: &[u8]) -> Option<Noun> {
    let name = String::from_utf8_lossy(name);
    let words: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let mut base = words.trim_end_matches(|character: char| character.is_ascii_digit());
    if let Some(rest) = SUFFIXES.iter().find_map(|suffix| base.strip_suffix(suffix)) {
        base = rest;
    }
    let longest = NOUNS.iter().filter(|(noun, _)| base.ends_with(noun)).max_by_key(|(noun, _)| noun.len());
    longest.map(|(_, noun)| *noun)
}

/// Whether the name speaks of something near a secret, such as its hash or its label.
pub(super) fn is_innocent(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let words: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    INNOCENT.iter().any(|innocent| words.contains(innocent))
}

/// What the value of `assignment` is worth in `place`.
pub(super) fn worth(text: &[u8], assignment: &Assignment, noun: Noun, place: Place) -> Worth {
    let value = &text[assignment.value.clone()];
    let is_unwritten = is_unquoted(assignment.form) && !place.bare && !is_flag(text, assignment);
    if place.derived
        || is_unwritten
        || is_innocent(&text[assignment.name.clone()])
        || !is_written(value, assignment.form)
    {
        return Worth::None;
    }
    let worth = match noun {
        Noun::Password => password_worth(value),
        Noun::Secret => token_worth(value, SECRET_BYTES_MIN),
        Noun::Key | Noun::Token => token_worth(value, TOKEN_BYTES_MIN),
    };
    match worth {
        Worth::Full if place.doubtful => Worth::Low,
        Worth::Low if place.doubtful => Worth::None,
        worth => worth,
    }
}

fn is_flag(text: &[u8], assignment: &Assignment) -> bool {
    let quote = assignment.name.start.checked_sub(1).map(|at| text[at]);
    matches!(quote, Some(b'"' | b'\''))
}

const fn is_unquoted(form: Form) -> bool {
    matches!(form, Form::Bare | Form::Loose)
}

/// Whether it is a literal at all: not filled in, not a call, a path, an address, a hash, a sentence.
fn is_written(value: &[u8], form: Form) -> bool {
    const STARTS: [&[u8]; 32] = [
        b"http:",
        b"https:",
        b"/",
        b"./",
        b"../",
        b"~/",
        b"$2a$",
        b"$2b$",
        b"$2y$",
        b"$argon2",
        b"$5$",
        b"$6$",
        b"$1$",
        b"pbkdf2",
        b"{SSHA",
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"ssh-",
        b"arn:",
        b"vault:",
        b"op://",
        b"ENC[",
        b"projects/",
        b"@",
        b"-----",
        b"secretref:",
        b"urn:",
        b"#",
        // Keys that are meant for browsers.
        b"phc_",
        b"pk_live_",
        b"pk_test_",
    ];
    let is_text = value.iter().all(u8::is_ascii_graphic);
    value.len() <= VALUE_BYTES_MAX
        && is_text
        && !is_interpolated(value)
        && !STARTS.iter().any(|start| value.starts_with(start))
        && !is_call(value, form)
        && !is_uuid(value)
        && !is_file_name(value)
        && !is_between_strings(value)
        && !is_published(value)
        && !is_validation(value)
        && !is_constant_name(value, if form == Form::Argument { 1 } else { CONSTANT_SEAMS_MIN })
        && !is_dashed_name(value, if form == Form::Argument { 1 } else { DASHED_NAME_PARTS_MIN })
}

/// `' . $name . '` and `" + name + "`: what stands between two strings, not in one.
fn is_between_strings(value: &[u8]) -> bool {
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| b"+.,;:()[]&|-".contains(byte));
    value.starts_with(b"--") || joins(value.first()) && joins(value.last())
}

/// `required|string|max:255`, `min:16`: what a validator asks of a value.
fn is_validation(value: &[u8]) -> bool {
    const VALIDATORS: [&[u8]; 16] = [
        b"min",
        b"max",
        b"size",
        b"between",
        b"regex",
        b"same",
        b"different",
        b"confirmed",
        b"required",
        b"required_if",
        b"required_with",
        b"nullable",
        b"string",
        b"sometimes",
        b"exists",
        b"unique",
    ];
    let name_of =
        |part: &[u8]| part.iter().take_while(|byte| byte.is_ascii_lowercase() || **byte == b'_').count();
    let is_rule = |part: &[u8]| {
        let name = name_of(part);
        name > 0 && (name == part.len() || part[name] == b':')
    };
    let mut parts = value.split(|byte| *byte == b'|');
    let first = &value[..name_of(value)];
    value.contains(&b'|') && parts.all(is_rule)
        || value.get(first.len()) == Some(&b':') && VALIDATORS.contains(&first)
}

/// `ACME2_API_TOKEN`: the name of a variable of the environment.
fn is_constant_name(value: &[u8], seams_min: usize) -> bool {
    value.split(|byte| *byte == b'_').count() > seams_min
        && value.first().is_some_and(u8::is_ascii_uppercase)
        && value.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// `test-alias-404`: an argument beside a name is as often another name.
fn is_dashed_name(value: &[u8], parts_min: usize) -> bool {
    let parts = || value.split(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/'));
    let is_word =
        |part: &[u8]| part.iter().all(u8::is_ascii_alphabetic) || part.iter().all(u8::is_ascii_digit);
    parts().count() >= parts_min && parts().all(is_word)
}

fn is_call(value: &[u8], form: Form) -> bool {
    let open = value.iter().position(|byte| matches!(byte, b'(' | b'['));
    let is_named = open.is_some_and(|at| {
        at > 0 && value[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte))
    });
    is_named && (matches!(value.last(), Some(b')' | b']' | b';' | b',')) || is_unquoted(form))
        || is_unquoted(form) && is_path_of_names(value)
}

/// `config.password`, `self::token`, `&password`: code, not a value.
fn is_path_of_names(value: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || b"_.:&*;,?!".contains(byte);
    value.iter().all(is_name) || matches!(value.last(), Some(b'(' | b'{' | b'['))
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_file_name(value: &[u8]) -> bool {
    const ENDS: [&[u8]; 12] = [
        b".pem", b".key", b".txt", b".json", b".yaml", b".yml", b".crt", b".p12", b".jks", b".html", b".php",
        b".com",
    ];
    ENDS.iter().any(|end| value.ends_with(end))
}

fn password_worth(value: &[u8]) -> Worth {
    let is_hex_hash = matches!(value.len(), 32 | 40 | 64 | 128) && value.iter().all(u8::is_ascii_hexdigit);
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    let has_more = value
        .iter()
        .any(|byte| byte.is_ascii_digit() || !byte.is_ascii_alphanumeric() && !b"-_.:/,;?".contains(byte));
    if value.len() < PASSWORD_BYTES_MIN || is_hex_hash || !has_letter || !has_more || is_syntax(value) {
        return Worth::None;
    }
    if is_weak_password(value) { Worth::Low } else { Worth::Full }
}

/// A pattern, a format, a piece of markup or a type.
fn is_syntax(value: &[u8]) -> bool {
    let signs = value.iter().filter(|byte| b"(){}[]<>|\\;,:\"' ".contains(byte)).count();
    signs * 3 > value.len()
        || value.starts_with(b"^")
        || value.contains(&b'=') && value.contains(&b'&')
        || is_interpolated(value)
}

/// Whether a value without a name looks generated.
pub(super) fn is_token(value: &[u8]) -> bool {
    token_worth(value, TOKEN_BYTES_MIN) == Worth::Full
}

fn token_worth(value: &[u8], bytes_min: usize) -> Worth {
    let is_plain =
        value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-.~!@#$%^&*:".contains(byte));
    // A JWT is judged by what it says of itself.
    let is_jwt = value.starts_with(b"eyJ") && value.split(|byte| *byte == b'.').count() == 3;
    let is_regular = is_jwt || is_sequential(value) || is_of_common_words(value) || is_weak_password(value);
    if value.len() < bytes_min || !is_plain || entropy_bits(value) < 3.0 || is_regular {
        return Worth::None;
    }
    let changes = class_changes(value);
    if changes * 6 >= value.len() && changes >= 3
        || has_three_classes(value) && changes * 8 >= value.len() && changes >= 4
    {
        return Worth::Full;
    }
    Worth::None
}

/// How often the class of characters changes inside words: seldom in names, often in what a generator made.
fn class_changes(value: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0_u8,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let is_change = |pair: &&[u8]| {
        let (first, second) = (class(pair[0]), class(pair[1]));
        first != second && first != 3 && second != 3 && (first, second) != (1, 0)
    };
    value.windows(2).filter(is_change).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check =
            |name: &str, expected: Option<Noun>| assert_eq!(noun_of(name.as_bytes()), expected, "{name}");
        check("DB_PASSWORD", Some(Noun::Password));
        check("dbPass2", Some(Noun::Password));
        check("client-secret", Some(Noun::Secret));
        check("AWS_SECRET_ACCESS_KEY", Some(Noun::Key));
        check("api_key_prod", Some(Noun::Key));
        check("access_token", Some(Noun::Token));
        check("password_hash", None);
        check("token_url", None);
        check("passenger", None);
    }

    #[test]
    fn values() {
        let check = |value: &str, noun: Noun, expected: Worth| {
            let text = format!("x{value}");
            let assignment = Assignment { name: 0..1, value: 1..text.len(), form: Form::Quoted };
            assert_eq!(worth(text.as_bytes(), &assignment, noun, Place::UNKNOWN), expected, "{value}");
        };
        check("hunter2", Noun::Password, Worth::Full);
        check("kT8#qPz1!x", Noun::Password, Worth::Full);
        check("kT8|qPz1:x", Noun::Password, Worth::Full);
        check("mid:kT8qPz1", Noun::Password, Worth::Full);
        check("password123", Noun::Password, Worth::Low);
        for value in
            ["Passwort", "${PASS}", "Enter password:", "password", "user.password", "<password>", "********"]
        {
            check(value, Noun::Password, Worth::None);
        }
        for value in [
            "sometimes|nullable|string|max:255",
            "min:16",
            "DB_API_TOKEN_2",
            "required|min:8",
            "$$MYSQL_PASSWORD2",
        ] {
            check(value, Noun::Password, Worth::None);
        }
        check("q8Zt2LmX0vB7nR4kYd1W", Noun::Token, Worth::Full);
        check("9f86d081884c7d659a2feaa0c55ad015", Noun::Key, Worth::Full);
        for value in [
            "user-access-token",
            "oauth2_token_name",
            "accessTokenValueHere",
            "com.acme.Token",
            "abcdefghijklmnop",
            "phc_q8Zt2LmX0vB7nR4kYd1Wq8Zt2LmX0v",
        ] {
            check(value, Noun::Token, Worth::None);
        }
    }
}
