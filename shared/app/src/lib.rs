//! The use cases, over ports: no transport, no storage product, no clock of its own.
//!
//! [`App`] holds the ports; [`sessions`], [`uploads`], [`inspection`], [`describe`], [`ask`],
//! [`check_task`] and [`administration`] are its use cases.

pub mod administration;
pub mod ask;
mod asking;
pub mod browser;
pub mod check_task;
mod consult;
pub mod decisions;
pub mod describe;
pub mod error;
pub mod inspection;
pub mod model;
pub mod model_trial;
pub mod notices;
pub mod ports;
pub mod progress;
pub mod provider;
pub mod reading;
pub mod refresh;
pub mod reviews;
pub mod sessions;
pub mod tickets;
pub mod uploads;
pub mod usage;

use std::sync::Arc;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::error::AppError;
use crate::model::Model;
use crate::notices::Notices;
use crate::ports::Storage;
use crate::provider::Provider;
use crate::reviews::MachineReviews;
use crate::tickets::Tickets;

/// The use cases' ports.
#[derive(Debug, Clone)]
pub struct App<S> {
    /// What is kept.
    pub storage: S,
    /// Time and randomness.
    pub world: World,
    /// The model, where one is configured.
    pub model: Option<Arc<dyn Model>>,
    /// Who is told what waits and what was decided, where that is configured.
    pub notices: Option<Arc<dyn Notices>>,
    /// Where tickets are kept, where that is configured.
    pub tickets: Option<Arc<dyn Tickets>>,
    /// Where repositories are kept, where that is configured.
    pub provider: Option<Arc<dyn Provider>>,
    /// The review rounds of the machine that this runs on, where it is a developer's.
    pub reviews: Option<MachineReviews>,
}

/// Time and randomness, as functions.
#[derive(Debug, Clone, Copy)]
pub struct World {
    /// Seconds since the epoch.
    pub now_seconds: fn() -> u64,
    /// Milliseconds since the epoch, for ids that sort by time.
    pub now_milliseconds: fn() -> u64,
    /// Fresh unguessable bytes; `None` where the system has none to give.
    pub random: fn() -> Option<[u8; 32]>,
}

impl<S: Storage> App<S> {
    /// 256 random bits as 52 letters and digits.
    fn token(&self) -> Result<String, AppError> {
        let bytes = (self.world.random)().ok_or(AppError::NoRandomness)?;
        Ok(data_encoding::BASE32_NOPAD.encode(&bytes).to_lowercase())
    }

    fn now(&self) -> u64 {
        (self.world.now_seconds)()
    }
}

/// SHA-256 over length-prefixed parts, hexadecimal: parts cannot run into each other.
pub fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    HEXLOWER.encode(&hash.finalize())
}

/// The text without the secrets that are in it.
pub fn masked(text: &str) -> String {
    String::from_utf8_lossy(&prevet_analysis::secrets::mask(text.as_bytes())).into_owned()
}

/// Plain SHA-256, hexadecimal, as callers compute it too.
pub fn sha256(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}
