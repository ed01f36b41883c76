//! Authentication within a session, before sensitive changes.

use allclear_domain::account::ReauthenticationDraft;
use allclear_domain::validation::Invalid;
use validator::Validate;

use super::Accounts;
use crate::error::Error;
use crate::password::{Requester, WrongPassword};
use crate::second_factor::WrongCode;
use crate::secret::SecretToken;
use crate::session::{Client, Session};

/// Why a person was not authenticated again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReauthenticationRefusal {
    /// The password is wrong. No code was compared.
    Password,
    /// The password is right, and the code is wrong.
    Code,
}

impl From<ReauthenticationRefusal> for Error {
    fn from(refusal: ReauthenticationRefusal) -> Self {
        match refusal {
            ReauthenticationRefusal::Password => Self::Unauthenticated(WrongPassword::MESSAGE),
            ReauthenticationRefusal::Code => WrongCode.into(),
        }
    }
}

impl Accounts {
    fn code_is_required() -> Error {
        Invalid::field("code", "Enter a code of your second factor").into()
    }

    /// Authenticates the person of a session again, with every factor (OWASP ASVS 5.0, 7.5.1).
    /// Returns another token, which the session has from now on (7.2.4). [`Error::Invalid`] also if
    /// a code is needed and missing, [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    pub async fn reauthenticate(
        &self,
        session: &Session,
        draft: ReauthenticationDraft,
        client: &Client,
    ) -> Result<Result<SecretToken, ReauthenticationRefusal>, Error> {
        draft.validate().map_err(Invalid::from)?;
        let account = self.ports.accounts.find(session.user.id).await?;
        let account = account.ok_or(Self::MISSING)?;
        let (password, hash) = (&draft.password, &account.password);
        let requester = Requester::Known(session.user.id);
        let is_right = self.ports.hasher.verify_one(password, hash, requester);
        if !is_right.await? {
            return Ok(Err(ReauthenticationRefusal::Password));
        }
        let user = account.user;
        let has_factor = self.ports.factors.factors(user.id).await?.is_needed();
        if has_factor {
            let code = draft.code.ok_or_else(Self::code_is_required)?;
            let factors = &self.ports.second_factors;
            if factors.check(&user, &code, client).await?.is_err() {
                return Ok(Err(ReauthenticationRefusal::Code));
            }
        }
        let token = SecretToken::generate();
        let now = self.ports.clock.now();
        self.ports
            .sessions
            .authenticate(session.id, token.digest(), has_factor, now)
            .await?;
        Ok(Ok(token))
    }
}
