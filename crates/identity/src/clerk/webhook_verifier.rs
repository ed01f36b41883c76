//! Verification of Clerk's webhooks, which Svix signs:
//! <https://docs.svix.com/receiving/verifying-payloads/how-manual>.
//!
//! The `standardwebhooks` crate was rejected: it expects other header names and reads the
//! system clock.

use std::fmt;
use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::directory::{Envelope, InvalidWebhook, Message, WebhookVerifier};
use base64::Engine;
use chrono::{DateTime, TimeDelta};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::application_keys::BASE64;
use super::webhook_event::Event;

/// Tolerance of a message's time, as in Svix's own libraries.
const TOLERANCE: TimeDelta = TimeDelta::minutes(5);
/// Maximum length of a message's identifier, in bytes; Svix's have about thirty.
const MAX_ID_LENGTH: usize = 128;

/// The secret of a webhook endpoint, as the dashboard shows it. It is never logged.
#[derive(Clone)]
pub struct WebhookSecret(Hmac<Sha256>);

impl WebhookSecret {
    /// Parses `whsec_` followed by a key in base64.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let key = text
            .strip_prefix("whsec_")
            .ok_or("it must begin with whsec_")?;
        let key = BASE64
            .decode(key)
            .ok()
            .filter(|key| !key.is_empty())
            .ok_or("it is cut short or mistyped")?;
        Hmac::new_from_slice(&key)
            .map(Self)
            .map_err(|_| "it is no key")
    }

    /// Whether one of the signatures is made with this secret: HMAC-SHA-256 of `id.timestamp.body`,
    /// in base64 after `v1,`. There are several while the secret is being rotated. The comparison
    /// takes the same time for every wrong signature.
    fn has_signed(&self, envelope: &Envelope<'_>) -> bool {
        let mut mac = self.0.clone();
        mac.update(envelope.id.as_bytes());
        mac.update(b".");
        mac.update(envelope.timestamp.as_bytes());
        mac.update(b".");
        mac.update(envelope.body);
        let signatures = envelope
            .signatures
            .split(' ')
            .filter_map(|part| part.strip_prefix("v1,"));
        signatures
            .filter_map(|signature| BASE64.decode(signature).ok())
            .any(|signature| mac.clone().verify_slice(&signature).is_ok())
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(..)")
    }
}

/// Verifier of Clerk's webhooks.
pub struct Webhooks {
    secret: WebhookSecret,
    clock: Arc<dyn Clock>,
}

impl Webhooks {
    /// A verifier with this secret.
    #[must_use]
    pub const fn new(secret: WebhookSecret, clock: Arc<dyn Clock>) -> Self {
        Self { secret, clock }
    }
}

impl WebhookVerifier for Webhooks {
    fn verify(&self, envelope: &Envelope<'_>) -> Result<Message, InvalidWebhook> {
        let refused = |reason: &str| InvalidWebhook(reason.to_owned());
        if !(1..=MAX_ID_LENGTH).contains(&envelope.id.len()) {
            return Err(refused("no identifier, or one that is too long"));
        }
        let sent_at = envelope
            .timestamp
            .parse()
            .ok()
            .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let sent_at = sent_at.ok_or_else(|| refused("no time"))?;
        if (self.clock.now() - sent_at).abs() > TOLERANCE {
            return Err(refused("it was signed too long ago, or the clocks differ"));
        }
        if !self.secret.has_signed(envelope) {
            return Err(refused("no signature of the configured secret"));
        }
        let event: Event = serde_json::from_slice(envelope.body)
            .map_err(|error| InvalidWebhook(error.to_string()))?;
        let happened_at = event.happened_at().unwrap_or(sent_at);
        let events = event.events(happened_at).map_err(InvalidWebhook)?;
        Ok(Message {
            id: envelope.id.to_owned(),
            happened_at,
            events,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allclear_application::clock::TestClock;

    // The example of Svix's page "Verifying Webhooks Manually".
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn example() -> Envelope<'static> {
        Envelope {
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: "1614265330",
            signatures: SIGNATURE,
            body: b"{\"test\": 2432232314}",
        }
    }

    fn has_signed(envelope: &Envelope<'_>) -> bool {
        WebhookSecret::parse(SECRET).unwrap().has_signed(envelope)
    }

    #[test]
    fn svixs_own_example_is_signed() {
        assert!(has_signed(&example()));
        let several = format!("v1,AAAA v2,{SIGNATURE} nonsense {SIGNATURE}");
        assert!(has_signed(&Envelope {
            signatures: &several,
            ..example()
        }));
    }

    #[test]
    fn whatever_was_changed_is_not_signed() {
        for changed in [
            Envelope {
                id: "msg_other",
                ..example()
            },
            Envelope {
                timestamp: "1614265331",
                ..example()
            },
            Envelope {
                body: b"{\"test\": 2432232315}",
                ..example()
            },
            Envelope {
                signatures: "",
                ..example()
            },
            Envelope {
                signatures: "v1,",
                ..example()
            },
            Envelope {
                signatures: &SIGNATURE.replace("v1,", "v2,"),
                ..example()
            },
            Envelope {
                signatures: &SIGNATURE.replace("v1,g", "v1,h"),
                ..example()
            },
            Envelope {
                signatures: "v1,g0hM9SsE",
                ..example()
            },
        ] {
            assert!(!has_signed(&changed), "{changed:?}");
        }
        let other = WebhookSecret::parse("whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        assert!(!other.has_signed(&example()));
    }

    #[test]
    fn a_secret_has_its_prefix_and_shows_nowhere() {
        for bad in ["", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_!!"] {
            assert!(WebhookSecret::parse(bad).is_err(), "{bad:?}");
        }
        assert!(!format!("{:?}", WebhookSecret::parse(SECRET)).contains("MfKQ"));
    }

    fn read_at(seconds: i64, envelope: &Envelope<'_>) -> Result<Message, InvalidWebhook> {
        let clock = TestClock::stopped();
        clock.advance(DateTime::from_timestamp(seconds, 0).unwrap() - TestClock::START);
        Webhooks::new(WebhookSecret::parse(SECRET).unwrap(), clock).verify(envelope)
    }

    fn sign(body: &str) -> String {
        let mut mac = WebhookSecret::parse(SECRET).unwrap().0;
        mac.update(format!("msg_1.1614265330.{body}").as_bytes());
        format!("v1,{}", BASE64.encode(mac.finalize().into_bytes()))
    }

    #[test]
    fn a_message_counts_for_five_minutes_and_says_what_happened() {
        let body = r#"{"type":"session.ended","object":"event","data":{"id":"sess_1"}}"#;
        let signatures = sign(body);
        let envelope = Envelope {
            id: "msg_1",
            timestamp: "1614265330",
            signatures: &signatures,
            body: body.as_bytes(),
        };
        for (offset, counts) in [
            (-301, false),
            (-300, true),
            (0, true),
            (300, true),
            (301, false),
        ] {
            assert_eq!(
                read_at(1_614_265_330 + offset, &envelope).is_ok(),
                counts,
                "{offset}"
            );
        }
        let read = read_at(1_614_265_330, &envelope).unwrap();
        assert_eq!(
            (
                read.id.as_str(),
                read.happened_at.timestamp(),
                read.events.len()
            ),
            ("msg_1", 1_614_265_330, 1)
        );
        for bad in ["", "now", "1614265330.5", "99999999999999999999"] {
            assert!(
                read_at(
                    1_614_265_330,
                    &Envelope {
                        timestamp: bad,
                        ..envelope
                    }
                )
                .is_err(),
                "{bad}"
            );
        }
    }

    #[test]
    fn signed_message_that_cannot_be_read_is_refused() {
        for body in ["", "[]", "{}", r#"{"type":"session.ended","data":{}}"#] {
            let signatures = sign(body);
            let envelope = Envelope {
                id: "msg_1",
                timestamp: "1614265330",
                signatures: &signatures,
                body: body.as_bytes(),
            };
            assert!(read_at(1_614_265_330, &envelope).is_err(), "{body}");
        }
    }
}
