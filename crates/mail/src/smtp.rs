//! Mails over SMTP (RFC 5321), to the one server that is configured.
//!
//! The conversation is lettre's, the pool is ours: theirs gives a connection back whose message was given up half way, and
//! does not tell whether a server refused us or the recipient.

mod connection;
mod failure;
mod pool;
mod server;

use std::sync::Arc;
use std::time::Duration;

use allclear_application::mail::{Mail, Mailer, SendError};
use async_trait::async_trait;

use self::failure::Failure;
use self::pool::Pool;
pub use self::server::Server;
use crate::sender::{Sender, Written};

/// How much is asked of the server at once, and how long it is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once. Who sends more mails than that at once waits.
    pub connections: usize,
    /// For a connection, with encryption and sign-in.
    pub connect: Duration,
    /// For the server to take a message, on a connection.
    pub exchange: Duration,
    /// How long a connection is kept that nobody uses.
    pub idle: Duration,
}

impl Default for Limits {
    /// RFC 5321, section 4.5.3.2, would wait for minutes more; a delivery that failed is tried again.
    fn default() -> Self {
        Self {
            connections: 10,
            connect: Duration::from_secs(30),
            exchange: Duration::from_secs(90),
            idle: Duration::from_secs(30),
        }
    }
}

/// Hands each mail to a server, which takes it on.
pub struct SmtpMailer {
    pool: Arc<Pool>,
    sender: Sender,
}

impl SmtpMailer {
    /// Over this server. Nothing is asked of it before the first mail: it may be away when we start.
    #[must_use]
    pub fn new(server: Server, limits: Limits, sender: Sender) -> Self {
        Self {
            pool: Pool::start(server, limits),
            sender,
        }
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: Mail) -> Result<(), SendError> {
        let Written { message, .. } = self.sender.write(&mail)?;
        self.pool
            .send(message.envelope(), &message.formatted())
            .await
            .map_err(Failure::into)
    }
}
