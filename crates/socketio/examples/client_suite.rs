//! The server that the tests of `socket.io-client` expect at port 3210 (its
//! `test/support/server.ts`), so that they run unmodified against this crate. Connection state
//! recovery is not supported.

use std::io;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpServer, rt};
use allclear_socketio::{
    Attachment, Connect, ConnectError, EncodeError, Event, Handler, Incoming, Server, Settings,
    Socket, SocketRef, close_dead_connections,
};
use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The namespaces differ in their admission and in their first events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Main,
    Greeting,
    Refusing,
    Plain,
}

fn emit<T: Serialize>(socket: &SocketRef, name: &str, args: &T) {
    if let Ok(event) = Event::new(name, args) {
        socket.emit(&event);
    }
}

fn emit_bytes(socket: &SocketRef, name: &str) {
    if let Ok(event) = Event::with_attachments(
        name,
        &(Attachment::new(0),),
        vec![Bytes::from_static(b"asdfasdf")],
    ) {
        socket.emit(&event);
    }
}

fn handshake(request: &Connect<'_>) -> Value {
    let query: Value =
        actix_web::web::Query::<Vec<(String, String)>>::from_query(request.handshake().query())
            .map(|query| {
                query
                    .into_inner()
                    .into_iter()
                    .map(|(name, value)| (name, Value::from(value)))
                    .collect()
            })
            .unwrap_or_default();
    let headers: Value = request
        .handshake()
        .headers()
        .map(|(name, value)| (name.to_owned(), Value::from(String::from_utf8_lossy(value))))
        .collect();
    json!({
        "auth": request.auth::<Value>().unwrap_or_default(),
        "query": query,
        "headers": headers,
        "url": format!("/socket.io/?{}", request.handshake().query()),
        "address": request.handshake().address().map(|address| address.to_string()),
        "xdomain": request.handshake().header("origin").is_some(),
        "secure": false,
    })
}

impl Handler for Place {
    type Data = Value;

    async fn connect(&self, request: Connect<'_>) -> Result<Value, ConnectError> {
        let fails = || {
            request
                .handshake()
                .query()
                .split('&')
                .any(|pair| pair.starts_with("fail="))
        };
        match self {
            Self::Refusing => Err(ConnectError::new("Auth failed (custom namespace)")),
            Self::Main if fails() => Err(ConnectError::new("Auth failed (main namespace)")),
            _ => Ok(handshake(&request)),
        }
    }

    async fn connected(&self, socket: &Socket<Value>) {
        if *self == Self::Greeting {
            emit(socket, "handshake", &(socket.data(),));
        }
    }

    async fn event(&self, socket: &Socket<Value>, mut event: Incoming) {
        let outcome = match event.name() {
            "getId" => event.ack(&(socket.sid(),)),
            _ if *self != Self::Main => Ok(()),
            "getHandshake" => event.ack(&(socket.data(),)),
            "getAckDate" => event.ack(&("2024-01-01T00:00:00.000Z",)),
            "echo" => acknowledge_with_own_arguments(&mut event),
            _ => {
                respond(socket, &event);
                Ok(())
            }
        };
        if let Err(error) = outcome {
            eprintln!("{error}");
        }
    }
}

fn acknowledge_with_own_arguments(event: &mut Incoming) -> Result<(), EncodeError> {
    let args: Vec<Box<RawValue>> = event.args().parse()?;
    let attachments = event.args().attachments().to_vec();
    event.ack_with_attachments(&args, attachments)
}

async fn ask(socket: SocketRef) {
    let Ok(question) = Event::new("ack", &()) else {
        return;
    };
    let response = socket
        .emit_with_ack(&question, Duration::from_secs(5))
        .await;
    let right =
        response.is_ok_and(|args| args.parse().is_ok_and(|(five, _): (u32, Value)| five == 5));
    if right {
        emit(&socket, "got it", &());
    }
}

fn respond(socket: &SocketRef, event: &Incoming) {
    let binary = !event.args().attachments().is_empty();
    match event.name() {
        "hi" => emit(socket, "hi", &()),
        // The suite emits again before it acknowledges, so awaiting the acknowledgement here
        // would block.
        "ack" => drop(rt::spawn(ask(socket.clone()))),
        "getDate" => emit(socket, "takeDate", &("2024-01-01T00:00:00.000Z",)),
        "getDateObj" => emit(
            socket,
            "takeDateObj",
            &(json!({ "date": "2024-01-01T00:00:00.000Z" }),),
        ),
        "getUtf8" => {
            for text in [
                "てすと",
                "Я Б Г Д Ж Й",
                "Ä ä Ü ü ß",
                "utf8 — string",
                "utf8 — string",
            ] {
                emit(socket, "takeUtf8", &(text,));
            }
        }
        "false" => emit(socket, "false", &(false,)),
        "doge" => emit_bytes(socket, "doge"),
        "getbin" => emit_bytes(socket, "takebin"),
        "buffa" if binary => emit(socket, "buffack", &()),
        "jsonbuff" if binary => emit(socket, "jsonbuff-ack", &()),
        "abuff2" => emit(socket, "abuff2-ack", &()),
        "blob" if binary => emit(socket, "back", &()),
        "jsonblob" if binary => emit(socket, "jsonblob-ack", &()),
        "blob3" if binary => emit(socket, "blob3-ack", &()),
        _ => {}
    }
}

/// In the suite, clients give up before a slow server opens their session.
async fn unhurried<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    if !request.query_string().contains("sid=") {
        rt::time::sleep(Duration::from_millis(10)).await;
    }
    next.call(request).await
}

#[actix_web::main]
async fn main() -> io::Result<()> {
    let settings = Settings {
        ping_interval: Duration::from_secs(2),
        handshake_headers: None,
        ..Settings::default()
    };
    let server = ["/foo", "/timeout_socket", "/valid", "/asd"]
        .into_iter()
        .fold(
            Server::builder().settings(settings.clone()),
            |builder, name| builder.namespace(name, Place::Plain),
        )
        .namespace("/", Place::Main)
        .namespace("/abc", Place::Greeting)
        .namespace("/no", Place::Refusing)
        .build();
    HttpServer::new(move || {
        App::new()
            .wrap(from_fn(unhurried))
            .service(server.resource("/socket.io"))
    })
    .on_connect(close_dead_connections(&settings))
    .h1_allow_half_closed(false)
    .client_disconnect_timeout(Duration::from_millis(100))
    .workers(1)
    .bind("localhost:3210")?
    .run()
    .await
}
