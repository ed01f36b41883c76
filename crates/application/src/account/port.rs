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

/// An account with its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The account.
    pub user: User,
    /// Its password's hash.
    pub password: PasswordHash,
}

/// Accounts that may be meant by an address at sign-in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidates {
    /// Account that has the address.
    pub owner: Option<Credentials>,
    /// Accounts that had the address too, oldest first, and need another one. Their hashes have one salt.
    pub without_address: Vec<Credentials>,
    /// Whether any account of the installation needs an address.
    pub any_without_address: bool,
}

/// What lets a new account in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// The link of a confirmation mail.
    Proven,
    /// It has to be the installation's first.
    First,
    /// The invitation with this digest, which is used up and gives the membership it promises.
    Invitation(Digest),
}

/// An account to be made, signed in at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// The account. Whether it is an administrator is for the store to say.
    pub user: User,
    /// Its password's hash.
    pub password: PasswordHash,
    /// What lets it in.
    pub admission: Admission,
    /// Its first session.
    pub session: NewSession,
}

/// Result of creating an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creation {
    /// It was made; the very first is an administrator.
    Made(User),
    /// The address has an account already.
    Taken,
    /// It was not the first.
    NotFirst,
}

/// Result of deleting an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deletion {
    /// The account is gone, with its sessions, memberships and invitations.
    Deleted,
    /// It is the last admin of the organisation with this name, which has other members.
    LastAdmin(String),
    /// It administers the installation, which has other accounts.
    Administrator,
    /// There is no such account.
    Gone,
}

/// An account to be made by the link of a mail. The link makes exactly this account: the name and the password that were
/// typed when it was asked for. A later sign-up with the same address is another one and changes nothing of it.
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
    /// Invitation that was presented for another address; used up with the link.
    pub invitation: Option<Digest>,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When the link ends.
    pub expires_at: DateTime<Utc>,
}

/// A new address of an account that needs one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingAddress {
    /// Digest of the token in the link.
    pub digest: Digest,
    /// Whose address.
    pub user: UserId,
    /// Address as it was entered.
    pub email: String,
    /// When the link ends.
    pub expires_at: DateTime<Utc>,
}

/// What a confirmation link is followed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// Digest of the token in the link.
    pub digest: Digest,
    /// Identifier of the account to make.
    pub user: UserId,
    /// First session of the account.
    pub session: NewSession,
    /// Whether an invitation that was presented must still count; otherwise the account is made without what it promises.
    pub needs_invitation: bool,
    /// Time of the request.
    pub now: DateTime<Utc>,
}

/// Result of following a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmed {
    /// The account is made, or has the address.
    Done(User),
    /// The address got an account in the meantime.
    Taken,
    /// The token is wrong, used or expired.
    Unknown,
}

/// A pending reset, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reset {
    /// The digest of the link's token.
    pub digest: Digest,
    /// The account.
    pub user: UserId,
    /// When the link ends.
    pub expires_at: DateTime<Utc>,
}

/// Result of storing a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordStored {
    /// It is the account's from now on.
    Stored,
    /// There is no such account any more, or the reset was used already.
    Gone,
}

/// Storage of accounts, with their pending sign-ups, addresses and password resets.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Whether there is any account.
    async fn any(&self) -> Result<bool, Error>;

    /// An account.
    async fn find(&self, id: UserId) -> Result<Option<Credentials>, Error>;

    /// The account that has an address.
    async fn owner(&self, address: &EmailKey) -> Result<Option<Credentials>, Error>;

    /// The accounts that may be meant by an address at sign-in.
    async fn candidates(&self, address: &EmailKey) -> Result<Candidates, Error>;

    /// Stores an account, its session and the membership of its invitation, in one transaction. Among concurrent requests, an
    /// adapter MUST create exactly one first account, and one account per address. [`Error::BadCode`] if the invitation was used
    /// or has expired.
    async fn create(&self, account: NewAccount) -> Result<Creation, Error>;

    /// Gives an account another name. `None` if it does not exist.
    async fn rename(&self, id: UserId, name: String) -> Result<Option<User>, Error>;

    /// Replaces the hash of an account's password by a stronger one of the same password, if the account still has the
    /// hash `outdated`. Its sessions stay.
    async fn upgrade_password(
        &self,
        id: UserId,
        outdated: PasswordHash,
        stronger: PasswordHash,
    ) -> Result<(), Error>;

    /// Deletes an account, the organisations without other members, and its name on the updates it recorded.
    /// Nothing is deleted if the result is not [`Deletion::Deleted`].
    async fn delete(&self, id: UserId) -> Result<Deletion, Error>;

    /// Removes sessions, resets, invitations, sign-ups and new addresses that have expired.
    async fn prune(&self, now: DateTime<Utc>) -> Result<(), Error>;

    /// Stores a sign-up. An adapter MUST keep only the newest: at most
    /// [`PENDING_OF_ADDRESS`](super::Accounts::PENDING_OF_ADDRESS) per address and [`PENDING`](super::Accounts::PENDING) in all.
    async fn add_sign_up(&self, pending: PendingSignUp) -> Result<(), Error>;

    /// Makes the account of a pending sign-up and its session, uses its invitation up, and removes the other pending
    /// sign-ups of the address, in one transaction. Of several requests with one token at once, one succeeds.
    /// [`Error::BadCode`] if the invitation is needed and no longer counts.
    async fn confirm_sign_up(&self, confirmation: Confirmation) -> Result<Confirmed, Error>;

    /// Stores the new address of an account, in place of an earlier one of the same account.
    async fn add_address(&self, pending: PendingAddress) -> Result<(), Error>;

    /// Gives an account the address that the link was mailed to.
    async fn confirm_address(
        &self,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Result<Confirmed, Error>;

    /// Stores a password, and ends the account's sessions and pending resets but for the session `spared`.
    async fn set_password(
        &self,
        id: UserId,
        password: PasswordHash,
        spared: Option<SessionId>,
    ) -> Result<PasswordStored, Error>;

    /// Stores a pending reset.
    async fn add_reset(&self, reset: Reset) -> Result<(), Error>;

    /// The account of a pending reset; `None` if it does not exist or has expired.
    async fn find_reset(
        &self,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Result<Option<Credentials>, Error>;

    /// Uses a pending reset up: stores the password and ends the account's sessions and other pending resets. A reset is
    /// used once, however many come at once.
    async fn use_reset(
        &self,
        digest: &Digest,
        password: PasswordHash,
        now: DateTime<Utc>,
    ) -> Result<PasswordStored, Error>;
}
