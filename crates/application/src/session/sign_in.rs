//! The last step of every sign-in: opening the session.

use std::sync::Arc;

use allclear_domain::id::UserId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};

use super::{Client, NewSession, SessionStore, Sessions, SignInProof};
use crate::account::{Credentials, SignedIn};
use crate::clock::Clock;
use crate::error::Error;
use crate::password::PasswordHash;
use crate::secret::{HmacKey, SecretToken};
use crate::security_mail::{SecurityChange, SecurityMails};

/// Bytes of a device mark.
const MARK_BYTES: usize = 16;

/// Opens sessions, and mails the owner of an account about a browser in which nobody had signed in
/// to the account since its password was set.
#[derive(Clone)]
pub struct SessionOpener {
    sessions: Arc<dyn SessionStore>,
    clock: Arc<dyn Clock>,
    hmac_key: HmacKey,
    mails: SecurityMails,
}

impl SessionOpener {
    /// Opens sessions in this store. The HMAC key signs device marks.
    #[must_use]
    pub const fn new(
        sessions: Arc<dyn SessionStore>,
        clock: Arc<dyn Clock>,
        hmac_key: HmacKey,
        mails: SecurityMails,
    ) -> Self {
        Self {
            sessions,
            clock,
            hmac_key,
            mails,
        }
    }

    /// Opens a session of an account whose owner has authenticated with every factor.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if the password or the factors were changed meanwhile; the
    /// store's error.
    pub async fn open(
        &self,
        account: Credentials,
        proof: SignInProof,
        client: &Client,
    ) -> Result<SignedIn, Error> {
        let (token, session) = self.fresh(client);
        let expires_at = session.expires_at;
        self.sessions.open(account.user.id, proof, session).await?;
        Ok(self.signed_in(account, token, expires_at, client))
    }

    fn fresh(&self, client: &Client) -> (SecretToken, NewSession) {
        let token = SecretToken::generate();
        let session = Sessions::fresh(self.clock.as_ref(), &token, client);
        (token, session)
    }

    fn signed_in(
        &self,
        account: Credentials,
        token: SecretToken,
        expires_at: DateTime<Utc>,
        client: &Client,
    ) -> SignedIn {
        let device_mark = self.device_mark(account.user.id, &account.password);
        self.mail_unknown_device(&account, client);
        SignedIn {
            user: account.user,
            token,
            expires_at,
            device_mark,
        }
    }

    /// Mails the owner of an account about a sign-in, unless the browser is a known device.
    pub(crate) fn mail_unknown_device(&self, account: &Credentials, client: &Client) {
        if !self.is_known(account, client) {
            let change = SecurityChange::SignedIn;
            self.mails.send(&account.user, change, client);
        }
    }

    /// Whether the client is a known device: a browser in which somebody signed in to the account
    /// since its password was set.
    pub(crate) fn is_known(&self, account: &Credentials, client: &Client) -> bool {
        let mark = self.device_mark(account.user.id, &account.password);
        client.marks.contains(&mark)
    }

    /// A mark that a browser keeps, so that its next sign-in to the account is not from an unknown
    /// device. It gives no access, and ends with the password.
    pub(crate) fn device_mark(&self, user: UserId, password: &PasswordHash) -> String {
        let parts = [user.0.as_bytes().as_slice(), password.as_str().as_bytes()];
        let mark = self.hmac_key.sign("device", &parts);
        URL_SAFE_NO_PAD.encode(&mark[..MARK_BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use allclear_domain::id::PasskeyId;
    use uuid::Uuid;

    use crate::fixture::{clock, credentials, hmac_key, mailer, security_mails};
    use crate::mail::{MailContent, MockMailer};
    use crate::session::MockSessionStore;

    /// Opens a session of an account with this password, in a browser with these marks. Returns the
    /// mark for the browser.
    async fn open(password: &str, marks: Vec<String>, mailer: MockMailer) -> String {
        let mut sessions = MockSessionStore::new();
        let opening = sessions.expect_open().times(1);
        opening.returning(|_, _, _| Ok(()));
        let (mails, background) = security_mails(Arc::new(mailer));
        let opener = SessionOpener::new(Arc::new(sessions), clock(), hmac_key(), mails);
        let client = Client {
            marks,
            ..Client::default()
        };
        let ann = credentials(1, "ann@example.com", password);
        let proof = SignInProof::Passkey(PasskeyId(Uuid::from_u128(1)));
        let signed_in = opener.open(ann, proof, &client).await.unwrap();
        background.wait_idle().await;
        signed_in.device_mark
    }

    /// A mailer that must mail Ann about a sign-in.
    fn mails_sign_in() -> MockMailer {
        mailer(|to, content| {
            let MailContent::SecurityNotice(notice) = content else {
                return false;
            };
            to == "ann@example.com" && notice.change == SecurityChange::SignedIn
        })
    }

    #[tokio::test]
    async fn only_a_sign_in_from_an_unknown_device_is_mailed() {
        let mark = open("hash", Vec::new(), mails_sign_in()).await;
        let marks = vec!["mark of another account".into()];
        let other = open("hash", marks, mails_sign_in()).await;
        assert_eq!(other, mark);
        let marks = vec!["another".into(), mark];
        open("hash", marks, MockMailer::new()).await;
    }

    #[tokio::test]
    async fn a_known_device_is_unknown_after_a_change_of_the_password() {
        let mark = open("hash", Vec::new(), mails_sign_in()).await;
        let new_mark = open("new hash", vec![mark.clone()], mails_sign_in()).await;
        assert_ne!(new_mark, mark);
        open("new hash", vec![new_mark, mark], MockMailer::new()).await;
    }
}
