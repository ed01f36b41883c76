//! Limits for the attempts of a client at the identity routes.

use super::code_guesses::CodeGuesses;
use super::password_guesses::PasswordGuesses;
use crate::limit::throttle::{ClientBucket, Limit};

/// Challenges and responses of passkeys from a client address.
const PASSKEYS: Limit = Limit {
    burst: 60,
    per_hour: 600,
};

/// Limits for the attempts of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentityLimits {
    /// Failed sign-ins of a client address, before its further attempts are delayed.
    pub sign_in: Limit,
    /// Wrong passwords for a mail address from a client address, and wrong codes of a second factor for an account from all
    /// clients.
    pub guesses: Limit,
    /// Wrong passwords for a mail address from all clients, before every further attempt is delayed.
    pub account_guesses: Limit,
    /// Sign-ups from a client address.
    pub sign_up: Limit,
    /// Password resets requested by a client address.
    pub reset: Limit,
    /// Mail links followed by a client address.
    pub verify: Limit,
    /// Invitations sent by a client address.
    pub invite: Limit,
}

impl Default for IdentityLimits {
    fn default() -> Self {
        Self {
            sign_in: Limit {
                burst: 10,
                per_hour: 30,
            },
            guesses: Limit {
                burst: 10,
                per_hour: 30,
            },
            account_guesses: Limit {
                burst: 100,
                per_hour: 100,
            },
            sign_up: Limit {
                burst: 30,
                per_hour: 30,
            },
            reset: Limit {
                burst: 10,
                per_hour: 30,
            },
            verify: Limit {
                burst: 30,
                per_hour: 120,
            },
            invite: Limit {
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
    /// Challenges and responses of passkeys that did not lead to a sign-in. Nobody can guess a signature, so this limits load,
    /// and is wide: people in one office share an address.
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
