//! Errors of use cases. `transport` maps each to one status in one table.

use std::error::Error as StdError;

use allclear_domain::validation::Invalid;
use strum::Display;

use crate::mail::SendError;
use crate::mail_budget::MailScope;

/// What a caller asks for. The text is its name for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Resource {
    /// An account.
    Account,
    /// An API key.
    #[strum(to_string = "API key")]
    ApiKey,
    /// The authenticator app of an account.
    #[strum(to_string = "Authenticator app")]
    AuthenticatorApp,
    /// A component.
    Component,
    /// A group of components.
    #[strum(to_string = "Component group")]
    ComponentGroup,
    /// The domain of an organisation.
    Domain,
    /// An identity provider.
    #[strum(to_string = "Identity provider")]
    IdentityProvider,
    /// An incident.
    Incident,
    /// An update of an incident.
    #[strum(to_string = "Incident update")]
    IncidentUpdate,
    /// An invitation.
    Invitation,
    /// A maintenance.
    Maintenance,
    /// An update of a maintenance.
    #[strum(to_string = "Maintenance update")]
    MaintenanceUpdate,
    /// A member of an organisation.
    Member,
    /// An organisation.
    Organisation,
    /// A public page.
    Page,
    /// A passkey.
    Passkey,
    /// A period of a component's history.
    Period,
    /// The review of an incident.
    Review,
    /// A session.
    Session,
    /// A subscriber.
    Subscriber,
    /// An entry of the waitlist.
    #[strum(to_string = "Waitlist entry")]
    WaitlistEntry,
}

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing in the caller's organisation.
    #[error("{0} not found")]
    NotFound(Resource),
    /// The input breaks rules of its fields.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A rule refuses the change in the present state. Holds the sentence to show.
    #[error("{0}")]
    Conflict(String),
    /// The thing is no longer at the version the change was made for.
    #[error("changed by somebody else in the meantime")]
    Stale,
    /// A code or token from a link is wrong or expired. Holds the sentence to show.
    #[error("{0}")]
    BadCode(&'static str),
    /// The caller is not signed in. Holds the sentence to show.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// The caller may not do this. Holds the sentence to show.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The caller has to authenticate again before this.
    #[error("Please enter your password again")]
    ReauthenticationRequired,
    /// A second factor is needed, and none was used in the caller's session.
    #[error("This needs a second factor. Confirm yours, or add one to your account first")]
    SecondFactorRequired,
    /// A limit for a period of time is reached.
    #[error("{message}")]
    TooMany {
        /// Sentence to show; it names the setting.
        message: String,
        /// Seconds until the next attempt may pass.
        retry_after: u64,
    },
    /// A daily limit of mails is reached.
    #[error("{}", scope.refusal_text())]
    MailLimitReached {
        /// What the limit counts.
        scope: MailScope,
        /// Seconds until the end of the UTC day.
        retry_after: u64,
    },
    /// An invitation is stored, but its mail was not sent.
    #[error("The invitation is stored, but its mail could not be sent: {0}")]
    InvitationNotMailed(SendError),
    /// Something needed, such as the database, is unavailable for now; a retry may work.
    #[error("temporarily unavailable")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
    /// A fault of the server. It is logged and not shown to the caller.
    #[error("internal error")]
    Internal(#[source] Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// A fault of the server, from its cause.
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }
}
