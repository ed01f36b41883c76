//! Limits for the attempts of a client at the identity routes.

use allclear_domain::rate_limit::RateLimit;

use super::code_guesses::CodeGuesses;
use super::password_guesses::PasswordGuesses;
use crate::limit::bucket::ClientBucket;

/// Challenges and responses of passkeys from a client address.
const PASSKEYS: RateLimit = RateLimit {
    burst: 60,
    per_hour: 600,
};

/// Limits for the attempts of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentityLimits {
    /// Failed sign-ins of a client address, before its further attempts are delayed.
    pub sign_in: RateLimit,
    /// Wrong passwords for a mail address from a client address, and wrong codes of a second factor
    /// for an account from all clients.
    pub guesses: RateLimit,
    /// Wrong passwords for a mail address from all clients, before every further attempt from an
    /// unknown device is delayed.
    pub account_guesses: RateLimit,
    /// Sign-ups, and requests for a new mail address of an account, from a client address.
    pub sign_up: RateLimit,
    /// Password resets requested by a client address.
    pub reset: RateLimit,
    /// Mail links followed by a client address.
    pub verify: RateLimit,
    /// Invitations sent by a client address.
    pub invite: RateLimit,
}

impl Default for IdentityLimits {
    fn default() -> Self {
        Self {
            sign_in: RateLimit {
                burst: 10,
                per_hour: 30,
            },
            guesses: RateLimit {
                burst: 10,
                per_hour: 30,
            },
            account_guesses: RateLimit {
                burst: 100,
                per_hour: 100,
            },
            sign_up: RateLimit {
                burst: 30,
                per_hour: 30,
            },
            reset: RateLimit {
                burst: 10,
                per_hour: 30,
            },
            verify: RateLimit {
                burst: 30,
                per_hour: 120,
            },
            invite: RateLimit {
                burst: 50,
                per_hour: 100,
            },
        }
    }
}

/// Counts the attempts.
pub struct IdentityThrottle {
    pub(crate) guesses: PasswordGuesses,
    pub(crate) codes: CodeGuesses,
    pub(crate) sign_up: ClientBucket,
    pub(crate) reset: ClientBucket,
    pub(crate) verify: ClientBucket,
    pub(crate) invite: ClientBucket,
    /// Challenges and responses of passkeys that did not lead to a sign-in. Nobody can guess a
    /// signature, so this limits load, and is wide: people in one office share an address.
    pub(crate) passkeys: ClientBucket,
}

impl IdentityThrottle {
    /// Creates full buckets with these limits.
    #[must_use]
    pub fn new(limits: &IdentityLimits) -> Self {
        Self {
            guesses: PasswordGuesses::new(limits),
            codes: CodeGuesses::new(limits),
            sign_up: ClientBucket::new(limits.sign_up),
            reset: ClientBucket::new(limits.reset),
            verify: ClientBucket::new(limits.verify),
            invite: ClientBucket::new(limits.invite),
            passkeys: ClientBucket::new(PASSKEYS),
        }
    }
}
