//! The measured server, in its own process.

use std::io;

use actix_web::{App, HttpServer};
use allclear_socketio::{
    Connect, ConnectError, Event, Handler, Incoming, Server, Settings, Socket,
    close_dead_connections,
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

    /// `shout` with a count and a size sends that many events of that size to the room.
    async fn event(&self, socket: &Socket<()>, event: Incoming) {
        let (count, size): (usize, usize) = event.args().parse().unwrap_or_default();
        let text = "x".repeat(size);
        for number in 0..count {
            if let Ok(event) = Event::new("change", &(number, &text)) {
                socket.to("room").emit(&event);
                socket.emit(&event);
            }
        }
    }
}

/// Serves until it is stopped, and prints its port.
pub(crate) async fn serve() -> io::Result<()> {
    let settings = Settings::default();
    let tune = close_dead_connections(&settings);
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
