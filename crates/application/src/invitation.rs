//! Invitations: links by mail to join an organisation, or to sign up.

use std::sync::Arc;

use allclear_domain::account::AddressDraft;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{InvitationId, OrganisationId, UserId};
use allclear_domain::membership::{Membership, Role};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, TimeDelta, Utc};
use validator::Validate;

use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::link::Links;
use crate::mail::{Mail, MailContent, Mailer, SendError};
use crate::mail_budget::{MailBudget, MailCause, MailKind};
use crate::membership::administered;
use crate::organisation::OrganisationStore;
use crate::page::{Listed, Page};
use crate::second_factor::FactorStore;
use crate::secret::SecretToken;
use crate::session::{AdminSession, Session};

/// The inviting organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitingOrganisation {
    /// Its identifier.
    pub id: OrganisationId,
    /// Its name.
    pub name: String,
}

/// A pending invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Its identifier.
    pub id: InvitationId,
    /// The organisation; `None` for an invitation to sign up.
    pub organisation: Option<InvitingOrganisation>,
    /// Address to which the link was mailed.
    pub email: String,
    /// Role of the invited person.
    pub role: Role,
    /// The member that made the invitation; it ends when this member is no longer an admin.
    pub inviter: Option<UserId>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Expiry of the link.
    pub expires_at: DateTime<Utc>,
}

/// An invitation that is stored.
#[derive(Debug)]
pub struct StoredInvitation {
    /// The invitation.
    pub invitation: Invitation,
    /// Its link.
    pub link: String,
    /// Whether the link was mailed.
    pub mailed: Result<(), SendError>,
}

impl StoredInvitation {
    /// The invitation; [`Error::InvitationNotMailed`] if its link was not mailed. The failure is
    /// also logged, because the admin may not be the operator of the server.
    pub(crate) fn require_mailed(self) -> Result<Invitation, Error> {
        if let Err(error) = self.mailed {
            tracing::warn!(reason = %error, "an invitation could not be mailed");
            return Err(Error::InvitationNotMailed(error));
        }
        Ok(self.invitation)
    }
}

/// The use cases of invitations. An invitation is a capability: any person can use its link, once.
pub struct Invitations {
    store: Arc<dyn OrganisationStore>,
    factors: Arc<dyn FactorStore>,
    mailer: Arc<dyn Mailer>,
    mail_budget: Arc<MailBudget>,
    clock: Arc<dyn Clock>,
    links: Links,
}

impl Invitations {
    /// Lifetime of the link.
    pub const LIFETIME: TimeDelta = TimeDelta::days(7);

    /// The error for a wrong, used or expired link.
    pub const BAD: Error = Error::BadCode("This invitation is wrong or has expired");

    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn OrganisationStore>,
        factors: Arc<dyn FactorStore>,
        mailer: Arc<dyn Mailer>,
        mail_budget: Arc<MailBudget>,
        clock: Arc<dyn Clock>,
        links: Links,
    ) -> Self {
        Self {
            store,
            factors,
            mailer,
            mail_budget,
            clock,
            links,
        }
    }

    /// A page of the pending invitations to an organisation, newest first. [`Error::NotFound`],
    /// [`Error::Forbidden`], [`Error::SecondFactorRequired`].
    pub async fn list(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Invitation>, Error> {
        self.administered(session, organisation).await?;
        self.store
            .list_invitations(organisation, self.clock.now(), page)
            .await
    }

    /// Invites an address to an organisation. [`Error::NotFound`], [`Error::Forbidden`],
    /// [`Error::SecondFactorRequired`], [`Error::Invalid`], [`Error::MailLimitReached`] if a mail
    /// budget is used up, [`Error::InvitationNotMailed`].
    pub async fn invite(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        draft: AddressDraft,
        role: Role,
    ) -> Result<Invitation, Error> {
        let membership = self.administered(session, organisation).await?;
        draft.validate().map_err(Invalid::from)?;
        let inviting = InvitingOrganisation {
            id: membership.organisation,
            name: membership.name,
        };
        let sent = self.mail(
            draft.email,
            Some(inviting),
            role,
            Some(session),
            Some(session.user.id),
        );
        sent.await?.require_mailed()
    }

    /// Revokes an invitation. [`Error::NotFound`], [`Error::Forbidden`],
    /// [`Error::SecondFactorRequired`].
    pub async fn revoke(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        id: InvitationId,
    ) -> Result<(), Error> {
        self.administered(session, organisation).await?;
        let admin = session.user.id;
        let deleted = self.store.delete_invitation(organisation, id, admin);
        if deleted.await? {
            Ok(())
        } else {
            Err(Error::NotFound(Resource::Invitation))
        }
    }

    /// Invites an address to sign up, also if the mail cannot be sent: the result has the link. For
    /// the waitlist with the account of the administrator, and for the command line, which has
    /// none. [`Error::Invalid`], [`Error::MailLimitReached`] if a mail budget is used up.
    pub async fn admit(
        &self,
        draft: AddressDraft,
        account: Option<UserId>,
    ) -> Result<StoredInvitation, Error> {
        draft.validate().map_err(Invalid::from)?;
        self.mail(draft.email, None, Role::Editor, None, account)
            .await
    }

    /// Returns the invitation of a link. [`Error::BadCode`].
    pub async fn inspect(&self, token: &SecretToken) -> Result<Invitation, Error> {
        self.store
            .find_invitation(&token.digest(), self.clock.now())
            .await?
            .ok_or(Self::BAD)
    }

    /// Accepts the invitation of a link. An existing member never loses permissions by it.
    /// [`Error::BadCode`].
    pub async fn accept(
        &self,
        session: &Session,
        token: &SecretToken,
    ) -> Result<Invitation, Error> {
        self.store
            .accept_invitation(&token.digest(), session.user.id, self.clock.now())
            .await?
            .ok_or(Self::BAD)
    }

    async fn administered(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<Membership, Error> {
        let (store, factors) = (self.store.as_ref(), self.factors.as_ref());
        administered(store, factors, session, organisation).await
    }

    /// Stores an invitation and mails it; a mail that fails is no error. The person of the session
    /// `inviter` is named in it; `account` is the one that causes the mail.
    async fn mail(
        &self,
        email: String,
        organisation: Option<InvitingOrganisation>,
        role: Role,
        inviter: Option<&Session>,
        account: Option<UserId>,
    ) -> Result<StoredInvitation, Error> {
        let cause = MailCause {
            kind: MailKind::EnteredAddress,
            to: EmailKey::of(&email).into(),
            account: account.map(|id| id.to_string()),
            organisation: organisation.as_ref().map(|inviting| inviting.id.clone()),
        };
        self.mail_budget.take(&cause).await?;
        let token = SecretToken::generate();
        let created_at = self.clock.now();
        let expires_at = created_at + Self::LIFETIME;
        let id = InvitationId(self.clock.id());
        let invitation = Invitation {
            id,
            organisation,
            email,
            role,
            inviter: inviter.map(|session| session.user.id),
            created_at,
            expires_at,
        };
        self.store
            .add_invitation(
                invitation.clone(),
                token.digest(),
                inviter.map(AdminSession::from),
            )
            .await?;
        let link = self.links.invitation(&token);
        let organisation = invitation
            .organisation
            .as_ref()
            .map(|inviting| inviting.name.clone());
        let content = MailContent::Invitation {
            organisation,
            inviter: inviter.map(|session| session.user.name.clone()),
            link: link.clone(),
        };
        let mailed = self
            .mailer
            .send(Mail::new(invitation.email.clone(), content))
            .await;
        Ok(StoredInvitation {
            invitation,
            link,
            mailed,
        })
    }
}

#[cfg(test)]
mod tests;
