//! How often a client may try at the identity provider's calls: one bucket for each kind of try and, where passwords are
//! guessed, one for each client and mail address as well.

use std::net::IpAddr;
use std::time::Duration;

use allclear_domain::email::EmailKey;
use tokio::sync::Semaphore;

use crate::problem::Problem;
use crate::throttle::{Bucket, Limit};

/// How often a client may try what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Failed sign-ins of a client address.
    pub sign_in: Limit,
    /// Wrong passwords for a mail address from a client address.
    pub guesses: Limit,
    /// Wrong passwords for a mail address from wherever, before every further try has to wait a little.
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
    pub(crate) sign_in: Bucket<IpAddr>,
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
            sign_in: Bucket::new(limits.sign_in),
            guesses: Guesses::new(limits),
            sign_up: Bucket::new(limits.sign_up),
            reset: Bucket::new(limits.reset),
            verify: Bucket::new(limits.verify),
            invite: Bucket::new(limits.invite),
        }
    }
}

/// Counts guesses at passwords. A client that guesses too often at an address is refused, others are not: nobody can lock
/// another out (OWASP ASVS 5.0, 6.3.1). Guesses from everywhere together slow down every further try at the address.
pub(crate) struct Guesses {
    of_client: Bucket<(IpAddr, EmailKey)>,
    of_account: Bucket<EmailKey>,
    /// Those who are being slowed down: few, so that waiting is no way to use up connections.
    slowed: Semaphore,
    /// How long each of them waits.
    pause: Duration,
}

impl Guesses {
    const AT_ONCE: usize = 64;

    fn new(limits: &Limits) -> Self {
        Self {
            of_client: Bucket::new(limits.guesses),
            of_account: Bucket::new(limits.account_guesses),
            slowed: Semaphore::new(Self::AT_ONCE),
            pause: Duration::from_secs(2),
        }
    }

    /// Lets a try begin, which is counted only if it [fails](Self::failed). 429 where this client has failed too often.
    pub(crate) async fn may_try(&self, client: IpAddr, account: &EmailKey) -> Result<(), Problem> {
        self.of_client.may_try(&(client, account.clone()))?;
        if self.of_account.may_try(account).is_err() {
            self.slow_down().await?;
        }
        Ok(())
    }

    /// Counts a try that failed.
    pub(crate) fn failed(&self, client: IpAddr, account: &EmailKey) -> Result<(), Problem> {
        // One too many makes the next one wait; there is nothing to tell this one.
        let _ = self.of_account.failed(account);
        self.of_client.failed(&(client, account.clone()))
    }

    /// Counts a try that may tell something whatever its outcome, before it begins.
    pub(crate) async fn count(&self, client: IpAddr, account: &EmailKey) -> Result<(), Problem> {
        self.of_client.failed(&(client, account.clone()))?;
        if self.of_account.failed(account).is_err() {
            self.slow_down().await?;
        }
        Ok(())
    }

    /// Waits, the same time whether there is such an account or not.
    async fn slow_down(&self) -> Result<(), Problem> {
        let Ok(_slowed) = self.slowed.try_acquire() else {
            return Err(Problem::too_many(self.pause.as_secs()));
        };
        tokio::time::sleep(self.pause).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn guesses() -> Guesses {
        let (few, many) = (
            Limit {
                burst: 2,
                per_hour: 1,
            },
            Limit {
                burst: 3,
                per_hour: 1,
            },
        );
        let guesses = Guesses::new(&Limits {
            guesses: few,
            account_guesses: many,
            ..Limits::default()
        });
        Guesses {
            pause: Duration::from_millis(20),
            ..guesses
        }
    }

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    #[actix_web::test]
    async fn who_guesses_too_often_is_refused_and_others_only_wait() {
        let (guesses, ann) = (guesses(), EmailKey::of("ann@example.com"));
        for number in 1..=4 {
            let _ = guesses.failed(client(1), &ann);
            let _ = guesses.failed(client(number), &ann);
        }
        assert!(guesses.may_try(client(1), &ann).await.is_err());
        let start = Instant::now();
        assert!(guesses.may_try(client(9), &ann).await.is_ok());
        assert!(start.elapsed() >= guesses.pause);
        assert!(
            guesses
                .may_try(client(9), &EmailKey::of("bob@example.com"))
                .await
                .is_ok()
        );
    }

    #[actix_web::test]
    async fn what_counts_whatever_its_outcome_waits_as_well() {
        let (guesses, ann) = (guesses(), EmailKey::of("ann@example.com"));
        for number in 1..=3 {
            assert!(guesses.count(client(number), &ann).await.is_ok());
        }
        let start = Instant::now();
        assert!(guesses.count(client(4), &ann).await.is_ok());
        assert!(start.elapsed() >= guesses.pause);
    }
}
