//! Mail to people: the mailer port.

use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use async_trait::async_trait;

use crate::error::Error;
use crate::notice::Notice;

/// A message to one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The address it goes to.
    pub to: String,
    /// What it says. The adapter has a template for each.
    pub content: MailContent,
    /// What programs read of it.
    pub headers: MailHeaders,
}

impl Mail {
    /// A message that stands for itself: of no thread and to no list.
    #[must_use]
    pub fn new(to: String, content: MailContent) -> Self {
        Self {
            to,
            content,
            headers: MailHeaders::default(),
        }
    }
}

/// What mail programs and servers read of a message. Identifiers are what stands before the `@`: ASCII letters, digits,
/// `-`, `_` and `.`; the adapter knows what comes after it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailHeaders {
    /// Its Message-ID. The same one for each try of the same message, so that the receiving side may drop a
    /// second copy. A fresh one when absent.
    pub message_id: Option<String>,
    /// The Message-ID of the first message of its thread, which may be this one's. Of no thread when absent.
    pub thread: Option<String>,
    /// The list whose subscribers it goes to; `None` for a mail to one person.
    pub list: Option<MailList>,
}

/// The list of an organisation's subscribers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailList {
    /// Whose it is.
    pub id: OrganisationId,
    /// The organisation's name.
    pub name: String,
    /// Where a mail program unsubscribes this person with one POST (RFC 8058): [`crate::link::Links::one_click`].
    pub unsubscribe: String,
}

/// What a message says. Links are whole URLs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailContent {
    /// An invitation to an organisation or, without one, to sign up.
    Invitation {
        /// The organisation's name.
        organisation: Option<String>,
        /// The person who invites, if it is one.
        inviter: Option<String>,
        /// Where to accept.
        link: String,
    },
    /// A sign-up with an address that has no account.
    Confirmation {
        /// Where to make the account.
        link: String,
    },
    /// The new address of an account that needs one.
    NewAddress {
        /// Where to confirm it.
        link: String,
    },
    /// A request to reset the password of the account with this address.
    PasswordReset {
        /// Where to choose a new password.
        link: String,
    },
    /// A sign-up with an address that has an account, or a new address that another account has.
    KnownAddress {
        /// Where to sign in.
        sign_in: String,
        /// Where to ask for a new password.
        reset: String,
    },
    /// The address was subscribed to an organisation.
    Verification {
        /// The organisation's name.
        organisation: String,
        /// Where to confirm it.
        link: String,
        /// Where to end it.
        unsubscribe: String,
    },
    /// An incident or a maintenance changed.
    Notice {
        /// The organisation's name.
        organisation: String,
        /// The change.
        notice: Arc<Notice>,
        /// The public status page: [`crate::link::Links::status_page`].
        page: String,
        /// The page that ends the subscription: [`crate::link::Links::unsubscribe`].
        unsubscribe: String,
    },
}

/// Why a message was not handed over. The reason is one line fit to show an operator, and holds no password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It may work later: the mail server is away, is busy or does not let us in.
    #[error("{reason}")]
    Temporary {
        /// What stands in the way.
        reason: String,
    },
    /// It will not work however often it is tried: there is no such mailbox, or it does not take this message.
    #[error("{reason}")]
    Permanent {
        /// What the receiving side said.
        reason: String,
    },
}

impl From<SendError> for Error {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Temporary { .. } => Self::Unavailable(Box::new(error)),
            SendError::Permanent { reason } => {
                Self::Conflict(format!("The mail could not be sent: {reason}"))
            }
        }
    }
}

/// Sends mail.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends a message. When this returns, an adapter MUST have passed it to the mail server or to the disk.
    ///
    /// # Errors
    /// [`SendError`] says whether to try again. A failed try may have been delivered all the same, if the connection
    /// broke.
    async fn send(&self, mail: Mail) -> Result<(), SendError>;
}
