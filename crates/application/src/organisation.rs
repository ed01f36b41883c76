//! Organisations: their settings, and the storage port with members and invitations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use allclear_domain::id::{InvitationId, OrganisationId, UserId};
use allclear_domain::membership::{Member, Membership, Role};
use allclear_domain::organisation::{Organisation, OrganisationPatch};
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::{Error, Resource};
use crate::invitation::Invitation;
use crate::membership::{MemberTransition, NewOrganisation};
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::relay::Relay;
use crate::secret::Digest;
use crate::security_log::{SecurityEvent, SecurityRecord};
use crate::session::AdminSession;
use crate::transition::{Committed, Transition};

/// Storage of organisations, their members and their invitations. An expired invitation does
/// not exist.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait OrganisationStore: Send + Sync {
    /// Returns an organisation. `None` if it does not exist.
    async fn find(&self, id: &OrganisationId) -> Result<Option<Organisation>, Error>;

    /// Stores an organisation and its first admin, in one transaction. [`Error::Conflict`] if the
    /// account may not create more.
    async fn create(&self, organisation: NewOrganisation) -> Result<(), Error>;

    /// Runs a rule on an organisation and stores the result. `None` if the organisation does
    /// not exist.
    async fn change(
        &self,
        id: &OrganisationId,
        rule: Transition<Organisation>,
    ) -> Result<Option<Committed<Organisation>>, Error>;

    /// Gives the organisation a name; without a commit if it has the name already. An adapter MUST
    /// check in the same transaction that the account `admin` is an admin. [`Error::NotFound`],
    /// [`Error::Forbidden`].
    async fn rename(
        &self,
        id: &OrganisationId,
        name: String,
        admin: UserId,
    ) -> Result<Committed<()>, Error>;

    /// Removes the organisation with everything that belongs to it. Returns whether it existed. An
    /// adapter MUST check under the organisation's lock, before it removes anything, that the
    /// account `admin` is an admin; `None` if no account asks for the deletion.
    /// [`Error::Forbidden`]. The deletion takes several transactions, so the caller MUST await its
    /// end.
    async fn delete(&self, id: &OrganisationId, admin: Option<UserId>) -> Result<bool, Error>;

    /// Returns the memberships of an account, newest first.
    async fn memberships_of(&self, user: UserId) -> Result<Vec<Membership>, Error>;

    /// Returns the membership of an account in an organisation. `None` if the account is
    /// not a member.
    async fn find_membership(
        &self,
        organisation: &OrganisationId,
        user: UserId,
    ) -> Result<Option<Membership>, Error>;

    /// Returns a page of the members of an organisation, by the time at which they joined, newest
    /// first. The page's `before` is the account of a member. [`Error::Invalid`] if that account is
    /// not a member: it is unknown when a removed member joined.
    async fn list_members(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Member>, Error>;

    /// Runs a rule on a member. Returns the member's role before the change; `None` if there is no
    /// such member. An adapter MUST serialise member changes per organisation; otherwise two admins
    /// leaving at once could leave none. It MUST also check in the same transaction that the
    /// session `admin` has not ended and that its account is an admin; `None` if the member makes
    /// the change. [`Error::Forbidden`], [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn change_member(
        &self,
        organisation: &OrganisationId,
        user: UserId,
        admin: Option<AdminSession>,
        rule: MemberTransition,
    ) -> Result<Option<Role>, Error>;

    /// Stores an invitation and the digest of its token. Replaces an earlier invitation of the same
    /// address to the same organisation. An adapter MUST check in the same transaction that the
    /// session `admin` of the inviter has not ended and that its account is an admin; `None` if
    /// there is no inviter. [`Error::NotFound`] if the organisation does not exist,
    /// [`Error::Forbidden`], [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn add_invitation(
        &self,
        invitation: Invitation,
        digest: Digest,
        admin: Option<AdminSession>,
    ) -> Result<(), Error>;

    /// Returns the invitation whose token has this digest. `None` if it does not exist.
    async fn find_invitation(
        &self,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, Error>;

    /// Returns a page of the pending invitations to an organisation, newest first.
    async fn list_invitations(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
        page: Page,
    ) -> Result<Listed<Invitation>, Error>;

    /// Removes an invitation to an organisation. Returns whether it existed. An adapter MUST check
    /// in the same transaction that the account `admin` is an admin. [`Error::Forbidden`].
    async fn delete_invitation(
        &self,
        organisation: &OrganisationId,
        id: InvitationId,
        admin: UserId,
    ) -> Result<bool, Error>;

    /// Gives the account the membership that an invitation promises, and removes the invitation.
    /// `None` if it does not exist; of several concurrent requests, one succeeds.
    async fn accept_invitation(
        &self,
        digest: &Digest,
        user: UserId,
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, Error>;
}

/// The use cases of an organisation's settings.
pub struct Organisations {
    store: Arc<dyn OrganisationStore>,
    relay: Arc<Relay>,
    names: NameSource,
}

/// Where the names of organisations are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameSource {
    /// Here.
    Settings,
    /// At the identity provider.
    Provider,
}

impl Organisations {
    /// The use cases over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn OrganisationStore>, relay: Arc<Relay>, names: NameSource) -> Self {
        Self {
            store,
            relay,
            names,
        }
    }

    /// Returns an organisation. [`Error::NotFound`] if it does not exist.
    pub async fn find(&self, id: &OrganisationId) -> Result<Organisation, Error> {
        self.store
            .find(id)
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }

    /// Changes the fields of the patch if the precondition holds. Another name is recorded
    /// in the security log. The caller MUST be an admin. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit(
        &self,
        id: &OrganisationId,
        patch: OrganisationPatch,
        precondition: Precondition,
    ) -> Result<Organisation, Error> {
        let names = self.names;
        let is_renamed = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&is_renamed);
        let rule: Transition<Organisation> = Box::new(move |organisation, _| {
            precondition.check(organisation.version)?;
            let renames = patch
                .name
                .as_ref()
                .is_some_and(|name| *name != organisation.name);
            if renames && names == NameSource::Provider {
                let message = "The name is changed at the identity provider";
                return Err(Invalid::field("name", message).into());
            }
            noted.store(renames, Ordering::Relaxed);
            Ok(organisation.edit(patch)?)
        });
        let committed = self
            .store
            .change(id, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))?;
        if is_renamed.load(Ordering::Relaxed) {
            SecurityRecord {
                organisation: Some(id),
                ..SecurityRecord::new(SecurityEvent::OrganisationRenamed)
            }
            .write_with_originator();
        }
        Ok(self.relay.publish(committed).await)
    }
}
