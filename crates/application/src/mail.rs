//! Mail to people: the mailer port.

use std::sync::Arc;
use std::time::Duration;

use allclear_domain::id::OrganisationId;
use allclear_domain::time_zone::TimeZone;
use async_trait::async_trait;

use crate::error::Error;
use crate::notice::Notice;
use crate::operator_mail::{FailureDigest, Reminder};
use crate::security_mail::SecurityNotice;

/// A message to one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The address it goes to.
    pub to: String,
    /// Content of the message. The adapter has a template for each kind.
    pub content: MailContent,
    /// Headers for mail programs.
    pub headers: MailHeaders,
}

impl Mail {
    /// A message without a thread or a list.
    #[must_use]
    pub fn new(to: String, content: MailContent) -> Self {
        Self {
            to,
            content,
            headers: MailHeaders::default(),
        }
    }
}

/// Headers of a message for mail programs and servers. An identifier is the part before the `@`:
/// ASCII letters, digits, `-`, `_` and `.`; the adapter adds the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailHeaders {
    /// Message-ID, the same for each attempt of a message, so that the receiver may drop a second
    /// copy. The adapter makes one if absent.
    pub message_id: Option<String>,
    /// Message-ID of the first message of its thread, possibly its own. `None` if it belongs to
    /// no thread.
    pub thread: Option<String>,
    /// The list whose subscribers it goes to; `None` for a mail to one person.
    pub list: Option<MailList>,
}

/// The list of an organisation's subscribers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailList {
    /// Identifier of the organisation.
    pub id: OrganisationId,
    /// The organisation's name.
    pub name: String,
    /// URL at which a mail program unsubscribes the recipient with one POST (RFC 8058):
    /// [`crate::link::Links::one_click`].
    pub unsubscribe: String,
}

/// Content of a message. Links are absolute URLs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailContent {
    /// An invitation to an organisation or, without one, to sign up.
    Invitation {
        /// The organisation's name.
        organisation: Option<String>,
        /// Name of the inviting person; `None` if the installation invites.
        inviter: Option<String>,
        /// Link that accepts the invitation.
        link: String,
    },
    /// A sign-up with an address that has no account.
    Confirmation {
        /// Link that creates the account.
        link: String,
    },
    /// The new address of an account that needs one.
    NewAddress {
        /// Link of the confirmation.
        link: String,
    },
    /// A request to reset the password of the account with this address.
    PasswordReset {
        /// URL at which a new password is chosen.
        link: String,
    },
    /// A sign-up with an address that has an account, or a new address that another account has.
    KnownAddress {
        /// URL of the sign-in page.
        sign_in: String,
        /// URL at which a password reset is requested.
        reset: String,
    },
    /// The security of the account with this address changed.
    SecurityNotice(SecurityNotice),
    /// The account of this address was linked to an identity provider.
    ProviderLinked {
        /// Name of the provider.
        provider: String,
        /// URL of the sign-in page.
        sign_in: String,
    },
    /// The address was subscribed to an organisation.
    Verification {
        /// The organisation's name.
        organisation: String,
        /// Link of the confirmation.
        link: String,
        /// Link of the page that changes the subscription.
        manage: String,
        /// Link that ends the subscription.
        unsubscribe: String,
    },
    /// The address was subscribed to an organisation again. Its subscription stays as it is.
    SubscribedAlready {
        /// The organisation's name.
        organisation: String,
        /// The public status page: [`crate::link::Links::page`].
        page: String,
        /// The page that changes the subscription: [`crate::link::Links::manage`].
        manage: String,
        /// The page that ends the subscription: [`crate::link::Links::unsubscribe`].
        unsubscribe: String,
    },
    /// An incident or a maintenance changed.
    Notice {
        /// The organisation's name.
        organisation: String,
        /// The change, as it is mailed to every subscriber.
        notice: Arc<Notice>,
        /// The time zone of the organisation's pages.
        time_zone: TimeZone,
        /// The public status page: [`crate::link::Links::page`].
        page: String,
        /// The page that changes the subscription: [`crate::link::Links::manage`].
        manage: String,
        /// The page that ends the subscription: [`crate::link::Links::unsubscribe`].
        unsubscribe: String,
    },
    /// An open incident has had no update for some time.
    Reminder {
        /// The organisation's name.
        organisation: String,
        /// The time zone of the organisation's pages.
        time_zone: TimeZone,
        /// The incident and the time since its last update.
        reminder: Reminder,
        /// The screen that edits the incident: [`crate::link::Links::incident`].
        incident: String,
        /// The screen that switches reminders off: [`crate::link::Links::settings`].
        settings: String,
    },
    /// Messages to subscribers could not be delivered.
    Digest {
        /// The organisation's name.
        organisation: String,
        /// The time zone of the organisation's pages.
        time_zone: TimeZone,
        /// Subscriptions whose messages were given up.
        digest: FailureDigest,
        /// The screen with all subscribers: [`crate::link::Links::subscribers`].
        subscribers: String,
    },
    /// The operator of the installation tests the mail server.
    InstallationTest {
        /// The public URL of the installation.
        url: String,
    },
    /// An operator tests whether mail to a subscriber arrives.
    Test {
        /// The organisation's name.
        organisation: String,
        /// The public status page: [`crate::link::Links::page`].
        page: String,
        /// The page that changes the subscription: [`crate::link::Links::manage`].
        manage: String,
    },
}

/// Why a message was not sent. The reason is one line for an operator, without passwords.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// A retry may work: the mail server is unavailable, busy or refuses the connection.
    #[error("{reason}")]
    Temporary {
        /// Reason of the failure.
        reason: String,
    },
    /// The mail server received the message and did not confirm it. It may have been delivered, so
    /// each retry may be a further copy.
    #[error("{reason}")]
    Unconfirmed {
        /// Reason of the failure.
        reason: String,
    },
    /// A retry cannot work: the mailbox does not exist, or the receiver rejects this message.
    #[error("{reason}")]
    Permanent {
        /// Reply of the receiver.
        reason: String,
    },
}

impl From<SendError> for Error {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Temporary { .. } | SendError::Unconfirmed { .. } => {
                Self::Unavailable(Box::new(error))
            }
            SendError::Permanent { reason } => {
                Self::Conflict(format!("The mail could not be sent: {reason}"))
            }
        }
    }
}

/// A mail as its reader sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailPreview {
    /// One line.
    pub subject: String,
    /// Body as plain text.
    pub text: String,
    /// Body as HTML.
    pub html: String,
}

/// Time in which a [`Mailer`] has to send a mail.
pub const MAIL_TIMEOUT: Duration = Duration::from_mins(13);
/// Timeout of a mail that a person waits for.
pub const PROMPT_MAIL_TIMEOUT: Duration = Duration::from_secs(150);

/// Sends mail.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends a message. When this returns, an adapter MUST have passed it to the mail server or to
    /// the disk. It MUST return within [`MAIL_TIMEOUT`].
    ///
    /// # Errors
    /// [`SendError`] says whether to try again.
    async fn send(&self, mail: Mail) -> Result<(), SendError>;

    /// Returns what [`Self::send`] would send with this content.
    ///
    /// # Errors
    /// [`Error::Internal`] if the content cannot be rendered.
    fn preview(&self, content: &MailContent) -> Result<MailPreview, Error>;
}
