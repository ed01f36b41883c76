use super::*;

use crate::account::MockAccountStore;
use crate::fixture::{
    PASSWORD, clock, credentials, hash_of, hasher, links, mailer, no_mail_left, now, password,
    security_mails, session, unlimited_mail, user,
};
use crate::mail::MockMailer;

const ADDRESS: &str = "ann@example.com";
const NEW: &str = "a brand new password";

/// The stores, and a service over them that must hash exactly this many times.
struct Stores {
    accounts: MockAccountStore,
    mail_budget: Arc<MailBudget>,
}

impl Stores {
    fn empty() -> Self {
        Self {
            accounts: MockAccountStore::new(),
            mail_budget: unlimited_mail(),
        }
    }

    /// One account, and a pending reset of it.
    fn known() -> Self {
        let mut stores = Self::empty();
        stores
            .accounts
            .expect_find()
            .returning(|_| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
        stores
            .accounts
            .expect_find_reset()
            .returning(|_, _| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
        stores
    }

    fn service(self, hashes: usize, verifications: usize, mailer: MockMailer) -> Arc<Passwords> {
        let mailer: Arc<dyn Mailer> = Arc::new(mailer);
        let (security_mails, background) = security_mails(Arc::clone(&mailer));
        let ports = PasswordPorts {
            accounts: Arc::new(self.accounts),
            hasher: Arc::new(hasher(hashes, verifications)),
            mailer: Arc::clone(&mailer),
            mail_budget: self.mail_budget,
            security_mails,
            clock: clock(),
        };
        Arc::new(Passwords::new(ports, background, links()))
    }
}

fn change(current: &str) -> PasswordChangeDraft {
    PasswordChangeDraft {
        current_password: password(current),
        new_password: password(NEW),
    }
}

#[tokio::test]
async fn a_change_spares_the_session_it_came_from_only() {
    let mut stores = Stores::known();
    let session = session(user(1, ADDRESS));
    let spared = session.id;
    stores
        .accounts
        .expect_set_password()
        .withf(move |_, hash, kept| *hash == hash_of(NEW) && *kept == Some(spared))
        .times(1)
        .return_once(|_, _, _| Ok(PasswordChangeOutcome::Stored));
    let mailer = mailer(|to, content| {
        let MailContent::SecurityNotice(notice) = content else {
            return false;
        };
        to == ADDRESS && notice.change == SecurityChange::PasswordChanged
    });
    let service = stores.service(1, 1, mailer);
    service
        .change(&session, change(PASSWORD), &Client::default())
        .await
        .unwrap();
    service.background.wait_idle().await;
}

#[tokio::test]
async fn a_reset_is_mailed_to_the_address_of_the_account() {
    let mut stores = Stores::empty();
    stores
        .accounts
        .expect_owner()
        .return_once(|_| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
    stores
        .accounts
        .expect_add_reset()
        .withf(|reset| {
            reset.expires_at == now() + Passwords::RESET_LIFETIME
                && reset.user == user(1, ADDRESS).id
        })
        .times(1)
        .returning(|_| Ok(()));
    let mailer = mailer(|to, content| {
        let MailContent::PasswordReset { link } = content else {
            return false;
        };
        to == ADDRESS && link.starts_with("https://status.example.com/login?reset=")
    });
    let service = stores.service(0, 0, mailer);
    service
        .request_reset(&ResetDraft {
            email: "ANN@example.com".into(),
        })
        .unwrap();
    service.background.wait_idle().await;
}

#[tokio::test]
async fn beyond_the_mail_budget_no_reset_is_stored_or_mailed() {
    let mut stores = Stores::empty();
    stores
        .accounts
        .expect_owner()
        .return_once(|_| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
    stores.mail_budget = no_mail_left();
    let service = stores.service(0, 0, MockMailer::new());
    service
        .request_reset(&ResetDraft {
            email: ADDRESS.into(),
        })
        .unwrap();
    service.background.wait_idle().await;
}
