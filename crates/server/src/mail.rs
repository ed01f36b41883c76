//! Wires the mailer.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::mail::Mailer;
use allclear_mail::file::FileMailer;
use allclear_mail::sender::Sender;
use allclear_mail::smtp::{SmtpLimits, SmtpMailer};
use url::{Host, Url};

use crate::settings::Settings;

/// Connections in addition to those for subscribers' mail, so that a password reset does not wait
/// behind a thousand notices.
const SPARE_CONNECTIONS: usize = 2;

/// The configured mailer.
pub(crate) fn mailer(
    settings: &Settings,
    public_url: &str,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn Mailer>, String> {
    let sender = Sender::new(&settings.mail.mail_from, public_url, Arc::clone(clock))?;
    if let Some(server) = settings.mail.server()? {
        if settings.mail.has_default_sender() {
            tracing::warn!("the sender's address cannot receive replies: set ALLCLEAR_MAIL_FROM");
        }
        if is_local(public_url) {
            tracing::warn!(
                url = public_url,
                "links in mails lead to the reader's own machine: set ALLCLEAR_PUBLIC_URL"
            );
        }
        if server.exposes_password() {
            tracing::warn!(
                "the mail server's password may go over the network unencrypted: use smtps:// or ?tls=required"
            );
        }
        tracing::info!(server = %server, "mail is sent by SMTP");
        let limits = SmtpLimits {
            connections: settings.mail_concurrency + SPARE_CONNECTIONS,
            ..SmtpLimits::default()
        };
        return Ok(Arc::new(SmtpMailer::new(server, limits, sender)));
    }
    let folder = settings.data_dir.join("mail");
    if !is_local(public_url) {
        tracing::warn!(
            folder = %folder.display(),
            "no mail is sent: each is written to a file, and no file is removed. Set ALLCLEAR_SMTP_URL"
        );
    }
    let mailer = FileMailer::new(&folder, sender);
    Ok(Arc::new(mailer.map_err(|error| {
        format!("mail to {}: {error}", folder.display())
    })?))
}

/// Whether the installation is only for browsers on this machine.
fn is_local(public_url: &str) -> bool {
    match Url::parse(public_url).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The mailer of a server: first removes the unfinished files of an earlier process.
pub(crate) fn start(
    settings: &Settings,
    public_url: &str,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn Mailer>, String> {
    remove_unfinished(settings);
    mailer(settings, public_url, clock)
}

/// Removes mails that an earlier process did not finish writing.
fn remove_unfinished(settings: &Settings) {
    let folder = settings.data_dir.join("mail");
    match allclear_mail::file::remove_unfinished(&folder) {
        Ok(0) => {}
        Ok(removed) => tracing::info!(
            removed,
            "unfinished mails of an earlier process were removed"
        ),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "unfinished mails of an earlier process were not removed"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_that_only_this_machine_reaches_is_local() {
        for (url, expected) in [
            ("http://localhost:8080", true),
            ("http://status.localhost", true),
            ("http://127.0.0.2", true),
            ("http://[::1]:8080", true),
            ("https://status.example.com", false),
            ("http://192.0.2.1:8080", false),
        ] {
            assert_eq!(is_local(url), expected, "{url}");
        }
    }
}
