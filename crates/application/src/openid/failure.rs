//! Why a provider did not sign a person in.

use allclear_domain::openid::{ProviderId, ReturnPath};

use super::ProviderError;
use crate::error::Error;

/// Why a person was not signed in.
#[derive(Debug)]
pub enum SignInFailure {
    /// No provider has this identifier.
    UnknownProvider,
    /// The sign-in is too old, was completed before, or began in another browser. Or its account
    /// was deleted meanwhile: the next sign-in makes a new one.
    Expired,
    /// The provider reported an error, or the person cancelled.
    Refused(String),
    /// The provider is unavailable.
    ProviderUnavailable(String),
    /// The provider's response is not valid.
    InvalidResponse(String),
    /// The provider has not verified the address, or gives none.
    EmailUnverified,
    /// The address has a domain that the configuration does not list.
    ForeignDomain,
    /// The provider gives the person no role.
    NoRole,
    /// The address belongs to an account of another person of the provider.
    AnotherPerson,
    /// The person has another account than the session in which they authenticate.
    AnotherAccount,
    /// The provider does not say when it authenticated the person, or did so before the request.
    NotAuthenticatedNow,
    /// The storage failed.
    Storage(Error),
}

impl SignInFailure {
    /// The reason, as the sign-in page knows it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownProvider => "unknown-provider",
            Self::Expired => "expired",
            Self::Refused(_) => "refused",
            Self::ProviderUnavailable(_) => "provider-unavailable",
            Self::InvalidResponse(_) => "invalid-response",
            Self::EmailUnverified => "email-unverified",
            Self::ForeignDomain => "foreign-domain",
            Self::NoRole => "no-role",
            Self::AnotherPerson => "another-person",
            Self::AnotherAccount => "another-account",
            Self::NotAuthenticatedNow => "not-authenticated-now",
            Self::Storage(_) => "failed",
        }
    }

    /// Details for the log, without secrets.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Refused(reason)
            | Self::ProviderUnavailable(reason)
            | Self::InvalidResponse(reason) => Some(reason),
            _ => None,
        }
    }
}

impl From<Error> for SignInFailure {
    fn from(error: Error) -> Self {
        Self::Storage(error)
    }
}

impl From<ProviderError> for SignInFailure {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Unavailable(reason) => Self::ProviderUnavailable(reason),
            ProviderError::Invalid(reason) => Self::InvalidResponse(reason),
        }
    }
}

/// A sign-in, or an authentication within a session, that failed.
#[derive(Debug)]
pub struct ProviderSignInFailed {
    /// The provider, if the sign-in belongs to one.
    pub provider: Option<ProviderId>,
    /// Page to which the person returns, if the sign-in is known.
    pub return_to: Option<ReturnPath>,
    /// Whether the person has a session and should have authenticated in it.
    pub in_session: bool,
    /// Reason of the refusal.
    pub failure: SignInFailure,
}
