//! Notices to a webhook: signed, tried again within a bound, in the form that the other side reads.

mod message;
mod settings;

use std::time::Duration;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use prevet_app::notices::{Notice, Notices, Sending};
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use sha2::Sha256;

use self::message::body;
pub use self::settings::{NoticeSettings, NoticeSettingsError};

/// All attempts at one notice together.
const NOTICE_SECONDS_MAX: u64 = 8;
const ATTEMPT_SECONDS_MAX: u64 = 3;
const ATTEMPTS_MAX: u32 = 3;
/// The first pause between two attempts; the next one is twice as long.
const PAUSE_MILLISECONDS: u64 = 400;
const SIGNATURE_HEADER: &str = "x-prevet-signature";
const DELIVERY_HEADER: &str = "x-prevet-delivery";

/// A webhook.
#[derive(Debug)]
pub struct Webhook {
    http: reqwest::Client,
    settings: NoticeSettings,
}

impl Webhook {
    /// As `settings` say.
    pub fn new(settings: NoticeSettings) -> Result<Self, NoticeSettingsError> {
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(ATTEMPT_SECONDS_MAX))
            // Another address was not configured.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("prevet/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|_| NoticeSettingsError::NoClient)?;
        Ok(Self { http, settings })
    }

    async fn deliver(&self, notice: &Notice) {
        let body = body(&self.settings, notice).to_string();
        let mut pause = Duration::from_millis(PAUSE_MILLISECONDS);
        for attempt in 1..=ATTEMPTS_MAX {
            match self.attempt(notice, &body).await {
                Ok(()) => return,
                Err(failure) if failure.again && attempt < ATTEMPTS_MAX => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(failure) => {
                    tracing::warn!(reason = failure.reason, attempt, "a notice was not delivered");
                    return;
                }
            }
        }
    }

    async fn attempt(&self, notice: &Notice, body: &str) -> Result<(), Failure> {
        let mut request = self.http.post(self.settings.url.clone()).header(CONTENT_TYPE, "application/json");
        request = request.header(DELIVERY_HEADER, &notice.id);
        if let Some(secret) = &self.settings.secret {
            request = request.header(SIGNATURE_HEADER, signature(secret.reveal(), notice.at, body));
        }
        let answer = request.body(body.to_owned()).send().await;
        // The address may be a secret of its own, so it is not in the reason.
        let answer = answer.map_err(|error| Failure {
            again: true,
            reason: if error.is_timeout() { "no answer in time".into() } else { "no connection".into() },
        })?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let again = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        Err(Failure { again, reason: format!("the webhook answered {status}") })
    }
}

struct Failure {
    again: bool,
    reason: String,
}

impl Notices for Webhook {
    fn send<'a>(&'a self, notice: &'a Notice) -> Sending<'a> {
        Box::pin(async move {
            let limit = Duration::from_secs(NOTICE_SECONDS_MAX);
            if tokio::time::timeout(limit, self.deliver(notice)).await.is_err() {
                tracing::warn!(seconds = NOTICE_SECONDS_MAX, "a notice was not delivered in time");
            }
        })
    }
}

/// `t=SECONDS,v1=HEX`: HMAC-SHA-256 over `SECONDS.BODY`, so that an old notice cannot be played again as a new one.
fn signature(secret: &str, at: u64, body: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(format!("{at}.{body}").as_bytes());
    format!("t={at},v1={}", HEXLOWER.encode(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_of_time_and_body() {
        // Computed with `printf '7.{}' | openssl dgst -sha256 -hmac key`.
        let expected = "t=7,v1=77bc83bd1f40422311e47918b203449aecf84b02c1568bb1b570ac2a474cc2d8";
        assert_eq!(signature("key", 7, "{}"), expected);
        assert_ne!(signature("key", 8, "{}"), expected);
    }
}
