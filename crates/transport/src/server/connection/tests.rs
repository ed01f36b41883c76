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

use self::idle::Connections;
use crate::limit::client_slots::tests::unlimited;

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

/// A body of this size in which every position can be told.
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
async fn shared_bodies_arrive_whole_and_in_order() {
    // The last but one blocks the kernel's buffers while it is sent from a file; the last one is too large for a file.
    for size in [1, 12 * 1024 - 1, 12 * 1024, 100_000, 3 * 1024 * 1024, HUGE] {
        let sent = body(size);
        let answer = sent.clone();
        let mut client = client_of(move |connection| with_body(connection, &answer)).await;
        // All at once: each response has to wait for the body before it.
        let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(4);
        client.write_all(requests.as_bytes()).await.unwrap();
        for _ in 0..4 {
            let head = head(&mut client).await;
            assert_eq!(head.matches("content-length").count(), 1, "{head}");
            assert!(
                head.contains(&format!("content-length: {size}\r\n")),
                "{head}"
            );
            assert!(!head.contains("chunked"), "{head}");
            assert!(received(&mut client, size).await == sent, "{size} bytes");
        }
    }
}

#[actix_web::test]
async fn responses_are_those_of_their_own_requests() {
    let sent = body(300);
    let answer = sent.clone();
    let mut client = client_of(move |connection| with_body(connection, &answer)).await;
    let request = |method| format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n");
    let last = request("GET").replace("1.1", "1.0");
    let requests = ["GET", "HEAD", "GET", "HEAD", "HEAD", "GET"].map(request);
    let requests = [requests.concat(), request("HEAD"), last].concat();
    client.write_all(requests.as_bytes()).await.unwrap();
    for has_body in [true, false, true, false, false, true, false, true] {
        assert!(head(&mut client).await.contains("content-length: 300\r\n"));
        if has_body {
            assert!(received(&mut client, sent.len()).await == sent);
        }
    }
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}

#[actix_web::test]
async fn later_request_does_not_change_the_response_to_a_running_one() {
    let (begin, is_begun) = (Rc::new(Notify::new()), Rc::new(Notify::new()));
    let (begun, may_end) = (Rc::clone(&is_begun), Rc::clone(&begin));
    let mut client = client_of_async(move |request| {
        let connection = request.conn_data::<Rc<Connection>>().cloned();
        let guard = connection.as_ref().map(RequestGuard::on);
        let (begun, may_end) = (Rc::clone(&begun), Rc::clone(&may_end));
        async move {
            begun.notify_one();
            may_end.notified().await;
            drop(guard);
            HttpResponse::Ok().body("text")
        }
    })
    .await;
    for method in ["GET", "HEAD", "GET"] {
        let request = format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        rest().await;
    }
    for body in ["text", "", "text"] {
        is_begun.notified().await;
        begin.notify_one();
        assert!(head(&mut client).await.contains("content-length: 4\r\n"));
        assert_eq!(received(&mut client, body.len()).await, body.as_bytes());
    }
}

#[actix_web::test]
async fn client_that_leaves_within_a_head_ends_its_connection() {
    let mut client = client_of(|connection| with_body(connection, &body(1))).await;
    client.write_all(b"GET / HTTP/1.1\r\nHost").await.unwrap();
    rest().await;
    client.shutdown().await.unwrap();
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}

#[actix_web::test]
async fn upload_behind_other_requests_arrives_whole() {
    for size in [9_000, 100_000] {
        let mut client = client_of_async(|mut request| {
            let connection = request.conn_data::<Rc<Connection>>().cloned();
            let payload = request.take_payload();
            async move {
                let connection = connection.unwrap();
                let guard = RequestGuard::on(&connection);
                let asked = payload.inspect(move |_| connection.allow_more());
                let parts: Vec<_> = asked.map(Result::unwrap).collect().await;
                tokio::task::yield_now().await;
                drop(guard);
                HttpResponse::Ok().body(parts.concat())
            }
        })
        .await;
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
        let upload = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n");
        let sent = [
            get.as_bytes(),
            upload.as_bytes(),
            &body(size),
            get.as_bytes(),
        ]
        .concat();
        let (mut reader, mut writer) = client.split();
        let (_, ()) = tokio::join!(writer.write_all(&sent), async {
            for expected in [0, 0, size, 0, 0] {
                head(&mut reader).await;
                assert!(received(&mut reader, expected).await == body(expected));
            }
        });
    }
}

#[actix_web::test]
async fn requests_that_wait_take_little_memory() {
    let kept: Rc<RefCell<Option<Rc<Connection>>>> = Rc::default();
    let served = Rc::clone(&kept);
    let mut client = client_of_async(move |request| {
        let connection = request.conn_data::<Rc<Connection>>().cloned().unwrap();
        served.replace(Some(Rc::clone(&connection)));
        let guard = RequestGuard::on(&connection);
        async move {
            tokio::task::yield_now().await;
            drop(guard);
            HttpResponse::Ok().finish()
        }
    })
    .await;
    let (mut reader, mut writer) = client.split();
    let sent = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5_000);
    let (_, ()) = tokio::join!(writer.write_all(sent.as_bytes()), async {
        for _ in 0..5_000 {
            head(&mut reader).await;
            let connection = kept.borrow();
            assert!(connection.as_ref().unwrap().pipeline.waiting() <= READ_AHEAD);
        }
    });
}

#[actix_web::test]
async fn parts_of_a_body_arrive_whole_and_in_order() {
    let sent = body(HUGE);
    let parts: Vec<_> = sent
        .chunks(100_000)
        .map(|part| sent.slice_ref(part))
        .collect();
    let mut client = client_in(&worker(), move |connection| {
        let parts = stream::iter(parts.clone().into_iter().map(Ok::<_, Infallible>));
        let (parts, connection) = (SizedStream::new(HUGE as u64, parts), Rc::clone(connection));
        HttpResponse::Ok()
            .finish()
            .map_body(|head, _| SharedBody::new(head, parts, Some(connection)))
    })
    .await;
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
    client.write_all(requests.as_bytes()).await.unwrap();
    for _ in 0..2 {
        let head = head(&mut client).await;
        assert_eq!(head.matches("content-length").count(), 1, "{head}");
        assert!(received(&mut client, HUGE).await == sent);
    }
}

#[actix_web::test]
async fn body_that_ends_too_early_ends_the_connection() {
    let part = body(100_000);
    let mut client = client_in(&worker(), move |connection| {
        let parts = stream::iter([Ok::<_, Infallible>(part.clone())]);
        let (parts, connection) = (SizedStream::new(200_000, parts), Rc::clone(connection));
        HttpResponse::Ok()
            .finish()
            .map_body(|head, _| SharedBody::new(head, parts, Some(connection)))
    })
    .await;
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
    client.write_all(requests.as_bytes()).await.unwrap();
    head(&mut client).await;
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!(rest == body(100_000));
}

#[actix_web::test]
async fn refusal_of_a_malformed_request_follows_the_body_before_it() {
    let sent = body(100_000);
    let answer = sent.clone();
    let mut client = client_of(move |connection| with_body(connection, &answer)).await;
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n???\r\n\r\n";
    client.write_all(requests.as_bytes()).await.unwrap();
    head(&mut client).await;
    assert!(received(&mut client, sent.len()).await == sent);
    assert!(head(&mut client).await.starts_with("HTTP/1.1 400"));
}

#[actix_web::test]
async fn client_of_http_1_0_receives_a_shared_body_until_the_end() {
    let sent = body(100_000);
    let answer = sent.clone();
    let mut client = client_of(move |connection| with_body(connection, &answer)).await;
    client.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
    let head = head(&mut client).await;
    assert!(head.contains("content-length: 100000\r\n"), "{head}");
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!(rest == sent);
}

#[actix_web::test]
async fn client_that_takes_nothing_of_a_body_is_disconnected() {
    // Sockets of a connection grow to ten megabytes.
    let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
    let kept: Rc<RefCell<Option<Rc<Connection>>>> = Rc::default();
    let served = Rc::clone(&kept);
    let mut client = client_of(move |connection| {
        served.replace(Some(Rc::clone(connection)));
        with_body(connection, &sent)
    })
    .await;
    client
        .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    head(&mut client).await;
    let connection = kept.borrow().clone().unwrap();
    rest().await;
    let waits = connection.waiting_since().unwrap();
    received(&mut client, HUGE).await;
    while connection.waiting_since() == Some(waits) {
        tokio::task::yield_now().await;
    }
    connection.close();
    let mut rest = Vec::new();
    // The kernel may report the unsent rest as a reset.
    let _ = client.read_to_end(&mut rest).await;
    assert!(rest.len() < 3 * HUGE, "{} bytes", rest.len());
}

#[actix_web::test]
async fn clients_that_take_nothing_of_large_bodies_make_room_for_others() {
    let worker = worker();
    let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let mut clients = Vec::new();
    // Two bodies of 64 MB are within the memory, a third one is not.
    for _ in 0..4 {
        let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
        let mut client = client_in(&worker, move |connection| with_body(connection, &sent)).await;
        client.write_all(request).await.unwrap();
        rest().await;
        clients.push(client);
    }
    let mut received = Vec::new();
    for client in &mut clients {
        head(client).await;
        let mut body = Vec::new();
        let reading = async {
            while body.len() < 4 * HUGE
                && client.read_buf(&mut body).await.is_ok_and(|read| read > 0)
            {}
        };
        reading.await;
        received.push(body.len());
    }
    assert!(
        received[..2].iter().all(|size| *size < 4 * HUGE),
        "{received:?}"
    );
    assert_eq!(received[2..], [4 * HUGE; 2]);
}

#[actix_web::test]
async fn client_that_takes_a_body_is_not_disconnected_for_others() {
    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let worker = worker();
    let mut stalled = Vec::new();
    let old = Bytes::from(vec![b'x'; 3 * HUGE]);
    for _ in 0..2 {
        let answer = old.clone();
        let mut client = client_in(&worker, move |connection| with_body(connection, &answer)).await;
        client.write_all(REQUEST).await.unwrap();
        rest().await;
        stalled.push(client);
    }
    let large = body(4 * HUGE);
    let answer = large.clone();
    let mut reader = client_in(&worker, move |connection| with_body(connection, &answer)).await;
    reader.write_all(REQUEST).await.unwrap();
    rest().await;
    head(&mut reader).await;
    let begin = received(&mut reader, HUGE).await;
    rest().await;
    // Too much with both others, of which one is sent by two connections.
    let parts = stream::iter(vec![Ok::<_, Infallible>(body(HUGE)); 4]);
    let parts = Rc::new(RefCell::new(Some(SizedStream::new(4 * HUGE as u64, parts))));
    let mut last = client_in(&worker, move |connection| {
        let (parts, connection) = (parts.take().unwrap(), Rc::clone(connection));
        HttpResponse::Ok()
            .finish()
            .map_body(|head, _| SharedBody::new(head, parts, Some(connection)))
    })
    .await;
    last.write_all(REQUEST).await.unwrap();
    rest().await;
    let end = received(&mut reader, 3 * HUGE).await;
    assert!([begin, end].concat() == large);
    head(&mut last).await;
    received(&mut last, 4 * HUGE).await;
    for client in &mut stalled {
        let mut bytes = Vec::new();
        // The kernel may report the unsent rest as a reset.
        let _ = client.read_to_end(&mut bytes).await;
        assert!(bytes.len() < old.len());
    }
}

#[actix_web::test]
async fn received_body_makes_room_for_others() {
    let worker = worker();
    let mut clients = Vec::new();
    for number in 0..6 {
        let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
        let mut client = client_in(&worker, move |connection| with_body(connection, &sent)).await;
        client
            .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .await
            .unwrap();
        head(&mut client).await;
        rest().await;
        if number < 4 {
            received(&mut client, 4 * HUGE).await;
        }
        // It stays connected.
        clients.push(client);
    }
    for client in &mut clients[4..] {
        received(client, 4 * HUGE).await;
    }
}

#[actix_web::test]
async fn client_that_waits_already_makes_room_itself() {
    let worker = worker();
    let mut streams = Vec::new();
    for is_waiting in [false, false, true] {
        let stream = worker.accept(pair().await.1).unwrap();
        // It has not taken an earlier response.
        let since = is_waiting.then(Instant::now);
        stream.connection().blocked_since.set(since);
        stream.connection().send(vec![b'x'; 4 * HUGE].into());
        streams.push(stream);
    }
    let closing = streams
        .iter()
        .map(|stream| stream.connection().is_closing.get());
    assert_eq!(closing.collect::<Vec<_>>(), [false, false, true]);
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
async fn body_that_many_clients_receive_counts_once() {
    let worker = worker();
    let sent = Bytes::from(vec![b'x'; 4 * HUGE]);
    let mut clients = Vec::new();
    for _ in 0..4 {
        let answer = sent.clone();
        let mut client = client_in(&worker, move |connection| with_body(connection, &answer)).await;
        let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        client.write_all(request).await.unwrap();
        rest().await;
        clients.push(client);
    }
    for client in &mut clients {
        head(client).await;
        assert_eq!(received(client, sent.len()).await.len(), sent.len());
    }
}

/// Many requests, as long as those of browsers.
fn requests(count: usize) -> Vec<u8> {
    let request = format!(
        "GET / HTTP/1.1\r\nHost: a\r\ncookie: {}\r\n\r\n",
        "x".repeat(600)
    );
    request.repeat(count).into_bytes()
}

/// A response without a body, and with a head of 8 KiB.
fn without_body(connection: &Rc<Connection>) -> HttpResponse<SharedBody<Bytes>> {
    let connection = Some(Rc::clone(connection));
    HttpResponse::NotModified()
        .insert_header((header::SERVER, "x".repeat(8 * 1024)))
        .finish()
        .map_body(|head, _| SharedBody::of_bytes(head, None, connection))
}

#[actix_web::test]
async fn client_that_reads_nothing_is_not_read_from() {
    const SENT: usize = 15_000;
    let answered: Rc<Cell<usize>> = Rc::default();
    let count = Rc::clone(&answered);
    let kept: Rc<RefCell<Option<Rc<Connection>>>> = Rc::default();
    let served = Rc::clone(&kept);
    let client = client_of(move |connection| {
        served.replace(Some(Rc::clone(connection)));
        count.set(count.get() + 1);
        without_body(connection)
    })
    .await;
    let (mut reader, mut writer) = client.into_split();
    spawn(async move { writer.write_all(&requests(SENT)).await });
    rest().await;
    // What the kernel holds, and one part of the requests.
    assert!(answered.get() < 6_000, "{} responses", answered.get());
    assert!(kept.borrow().as_ref().unwrap().waiting_since().is_some());

    let mut bytes = vec![0; 64 * 1024];
    while answered.get() < SENT {
        assert_ne!(reader.read(&mut bytes).await.unwrap(), 0);
    }
}

#[actix_web::test]
async fn requests_behind_a_running_one_wait_unread() {
    for size in [30_000, 4 * HUGE] {
        let sent = Bytes::from(vec![b'x'; size]);
        let client = client_of(move |connection| with_body(connection, &sent)).await;
        let (_reader, mut writer) = client.into_split();
        spawn(async move { writer.write_all(&requests(2_000)).await });
        rest().await;
    }
}

#[actix_web::test]
async fn requests_that_were_read_during_another_one_are_answered() {
    const SENT: usize = 200;
    let answered: Rc<Cell<usize>> = Rc::default();
    let count = Rc::clone(&answered);
    let huge = Bytes::from(vec![b'x'; 4 * HUGE]);
    let mut client = client_of(move |connection| {
        if count.replace(count.get() + 1) == 0 {
            with_body(connection, &huge)
        } else {
            without_body(connection)
        }
    })
    .await;
    let (first, others) = (requests(1), requests(SENT - 1));
    client.write_all(&first).await.unwrap();
    rest().await;
    client.write_all(&others).await.unwrap();
    rest().await;
    let mut bytes = vec![0; 64 * 1024];
    while answered.get() < SENT {
        assert_ne!(client.read(&mut bytes).await.unwrap(), 0);
    }
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
