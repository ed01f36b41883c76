//! Our server, as a process of its own, so that its processor time and memory are its own.

use std::{env, io};

use actix_web::{App, HttpServer};
use allclear_socketio::{
    Connect, ConnectError, Event, Handler, Incoming, Server, Settings, Socket, cut_dead_connections,
};

struct Room;

impl Handler for Room {
    type Data = ();

    async fn connect(&self, _: Connect<'_>) -> Result<(), ConnectError> {
        Ok(())
    }

    async fn connected(&self, socket: &Socket<()>) {
        socket.join("room");
        if let Ok(event) = Event::new("ready", &()) {
            socket.emit(&event);
        }
    }

    /// `shout` with a number and a size tells the room so many events of that size.
    async fn event(&self, socket: &Socket<()>, event: Incoming) {
        let (count, size): (usize, usize) = event.args().parse().unwrap_or_default();
        let text = "x".repeat(size);
        for number in 0..count {
            if let Ok(event) = Event::new("told", &(number, &text)) {
                socket.to("room").emit(&event);
                socket.emit(&event);
            }
        }
    }
}

/// Serves until it is ended, and prints its port. `QUEUE_BYTES` bounds what waits for a client.
pub(crate) async fn serve() -> io::Result<()> {
    let mut settings = Settings::default();
    if let Some(bytes) = env::var("QUEUE_BYTES")
        .ok()
        .and_then(|bytes| bytes.parse().ok())
    {
        settings.max_queue_bytes = bytes;
    }
    let tune = cut_dead_connections(&settings);
    let server = Server::builder()
        .settings(settings)
        .namespace("/", Room)
        .build();
    let http = HttpServer::new(move || App::new().service(server.resource("/socket.io")))
        .h1_allow_half_closed(false)
        .on_connect(tune)
        .backlog(4096)
        .workers(2)
        .bind(("127.0.0.1", 0))?;
    println!(
        "{}",
        http.addrs().first().map_or(0, std::net::SocketAddr::port)
    );
    http.run().await
}
