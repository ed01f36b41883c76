//! Organisations that require a second factor of their members.

use allclear_domain::account::CodeDraft;
use allclear_domain::id::OrganisationId;
use allclear_domain::validation::Invalid;
use validator::Validate;

use super::{FactorStore, SecondFactors, SessionProof, WrongCode};
use crate::error::{Error, Resource};
use crate::membership::administered;
use crate::secret::SecretToken;
use crate::security_log::{SecurityEvent, SecurityRecord};
use crate::session::{Client, Session};

impl SecondFactors {
    const OWN_FIRST: &str = "Add a second factor to your own account first";
    const UNKNOWN: Error = Error::NotFound(Resource::Organisation);

    const UNPROVEN: &str = "Confirm your second factor first";

    /// Whether an organisation requires a second factor of its members. [`Error::NotFound`] for
    /// accounts that are not members.
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

    /// Sets whether an organisation requires a second factor. A change is recorded in the security
    /// log. [`Error::NotFound`], [`Error::Forbidden`], [`Error::SecondFactorRequired`] if it does
    /// already and the admin has used none, [`Error::Conflict`] if it is to and the admin has used
    /// none.
    pub async fn require(
        &self,
        session: &Session,
        organisation: &OrganisationId,
        required: bool,
    ) -> Result<(), Error> {
        let (organisations, factors) = (&self.ports.organisations, &self.ports.factors);
        administered(
            organisations.as_ref(),
            factors.as_ref(),
            session,
            organisation,
        )
        .await?;
        if required {
            let own_first = |reason: &str| Error::Conflict(reason.to_owned());
            match factor_status(factors.as_ref(), session).await? {
                FactorStatus::Satisfied => {}
                FactorStatus::Unproven => return Err(own_first(Self::UNPROVEN)),
                FactorStatus::Without => return Err(own_first(Self::OWN_FIRST)),
            }
        }
        let is_changed = factors
            .require_factor(organisation, required, session.into())
            .await?;
        if is_changed {
            SecurityRecord {
                organisation: Some(organisation),
                detail: Some(if required { "required" } else { "not required" }),
                ..SecurityRecord::new(SecurityEvent::FactorRequirementChanged)
            }
            .write_with_originator();
        }
        Ok(())
    }

    /// Fails if an organisation requires a second factor and none was used in the session. Such a
    /// session gets no token for the organisation.
    ///
    /// # Errors
    /// [`Error::SecondFactorRequired`].
    pub async fn check_requirement(
        &self,
        session: &Session,
        organisation: &OrganisationId,
    ) -> Result<(), Error> {
        check_requirement(self.ports.factors.as_ref(), session, organisation).await
    }

    /// Fails if the account has a second factor that was not used in the session. Otherwise a
    /// person who signs in at an identity provider could replace the factors without having one.
    ///
    /// # Errors
    /// [`Error::SecondFactorRequired`].
    pub async fn check_proof(&self, session: &Session) -> Result<(), Error> {
        let status = factor_status(self.ports.factors.as_ref(), session).await?;
        if status == FactorStatus::Unproven {
            return Err(Error::SecondFactorRequired);
        }
        Ok(())
    }

    /// Confirms the second factor in a session that an identity provider has opened. The
    /// session gets another token (OWASP ASVS 5.0, 7.2.4). [`Error::Invalid`],
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    pub async fn prove(
        &self,
        session: &Session,
        draft: CodeDraft,
        client: &Client,
    ) -> Result<Result<SecretToken, WrongCode>, Error> {
        draft.validate().map_err(Invalid::from)?;
        if let Err(wrong) = self.check(&session.user, &draft.code, client).await? {
            return Ok(Err(wrong));
        }
        let token = SecretToken::generate();
        let store = &self.ports.factors;
        store.prove_factor(session.id, token.digest()).await?;
        Ok(Ok(token))
    }
}

/// Fails if an organisation requires a second factor and none was used in the session.
///
/// # Errors
/// [`Error::SecondFactorRequired`].
pub(crate) async fn check_requirement(
    factors: &dyn FactorStore,
    session: &Session,
    organisation: &OrganisationId,
) -> Result<(), Error> {
    let required = factors.is_factor_required(organisation).await?;
    if required && factor_status(factors, session).await? != FactorStatus::Satisfied {
        return Err(Error::SecondFactorRequired);
    }
    Ok(())
}

async fn factor_status(
    factors: &dyn FactorStore,
    session: &Session,
) -> Result<FactorStatus, Error> {
    let proof = factors.session_proof(session.id).await?;
    if proof == SessionProof::Provider {
        return Ok(FactorStatus::Satisfied);
    }
    let found = factors.factors(session.user.id).await?;
    Ok(match (found.is_needed(), proof) {
        (false, _) => FactorStatus::Without,
        (true, SessionProof::Missing) => FactorStatus::Unproven,
        (true, _) => FactorStatus::Satisfied,
    })
}

/// Whether a session satisfies a requirement of a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FactorStatus {
    /// A second factor was used.
    Satisfied,
    /// The account has one, which was not used.
    Unproven,
    /// The account has none.
    Without,
}
