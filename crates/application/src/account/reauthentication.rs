//! Authentication within a session, before sensitive changes.

use allclear_domain::account::ReauthenticationDraft;
use allclear_domain::validation::Invalid;
use validator::Validate;

use super::Accounts;
use crate::error::Error;
use crate::password::Requester;
use crate::secret::SecretToken;
use crate::session::{Client, Session};

impl Accounts {
    /// The sentence of [`Error::Unauthenticated`] if [`Self::reauthenticate`] has compared no code,
    /// because the password is wrong.
    pub const WRONG_PASSWORD: &str = "Wrong password";

    fn code_is_required() -> Error {
        Invalid::field("code", "Enter a code of your second factor").into()
    }

    /// Authenticates the person of a session again, with every factor (OWASP ASVS 5.0, 7.5.1).
    /// Returns another token, which the session has from now on (7.2.4). [`Error::Unauthenticated`]
    /// if the password or the code is wrong, [`Error::Invalid`] also if a code is needed.
    pub async fn reauthenticate(
        &self,
        session: &Session,
        draft: ReauthenticationDraft,
        client: &Client,
    ) -> Result<SecretToken, Error> {
        draft.validate().map_err(Invalid::from)?;
        let account = self.ports.accounts.find(session.user.id).await?;
        let account = account.ok_or(Self::MISSING)?;
        let hashes = vec![account.password];
        let password = &draft.password;
        let requester = Requester::Known(session.user.id);
        let verified = self.ports.hasher.verify(password, hashes, requester);
        let verified = verified.await?;
        if verified.is_none() {
            return Err(Error::Unauthenticated(Self::WRONG_PASSWORD));
        }
        let user = account.user;
        let has_factor = self.ports.factors.factors(user.id).await?.is_needed();
        if has_factor {
            let code = draft.code.ok_or_else(Self::code_is_required)?;
            self.ports
                .second_factors
                .check(&user, &code, client)
                .await?;
        }
        let token = SecretToken::generate();
        let now = self.ports.clock.now();
        self.ports
            .sessions
            .authenticate(session.id, token.digest(), has_factor, now)
            .await?;
        Ok(token)
    }
}
