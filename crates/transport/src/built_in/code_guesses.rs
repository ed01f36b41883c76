//! Limits for guesses of second factors.
//!
//! Only a client that knows the password can guess codes. So the limit of an account may refuse: it
//! locks out only a person whose password is known to somebody else. At thirty guesses an hour,
//! guessing a code of six digits takes about a thousand days.

use std::net::IpAddr;

use allclear_domain::id::UserId;

use super::throttle::IdentityLimits;
use crate::limit::bucket::{Bucket, ClientBucket};
use crate::response::problem::Problem;

/// Counts guesses of codes.
pub(crate) struct CodeGuesses {
    of_client: ClientBucket,
    of_account: Bucket<UserId>,
}

/// A counted guess. It stays counted unless [`CodeGuess::give_back`] is called.
#[must_use]
pub(crate) struct CodeGuess<'g> {
    guesses: &'g CodeGuesses,
    client: IpAddr,
    account: UserId,
}

impl CodeGuesses {
    /// Creates full buckets with these limits.
    pub(crate) fn new(limits: &IdentityLimits) -> Self {
        Self {
            of_client: ClientBucket::new(limits.sign_in),
            of_account: Bucket::new(limits.guesses),
        }
    }

    /// Counts a guess. 429 if the client has guessed too often, or too many clients have guessed at
    /// the account.
    pub(crate) fn take(&self, client: IpAddr, account: UserId) -> Result<CodeGuess<'_>, Problem> {
        self.of_client.take_or_refuse(&client)?;
        if let Err(refused) = self.of_account.take_or_refuse(&account) {
            self.of_client.give_back(&client);
            return Err(refused);
        }
        Ok(CodeGuess {
            guesses: self,
            client,
            account,
        })
    }
}

impl CodeGuess<'_> {
    /// Uncounts the guess, because the code was right or none was compared.
    pub(crate) fn give_back(self) {
        self.guesses.of_client.give_back(&self.client);
        self.guesses.of_account.give_back(&self.account);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    #[test]
    fn guesses_at_an_account_are_counted_over_all_clients() {
        let guesses = CodeGuesses::new(&IdentityLimits::default());
        let (ann, bob) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
        for number in 0..10 {
            assert!(guesses.take(client(number), ann).is_ok());
        }
        assert!(guesses.take(client(11), ann).is_err());
        assert!(guesses.take(client(11), bob).is_ok());
    }

    #[test]
    fn guesses_of_a_client_are_counted_over_all_accounts_and_right_ones_are_not() {
        let guesses = CodeGuesses::new(&IdentityLimits::default());
        let account = |number| UserId(Uuid::from_u128(number));
        for number in 0..20 {
            guesses
                .take(client(1), account(number))
                .unwrap()
                .give_back();
        }
        for number in 0..10 {
            assert!(guesses.take(client(1), account(number)).is_ok());
        }
        assert!(guesses.take(client(1), account(30)).is_err());
        assert!(guesses.take(client(2), account(30)).is_ok());
    }
}
