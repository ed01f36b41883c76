//! The storage port of accounts, and what it stores.

use allclear_domain::account::User;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{SessionId, UserId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::password::PasswordHash;
use crate::secret::Digest;
use crate::session::NewSession;

/// An account with the hash of its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The account.
    pub user: User,
    /// Hash of the password.
    pub password: PasswordHash,
}

/// Accounts to which an address may belong at sign-in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidates {
    /// Account that has the address.
    pub owner: Option<Credentials>,
    /// Accounts that shared the address and need another one, oldest first. Their hashes have
    /// one salt.
    pub without_address: Vec<Credentials>,
    /// Whether any account of the installation needs an address.
    pub any_without_address: bool,
}

/// Permission to create an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// The address is proven by the link of a confirmation mail.
    Proven,
    /// The account must be the installation's first.
    First,
    /// The invitation with this digest, which is removed and gives its membership.
    Invitation(Digest),
}

/// An account to create, with its first session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// The account. The store decides whether it is an administrator.
    pub user: User,
    /// Hash of the password.
    pub password: PasswordHash,
    /// What permits the account.
    pub admission: Admission,
    /// Its first session.
    pub session: NewSession,
}

/// Result of creating an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreationOutcome {
    /// The account was created; the first one is an administrator.
    Created(User),
    /// The address has an account.
    Taken,
    /// Another account is the installation's first.
    NotFirst,
}

/// Result of deleting an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletionOutcome {
    /// The account is gone, with its sessions, memberships and invitations.
    Deleted,
    /// It is the last admin of the organisation with this name, which has other members.
    LastAdmin(String),
    /// The account administers the installation, which has other accounts.
    Administrator,
    /// The account does not have the verified password any more.
    PasswordChanged,
    /// The account does not exist.
    Gone,
}

/// A sign-up that waits for its link. The link creates exactly this account, with the name and
/// password of this sign-up. A later sign-up with the same address does not change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSignUp {
    /// Digest of the token in the link.
    pub digest: Digest,
    /// Name of the account.
    pub name: String,
    /// Address as it was entered.
    pub email: String,
    /// Hash of the password.
    pub password: PasswordHash,
    /// Invitation that was used with another address; removed when the link is used.
    pub invitation: Option<Digest>,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
    /// Expiry of the link.
    pub expires_at: DateTime<Utc>,
}

/// A new address of an account, which waits for its link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingAddress {
    /// Digest of the token in the link.
    pub digest: Digest,
    /// Identifier of the account.
    pub user: UserId,
    /// Address as it was entered.
    pub email: String,
    /// Expiry of the link.
    pub expires_at: DateTime<Utc>,
}

/// Use of a confirmation link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// Digest of the token in the link.
    pub digest: Digest,
    /// Identifier of the account to make.
    pub user: UserId,
    /// First session of the account.
    pub session: NewSession,
    /// Whether the sign-up's invitation must still be valid; otherwise the account is created
    /// without its membership.
    pub needs_invitation: bool,
    /// Time of the request.
    pub now: DateTime<Utc>,
}

/// Result of using a confirmation link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfirmationOutcome {
    /// The account was created, or has the address.
    Confirmed(Credentials),
    /// The address has got another account meanwhile.
    Taken,
    /// The token is wrong, used or expired.
    Unknown,
}

/// A pending password reset, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reset {
    /// The digest of the link's token.
    pub digest: Digest,
    /// The account.
    pub user: UserId,
    /// The address to which the link is mailed.
    pub address: EmailKey,
    /// Expiry of the link.
    pub expires_at: DateTime<Utc>,
}

/// A change of a password by a person who knows the present one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordChange {
    /// The account.
    pub user: UserId,
    /// Hash of the present password, which was verified.
    pub verified: PasswordHash,
    /// Hash of the new password.
    pub new: PasswordHash,
    /// The current session, which does not end.
    pub current_session: SessionId,
}

/// Result of a password reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetOutcome {
    /// The password was stored.
    Stored,
    /// The reset does not exist, was used or has expired.
    Gone,
}

/// Storage of accounts, with their pending sign-ups, addresses and password resets.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Returns whether there is any account.
    async fn any(&self) -> Result<bool, Error>;

    /// An account.
    async fn find(&self, id: UserId) -> Result<Option<Credentials>, Error>;

    /// Returns the account with an address. `None` if there is none.
    async fn owner(&self, address: &EmailKey) -> Result<Option<Credentials>, Error>;

    /// Returns the accounts to which an address may belong at sign-in.
    async fn candidates(&self, address: &EmailKey) -> Result<Candidates, Error>;

    /// Stores an account, its session and the membership of its invitation, in one transaction.
    /// Among concurrent requests, an adapter MUST create exactly one first account, and one account
    /// per address. [`Error::BadCode`] if the invitation was used or has expired.
    async fn create(&self, account: NewAccount) -> Result<CreationOutcome, Error>;

    /// Renames an account, for one of its sessions.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn rename(&self, id: UserId, name: String, session: SessionId) -> Result<User, Error>;

    /// Replaces the hash of a password by a stronger one, if the account still has the hash
    /// `outdated`, and returns whether it had. Its sessions stay.
    async fn upgrade_password(
        &self,
        id: UserId,
        outdated: PasswordHash,
        stronger: PasswordHash,
    ) -> Result<bool, Error>;

    /// Records a refused sign-in of an account in the audit logs of its organisations.
    async fn record_refused_sign_in(&self, id: UserId) -> Result<(), Error>;

    /// Deletes an account, the organisations without other members, and its name on the updates it
    /// recorded, for one of its sessions. If the person has entered the password, the account must
    /// still have its `verified` hash. Nothing is deleted if the result is not
    /// [`DeletionOutcome::Deleted`]. [`Error::Conflict`] if such an organisation received another
    /// member during the deletion, which then ends.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED) if the session has ended before the
    /// deletion begins. The deletion takes several transactions, so the caller MUST await its end.
    async fn delete(
        &self,
        id: UserId,
        verified: Option<PasswordHash>,
        session: SessionId,
    ) -> Result<DeletionOutcome, Error>;

    /// Removes expired sessions, resets, invitations, sign-ups and new addresses.
    async fn prune(&self, now: DateTime<Utc>) -> Result<(), Error>;

    /// Stores a sign-up, and keeps the newest
    /// [`PENDING_OF_ADDRESS`](super::Accounts::PENDING_OF_ADDRESS) of its address. Returns `false`,
    /// and stores nothing, if [`PENDING`](super::Accounts::PENDING) are stored in all. An adapter
    /// MUST NOT remove the sign-up of another address for a new one: strangers may enter invented
    /// addresses, and could remove those of others.
    async fn add_sign_up(&self, pending: PendingSignUp) -> Result<bool, Error>;

    /// Creates the account of a pending sign-up and its session, gives the membership of its
    /// invitation, and removes the other pending sign-ups of the address, in one transaction. Of
    /// several concurrent requests with one token, one succeeds. [`Error::BadCode`] if the
    /// invitation is needed and no longer valid.
    async fn confirm_sign_up(
        &self,
        confirmation: Confirmation,
    ) -> Result<ConfirmationOutcome, Error>;

    /// Stores the new address of an account, which replaces an earlier one.
    async fn add_address(&self, pending: PendingAddress) -> Result<(), Error>;

    /// Gives an account the address that its link was mailed to, for one of its sessions, and ends
    /// the account's other sessions and pending resets. The link of another account is
    /// [`ConfirmationOutcome::Unknown`]. [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn confirm_address(
        &self,
        digest: &Digest,
        user: UserId,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<ConfirmationOutcome, Error>;

    /// Stores a password, and ends the account's pending resets and new address, and its sessions
    /// except the current one. Returns whether the account still had the verified password.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn change_password(&self, change: PasswordChange) -> Result<bool, Error>;

    /// Stores a pending reset, unless the account has another address than the one to which the
    /// link is mailed. Returns whether it is stored. An adapter MUST make changes of the address
    /// wait meanwhile: the end of the resets of a former address must include this one.
    async fn add_reset(&self, reset: Reset) -> Result<bool, Error>;

    /// Returns the account of a pending reset; `None` if the reset does not exist or has expired.
    async fn find_reset(
        &self,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Result<Option<Credentials>, Error>;

    /// Stores the password of a pending reset, and ends the account's sessions, all its resets and
    /// its pending new address. Of several concurrent requests with one token, one succeeds.
    async fn use_reset(
        &self,
        digest: &Digest,
        password: PasswordHash,
        now: DateTime<Utc>,
    ) -> Result<ResetOutcome, Error>;
}
