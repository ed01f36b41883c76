//! Messages between the nodes of an installation: signed, because a Redis may be shared with others.

use std::time::{Duration, Instant};

use allclear_application::secret::HmacKey;

/// What the signature is for: a signature for anything else is none for a message.
const PURPOSE: &str = "broadcast";
/// Bytes of the signature, HMAC-SHA-256, which stands before the text.
const SIGNATURE: usize = 32;
/// Shortest time between two lines in the log about messages that were dropped.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Signs messages with the installation's key, and checks the signature of those that arrive.
#[derive(Debug, Clone)]
pub(super) struct Envelopes(HmacKey);

impl Envelopes {
    pub(super) const fn new(key: HmacKey) -> Self {
        Self(key)
    }

    /// The signature, then the text.
    pub(super) fn sign(&self, text: &[u8]) -> Vec<u8> {
        [&self.0.mark(PURPOSE, &[text]), text].concat()
    }

    /// The text of a message; `None` if no node of this installation signed it.
    pub(super) fn open<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        let (signature, text) = message.split_at_checked(SIGNATURE)?;
        self.0.is_mark(PURPOSE, &[text], signature).then_some(text)
    }
}

/// Counts the messages that are dropped. Whoever sends them must not fill the log.
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
