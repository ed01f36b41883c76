//! Signed messages between the nodes of an installation, because a Redis may be shared with others.

use std::time::{Duration, Instant};

use allclear_application::secret::HmacKey;

/// Purpose of the signature. Signatures for other purposes are not valid for messages.
const PURPOSE: &str = "broadcast";
/// Length of the signature (HMAC-SHA-256), which precedes the text.
const SIGNATURE: usize = 32;
/// Shortest time between two log lines about dropped messages.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Signs messages with the installation's key, and verifies received ones.
#[derive(Debug, Clone)]
pub(super) struct Envelopes(HmacKey);

impl Envelopes {
    pub(super) const fn new(key: HmacKey) -> Self {
        Self(key)
    }

    /// The signature, followed by the text.
    pub(super) fn sign(&self, text: &[u8]) -> Vec<u8> {
        [&self.0.sign(PURPOSE, &[text]), text].concat()
    }

    /// The text of a message; `None` if its signature is invalid.
    pub(super) fn open<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        let (signature, text) = message.split_at_checked(SIGNATURE)?;
        self.0.verify(PURPOSE, &[text], signature).then_some(text)
    }
}

/// Counts dropped messages. Their sender must not be able to fill the log.
#[derive(Debug, Default)]
pub(super) struct Rejections {
    unlogged: u64,
    logged_at: Option<Instant>,
}

impl Rejections {
    pub(super) fn count(&mut self) {
        metrics::counter!("allclear_broadcast_messages_rejected_total").increment(1);
        self.unlogged += 1;
        if self
            .logged_at
            .is_none_or(|logged| logged.elapsed() >= LOG_INTERVAL)
        {
            tracing::warn!(
                count = self.unlogged,
                "dropped messages from Redis that are not signed with this installation's key"
            );
            self.unlogged = 0;
            self.logged_at = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_message_with_the_right_signature_is_opened() {
        let envelopes = Envelopes::new(HmacKey::new("one").unwrap());
        let message = envelopes.sign(b"text");
        assert_eq!(envelopes.open(&message), Some(&b"text"[..]));
        let other = Envelopes::new(HmacKey::new("other").unwrap());
        assert_eq!(other.open(&message), None);
        for byte in 0..message.len() {
            let mut altered = message.clone();
            altered[byte] ^= 1;
            assert_eq!(envelopes.open(&altered), None, "byte {byte}");
        }
        assert_eq!(envelopes.open(b"text"), None);
        assert_eq!(envelopes.open(&message[..SIGNATURE - 1]), None);
    }
}
