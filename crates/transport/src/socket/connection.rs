//! The connection of a WebSocket, after the HTTP server has sent the head of the response.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, EitherBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::middleware::Next;
use actix_web::rt::net::TcpStream;
use actix_web::{Error, HttpMessage as _};
use bytes::{Buf as _, Bytes};
use futures_util::Stream;
use smallvec::{SmallVec, smallvec};
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};
use tokio::task::spawn_local;
use tokio::time::{Sleep, sleep, timeout};

use crate::server::connection::Connection;
use crate::server::timeouts::body::is_handshake;
use crate::socket::worker_wakes;

/// Bytes that are read at a time.
const READ_SIZE: usize = 4 * 1024;
/// Size in bytes from which no more frames are sent together.
const BATCH_BYTES: usize = 16 * 1024;
/// Maximum number of frames that are sent together.
const BATCH: usize = 64;
/// How long a client may take for frames that are sent together.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the server waits after its close frame until the client ends the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(600);

/// The TCP stream, once the HTTP server has released it. The payload reads from it, and the task of
/// the WebSocket writes to it.
type SharedTcp = Rc<RefCell<Option<TcpStream>>>;

/// What the client sends.
struct Input {
    /// What the HTTP server reads before it releases the stream.
    before: Option<Payload>,
    tcp: SharedTcp,
}

/// The body of the response. Instead of sending frames through the HTTP server, it takes the
/// connection when the head is sent.
pub(super) struct SocketBody {
    connection: Rc<Connection>,
    socket: Option<Socket>,
}

/// Sends frames until the WebSocket ends. They go from the session to the kernel; the buffers of
/// the HTTP server would take more memory than everything else of a client.
struct Socket {
    tcp: SharedTcp,
    frames: BoxBody,
    /// Wakes the task when there are frames.
    waker: Option<Waker>,
    is_over: bool,
    /// Frames that the kernel has not taken yet. Mostly there is one.
    unsent: SmallVec<[Bytes; 1]>,
    /// Ends when the client has not taken them in time; `None` while nothing waits for the client.
    time_limit: Option<Pin<Box<Sleep>>>,
}

/// Middleware: a WebSocket takes its connection from the HTTP server.
///
/// # Errors
/// Those of the handler.
pub(super) async fn take_connection<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<SocketBody, B>>, Error> {
    let connection = request.conn_data::<Rc<Connection>>().cloned();
    let Some(connection) = connection.filter(|_| is_handshake(&request)) else {
        return Ok(next.call(request).await?.map_into_right_body());
    };
    let tcp = SharedTcp::default();
    let input = Input {
        before: Some(request.take_payload()),
        tcp: Rc::clone(&tcp),
    };
    request.set_payload(Payload::Stream {
        payload: Box::pin(input),
    });
    let response = next.call(request).await?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Ok(response.map_into_right_body());
    }
    Ok(response.map_body(|_, frames| {
        let socket = Socket {
            tcp,
            frames: frames.boxed(),
            waker: None,
            is_over: false,
            unsent: SmallVec::new(),
            time_limit: None,
        };
        EitherBody::left(SocketBody {
            connection,
            socket: Some(socket),
        })
    }))
}

impl MessageBody for SocketBody {
    type Error = Error;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    /// It never ends, so the HTTP server waits until it has lost the connection.
    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if let Some(socket) = this.socket.take() {
            this.connection.hand_over(|tcp, permit| {
                socket.tcp.replace(Some(tcp));
                spawn_local(async move {
                    socket.run().await;
                    drop(permit);
                });
            });
        }
        Poll::Pending
    }
}

impl Stream for Input {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut tcp = this.tcp.borrow_mut();
        if let Some(before) = &mut this.before {
            match (Pin::new(before).poll_next(context), tcp.is_some()) {
                (Poll::Pending, true) => {}
                // It ends with the HTTP server.
                (Poll::Ready(None | Some(Err(_))), true) => this.before = None,
                (read, _) => return read,
            }
        }
        let Some(tcp) = tcp.as_mut() else {
            return Poll::Ready(None);
        };
        let mut bytes = [MaybeUninit::uninit(); READ_SIZE];
        let mut bytes = ReadBuf::uninit(&mut bytes);
        ready!(Pin::new(tcp).poll_read(context, &mut bytes))?;
        let read = bytes.filled();
        Poll::Ready((!read.is_empty()).then(|| Ok(Bytes::copy_from_slice(read))))
    }
}

impl Socket {
    async fn run(mut self) {
        let sent = poll_fn(|context| self.poll_frames(context)).await;
        // Ends the session, if it has not ended.
        drop(self.frames);
        if let (Ok(()), Some(tcp)) = (sent, self.tcp.take()) {
            // In a box, because most sockets are not at their end.
            Box::pin(timeout(CLOSE_TIMEOUT, end(tcp))).await.ok();
        }
    }

    /// Ready when all frames are sent, or with an error if they cannot be.
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.unsent.is_empty() {
                self.gather(context);
            }
            if self.unsent.is_empty() {
                return if self.is_over {
                    Poll::Ready(Ok(()))
                } else {
                    Poll::Pending
                };
            }
            match self.poll_send(context) {
                Poll::Ready(sent) => sent?,
                Poll::Pending => return self.poll_time_limit(context).map(Err),
            }
        }
    }

    /// Takes the frames that the session has.
    fn gather(&mut self, context: &Context<'_>) {
        // A task has the same waker all its life.
        let waker = self
            .waker
            .get_or_insert_with(|| worker_wakes::waker_of(context.waker().clone()));
        let context = &mut Context::from_waker(waker);
        let mut size = 0;
        while !self.is_over && size < BATCH_BYTES && self.unsent.len() < BATCH {
            match Pin::new(&mut self.frames).poll_next(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    size += frame.len();
                    self.unsent.push(frame);
                }
                Poll::Ready(Some(Err(_)) | None) => self.is_over = true,
                Poll::Pending => break,
            }
        }
    }

    /// Ready when the client has not taken the frames in time.
    fn poll_time_limit(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let time_limit = self.time_limit.get_or_insert_with(|| {
            // The end of a large list would keep all of it in memory.
            let copy = self.unsent.iter().flatten().copied().collect();
            self.unsent = smallvec![copy];
            Box::pin(sleep(SEND_TIMEOUT))
        });
        let is_over = time_limit.as_mut().poll(context);
        is_over.map(|()| io::ErrorKind::TimedOut.into())
    }

    /// Sends a part of the frames.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut tcp = self.tcp.borrow_mut();
        let tcp = Pin::new(tcp.as_mut().ok_or(io::ErrorKind::NotConnected)?);
        let sent = if let [frame] = self.unsent.as_slice() {
            // Costs the kernel less than a list of one.
            tcp.poll_write(context, frame)
        } else {
            let mut slices = [IoSlice::new(&[]); BATCH];
            for (slice, frame) in slices.iter_mut().zip(&self.unsent) {
                *slice = IoSlice::new(frame);
            }
            let slices = slices.get(..self.unsent.len()).unwrap_or(&slices);
            tcp.poll_write_vectored(context, slices)
        };
        let mut sent = ready!(sent)?;
        if sent == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        for frame in &mut self.unsent {
            let part = sent.min(frame.len());
            frame.advance(part);
            sent -= part;
        }
        self.unsent.retain(|frame| !frame.is_empty());
        if self.unsent.is_empty() {
            // A client that waits keeps no memory for frames.
            self.unsent = SmallVec::new();
            self.time_limit = None;
        }
        Poll::Ready(Ok(()))
    }
}

/// Ends a connection, and waits for the client to do so. The kernel would drop the last frames if
/// something the client has sent was unread.
async fn end(mut tcp: TcpStream) -> io::Result<()> {
    tcp.shutdown().await?;
    let mut unread = [0; 256];
    while tcp.read(&mut unread).await? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::cell::Cell;
    use std::convert::Infallible;
    use std::rc::Weak;
    use std::sync::Arc;

    use actix_http::HttpService;
    use actix_service::{IntoServiceFactory as _, Service as _, ServiceFactory as _, map_config};
    use actix_web::body::BodyStream;
    use actix_web::dev::{AppConfig, Extensions};
    use actix_web::middleware::from_fn;
    use actix_web::{App, HttpRequest, HttpResponse, web};
    use futures_util::{StreamExt as _, stream};

    use crate::limit::client_limits::tests::unlimited;
    use crate::server::connection::ClientStream;
    use crate::server::connection::open_connections::Connections;
    use crate::server::connection::tests::pair;

    /// A client, and a WebSocket that sends these frames to it.
    async fn socket_with(frames: Vec<Bytes>) -> (TcpStream, Socket) {
        let (client, accepted) = pair().await;
        let frames = BodyStream::new(stream::iter(frames.into_iter().map(Ok::<_, Infallible>)));
        let socket = Socket {
            tcp: Rc::new(RefCell::new(Some(accepted))),
            frames: BoxBody::new(frames),
            waker: None,
            is_over: false,
            unsent: SmallVec::new(),
            time_limit: None,
        };
        (client, socket)
    }

    fn frames() -> Vec<Bytes> {
        let small = (0..1_000).map(|number: u32| number.to_be_bytes().to_vec().into());
        // More than the kernel buffers for a client that does not read.
        let large = Bytes::from(vec![b'x'; 16 * 1024 * 1024]);
        small.clone().chain([large]).chain(small).collect()
    }

    #[actix_web::test]
    async fn frames_arrive_whole_and_in_order() {
        let (mut client, socket) = socket_with(frames()).await;
        spawn_local(socket.run());
        let mut received = Vec::new();
        client.read_to_end(&mut received).await.unwrap();
        assert!(received == frames().concat());
    }

    #[actix_web::test]
    async fn last_frames_arrive_although_the_client_has_sent_more() {
        let (mut client, socket) = socket_with(frames()).await;
        client.write_all(&[0; 10_000]).await.unwrap();
        spawn_local(socket.run());
        let mut received = Vec::new();
        client.read_to_end(&mut received).await.unwrap();
        assert!(received == frames().concat());
    }

    #[actix_web::test]
    async fn what_the_http_server_has_read_comes_first() {
        let (mut client, accepted) = pair().await;
        client.write_all(b"later").await.unwrap();
        client.shutdown().await.unwrap();
        let before = stream::iter([Ok(Bytes::from_static(b"earlier, "))]);
        let input = Input {
            before: Some(Payload::Stream {
                payload: Box::pin(before),
            }),
            tcp: Rc::new(RefCell::new(Some(accepted))),
        };
        let read: Vec<_> = input.map(Result::unwrap).collect().await;
        assert_eq!(read.concat(), b"earlier, later");
    }

    #[actix_web::test]
    async fn client_that_takes_frames_too_slowly_is_disconnected() {
        let (client, socket) = socket_with(vec![Bytes::from(vec![b'x'; 16 * 1024 * 1024])]).await;
        let tcp = Rc::downgrade(&socket.tcp);
        tokio::time::pause();
        socket.run().await;
        assert!(tcp.upgrade().is_none());
        drop(client);
    }

    #[actix_web::test]
    async fn frames_that_wait_for_a_client_keep_no_larger_memory() {
        let list = Bytes::from(vec![b'x'; 64 * 1024 * 1024]);
        let chunks = list.chunks(16 * 1024).map(|chunk| list.slice_ref(chunk));
        let (client, mut socket) = socket_with(chunks.collect()).await;
        let sent = poll_fn(|context| Poll::Ready(socket.poll_frames(context))).await;
        assert!(sent.is_pending());
        socket.frames = BoxBody::new(());
        assert!(list.is_unique());
        drop(client);
    }

    /// Sends back what the client sends, after the handshake.
    async fn echo(request: HttpRequest, payload: web::Payload) -> HttpResponse {
        let connection = request.conn_data::<Rc<Connection>>().unwrap();
        CONNECTION.set(Rc::downgrade(connection));
        let status = if request.path() == "/refused" {
            StatusCode::BAD_REQUEST
        } else {
            StatusCode::SWITCHING_PROTOCOLS
        };
        HttpResponse::build(status).body(BodyStream::new(payload))
    }

    thread_local! {
        /// The connection of the last request.
        static CONNECTION: Cell<Weak<Connection>> = const { Cell::new(Weak::new()) };
    }

    /// A client of a worker that echoes.
    async fn client_of_echo() -> TcpStream {
        let (client, accepted) = pair().await;
        let connections = Connections::new(Duration::from_mins(1), Arc::new(unlimited()));
        let stream = connections.accept(accepted).unwrap();
        let app = App::new().default_service(web::to(echo));
        let app = app.wrap(from_fn(take_connection)).into_factory();
        let http = HttpService::build()
            .on_connect_ext(|stream: &ClientStream, data: &mut Extensions| {
                data.insert(Rc::clone(stream.connection()));
            })
            .h1(map_config(app, |()| AppConfig::default()));
        let http = http.new_service(()).await.unwrap();
        spawn_local(async move { http.call((stream, None)).await });
        client
    }

    const HANDSHAKE: &[u8] =
        b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";

    /// Reads until the bytes end like this.
    async fn read_to(client: &mut TcpStream, end: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        while !bytes.ends_with(end) {
            bytes.push(client.read_u8().await.unwrap());
        }
        bytes
    }

    #[actix_web::test]
    async fn websocket_leaves_the_http_server() {
        let mut client = client_of_echo().await;
        client.write_all(HANDSHAKE).await.unwrap();
        let head = read_to(&mut client, b"\r\n\r\n").await;
        assert!(head.starts_with(b"HTTP/1.1 101"));
        for text in [&b"one"[..], b"another one"] {
            client.write_all(text).await.unwrap();
            read_to(&mut client, text).await;
        }
        assert!(CONNECTION.take().upgrade().is_none());
        client.shutdown().await.unwrap();
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    }

    #[actix_web::test]
    async fn refused_websocket_stays_in_the_http_server() {
        let mut client = client_of_echo().await;
        let request = String::from_utf8_lossy(HANDSHAKE).replace(" / ", " /refused ");
        client.write_all(request.as_bytes()).await.unwrap();
        let head = read_to(&mut client, b"\r\n\r\n").await;
        assert!(head.starts_with(b"HTTP/1.1 400"));
        assert!(CONNECTION.take().upgrade().is_some());
    }
}
