use super::*;

use crate::account::MockAccountStore;
use crate::fixture::{
    PASSWORD, clock, credentials, hash_of, hasher, hmac_key, links, mailer, no_mail_left, now,
    password, security_mails, session, unlimited_mail, user,
};
use crate::mail::MockMailer;
use crate::session::MockSessionStore;

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
        let sessions = Arc::new(MockSessionStore::new());
        let opener = SessionOpener::new(sessions, clock(), hmac_key(), security_mails.clone());
        let ports = PasswordPorts {
            accounts: Arc::new(self.accounts),
            hasher: Arc::new(hasher(hashes, verifications)),
            mailer: Arc::clone(&mailer),
            mail_budget: self.mail_budget,
            security_mails,
            opener,
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
async fn a_change_spares_the_session_and_the_device_it_came_from_only() {
    let mut stores = Stores::known();
    let session = session(user(1, ADDRESS));
    let current_session = session.id;
    stores
        .accounts
        .expect_change_password()
        .withf(move |change| {
            change.verified == hash_of(PASSWORD)
                && change.new == hash_of(NEW)
                && change.current_session == current_session
        })
        .times(1)
        .return_once(|_| Ok(true));
    let mailer = mailer(|to, content| {
        let MailContent::SecurityNotice(notice) = content else {
            return false;
        };
        to == ADDRESS && notice.change == SecurityChange::PasswordChanged
    });
    let service = stores.service(1, 1, mailer);
    let client = Client::default();
    let changed = service.change(&session, change(PASSWORD), &client);
    let mark = changed.await.unwrap().unwrap();
    let client = Client {
        marks: vec![mark],
        ..Client::default()
    };
    let is_known = |password| {
        let account = credentials(1, ADDRESS, password);
        service.ports.opener.is_known(&account, &client)
    };
    assert!(is_known(NEW) && !is_known(PASSWORD));
    service.background.wait_idle().await;
}

#[tokio::test]
async fn a_password_that_was_replaced_after_it_was_verified_is_wrong() {
    let mut stores = Stores::known();
    stores
        .accounts
        .expect_change_password()
        .return_once(|_| Ok(false));
    let service = stores.service(1, 1, MockMailer::new());
    let (session, client) = (session(user(1, ADDRESS)), Client::default());
    let refused = service.change(&session, change(PASSWORD), &client).await;
    assert_eq!(refused.unwrap(), Err(WrongPassword));
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
                && reset.address == EmailKey::of(ADDRESS)
        })
        .times(1)
        .returning(|_| Ok(true));
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
async fn an_address_that_the_account_has_no_more_gets_no_reset() {
    let mut stores = Stores::empty();
    stores
        .accounts
        .expect_owner()
        .return_once(|_| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
    stores
        .accounts
        .expect_add_reset()
        .times(1)
        .returning(|_| Ok(false));
    let service = stores.service(0, 0, MockMailer::new());
    service
        .request_reset(&ResetDraft {
            email: ADDRESS.into(),
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
