//! Organisations of the built-in identity provider, and their members.

use std::sync::Arc;

use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::membership::{Member, MemberState, Membership, Role};
use allclear_domain::organisation::OrganisationDraft;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use rand::distr::{Alphanumeric, SampleString};
use validator::Validate;

use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::organisation::OrganisationStore;
use crate::page::{Listed, Page};
use crate::relay::Relay;
use crate::second_factor::{FactorStore, check_requirement};
use crate::security_log::{SecurityEvent, SecurityRecord};
use crate::session::{AdminSession, Session, require_admin};

/// A rule to run on the state of a member inside the transaction that stores its result: the new
/// role, or `None` if the member leaves.
pub type MemberTransition = Box<dyn FnOnce(MemberState) -> Result<Option<Role>, Error> + Send>;

/// An organisation to be stored with its first admin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOrganisation {
    /// Its identifier.
    pub id: OrganisationId,
    /// Its name.
    pub name: String,
    /// The account that becomes its admin.
    pub creator: UserId,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// The use cases of organisations and their members. Storage checks an admin's role again in the
/// transaction of the change, because the admin may be removed meanwhile. A deletion has many
/// transactions, and storage checks the role in the first one. For accounts that are not members,
/// an organisation does not exist. If it requires a second factor, members that have not used one
/// can only leave: [`Error::SecondFactorRequired`].
pub struct Memberships {
    store: Arc<dyn OrganisationStore>,
    factors: Arc<dyn FactorStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
}

impl Memberships {
    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn OrganisationStore>,
        factors: Arc<dyn FactorStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            factors,
            relay,
            clock,
        }
    }

    /// Returns the memberships of the session's account, newest first.
    pub async fn list(&self, session: &Session) -> Result<Vec<Membership>, Error> {
        self.store.memberships_of(session.user.id).await
    }

    /// Creates an organisation with the session's account as its admin. [`Error::Invalid`].
    pub async fn create(
        &self,
        session: &Session,
        draft: OrganisationDraft,
    ) -> Result<Membership, Error> {
        draft.validate().map_err(Invalid::from)?;
        let random = Alphanumeric.sample_string(&mut rand::rng(), 24);
        let organisation =
            OrganisationId::parse(&format!("org_{random}")).map_err(Error::internal)?;
        let new = NewOrganisation {
            id: organisation.clone(),
            name: draft.name.clone(),
            creator: session.user.id,
            created_at: self.clock.now(),
        };
        self.store.create(new).await?;
        Ok(Membership {
            organisation,
            name: draft.name,
            role: Role::Admin,
        })
    }

    /// Renames an organisation. Another name is recorded in the security log. [`Error::NotFound`],
    /// [`Error::Forbidden`], [`Error::SecondFactorRequired`], [`Error::Invalid`].
    pub async fn rename(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        draft: OrganisationDraft,
    ) -> Result<Membership, Error> {
        let membership = self.administered(session, organisation).await?;
        draft.validate().map_err(Invalid::from)?;
        let committed = self
            .store
            .rename(organisation, draft.name.clone(), session.user.id)
            .await?;
        if committed.commit.is_some() {
            SecurityRecord {
                organisation: Some(organisation),
                ..SecurityRecord::new(SecurityEvent::OrganisationRenamed)
            }
            .write_with_originator();
        }
        self.relay.publish(committed).await;
        Ok(Membership {
            name: draft.name,
            ..membership
        })
    }

    /// Deletes an organisation with everything that belongs to it. [`Error::NotFound`],
    /// [`Error::Forbidden`], [`Error::SecondFactorRequired`].
    pub async fn delete(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<(), Error> {
        self.administered(session, organisation).await?;
        self.store
            .delete(organisation, Some(session.user.id))
            .await?;
        Ok(())
    }

    /// A page of the members of an organisation, by the time at which they joined, newest first.
    /// [`Error::NotFound`], [`Error::SecondFactorRequired`], [`Error::Invalid`] if the page's
    /// `before` is not a member.
    pub async fn members(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Member>, Error> {
        self.membership(session, organisation).await?;
        check_requirement(self.factors.as_ref(), session, organisation).await?;
        self.store.list_members(organisation, page).await
    }

    /// Gives a member a role. Another role is recorded in the security log. [`Error::NotFound`],
    /// [`Error::Forbidden`], [`Error::SecondFactorRequired`], [`Error::Conflict`] for the last
    /// admin, [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    pub async fn set_role(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        user: UserId,
        role: Role,
    ) -> Result<(), Error> {
        self.administered(session, organisation).await?;
        let decide: MemberTransition =
            Box::new(move |member_state| match member_state.become_role(role) {
                Ok(after) => Ok(Some(after.role)),
                Err(refused) => Err(Error::Conflict(refused.to_string())),
            });
        let before = self
            .store
            .change_member(organisation, user, Some(session.into()), decide)
            .await?
            .ok_or(Error::NotFound(Resource::Member))?;
        if before != role {
            SecurityRecord {
                organisation: Some(organisation),
                object: Some(&user),
                detail: Some(role.as_ref()),
                ..SecurityRecord::new(SecurityEvent::RoleChanged)
            }
            .write_with_originator();
        }
        Ok(())
    }

    /// Removes a member, or the session's own account. [`Error::NotFound`], [`Error::Forbidden`],
    /// [`Error::SecondFactorRequired`], [`Error::Conflict`] for the last admin,
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    pub async fn remove(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        user: UserId,
    ) -> Result<(), Error> {
        let admin = if user == session.user.id {
            self.membership(session, organisation).await?;
            None
        } else {
            self.administered(session, organisation).await?;
            Some(AdminSession::from(session))
        };
        let decide: MemberTransition = Box::new(|member_state| match member_state.leave() {
            Ok(()) => Ok(None),
            Err(refused) => Err(Error::Conflict(refused.to_string())),
        });
        self.store
            .change_member(organisation, user, admin, decide)
            .await?
            .ok_or(Error::NotFound(Resource::Member))?;
        Ok(())
    }

    async fn membership(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<Membership, Error> {
        membership(self.store.as_ref(), session, organisation).await
    }

    async fn administered(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<Membership, Error> {
        let (store, factors) = (self.store.as_ref(), self.factors.as_ref());
        administered(store, factors, session, organisation).await
    }
}

/// The membership of the session's account. [`Error::NotFound`] if there is none.
async fn membership(
    store: &dyn OrganisationStore,
    session: &Session,
    organisation: &OrganisationId,
) -> Result<Membership, Error> {
    store
        .find_membership(organisation, session.user.id)
        .await?
        .ok_or(Error::NotFound(Resource::Organisation))
}

/// The membership of the session's account, which has to be an admin. [`Error::NotFound`],
/// [`Error::Forbidden`], [`Error::SecondFactorRequired`].
pub(crate) async fn administered(
    store: &dyn OrganisationStore,
    factors: &dyn FactorStore,
    session: &Session,
    organisation: &OrganisationId,
) -> Result<Membership, Error> {
    let found = membership(store, session, organisation).await?;
    require_admin(found.role)?;
    check_requirement(factors, session, organisation).await?;
    Ok(found)
}

#[cfg(test)]
mod tests;
