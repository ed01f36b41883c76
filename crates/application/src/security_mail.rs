//! Mails to people about changes of the security of their accounts.

use std::sync::Arc;

use allclear_domain::account::User;
use allclear_domain::email::EmailKey;
use chrono::{DateTime, Utc};

use crate::background::Background;
use crate::clock::Clock;
use crate::error::Error;
use crate::link::Links;
use crate::mail::{Mail, MailContent, Mailer};
use crate::mail_budget::{MailBudget, MailCause, MailKind};
use crate::session::Client;

/// What happened to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecurityChange {
    /// Somebody signed in from a browser in which nobody had signed in to the account since its
    /// password was set.
    SignedIn,
    /// The password was changed.
    PasswordChanged,
    /// The account has another address. The mail goes to the former one.
    AddressChanged,
    /// An authenticator app became the second factor.
    AuthenticatorAdded,
    /// The authenticator app was removed.
    AuthenticatorRemoved,
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
    /// A sign-in was refused, because the signature counter of a passkey went back.
    PasskeyCopied {
        /// Name of the passkey.
        name: String,
    },
    /// A recovery code was used.
    RecoveryCodeUsed {
        /// Number of codes that are left.
        left: u64,
    },
    /// The recovery codes were replaced.
    RecoveryCodesReplaced,
    /// An operator of the installation removed all second factors.
    FactorsReset,
    /// The person created an API key of an organisation.
    ApiKeyCreated {
        /// Name of the key.
        name: String,
    },
}

impl SecurityChange {
    /// Kind of the mail about it. Somebody who can sign in to the account can cause any number of
    /// some changes: their mails must not use up those about the others.
    const fn mail_kind(&self) -> MailKind {
        match self {
            Self::SignedIn => MailKind::SignInNotice,
            Self::AddressChanged => MailKind::AddressNotice,
            Self::PasswordChanged => MailKind::PasswordNotice,
            Self::AuthenticatorAdded
            | Self::AuthenticatorRemoved
            | Self::PasskeyAdded
            | Self::PasskeyRemoved
            | Self::FactorsReset => MailKind::FactorNotice,
            Self::PasskeyCopied { .. }
            | Self::RecoveryCodeUsed { .. }
            | Self::RecoveryCodesReplaced
            | Self::ApiKeyCreated { .. } => MailKind::AccountNotice,
        }
    }
}

/// A change of the security of an account, for its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityNotice {
    /// Change of the account's security.
    pub change: SecurityChange,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The client that caused it.
    pub client: Client,
    /// URL at which a password reset is requested.
    pub reset: String,
}

/// Sends mails about changes of the security of accounts.
#[derive(Clone)]
pub struct SecurityMails {
    mailer: Arc<dyn Mailer>,
    mail_budget: Arc<MailBudget>,
    clock: Arc<dyn Clock>,
    background: Background,
    links: Links,
}

impl SecurityMails {
    /// Sends mails with this mailer, within this budget.
    #[must_use]
    pub const fn new(
        mailer: Arc<dyn Mailer>,
        mail_budget: Arc<MailBudget>,
        clock: Arc<dyn Clock>,
        background: Background,
        links: Links,
    ) -> Self {
        Self {
            mailer,
            mail_budget,
            clock,
            background,
            links,
        }
    }

    /// Mails a change to the owner of an account, after the response. Sends nothing if the mail
    /// budget is used up.
    pub fn send(&self, user: &User, change: SecurityChange, client: &Client) {
        let to = user.email.clone();
        self.send_to(async move { Ok(Some(to)) }, change, client);
    }

    /// [`Self::send`] to the address that a lookup returns; `None` if there is none.
    pub(crate) fn send_to(
        &self,
        lookup: impl Future<Output = Result<Option<String>, Error>> + Send + 'static,
        change: SecurityChange,
        client: &Client,
    ) {
        let service = self.clone();
        let notice = SecurityNotice {
            change,
            at: self.clock.now(),
            client: client.clone(),
            reset: self.links.forgot(),
        };
        let mailed = async move {
            match lookup.await? {
                Some(to) => service.mail(to, notice).await,
                None => Ok(()),
            }
        };
        self.background.start("mailing a security notice", mailed);
    }

    async fn mail(&self, to: String, notice: SecurityNotice) -> Result<(), Error> {
        let cause = MailCause::by_anybody(notice.change.mail_kind(), EmailKey::of(&to));
        if !self.mail_budget.try_take(&cause).await? {
            return Ok(());
        }
        let mail = Mail::new(to, MailContent::SecurityNotice(notice));
        self.background.send_mail(self.mailer.as_ref(), mail).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::fixture::{clock, hmac_key, links, user};
    use crate::mail::MockMailer;
    use crate::mail_budget::{MailBudgetLimits, MailScope, MockMailCountStore};

    /// A budget of one mail of a kind for each mailbox.
    fn one_of_a_kind() -> MailBudget {
        let mut store = MockMailCountStore::new();
        let mut taken = Vec::new();
        store.expect_take().returning(move |_, counts, now| {
            let key = counts[0].key.clone();
            if taken.contains(&key) {
                return Err(MailScope::Mailbox.refusal(now));
            }
            taken.push(key);
            Ok(())
        });
        let limits = MailBudgetLimits {
            mailbox: Some(1),
            ..MailBudgetLimits::default()
        };
        MailBudget::new(Arc::new(store), clock(), hmac_key(), limits)
    }

    #[tokio::test]
    async fn address_and_password_are_mailed_after_any_number_of_other_changes() {
        let key = SecurityChange::ApiKeyCreated {
            name: "Deploys".into(),
        };
        let changes = [
            SecurityChange::SignedIn,
            key,
            SecurityChange::RecoveryCodesReplaced,
            SecurityChange::PasskeyAdded,
            SecurityChange::PasskeyRemoved,
            SecurityChange::PasswordChanged,
            SecurityChange::PasswordChanged,
            SecurityChange::AddressChanged,
        ];
        let mailed = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let mut port = MockMailer::new();
        let sent = Arc::clone(&mailed);
        port.expect_send().returning(move |mail| {
            if let MailContent::SecurityNotice(notice) = mail.content {
                sent.lock().push(notice.change);
            }
            Ok(())
        });
        let background = Background::on(tokio::runtime::Handle::current());
        let mails = SecurityMails::new(
            Arc::new(port),
            Arc::new(one_of_a_kind()),
            clock(),
            background.clone(),
            links(),
        );
        for change in changes.clone() {
            mails.send(&user(1, "ann@example.com"), change, &Client::default());
            background.wait_idle().await;
        }
        let expected = [0, 1, 3, 5, 7].map(|index: usize| changes[index].clone());
        assert_eq!(*mailed.lock(), expected);
    }
}
