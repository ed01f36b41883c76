//! The mailer of mails about accounts.

use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::mail::{
    Mail, MailContent, MailPreview, Mailer, PROMPT_MAIL_TIMEOUT, SendError,
};
use async_trait::async_trait;
use tokio::time::timeout;

use crate::metrics::ACCOUNT_MAILS_FAILED;

/// Sends mails about accounts, and counts failed attempts.
pub(super) struct AccountMailer(pub(super) Arc<dyn Mailer>);

#[async_trait]
impl Mailer for AccountMailer {
    async fn send(&self, mail: Mail) -> Result<(), SendError> {
        // Nobody waits for a link as long as a notice may take: a person requests another one.
        let sent = timeout(PROMPT_MAIL_TIMEOUT, self.0.send(mail)).await;
        let sent = sent.unwrap_or_else(|_| {
            let reason = "the mail server did not respond in time".to_owned();
            Err(SendError::Unconfirmed { reason })
        });
        if sent.is_err() {
            metrics::counter!(ACCOUNT_MAILS_FAILED).increment(1);
        }
        sent
    }

    fn preview(&self, content: &MailContent) -> Result<MailPreview, Error> {
        self.0.preview(content)
    }
}
