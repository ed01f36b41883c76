//! How often a client may try at the identity provider's calls: one bucket for each kind of try and, where passwords are
//! guessed, one for each mail address as well.

use std::net::IpAddr;

use allclear_domain::email::EmailKey;

use crate::throttle::{Bucket, Limit};

/// How often a client may try what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Failed sign-ins of a client address.
    pub sign_in: Limit,
    /// Wrong passwords for a mail address, from wherever.
    pub guesses: Limit,
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
            sign_in: Limit { burst: 10, per_hour: 30 },
            guesses: Limit { burst: 10, per_hour: 30 },
            sign_up: Limit { burst: 30, per_hour: 30 },
            reset: Limit { burst: 10, per_hour: 30 },
            verify: Limit { burst: 30, per_hour: 120 },
            invite: Limit { burst: 50, per_hour: 100 },
        }
    }
}

/// Counts the tries.
pub struct Throttle {
    pub(crate) sign_in: Bucket<IpAddr>,
    pub(crate) guesses: Bucket<EmailKey>,
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
            sign_in: Bucket::new(limits.sign_in),
            guesses: Bucket::new(limits.guesses),
            sign_up: Bucket::new(limits.sign_up),
            reset: Bucket::new(limits.reset),
            verify: Bucket::new(limits.verify),
            invite: Bucket::new(limits.invite),
        }
    }
}
