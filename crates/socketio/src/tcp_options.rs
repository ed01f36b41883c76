//! TCP options for long-lived connections.

use std::any::Any;

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use socket2::SockRef;

use crate::settings::Settings;

/// A hook for [`HttpServer::on_connect`](actix_web::HttpServer::on_connect). It makes the kernel
/// send every packet without delay, and close a connection whose peer has accepted no data for as
/// long as a ping may stay unanswered.
///
/// A session whose client does not read is closed by its queue's bounds or by its ping. The
/// connection below belongs to the HTTP server, which would wait until the peer reads. On Linux
/// this sets `TCP_USER_TIMEOUT`; other systems keep the connection. `TCP_NODELAY` is set as Node
/// does: without it, the second of two packets waits up to 40 milliseconds for the acknowledgement
/// of the first.
///
/// ```no_run
/// # use actix_web::{App, HttpServer};
/// # use allclear_socketio::{Server, Settings, close_dead_connections};
/// # fn run(server: Server) -> std::io::Result<()> {
/// HttpServer::new(move || App::new().service(server.resource("/socket.io")))
///     .on_connect(close_dead_connections(&Settings::default()))
///     .h1_allow_half_closed(false)
/// #   ; Ok(())
/// # }
/// ```
pub fn close_dead_connections(
    settings: &Settings,
) -> impl Fn(&dyn Any, &mut Extensions) + Send + Sync + 'static {
    let settings = settings.clone();
    move |connection, _| {
        if let Some(stream) = connection.downcast_ref::<TcpStream>() {
            set_tcp_options(stream, &settings);
        }
    }
}

/// Sets the options of [`close_dead_connections`] on a stream, for servers without such a hook.
pub fn set_tcp_options(stream: &TcpStream, settings: &Settings) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was not set");
    }
    let timeout = settings.ping_interval + settings.ping_timeout;
    #[cfg(target_os = "linux")]
    if let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(timeout)) {
        tracing::debug!(%error, "TCP_USER_TIMEOUT was not set");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (SockRef::from(stream), timeout);
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::rt::net::TcpListener;

    #[actix_web::test]
    async fn no_delay_and_user_timeout_are_set() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (client, accepted) = tokio::join!(
            TcpStream::connect(listener.local_addr().unwrap()),
            listener.accept()
        );
        let (_client, connection) = (client.unwrap(), accepted.unwrap().0);
        assert!(!connection.nodelay().unwrap());
        let settings = Settings::default();
        close_dead_connections(&settings)(&connection, &mut Extensions::new());
        assert!(connection.nodelay().unwrap());
        #[cfg(target_os = "linux")]
        assert_eq!(
            SockRef::from(&connection).tcp_user_timeout().unwrap(),
            Some(settings.ping_interval + settings.ping_timeout)
        );
    }
}
