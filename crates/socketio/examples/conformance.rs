//! The server that the official protocol suites expect.
//!
//! `cargo run --example conformance -- [--port 3000] [--ping-interval 300] [--ping-timeout 200] [--path /socket.io] [--engine-path /engine.io] [--connect-timeout 1500] [--workers 1]`.
//! Positional values are port, ping interval, ping timeout and path. The server prints its address
//! once it listens.

use std::time::Duration;
use std::{env, io};

use actix_web::{App, HttpServer, rt};
use allclear_socketio::engine::{Engine, EngineHandler, EngineSocket, Malformed, Message};
use allclear_socketio::{
    CloseReason, Connect, ConnectError, EncodeError, Event, Handler, Incoming, Server, Settings,
    Socket, close_dead_connections,
};
use serde_json::value::RawValue;

/// Sends every message back.
struct Echo;

impl EngineHandler for Echo {
    type Decoder = ();
    type State = ();
    type Job = Message;

    fn open(&self, _: &EngineSocket) -> ((), ()) {
        ((), ())
    }

    fn decode(&self, (): &mut (), message: Message) -> Result<Option<Message>, Malformed> {
        Ok(Some(message))
    }

    fn size(message: &Message) -> usize {
        message.len()
    }

    async fn run(&self, socket: &EngineSocket, (): &mut (), message: Message) {
        socket.send(message);
    }

    async fn closed(&self, _: &EngineSocket, (): (), _: CloseReason) {}
}

/// The suite listens for `auth` only after the response to its `CONNECT`. A client on a busy
/// machine may handle both packets in one turn of its event loop, also with the reference server,
/// and then misses `auth`.
const TURN: Duration = Duration::from_millis(25);

/// The behaviour that the Socket.IO suite expects of the namespaces `/` and `/custom`.
struct Suite;

impl Handler for Suite {
    type Data = Box<RawValue>;

    async fn connect(&self, request: Connect<'_>) -> Result<Box<RawValue>, ConnectError> {
        request
            .auth()
            .map_err(|error| ConnectError::new(error.to_string()))
    }

    async fn connected(&self, socket: &Socket<Box<RawValue>>) {
        rt::time::sleep(TURN).await;
        if let Ok(event) = Event::new("auth", &(socket.data(),)) {
            socket.emit(&event);
        }
    }

    async fn event(&self, socket: &Socket<Box<RawValue>>, mut event: Incoming) {
        match event.name() {
            "message" => {
                if let Ok(response) = Event::from_args("message-back", event.args()) {
                    socket.emit(&response);
                }
            }
            "message-with-ack" => drop(acknowledge_with_own_arguments(&mut event)),
            _ => {}
        }
    }
}

fn acknowledge_with_own_arguments(event: &mut Incoming) -> Result<(), EncodeError> {
    let args: Vec<Box<RawValue>> = event.args().parse()?;
    let attachments = event.args().attachments().to_vec();
    event.ack_with_attachments(&args, attachments)
}

struct Arguments {
    port: u16,
    workers: usize,
    engine_path: String,
    path: String,
    settings: Settings,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        port: 3000,
        workers: 1,
        engine_path: "/engine.io".into(),
        path: "/socket.io".into(),
        settings: Settings {
            ping_interval: Duration::from_millis(300),
            ping_timeout: Duration::from_millis(200),
            // Longer than three heartbeats, which the suite awaits without joining a namespace.
            connect_timeout: Duration::from_millis(1500),
            ..Settings::default()
        },
    };
    let mut positions = ["--port", "--ping-interval", "--ping-timeout", "--path"].into_iter();
    let mut given = env::args().skip(1);
    while let Some(argument) = given.next() {
        let (name, value) = match argument.split_once('=') {
            _ if !argument.starts_with("--") => (
                positions.next().ok_or("too many arguments")?.to_owned(),
                argument,
            ),
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (
                argument.clone(),
                given.next().ok_or(format!("{argument} needs a value"))?,
            ),
        };
        let millis = || {
            value
                .parse()
                .map(Duration::from_millis)
                .map_err(|error| format!("{name}: {error}"))
        };
        match name.as_str() {
            "--port" => {
                arguments.port = value.parse().map_err(|error| format!("{name}: {error}"))?;
            }
            "--workers" => {
                arguments.workers = value.parse().map_err(|error| format!("{name}: {error}"))?;
            }
            "--ping-interval" => arguments.settings.ping_interval = millis()?,
            "--ping-timeout" => arguments.settings.ping_timeout = millis()?,
            "--connect-timeout" => arguments.settings.connect_timeout = millis()?,
            "--engine-path" => arguments.engine_path = value,
            "--path" => arguments.path = value,
            _ => return Err(format!("unknown argument {name}")),
        }
    }
    Ok(arguments)
}

#[actix_web::main]
async fn main() -> io::Result<()> {
    let arguments = arguments().map_err(io::Error::other)?;
    let engine = Engine::new(arguments.settings.clone(), Echo);
    let tune = close_dead_connections(&arguments.settings);
    let server = Server::builder()
        .settings(arguments.settings)
        .namespace("/", Suite)
        .namespace("/custom", Suite)
        .build();
    let (engine_path, path) = (arguments.engine_path, arguments.path);
    let http = HttpServer::new(move || {
        App::new()
            .service(engine.resource(&engine_path))
            .service(server.resource(&path))
    })
    .h1_allow_half_closed(false)
    .on_connect(tune)
    .client_disconnect_timeout(Duration::from_millis(100))
    .workers(arguments.workers)
    .bind(("127.0.0.1", arguments.port))?;
    let port = http
        .addrs()
        .first()
        .map_or(arguments.port, std::net::SocketAddr::port);
    // "localhost" is either address, depending on the client.
    let http = match std::net::TcpListener::bind(("::1", port)) {
        Ok(listener) => http.listen(listener)?,
        Err(_) => http,
    };
    println!("listening on http://localhost:{port}");
    http.run().await
}
