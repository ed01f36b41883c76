//! One connection to the mail server.

use std::io;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lettre::address::Envelope;
use lettre::transport::smtp::authentication::Mechanism;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Noop, Rcpt, Rset};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use super::failure::{Failure, Stage};
use super::server::{Login, Security, Server};

/// Timeout of connecting to one of the server's addresses: a network may drop what it does not
/// route, such as IPv6.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that is ready for a message.
pub(super) struct Connection(AsyncSmtpConnection);

impl Connection {
    /// Connects, encrypts and signs in, as configured.
    pub(super) async fn open(server: &Server) -> Result<Self, Failure> {
        let mut connection = Self::greet(server).await?;
        let name = server.name.clone().unwrap_or_default();
        let tls = match &server.security {
            Security::Required(tls) => Some(tls.clone()),
            Security::Opportunistic(tls) => connection.can_starttls().then(|| tls.clone()),
            Security::None | Security::Wrapper(_) => None,
        };
        if let Some(tls) = tls {
            let upgraded = connection.starttls(tls, &name).await;
            upgraded.map_err(|error| Failure::new(Stage::Connect, &error))?;
            check_order_of_replies(&mut connection).await?;
        }
        if let Some(login) = &server.login {
            let signed_in = connection
                .auth(&[Mechanism::Plain, Mechanism::Login], &login.credentials())
                .await;
            signed_in.map_err(|error| login.redacted(&Failure::new(Stage::Login, &error)))?;
        }
        Ok(Self(connection))
    }

    async fn greet(server: &Server) -> Result<AsyncSmtpConnection, Failure> {
        let place = (server.host.as_str(), server.port);
        let name = server.name.clone().unwrap_or_default();
        let greeted = if let Security::Wrapper(tls) = &server.security {
            let (limit, tls) = (Some(ADDRESS_TIMEOUT), Some(tls.clone()));
            AsyncSmtpConnection::connect_tokio1(place, limit, &name, tls, None).await
        } else {
            let stream = connect(place)
                .await
                .map_err(|error| Failure::unreachable(&error))?;
            // The end of a message is a separate write, which Nagle's algorithm would delay.
            stream
                .set_nodelay(true)
                .map_err(|error| Failure::unreachable(&error))?;
            AsyncSmtpConnection::connect_with_transport(Box::new(stream), &name).await
        };
        greeted.map_err(|error| Failure::new(Stage::Connect, &error))
    }

    /// Announces a message. After success the server waits for it.
    pub(super) async fn announce(&mut self, envelope: &Envelope) -> Result<(), Failure> {
        let connection = &mut self.0;
        let failed = |stage: Stage| move |error| Failure::new(stage, &error);
        connection
            .command(Mail::new(envelope.from().cloned(), vec![]))
            .await
            .map_err(failed(Stage::From))?;
        for to in envelope.to() {
            connection
                .command(Rcpt::new(to.clone(), vec![]))
                .await
                .map_err(failed(Stage::To))?;
        }
        let ready = connection.command(Data).await;
        ready.map_err(failed(Stage::Data))?;
        Ok(())
    }

    /// Sends the announced message. After success the server has accepted it.
    pub(super) async fn transmit(&mut self, message: &[u8]) -> Result<(), Failure> {
        let sent = self.0.message(message).await;
        sent.map_err(|error| Failure::new(Stage::Message, &error))?;
        Ok(())
    }

    /// Resets the connection after a refused message. Returns whether it can be used for the
    /// next one.
    pub(super) async fn reset(&mut self) -> bool {
        self.0.command(Rset).await.is_ok()
    }

    /// Closes the connection with QUIT.
    pub(super) async fn quit(mut self) {
        self.0.abort().await;
    }
}

impl Login {
    /// Removes a reply that repeats the user or the password.
    fn redacted(&self, failure: &Failure) -> Failure {
        let plain = format!("\0{}\0{}", self.user, self.password);
        let secrets = [
            self.password.clone(),
            STANDARD.encode(&self.password),
            STANDARD.encode(plain),
        ];
        let is_safe = !secrets
            .iter()
            .any(|secret| failure.reason.contains(secret.as_str()));
        let reply = if is_safe {
            failure.reason.as_str()
        } else {
            "it does not take the user and password"
        };
        Failure {
            reason: format!("the mail server refused the sign-in: {reply}"),
            ..failure.clone()
        }
    }
}

/// Connects to the first address that accepts.
async fn connect(place: (&str, u16)) -> io::Result<TcpStream> {
    let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in lookup_host(place).await? {
        match timeout(ADDRESS_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => failed = error,
            Err(_) => failed = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(failed)
}

/// Checks that replies belong to their commands. lettre takes what an attacker appended to the
/// reply to STARTTLS for the reply to EHLO, so each later reply would come one command late: the
/// one to NOOP would be the long one to EHLO. Several appended replies are not noticed: only TLS
/// from the first byte excludes them.
async fn check_order_of_replies(connection: &mut AsyncSmtpConnection) -> Result<(), Failure> {
    let reply = connection.command(Noop).await;
    let reply = reply.map_err(|error| Failure::new(Stage::Connect, &error))?;
    if reply.message().count() > 1 {
        return Err(Failure::out_of_order());
    }
    Ok(())
}
