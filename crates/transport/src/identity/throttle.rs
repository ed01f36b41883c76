//! How often a client may try at the identity provider's calls.

use std::net::IpAddr;

use super::guesses::Guesses;
use crate::throttle::{Bucket, Limit};

/// How often a client may try what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Failed sign-ins of a client address, before further ones of it are slowed down.
    pub sign_in: Limit,
    /// Wrong passwords for a mail address from a client address.
    pub guesses: Limit,
    /// Wrong passwords for a mail address from all clients, before every further try has to wait a little.
    pub account_guesses: Limit,
    /// Accounts made from a client address.
    pub sign_up: Limit,
    /// Password resets asked for from a client address.
    pub reset: Limit,
    /// Links of mails followed from a client address.
    pub verify: Limit,
    /// Invitations sent from a client address.
    pub invite: Limit,
}

impl Default for Limits {
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

/// Counts the tries.
pub struct Throttle {
    pub(crate) guesses: Guesses,
    pub(crate) sign_up: Bucket<IpAddr>,
    pub(crate) reset: Bucket<IpAddr>,
    pub(crate) verify: Bucket<IpAddr>,
    pub(crate) invite: Bucket<IpAddr>,
}

impl Throttle {
    /// With these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self {
            guesses: Guesses::new(limits),
            sign_up: Bucket::new(limits.sign_up),
            reset: Bucket::new(limits.reset),
            verify: Bucket::new(limits.verify),
            invite: Bucket::new(limits.invite),
        }
    }
}
