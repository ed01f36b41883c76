//! Mails to the users of a hosted identity provider about their API keys.

use std::sync::Arc;

use super::Profiles;
use crate::security_mail::{SecurityChange, SecurityMails};
use crate::session::Client;

/// Mails users who create API keys. Their addresses are the provider's.
pub struct ApiKeyMails {
    profiles: Arc<dyn Profiles>,
    mails: SecurityMails,
}

impl ApiKeyMails {
    /// Mails the addresses of these profiles.
    #[must_use]
    pub fn new(profiles: Arc<dyn Profiles>, mails: SecurityMails) -> Self {
        Self { profiles, mails }
    }

    /// Mails the user who has created a key, after the response. A user without a verified address
    /// gets no mail.
    pub fn send(&self, creator: String, name: String, client: &Client) {
        let profiles = Arc::clone(&self.profiles);
        let lookup = async move { profiles.address(&creator).await };
        let change = SecurityChange::ApiKeyCreated { name };
        self.mails.send_to(lookup, change, client);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::MockProfiles;
    use crate::fixture::{mailer, security_mails};
    use crate::mail::{MailContent, MockMailer};

    async fn send(address: Option<&'static str>, mailer: MockMailer) {
        let mut profiles = MockProfiles::new();
        profiles
            .expect_address()
            .withf(|user| user == "user_1")
            .times(1)
            .returning(move |_| Ok(address.map(str::to_owned)));
        let (mails, background) = security_mails(Arc::new(mailer));
        let mails = ApiKeyMails::new(Arc::new(profiles), mails);
        mails.send("user_1".into(), "CI".into(), &Client::default());
        background.wait_idle().await;
    }

    #[tokio::test]
    async fn creator_of_a_key_is_mailed_at_the_address_of_the_profile() {
        let expected = mailer(|to, content| {
            let MailContent::SecurityNotice(notice) = content else {
                return false;
            };
            let change = SecurityChange::ApiKeyCreated { name: "CI".into() };
            to == "ann@example.com" && notice.change == change
        });
        send(Some("ann@example.com"), expected).await;
    }

    #[tokio::test]
    async fn creator_without_an_address_gets_no_mail() {
        send(None, MockMailer::new()).await;
    }
}
