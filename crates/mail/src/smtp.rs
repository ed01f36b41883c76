//! Mails over SMTP (RFC 5321), to the configured server.
//!
//! lettre implements the protocol. The connection pool is our own: lettre's pool reuses a
//! connection after an abandoned message, and does not say whether the server refused the sender or
//! the recipient.

mod connection;
mod failure;
mod pool;
mod server;

use std::sync::Arc;
use std::time::Duration;

use allclear_application::error::Error;
use allclear_application::mail::{Mail, MailContent, MailPreview, Mailer, SendError};
use async_trait::async_trait;

use self::failure::Failure;
use self::pool::Pool;
pub use self::server::Server;
use crate::rendered_mail::RenderedMail;
use crate::sender::{Sender, WrittenMail};

/// Limits of connections, and timeouts.
#[derive(Debug, Clone, Copy)]
pub struct SmtpLimits {
    /// Connections that are open at the same time. Further mails wait.
    pub connections: usize,
    /// Timeout of connecting, with encryption and sign-in.
    pub connect: Duration,
    /// Timeout of the dialogue on an open connection, up to the message itself.
    pub exchange: Duration,
    /// Timeout of all that precedes the message itself, with the time that it waits for a
    /// connection.
    pub begin: Duration,
    /// Timeout of the message itself, up to its confirmation.
    pub confirm: Duration,
    /// Time for which an unused connection is kept.
    pub idle: Duration,
}

impl Default for SmtpLimits {
    /// Shorter than RFC 5321, section 4.5.3.2, recommends, because failed deliveries are retried.
    /// Only the confirmation has the time of section 4.5.3.2.6, because a retry of a message that
    /// is confirmed too late is a second copy.
    fn default() -> Self {
        Self {
            connections: 10,
            connect: Duration::from_secs(30),
            exchange: Duration::from_secs(90),
            begin: Duration::from_secs(150),
            confirm: Duration::from_mins(10),
            idle: Duration::from_secs(30),
        }
    }
}

/// Sends each mail to a mail server.
pub struct SmtpMailer {
    pool: Arc<Pool>,
    sender: Sender,
}

impl SmtpMailer {
    /// A mailer for a server. It connects at the first mail, so the server may be unavailable at
    /// the start.
    #[must_use]
    pub fn new(server: Server, limits: SmtpLimits, sender: Sender) -> Self {
        Self {
            pool: Pool::start(server.named(sender.host()), limits),
            sender,
        }
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: Mail) -> Result<(), SendError> {
        let WrittenMail { message, .. } = self.sender.write(&mail)?;
        self.pool
            .send(message.envelope(), &message.formatted())
            .await
            .map_err(Failure::into)
    }

    fn preview(&self, content: &MailContent) -> Result<MailPreview, Error> {
        RenderedMail::preview(content)
    }
}

#[cfg(test)]
mod tests {
    use allclear_application::mail::MAIL_TIMEOUT;

    use super::*;

    #[test]
    fn a_mail_takes_no_longer_than_the_port_allows() {
        let limits = SmtpLimits::default();
        assert!(limits.connect + limits.exchange <= limits.begin);
        assert!(limits.begin + limits.confirm + super::pool::QUIT_TIMEOUT <= MAIL_TIMEOUT);
    }
}
