//! The ports of sign-in by OpenID Connect, and what crosses them.

use std::fmt;

use allclear_domain::account::User;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::membership::Role;
use allclear_domain::openid::ProviderId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::password::PasswordHash;
use crate::secret::Digest;
use crate::session::NewSession;

/// Secrets of one sign-in, which the provider returns or checks.
#[derive(Clone)]
pub struct SignInSecrets {
    /// Returned by the browser.
    pub state: String,
    /// Returned in the ID token.
    pub nonce: String,
    /// Verifier of the code challenge (RFC 7636).
    pub code_verifier: String,
}

impl fmt::Debug for SignInSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInSecrets(..)")
    }
}

/// Response of a provider's authorisation endpoint, as the browser delivers it.
#[derive(Clone, Default)]
pub struct AuthorizationResponse {
    /// The authorisation code.
    pub code: Option<String>,
    /// State of the request.
    pub state: Option<String>,
    /// Issuer of the response (RFC 9207).
    pub issuer: Option<String>,
    /// Code of an error.
    pub error: Option<String>,
}

impl fmt::Debug for AuthorizationResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationResponse")
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

/// A person, as a verified ID token and the provider's user information describe them.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderPerson {
    /// Identifier of the provider.
    pub issuer: String,
    /// Identifier of the person at the provider.
    pub subject: String,
    /// Mail address that the provider has verified; `None` if there is none.
    pub verified_email: Option<String>,
    /// Names, the best one first.
    pub names: Vec<String>,
    /// Values of the claim that gives roles.
    pub roles: Vec<String>,
    /// How the provider authenticated the person: the ID token's `amr` and `acr`.
    pub methods: Vec<String>,
    /// When the provider authenticated the person; `None` if the provider does not say.
    pub authenticated_at: Option<DateTime<Utc>>,
    /// The ID token, which the provider requires at sign-out.
    pub id_token: String,
}

impl fmt::Debug for ProviderPerson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderPerson")
            .field("issuer", &self.issuer)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// Why a provider did not sign a person in. The reason is for the log; it holds no secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The provider is unavailable or does not respond as it should.
    #[error("{0}")]
    Unavailable(String),
    /// The response or the ID token is not valid.
    #[error("{0}")]
    Invalid(String),
}

/// Text of a browser or a provider for the log: its printable ASCII characters, at most as many as
/// given.
#[must_use]
pub fn bounded(text: &str, max_length: usize) -> String {
    let is_printable = |character: &char| character.is_ascii_graphic() || *character == ' ';
    text.chars().filter(is_printable).take(max_length).collect()
}

/// Whether a person must authenticate at the provider although the provider knows the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// The provider decides.
    IfNeeded,
    /// Always (OpenID Connect Core 1.0, section 3.1.2.1: `prompt=login`, `max_age=0`).
    Always {
        /// Mail address of the person, which the provider may fill in.
        login_hint: String,
    },
}

/// A client of one provider. An adapter MUST bound the time and the size of every response.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait ProviderClient: Send + Sync {
    /// Identifier of the provider, exactly as its tokens name it.
    fn issuer(&self) -> String;

    /// Returns the address at which a person signs in.
    async fn authorization_url(
        &self,
        secrets: &SignInSecrets,
        prompt: &Prompt,
    ) -> Result<String, ProviderError>;

    /// Returns whether the provider says that its responses name the issuer (RFC 9207).
    async fn names_issuer(&self) -> Result<bool, ProviderError>;

    /// Exchanges a code, and verifies the ID token: signature, issuer, audience, expiry and nonce.
    async fn redeem(
        &self,
        code: String,
        secrets: &SignInSecrets,
    ) -> Result<ProviderPerson, ProviderError>;

    /// Returns the address that signs a person out of the provider. `None` if the provider offers
    /// none or is unavailable.
    async fn sign_out_url(&self, id_token: &str) -> Option<String>;
}

/// The membership that a provider gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvidedMembership {
    /// The organisation.
    pub organisation: OrganisationId,
    /// Role of the person; `None` if the provider gives none. Then a member keeps the present role,
    /// and a new member gets the lowest.
    pub role: Option<Role>,
}

/// The provider that opened a session, for sign-out.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderSession {
    /// The provider.
    pub provider: ProviderId,
    /// The ID token of the sign-in.
    pub id_token: String,
    /// Whether the provider has checked a second factor.
    pub second_factor: bool,
}

impl fmt::Debug for ProviderSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSession")
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

/// A person whose provider has proven who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSignIn {
    /// Identifier of the provider.
    pub issuer: String,
    /// Identifier of the person at the provider.
    pub subject: String,
    /// The account to make if the person and the address have none. The store decides whether it is
    /// an administrator.
    pub user: User,
    /// Password of that account; `None` if the address had an account.
    pub password: Option<PasswordHash>,
    /// The session to open.
    pub session: NewSession,
    /// The session to end.
    pub before: Option<SessionId>,
    /// Origin of the session.
    pub origin: ProviderSession,
    /// The membership that the provider gives.
    pub membership: Option<ProvidedMembership>,
}

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSignedIn {
    /// The account.
    pub user: User,
    /// Hash of its password.
    pub password: PasswordHash,
    /// Where it comes from.
    pub account: AccountOrigin,
    /// Result for the membership.
    pub membership: MembershipOutcome,
}

/// Where the account of a provider's person comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountOrigin {
    /// The account was linked before.
    Existing,
    /// The account of the same proven address was linked.
    Linked,
    /// A new account was created.
    Created,
}

/// Result for the membership that a provider gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipOutcome {
    /// The provider gives none, or the person had it already.
    Unchanged,
    /// The account became a member or has another role.
    Changed(Role),
    /// The account is the organisation's last admin, so its role stays.
    LastAdmin,
    /// The organisation does not exist.
    NoOrganisation,
}

/// Result of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderSignInOutcome {
    /// The person is signed in.
    SignedIn(ProviderSignedIn),
    /// The account of the address is linked to another person of the same provider, so the address
    /// has a new owner.
    AnotherPerson,
    /// The account of the address was deleted since it was looked up, so there is no password for a
    /// new one.
    AccountGone,
}

/// An authentication at a provider within a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reauthentication {
    /// The session.
    pub session: SessionId,
    /// Identifier of the provider.
    pub issuer: String,
    /// Identifier of the person at the provider.
    pub subject: String,
    /// Proven address of the person.
    pub email: String,
    /// When the provider authenticated the person.
    pub at: DateTime<Utc>,
    /// Whether the provider has checked a second factor.
    pub second_factor: bool,
    /// Digest of the token that the session has from now on.
    pub digest: Digest,
}

/// Result of an authentication at a provider within a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReauthenticationOutcome {
    /// The session's person has authenticated.
    Done {
        /// The account.
        user: User,
        /// Whether the account was linked to the person for the first time.
        linked: bool,
    },
    /// The person has another account, or none.
    AnotherAccount,
    /// The session has ended.
    Ended,
}

/// The ways in which the person of an account can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSignInMethods {
    /// Whether the account has a password that its person may know.
    pub password: bool,
    /// Issuers of the providers that are linked to the account.
    pub issuers: Vec<String>,
}

/// Storage of sign-ins by OpenID Connect.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait OpenIdStore: Send + Sync {
    /// Marks the state of a sign-in as used until it expires. Returns false if it was used before:
    /// of several concurrent requests on any node, one succeeds. Removes expired marks.
    async fn use_state(
        &self,
        digest: &Digest,
        expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, Error>;

    /// Finds, links or makes the account of a person, gives the membership and opens the
    /// session, in one transaction. Of concurrent first sign-ins of a person, one makes the
    /// account and the others get it. An adapter MUST keep one account per address and an admin
    /// in every organisation.
    async fn sign_in(&self, sign_in: ProviderSignIn) -> Result<ProviderSignInOutcome, Error>;

    /// Stores an authentication within a session, in one transaction. An adapter MUST refuse a
    /// person who has another account. The account of a person is the linked one; if there is none,
    /// it is the account of the same address, which becomes linked.
    async fn reauthenticate(
        &self,
        reauthentication: Reauthentication,
        now: DateTime<Utc>,
    ) -> Result<ReauthenticationOutcome, Error>;

    /// Returns the account that is linked to a person of a provider. `None` if there is none.
    async fn linked(&self, issuer: &str, subject: &str) -> Result<Option<UserId>, Error>;

    /// Returns the ways in which the person of an account can sign in.
    async fn sign_in_methods(&self, user: UserId) -> Result<StoredSignInMethods, Error>;

    /// Returns the origin of an account's session; `None` if it was not opened by a provider.
    async fn session_origin(
        &self,
        session: SessionId,
        user: UserId,
    ) -> Result<Option<ProviderSession>, Error>;
}
