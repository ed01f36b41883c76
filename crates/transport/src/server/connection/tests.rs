mod bodies;
mod requests;
mod unsent_bodies;

use super::*;

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{HttpService, Request, Response};
use actix_service::{IntoServiceFactory as _, Service as _, ServiceFactory as _, fn_service};
use actix_web::HttpResponse;
use actix_web::body::{MessageBody, SizedStream};
use actix_web::dev::Extensions;
use actix_web::http::header;
use actix_web::rt::net::TcpListener;
use actix_web::rt::spawn;
use futures_util::{StreamExt as _, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt as _};
use tokio::sync::Notify;

use self::open_connections::Connections;
use crate::limit::client_limits::tests::unlimited;

/// More than the kernel buffers for a client that does not read.
const HUGE: usize = 16 * 1024 * 1024;

/// Two connected sockets: the client's, and the server's.
pub(crate) async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (client, accepted) = tokio::join!(
        TcpStream::connect(listener.local_addr().unwrap()),
        listener.accept()
    );
    (client.unwrap(), accepted.unwrap().0)
}

/// The connections of a worker with few limits.
fn worker() -> Rc<Connections> {
    Connections::new(Duration::from_mins(1), Arc::new(unlimited()))
}

/// A client whose connection is served by this handler.
async fn client_of(
    handler: impl Fn(&Rc<Connection>) -> HttpResponse<SharedBody<Bytes>> + Clone + 'static,
) -> TcpStream {
    client_in(&worker(), handler).await
}

/// A client of a worker, whose connection is served by this handler.
async fn client_in<B: MessageBody + 'static>(
    connections: &Connections,
    handler: impl Fn(&Rc<Connection>) -> HttpResponse<SharedBody<B>> + Clone + 'static,
) -> TcpStream {
    let (client, accepted) = pair().await;
    let stream = connections.accept(accepted).unwrap();
    serve(stream, move |request| {
        let connection = request.conn_data::<Rc<Connection>>().unwrap();
        std::future::ready(handler(connection))
    })
    .await;
    client
}

/// A client whose connection is served by this handler.
async fn client_of_async<F: Future<Output = HttpResponse> + 'static>(
    handler: impl Fn(Request) -> F + Clone + 'static,
) -> TcpStream {
    let (client, accepted) = pair().await;
    serve(worker().accept(accepted).unwrap(), handler).await;
    client
}

async fn serve<B: MessageBody + 'static, F: Future<Output = HttpResponse<B>> + 'static>(
    stream: ClientStream,
    handler: impl Fn(Request) -> F + Clone + 'static,
) {
    let http = HttpService::build()
        .on_connect_ext(|stream: &ClientStream, data: &mut Extensions| {
            data.insert(Rc::clone(stream.connection()));
        })
        .h1(fn_service(move |request: Request| {
            let response = handler(request);
            async move { Ok::<_, Infallible>(Response::from(response.await)) }
        })
        .into_factory());
    let http = http.new_service(()).await.unwrap();
    spawn(async move {
        let mut serving = Box::pin(http.call((stream, None)));
        poll_fn(|context| {
            TURNS.set(TURNS.get() + 1);
            serving.as_mut().poll(context)
        })
        .await
    });
}

thread_local! {
    /// How often the task of the connection ran.
    static TURNS: Cell<usize> = const { Cell::new(0) };
}

/// Lets the other tasks run until they wait. Fails if the task of a connection never does.
async fn rest() {
    for _ in 0..100 {
        let before = TURNS.get();
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        if TURNS.get() == before {
            return;
        }
    }
    panic!("the connection's task never waits");
}

/// A response with this body.
fn with_body(connection: &Rc<Connection>, body: &Bytes) -> HttpResponse<SharedBody<Bytes>> {
    let (body, connection) = (Some(body.clone()), Some(Rc::clone(connection)));
    HttpResponse::Ok()
        .finish()
        .map_body(|head, _| SharedBody::of_bytes(head, body, connection))
}

/// A body of this size in which every position is unique.
fn body(size: usize) -> Bytes {
    (0..=250).cycle().take(size).collect()
}

/// Reads the head of a response.
async fn head(client: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

async fn received(client: &mut (impl AsyncReadExt + Unpin), size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    client.read_exact(&mut bytes).await.unwrap();
    bytes
}

#[actix_web::test]
async fn connection_that_ends_before_it_is_taken_is_freed() {
    let (_client, accepted) = pair().await;
    let stream = worker().accept(accepted).unwrap();
    let connection = Rc::clone(stream.connection());
    let freed = Rc::downgrade(&connection);
    // What takes a connection may refer to it, as the body of a request does.
    stream.connection().hand_over(move |_, _| drop(connection));
    drop(stream);
    assert!(freed.upgrade().is_none());
}

#[actix_web::test]
async fn closing_an_idle_connection_ends_its_reading() {
    let (mut client, accepted) = pair().await;
    let mut stream = worker().accept(accepted).unwrap();
    let connection = Rc::clone(stream.connection());
    let reading = spawn(async move { stream.read(&mut [0; 8]).await.unwrap() });
    while connection.reader.borrow().is_none() {
        tokio::task::yield_now().await;
    }
    connection.close();
    assert_eq!(reading.await.unwrap(), 0);
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}
