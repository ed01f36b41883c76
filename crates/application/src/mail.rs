//! Mail to people: the mailer port.

use async_trait::async_trait;

use crate::error::Error;

/// A message to one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The address it goes to.
    pub to: String,
    /// What it says. The adapter has a template for each.
    pub content: MailContent,
}

/// What a message says. Links are whole URLs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailContent {
    /// Somebody is invited, to an organisation or, without one, to sign up.
    Invitation {
        /// The organisation's name.
        organisation: Option<String>,
        /// Who invites, where it is a person.
        inviter: Option<String>,
        /// Where to accept.
        link: String,
    },
    /// Somebody asked to reset a password. An address may have several accounts.
    PasswordReset {
        /// One for each account.
        accounts: Vec<ResetLink>,
    },
    /// Somebody signed up with an address that has an account already.
    KnownAddress {
        /// Where to sign in.
        link: String,
    },
    /// Somebody subscribed the address to an organisation's updates.
    Verification {
        /// The organisation's name.
        organisation: String,
        /// Where to confirm it.
        link: String,
        /// Where to end it.
        unsubscribe: String,
    },
}

/// How to reset the password of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetLink {
    /// The account's name and its organisations', to tell accounts of one address apart.
    pub account: String,
    /// Where to choose a new password.
    pub link: String,
}

/// Sends mail.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Hands a message over.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it may work later, [`Error::Internal`] when it cannot.
    async fn send(&self, mail: Mail) -> Result<(), Error>;
}
