//! Guesses at passwords. Every try is taken before the password's hash is computed and given back if the password was
//! right, so parallel tries cannot outrun the count.
//!
//! | bucket of | a try beyond it |
//! | --- | --- |
//! | client and account | is refused |
//! | client | waits, and each account gets one try in the time in which one comes back |
//! | account | waits |
//!
//! So nobody can lock an account's owner out from elsewhere (OWASP ASVS 5.0, 6.3.1), and wrong passwords of one person in an
//! office slow the others down but do not refuse them.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use allclear_domain::email::EmailKey;

use super::throttle::Limits;
use crate::problem::Problem;
use crate::throttle::{Bucket, Limit};

/// An account's address under a secret hash, which has the same small size for every address.
type AccountHash = u64;

/// Counts guesses at passwords.
pub(crate) struct Guesses {
    of_pair: Bucket<(IpAddr, AccountHash)>,
    of_client: Bucket<IpAddr>,
    of_account: Bucket<AccountHash>,
    /// Tries at an account by a client whose own bucket is empty.
    beyond_client: Bucket<(IpAddr, AccountHash)>,
    waiting: Waiting,
    hasher: RandomState,
}

/// A try that was taken. It stays counted unless it is [given back](Attempt::give_back), also when it is dropped because
/// its client has gone.
#[must_use]
pub(crate) struct Attempt<'g> {
    guesses: &'g Guesses,
    client: IpAddr,
    account: AccountHash,
    took_client: bool,
    took_beyond: bool,
    took_account: bool,
}

impl Guesses {
    /// Full buckets with these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            of_pair: Bucket::new(limits.guesses),
            of_client: Bucket::new(limits.sign_in),
            of_account: Bucket::new(limits.account_guesses),
            beyond_client: Bucket::new(Limit {
                burst: 1,
                ..limits.sign_in
            }),
            waiting: Waiting::default(),
            hasher: RandomState::new(),
        }
    }

    /// Takes a try at signing in. 429 if this client has guessed too often at this account, or if too many of its tries
    /// wait already.
    pub(crate) async fn take(
        &self,
        client: IpAddr,
        email: &EmailKey,
    ) -> Result<Attempt<'_>, Problem> {
        let account = self.hasher.hash_one(email);
        self.of_pair.count(&(client, account))?;
        let mut attempt = Attempt {
            guesses: self,
            client,
            account,
            took_client: self.of_client.count(&client).is_ok(),
            took_beyond: false,
            took_account: false,
        };
        if !attempt.took_client {
            if let Err(refused) = self.beyond_client.count(&(client, account)) {
                attempt.give_back();
                return Err(refused);
            }
            attempt.took_beyond = true;
        }
        attempt.took_account = self.of_account.count(&account).is_ok();
        if attempt.took_client && attempt.took_account {
            return Ok(attempt);
        }
        if let Err(refused) = self.waiting.wait(client).await {
            attempt.give_back();
            return Err(refused);
        }
        Ok(attempt)
    }

    /// Takes a try that may tell something whatever its outcome, so it is never given back.
    pub(crate) async fn count(&self, client: IpAddr, email: &EmailKey) -> Result<(), Problem> {
        let account = self.hasher.hash_one(email);
        self.of_pair.count(&(client, account))?;
        if self.of_account.count(&account).is_err() {
            self.waiting.wait(client).await?;
        }
        Ok(())
    }
}

impl Attempt<'_> {
    /// The password was right, or none was compared: the try does not count.
    pub(crate) fn give_back(self) {
        let pair = (self.client, self.account);
        self.guesses.of_pair.give_back(&pair);
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

/// Tries that are being slowed down: few for each client and in all, so that waiting is no way to use up connections.
struct Waiting {
    now: Mutex<HashMap<IpAddr, usize>>,
    pause: Duration,
}

impl Default for Waiting {
    fn default() -> Self {
        Self {
            now: Mutex::default(),
            pause: Duration::from_secs(2),
        }
    }
}

impl Waiting {
    const OF_CLIENT: usize = 2;
    const CLIENTS: usize = 512;

    /// Waits, the same time whether there is such an account or not. 429 if too many wait already.
    async fn wait(&self, client: IpAddr) -> Result<(), Problem> {
        let Some(_place) = self.enter(client) else {
            return Err(Problem::too_many(self.pause.as_secs()));
        };
        tokio::time::sleep(self.pause).await;
        Ok(())
    }

    fn enter(&self, client: IpAddr) -> Option<Place<'_>> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.len() >= Self::CLIENTS && !now.contains_key(&client) {
            return None;
        }
        let count = now.entry(client).or_default();
        if *count >= Self::OF_CLIENT {
            return None;
        }
        *count += 1;
        Some(Place {
            waiting: self,
            client,
        })
    }
}

/// A place among those who wait, until it is dropped.
struct Place<'w> {
    waiting: &'w Waiting,
    client: IpAddr,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let now = &self.waiting.now;
        let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = now.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                now.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests;
