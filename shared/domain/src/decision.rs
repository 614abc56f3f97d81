//! Decisions: asked once, answered by people, remembered.
//!
//! [`canonical`] says what a question comes to, [`guard`] whether two ask the same, [`search`] which are near.
//! [`reuse`] judges whether an earlier answer holds, and [`lot`] what happens to a request that waits for people.

mod asks;
pub mod canonical;
pub mod freshness;
pub mod guard;
pub mod lot;
mod order;
pub mod record;
pub mod request;
pub mod reuse;
mod scan;
pub mod search;
mod stem;
pub mod synonyms;
mod words;

use sha2::{Digest, Sha256};

/// SHA-256 over length-prefixed texts, hexadecimal.
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    data_encoding::HEXLOWER.encode(&hash.finalize())
}

#[cfg(test)]
mod reuse_tests;
#[cfg(test)]
mod tests;
