//! The codes in subscribers' links, and the secrets of webhooks. They are derived from the
//! installation's [`HmacKey`], so they are not stored.

use allclear_domain::email::Mailbox;
use allclear_domain::subscriber::Subscriber;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::message::SigningSecret;
use crate::secret::HmacKey;

const VERIFY: &str = "subscriber verification";
const UNSUBSCRIBE: &str = "subscriber unsubscribe";
const MANAGE: &str = "subscriber manage";
const SECRET: &str = "subscriber secret";

/// Makes and checks codes. The time depends neither on where a wrong code differs nor on whether
/// the subscriber exists.
#[derive(Debug, Clone)]
pub(crate) struct Codes(HmacKey);

impl Codes {
    pub(crate) const fn new(hmac_key: HmacKey) -> Self {
        Self(hmac_key)
    }

    /// The code of a verification link: its expiry in milliseconds of Unix time, and a signature.
    /// It is valid until then, unless the subscriber unsubscribes earlier.
    pub(crate) fn verification_code(
        &self,
        subscriber: &Subscriber,
        expires_at: DateTime<Utc>,
    ) -> String {
        let moment = expires_at.timestamp_millis().to_be_bytes();
        let signature = self.sign_verification(Some(subscriber), moment);
        URL_SAFE_NO_PAD.encode([moment.as_slice(), &signature].concat())
    }

    /// Returns the expiry of a verification link; `None` if its code is not this subscriber's.
    pub(crate) fn verification(
        &self,
        subscriber: Option<&Subscriber>,
        code: &str,
    ) -> Option<DateTime<Utc>> {
        let presented = URL_SAFE_NO_PAD.decode(code).unwrap_or_default();
        let (moment, signature) = presented.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        let right: bool = self
            .sign_verification(subscriber, *moment)
            .ct_eq(signature)
            .into();
        let expires_at = DateTime::from_timestamp_millis(i64::from_be_bytes(*moment));
        if right && subscriber.is_some() {
            expires_at
        } else {
            None
        }
    }

    fn sign_verification(&self, subscriber: Option<&Subscriber>, moment: [u8; 8]) -> [u8; 32] {
        let (id, target) = identity(subscriber);
        let round = subscriber.map_or(0, |known| known.round).to_be_bytes();
        self.0
            .sign(VERIFY, &[id.as_bytes(), target.as_bytes(), &round, &moment])
    }

    /// The code of an unsubscribe link. It is valid as long as the subscriber exists.
    pub(crate) fn unsubscribe_code(&self, subscriber: &Subscriber) -> String {
        URL_SAFE_NO_PAD.encode(self.sign(UNSUBSCRIBE, Some(subscriber)))
    }

    /// Whether an unsubscribe link's code is this subscriber's.
    pub(crate) fn unsubscribes(&self, subscriber: Option<&Subscriber>, code: &str) -> bool {
        self.is_code(UNSUBSCRIBE, subscriber, code)
    }

    /// The code of the link to the page that changes or ends a subscription. It is valid as long as
    /// the subscriber exists.
    pub(crate) fn manage_code(&self, subscriber: &Subscriber) -> String {
        URL_SAFE_NO_PAD.encode(self.sign(MANAGE, Some(subscriber)))
    }

    /// Whether the code of such a link is this subscriber's.
    pub(crate) fn manages(&self, subscriber: Option<&Subscriber>, code: &str) -> bool {
        self.is_code(MANAGE, subscriber, code)
    }

    /// The newest secret of a webhook.
    pub(crate) fn secret(&self, subscriber: &Subscriber) -> SigningSecret {
        self.numbered_secret(subscriber, subscriber.secret.number)
    }

    /// The secrets that sign a message to a webhook, the newest first.
    pub(crate) fn signing_secrets(
        &self,
        subscriber: &Subscriber,
        now: DateTime<Utc>,
    ) -> Vec<SigningSecret> {
        let numbers = subscriber.secret.signing(now);
        numbers
            .map(|number| self.numbered_secret(subscriber, number))
            .collect()
    }

    fn numbered_secret(&self, subscriber: &Subscriber, number: i32) -> SigningSecret {
        let id = subscriber.id.0;
        SigningSecret(self.0.sign(SECRET, &[id.as_bytes(), &number.to_be_bytes()]))
    }

    fn is_code(&self, purpose: &str, subscriber: Option<&Subscriber>, code: &str) -> bool {
        let presented = URL_SAFE_NO_PAD.decode(code).unwrap_or_default();
        let right: bool = self
            .sign(purpose, subscriber)
            .as_slice()
            .ct_eq(&presented)
            .into();
        right && subscriber.is_some()
    }

    fn sign(&self, purpose: &str, subscriber: Option<&Subscriber>) -> [u8; 32] {
        let (id, target) = identity(subscriber);
        self.0.sign(purpose, &[id.as_bytes(), target.as_bytes()])
    }
}

/// The subscriber's identifier and its target, or a placeholder if there is no such subscriber, so
/// that the work is the same. An address is a [`Mailbox`] and no key: the signatures of links that
/// were sent must not change.
fn identity(subscriber: Option<&Subscriber>) -> (Uuid, String) {
    let Some(subscriber) = subscriber else {
        return (Uuid::nil(), "nobody@example.com".to_owned());
    };
    let target = match subscriber.target.email() {
        Some(address) => Mailbox::of(address).as_str().to_owned(),
        None => subscriber.target.as_str().to_owned(),
    };
    (subscriber.id.0, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    use allclear_domain::channel::{Channel, Target};
    use allclear_domain::id::SubscriberId;
    use allclear_domain::subscriber::SubscriberDraft;

    use crate::fixture::{hmac_key, now};

    fn codes() -> Codes {
        Codes::new(hmac_key())
    }

    fn target(email: &str) -> Target {
        Target::parse(Channel::Email, email).unwrap()
    }

    fn subscriber(number: u128) -> Subscriber {
        let draft = SubscriberDraft::of_everything(target("ann@example.com"));
        Subscriber::create(SubscriberId(Uuid::from_u128(number)), draft, now())
    }

    #[test]
    fn a_verification_code_says_when_it_ends_to_its_own_subscriber_in_its_own_round() {
        let (codes, ann) = (codes(), subscriber(1));
        let code = codes.verification_code(&ann, now());
        assert_eq!(codes.verification(Some(&ann), &code), Some(now()));
        let later = Subscriber {
            round: 1,
            ..ann.clone()
        };
        let elsewhere = Subscriber {
            target: target("eve@example.com"),
            ..ann.clone()
        };
        for other in [Some(&later), Some(&elsewhere), Some(&subscriber(2)), None] {
            assert_eq!(codes.verification(other, &code), None);
        }
    }

    #[test]
    fn no_other_code_is_taken_and_the_end_cannot_be_moved() {
        let (codes, ann) = (codes(), subscriber(1));
        let code = codes.verification_code(&ann, now());
        let mut bytes = URL_SAFE_NO_PAD.decode(&code).unwrap();
        bytes[7] ^= 1;
        let moved = URL_SAFE_NO_PAD.encode(&bytes);
        let unsubscribe = codes.unsubscribe_code(&ann);
        for wrong in ["", "AAAA", "not base64!", &code[..20], &moved, &unsubscribe] {
            assert_eq!(codes.verification(Some(&ann), wrong), None, "{wrong}");
        }
        for wrong in ["", "AAAA", "not base64!", &unsubscribe[..20], &code] {
            assert!(!codes.unsubscribes(Some(&ann), wrong), "{wrong}");
        }
    }

    #[test]
    fn an_unsubscribe_code_holds_in_every_round_for_its_own_subscriber() {
        let (codes, ann) = (codes(), subscriber(1));
        let code = codes.unsubscribe_code(&ann);
        assert!(codes.unsubscribes(Some(&Subscriber { round: 7, ..ann }), &code));
        assert!(!codes.unsubscribes(Some(&subscriber(2)), &code));
        assert!(!codes.unsubscribes(None, &code));
    }

    #[test]
    fn codes_of_links_that_0_1_sent_stay_valid() {
        let (codes, id) = (codes(), Uuid::from_u128(1));
        let ann = Subscriber {
            target: target("Ann@EXÄMPLE.com"),
            ..subscriber(1)
        };
        let signed: [&[u8]; 2] = [id.as_bytes(), b"Ann@xn--exmple-cua.com"];
        let sent = URL_SAFE_NO_PAD.encode(codes.0.sign(UNSUBSCRIBE, &signed));
        assert!(codes.unsubscribes(Some(&ann), &sent));
    }

    #[test]
    fn a_manage_code_is_no_unsubscribe_code_and_no_other_subscribers() {
        let (codes, ann) = (codes(), subscriber(1));
        let code = codes.manage_code(&ann);
        assert!(codes.manages(Some(&ann), &code));
        assert!(!codes.unsubscribes(Some(&ann), &code));
        assert!(!codes.manages(Some(&subscriber(2)), &code));
        assert!(!codes.manages(None, &code));
    }

    #[test]
    fn a_rotated_secret_is_another_one_and_the_old_one_signs_beside_it() {
        let (codes, ann) = (codes(), subscriber(1));
        let first = codes.secret(&ann);
        assert!(first.reveal().starts_with("whsec_"));
        assert_ne!(first, codes.secret(&subscriber(2)));
        let rotated = ann.rotate_secret(now());
        let second = codes.secret(&rotated);
        assert_ne!(first, second);
        assert_eq!(codes.signing_secrets(&rotated, now()), [second, first]);
    }
}
