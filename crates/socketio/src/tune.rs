//! Connections that are dead without having said so.

use std::any::Any;

use actix_web::dev::Extensions;
use socket2::SockRef;

use crate::settings::Settings;

/// For [`HttpServer::on_connect`](actix_web::HttpServer::on_connect): has the kernel end a connection whose peer has taken
/// nothing for as long as a ping may stay unanswered.
///
/// A session whose client does not read is closed by its queue's bounds or by its ping, but the connection below is held by
/// the HTTP server, which waits for the peer to read what has been written. On Linux this sets `TCP_USER_TIMEOUT`; elsewhere it does
/// nothing.
///
/// ```no_run
/// # use actix_web::{App, HttpServer};
/// # use allclear_socketio::{Server, Settings, cut_dead_connections};
/// # fn run(server: Server) -> std::io::Result<()> {
/// HttpServer::new(move || App::new().service(server.resource("/socket.io")))
///     .on_connect(cut_dead_connections(&Settings::default()))
///     .h1_allow_half_closed(false)
/// #   ; Ok(())
/// # }
/// ```
pub fn cut_dead_connections(settings: &Settings) -> impl Fn(&dyn Any, &mut Extensions) + Send + Sync + 'static {
    let timeout = settings.ping_interval + settings.ping_timeout;
    move |connection, _| {
        let Some(stream) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() else { return };
        #[cfg(target_os = "linux")]
        if let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(timeout)) {
            tracing::debug!(%error, "TCP_USER_TIMEOUT was not set");
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (SockRef::from(stream), timeout);
    }
}
