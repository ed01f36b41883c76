//! Organisations that require a second factor of their members.

use allclear_domain::id::OrganisationId;

use super::SecondFactors;
use crate::error::Error;
use crate::membership::administered;
use crate::session::Session;

impl SecondFactors {
    const OWN_FIRST: &str = "Add a second factor to your own account first";
    const UNKNOWN: Error = Error::NotFound("Organisation");

    /// Whether an organisation requires a second factor of its members. [`Error::NotFound`] for accounts that are not members.
    pub async fn is_required(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<bool, Error> {
        let store = &self.ports.organisations;
        let membership = store.find_membership(organisation, session.user.id).await?;
        membership.ok_or(Self::UNKNOWN)?;
        self.ports.factors.is_factor_required(organisation).await
    }

    /// Sets whether an organisation requires a second factor. [`Error::NotFound`], [`Error::Forbidden`], [`Error::Conflict`] if the
    /// admin has none.
    pub async fn require(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        required: bool,
    ) -> Result<(), Error> {
        administered(self.ports.organisations.as_ref(), session, organisation).await?;
        if required && !self.has_factor(session).await? {
            return Err(Error::Conflict(Self::OWN_FIRST.to_owned()));
        }
        let factors = &self.ports.factors;
        factors.require_factor(organisation, required).await
    }

    /// Fails if an organisation requires a second factor and the session's account has none: then the account gets no token for it.
    ///
    /// # Errors
    /// [`Error::SecondFactorRequired`].
    pub async fn check_requirement(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<(), Error> {
        let required = self.ports.factors.is_factor_required(organisation).await?;
        if required && !self.has_factor(session).await? {
            return Err(Error::SecondFactorRequired);
        }
        Ok(())
    }

    async fn has_factor(&self, session: &Session) -> Result<bool, Error> {
        let factors = self.ports.factors.factors(session.user.id).await?;
        Ok(factors.is_needed())
    }
}
