//! What a token says of itself: checksums, entropy, decoded parts.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};
use prevet_domain::finding::Confidence;
use serde::Deserialize;
use serde_json::Value;

/// A test of the value that a pattern cannot make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Check {
    /// None.
    #[default]
    None,
    /// The last six characters are the base62 CRC32 of the body, as GitHub and npm issue them.
    Crc,
    /// Three parts, the first decoding to a JSON object with `alg`.
    Jwt,
    /// Base64 of `user:password`.
    Basic,
    /// Base64 that begins a PEM private key.
    Pem,
    /// A 40-character AWS secret: mixed classes, no hexadecimal digest, no path.
    Aws,
    /// Letters and digits both: no word, no name.
    Mixed,
    /// A password that is none of the common ones.
    Password,
    /// What the generic tier takes for a token.
    Token,
}

/// What a check says of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As sure as the rule says.
    Keep,
    /// This sure.
    Sure(Confidence),
    /// Not what the rule is about.
    Drop,
}

impl Check {
    /// Judges `secret`.
    pub fn judge(self, secret: &[u8]) -> Verdict {
        match self {
            Self::None => Verdict::Keep,
            Self::Crc if crc_holds(secret) => Verdict::Sure(Confidence::High),
            Self::Crc => Verdict::Sure(Confidence::Medium),
            Self::Jwt => jwt(secret),
            Self::Basic => keep_if(is_basic(secret)),
            Self::Pem => keep_if(is_pem(secret)),
            Self::Aws => keep_if(is_aws_secret(secret)),
            Self::Mixed => keep_if(is_mixed(secret)),
            Self::Password => keep_if(!super::placeholder::is_weak_password(secret)),
            Self::Token => keep_if(super::generic::is_token(secret)),
        }
    }
}

const fn keep_if(holds: bool) -> Verdict {
    if holds { Verdict::Keep } else { Verdict::Drop }
}

/// Shannon entropy in bits a byte.
pub(super) fn entropy_bits(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    let bits = |count: &u32| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

/// Whether lower case, upper case and digits all occur.
pub(super) fn has_three_classes(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_lowercase)
        && bytes.iter().any(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_digit)
}

const CHECKSUM_BYTES: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn crc_holds(token: &[u8]) -> bool {
    let Some(underscore) = token.iter().rposition(|byte| *byte == b'_') else { return false };
    let body = &token[underscore + 1..];
    let Some(split) = body.len().checked_sub(CHECKSUM_BYTES) else { return false };
    let (body, stated) = body.split_at(split);
    stated == base62(crc32fast::hash(body))
}

fn base62(mut number: u32) -> [u8; CHECKSUM_BYTES] {
    let mut digits = [b'0'; CHECKSUM_BYTES];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(number % 62) as usize];
        number /= 62;
    }
    digits
}

fn decoded_json(part: &[u8]) -> Option<Value> {
    let end = part.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    let bytes = BASE64URL_NOPAD.decode(&part[..end]).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn jwt(token: &[u8]) -> Verdict {
    let mut parts = token.split(|byte| *byte == b'.');
    let (header, payload) = (parts.next().and_then(decoded_json), parts.next().and_then(decoded_json));
    let is_header = header.is_some_and(|header| header.get("alg").is_some_and(Value::is_string));
    let Some(payload) = payload.filter(|_| is_header) else { return Verdict::Drop };
    // A hosted database's `anon` role is meant for browsers; the sample subject is every tutorial's.
    let says = |claim: &str, value: &str| payload.get(claim).and_then(Value::as_str) == Some(value);
    keep_if(!says("role", "anon") && !says("sub", "1234567890"))
}

fn decode_any(text: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(text).or_else(|_| BASE64_NOPAD.decode(text)).ok()
}

fn is_basic(text: &[u8]) -> bool {
    let Some(plain) = decode_any(text) else { return false };
    let Some(colon) = plain.iter().position(|byte| *byte == b':') else { return false };
    let printable = plain.iter().all(u8::is_ascii_graphic);
    printable && colon > 0 && !super::placeholder::is_weak_password(&plain[colon + 1..])
}

fn is_pem(text: &[u8]) -> bool {
    const HEAD_BYTES: usize = 64;
    let head = &text[..text.len().min(HEAD_BYTES) / 4 * 4];
    let Some(plain) = decode_any(head) else { return false };
    plain.windows(11).any(|window| window == b"PRIVATE KEY")
}

fn is_aws_secret(secret: &[u8]) -> bool {
    // Paths and words run in one case for long; random base64 does not.
    let longest =
        longest_run(secret, u8::is_ascii_lowercase).max(longest_run(secret, u8::is_ascii_uppercase));
    has_three_classes(secret) && longest < 12 && entropy_bits(secret) >= 4.0
}

fn longest_run(bytes: &[u8], class: impl Fn(&u8) -> bool) -> usize {
    bytes.split(|byte| !class(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

fn is_mixed(secret: &[u8]) -> bool {
    secret.iter().any(u8::is_ascii_digit) && secret.iter().any(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_a_known_token() {
        let body = "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ";
        let digits = base62(crc32fast::hash(body.as_bytes()));
        let token = format!("ghp_{body}{}", String::from_utf8_lossy(&digits));
        assert!(token.ends_with("0mLq17"), "{token}");
        assert_eq!(Check::Crc.judge(token.as_bytes()), Verdict::Sure(Confidence::High));
        assert_eq!(Check::Crc.judge(b"ghp_short"), Verdict::Sure(Confidence::Medium));
    }

    #[test]
    fn entropy_of_known_texts() {
        assert!(entropy_bits(b"aaaa") < 0.01);
        assert!((entropy_bits(b"abcd") - 2.0).abs() < 0.01);
        assert!(entropy_bits(b"") < 0.01);
    }
}
