//! Limits for password guesses. Every attempt is counted before the password's hash is computed,
//! and uncounted if the password was correct; so parallel attempts cannot exceed the limit.
//! Sign-ins have a wide limit of their own, because each costs a hash and a session.
//!
//! | bucket of | an attempt beyond it |
//! | --- | --- |
//! | client and account, and IPv6 site and account | is refused |
//! | client | waits, and each account gets one attempt in the time in which one comes back |
//! | account | waits, unless it comes from a known device |
//! | client and account, of sign-ins | is refused |
//!
//! So a client elsewhere cannot lock the owner out of an account (OWASP ASVS 5.0, 6.3.1), and wrong
//! passwords of one person in an office delay colleagues but do not lock them out. The attempts
//! that wait are bounded. Those that wait for the client's bucket and those that wait for the
//! account's have bounds of their own, because a few hundred clients fill the first.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::error::Error;
use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_domain::email::EmailKey;
use allclear_domain::rate_limit::RateLimit;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::throttle::IdentityLimits;
use crate::limit::bucket::{Bucket, ClientBucket};
use crate::limit::client_network::{limit_of_site, site};
use crate::limit::slots::{Slot, Slots};
use crate::response::problem::Problem;

/// Keyed hash of an account's address, which takes the same few bytes for every address.
type AccountHash = u64;

/// Counts password guesses.
pub(crate) struct PasswordGuesses {
    of_pair: Bucket<(IpAddr, AccountHash)>,
    of_site_and_account: Bucket<(IpAddr, AccountHash)>,
    of_client: ClientBucket,
    of_account: Bucket<AccountHash>,
    /// Correct passwords.
    sign_ins: Bucket<(IpAddr, AccountHash)>,
    /// Attempts at an account by a client whose own bucket is empty.
    beyond_client: Bucket<(IpAddr, AccountHash)>,
    /// Attempts of clients whose own bucket is empty.
    slowed_clients: SlowedAttempts,
    /// Attempts of other clients at accounts whose bucket is empty.
    slowed_accounts: SlowedAttempts,
    /// The sign-ins to each account among those.
    slowed_sign_ins: KeyedSemaphore<AccountHash>,
    hasher: RandomState,
}

/// A counted attempt. It stays counted unless [`Attempt::succeed`] or [`Attempt::give_back`] is
/// called, also when the client disconnects.
#[must_use]
pub(crate) struct Attempt<'g> {
    guesses: &'g PasswordGuesses,
    client: IpAddr,
    account: AccountHash,
    took_client: bool,
    took_beyond: bool,
    took_account: bool,
}

/// Correct passwords for an account from a client address.
const SIGN_INS: RateLimit = RateLimit {
    burst: 300,
    per_hour: 3_600,
};
/// Maximum number of sign-ins to one account that wait because the account's bucket is empty.
const MAX_SLOWED_SIGN_INS: usize = 64;

impl PasswordGuesses {
    /// Creates full buckets with these limits.
    pub(crate) fn new(limits: &IdentityLimits) -> Self {
        Self {
            of_pair: Bucket::new(limits.guesses),
            of_site_and_account: Bucket::new(limit_of_site(limits.guesses)),
            of_client: ClientBucket::new(limits.sign_in),
            of_account: Bucket::new(limits.account_guesses),
            sign_ins: Bucket::new(SIGN_INS),
            beyond_client: Bucket::new(RateLimit {
                burst: 1,
                ..limits.sign_in
            }),
            slowed_clients: SlowedAttempts::default(),
            slowed_accounts: SlowedAttempts::default(),
            slowed_sign_ins: KeyedSemaphore::new(MAX_SLOWED_SIGN_INS, 0),
            hasher: RandomState::new(),
        }
    }

    /// Counts an attempt to sign in. 429 if this client has guessed too often at this account or
    /// signed in to it too often, or if too many attempts are being delayed. `is_known_device` is
    /// only awaited if the account's bucket is empty and the client's is not.
    pub(crate) async fn take(
        &self,
        client: IpAddr,
        email: &EmailKey,
        is_known_device: impl Future<Output = Result<bool, Error>>,
    ) -> Result<Attempt<'_>, Problem> {
        let account = self.hasher.hash_one(email);
        self.sign_ins.check(&(client, account))?;
        self.take_pair(client, account)?;
        let mut attempt = Attempt {
            guesses: self,
            client,
            account,
            took_client: self.of_client.take_or_refuse(&client).is_ok(),
            took_beyond: false,
            took_account: false,
        };
        if !attempt.took_client {
            if let Err(refused) = self.beyond_client.take_or_refuse(&(client, account)) {
                attempt.give_back();
                return Err(refused);
            }
            attempt.took_beyond = true;
        }
        attempt.took_account = self.of_account.take_or_refuse(&account).is_ok();
        let delayed = match (attempt.took_client, attempt.took_account) {
            (true, true) => Ok(()),
            (true, false) => self.delay_unknown(client, account, is_known_device).await,
            (false, _) => self.slowed_clients.wait(client).await,
        };
        if let Err(refused) = delayed {
            attempt.give_back();
            return Err(refused);
        }
        Ok(attempt)
    }

    /// Counts an attempt within a session. It stays counted whatever its outcome, because the
    /// outcome may reveal something. 429 if this client has guessed too often at this account, or if
    /// too many attempts are being delayed; the latter is not counted. `is_known_device` is only
    /// awaited if the account's bucket is empty.
    pub(crate) async fn take_or_refuse(
        &self,
        client: IpAddr,
        email: &EmailKey,
        is_known_device: impl Future<Output = Result<bool, Error>>,
    ) -> Result<(), Problem> {
        let account = self.hasher.hash_one(email);
        self.take_pair(client, account)?;
        if self.of_account.take_or_refuse(&account).is_ok() {
            return Ok(());
        }
        let delayed = match is_known_device.await {
            Ok(true) => Ok(()),
            // Only the account's own sessions try this, so it takes no place of its sign-ins.
            Ok(false) => self.slowed_accounts.wait(client).await,
            Err(error) => Err(error.into()),
        };
        delayed.inspect_err(|_| self.give_back_pair(client, account))
    }

    /// Delays a sign-in to an account whose bucket is empty, unless it comes from a known device.
    async fn delay_unknown(
        &self,
        client: IpAddr,
        account: AccountHash,
        is_known_device: impl Future<Output = Result<bool, Error>>,
    ) -> Result<(), Problem> {
        if is_known_device.await? {
            return Ok(());
        }
        let Some(_place) = self.slowed_sign_ins.acquire(&account).await else {
            return Err(self.slowed_accounts.refusal());
        };
        self.slowed_accounts.wait(client).await
    }

    /// Counts an attempt of a client at an account, and of its site.
    fn take_pair(&self, client: IpAddr, account: AccountHash) -> Result<(), Problem> {
        let pair = (client, account);
        self.of_pair.take_or_refuse(&pair)?;
        let Some(site) = site(client) else {
            return Ok(());
        };
        self.of_site_and_account
            .take_or_refuse(&(site, account))
            .inspect_err(|_| self.of_pair.give_back(&pair))
    }

    fn give_back_pair(&self, client: IpAddr, account: AccountHash) {
        self.of_pair.give_back(&(client, account));
        if let Some(site) = site(client) {
            self.of_site_and_account.give_back(&(site, account));
        }
    }
}

impl Attempt<'_> {
    /// Uncounts the attempt and counts a sign-in, because the password was correct.
    pub(crate) fn succeed(self) {
        let pair = (self.client, self.account);
        self.guesses.sign_ins.charge(&pair, 1);
        self.give_back();
    }

    /// Uncounts the attempt, because no wrong password was compared.
    pub(crate) fn give_back(self) {
        let pair = (self.client, self.account);
        self.guesses.give_back_pair(self.client, self.account);
        if self.took_client {
            self.guesses.of_client.give_back(&self.client);
        }
        if self.took_beyond {
            self.guesses.beyond_client.give_back(&pair);
        }
        if self.took_account {
            self.guesses.of_account.give_back(&self.account);
        }
    }
}

/// Attempts that are being delayed. Their number is bounded per client and in total, so that delays
/// cannot use up the connections.
struct SlowedAttempts {
    clients: Arc<Slots>,
    all: Semaphore,
    pause: Duration,
}

impl Default for SlowedAttempts {
    fn default() -> Self {
        Self {
            clients: Slots::new(Some(Self::MAX_PER_CLIENT)),
            all: Semaphore::new(Self::MAX),
            pause: Duration::from_secs(2),
        }
    }
}

impl SlowedAttempts {
    const MAX_PER_CLIENT: usize = 2;
    const MAX: usize = 1024;

    /// Waits for the same time whether or not the account exists. 429 if too many attempts are
    /// being delayed.
    async fn wait(&self, client: IpAddr) -> Result<(), Problem> {
        let Some(_slowed) = self.enter(client) else {
            return Err(self.refusal());
        };
        tokio::time::sleep(self.pause).await;
        Ok(())
    }

    fn refusal(&self) -> Problem {
        Problem::too_many(self.pause.as_secs())
    }

    fn enter(&self, client: IpAddr) -> Option<(Slot, SemaphorePermit<'_>)> {
        let of_client = self.clients.take(client)?;
        Some((of_client, self.all.try_acquire().ok()?))
    }
}

#[cfg(test)]
mod tests;
