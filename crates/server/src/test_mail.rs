//! `allclear test-mail`.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::mail::{Mail, MailContent, PROMPT_MAIL_TIMEOUT};
use tokio::time::timeout;

use crate::clock::SystemClock;
use crate::mail;
use crate::settings::Settings;

/// Sends a mail to an address by the configured mail server. It needs no database, so it also works
/// before the first start.
///
/// # Errors
/// One line: no mail server is configured, or why it does not accept the mail.
pub(crate) async fn send(settings: &Settings, address: String) -> Result<(), String> {
    if !settings.mail.is_sent() {
        return Err(
            "no mail server is configured: set ALLCLEAR_SMTP_URL, or run the command with the settings of the server"
                .to_owned(),
        );
    }
    let url = settings.public_url(settings.listen.port());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mailer = mail::mailer(settings, &url, &clock)?;
    let sending = mailer.send(Mail::new(address, MailContent::InstallationTest { url }));
    match timeout(PROMPT_MAIL_TIMEOUT, sending).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!("the mail was not sent: {error}")),
        Err(_) => Err(format!(
            "the mail server did not accept the mail within {} seconds",
            PROMPT_MAIL_TIMEOUT.as_secs()
        )),
    }
}
