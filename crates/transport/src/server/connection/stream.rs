//! The bytes of a connection, as the HTTP server reads and writes them.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use actix_web::rt::net::TcpStream;
use bytes::Buf as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};

use super::Connection;
use super::body_file::poll_send_before_file;

/// A client's TCP stream, which the HTTP server owns until another part takes it.
pub(crate) struct ClientStream {
    /// `None` when it was taken.
    tcp: Option<TcpStream>,
    connection: Rc<Connection>,
}

impl ClientStream {
    pub(super) const fn new(tcp: TcpStream, connection: Rc<Connection>) -> Self {
        Self {
            tcp: Some(tcp),
            connection,
        }
    }

    /// What requests on this stream share.
    pub(crate) const fn connection(&self) -> &Rc<Connection> {
        &self.connection
    }
}

impl Drop for ClientStream {
    /// What would have taken the connection may refer to it.
    fn drop(&mut self) {
        drop(self.connection.takeover.take());
    }
}

/// The stream, unless it was taken.
fn open(tcp: &mut Option<TcpStream>) -> io::Result<Pin<&mut TcpStream>> {
    let tcp = tcp.as_mut().map(Pin::new);
    tcp.ok_or_else(|| io::ErrorKind::NotConnected.into())
}

impl AsyncRead for ClientStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { tcp, connection } = self.get_mut();
        if connection.is_closing.get() {
            // Nothing read is the end of the client's requests.
            return Poll::Ready(Ok(()));
        }
        connection.wait(context);
        let pipeline = &connection.pipeline;
        loop {
            if connection.is_blocked() {
                return Poll::Pending;
            }
            let begins = pipeline.is_ready() && !connection.is_running();
            if pipeline.give(buffer, begins) {
                return Poll::Ready(Ok(()));
            }
            let limit = connection.poll_readable(context);
            if limit == 0 {
                return Poll::Pending;
            }
            let before = buffer.filled().len();
            let mut part = open(tcp)?.take(limit as u64);
            let read = Pin::new(&mut part).poll_read(context, buffer);
            let count = buffer.filled().len() - before;
            let is_end = count == 0 && matches!(read, Poll::Ready(Ok(())));
            if is_end && !begins && pipeline.waiting() > 0 {
                // The client sends no more, but waits for the responses to what it has sent. The
                // rest of a head would never come.
                connection.note_read(context, None);
                return Poll::Pending;
            }
            connection.note_read(context, read.is_ready().then_some(count));
            if count == 0 || pipeline.keep(buffer, before, begins) {
                return read;
            }
            // The HTTP server may not have it yet; the next read shows whether the client has
            // disconnected.
        }
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { tcp, connection } = self.get_mut();
        if connection.is_closing.get() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let tcp = open(tcp)?;
        let mut body = connection.body.borrow_mut();
        let Some(body) = body.as_mut() else {
            return connection.note_write(tcp.poll_write(context, bytes), bytes.len());
        };
        if body.file.is_some() {
            let written = poll_send_before_file(&tcp, context, bytes);
            return connection.note_write(written, bytes.len());
        }
        let together = [IoSlice::new(bytes), IoSlice::new(&body.rest)];
        let written = tcp.poll_write_vectored(context, &together);
        let length = bytes.len() + body.rest.len();
        let written = ready!(connection.note_write(written, length))?;
        body.rest.advance(written.saturating_sub(bytes.len()));
        Poll::Ready(Ok(written.min(bytes.len())))
    }

    /// Sends the rest of the body, or lets another part take the stream. The HTTP server ends with
    /// an error once it is taken.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { tcp, connection } = self.get_mut();
        if let Some(takeover) = connection.takeover.take()
            && let (Some(tcp), Some(permit)) = (tcp.take(), connection.permit.take())
        {
            takeover(tcp, permit);
        }
        let mut tcp = open(tcp)?;
        let mut sending = connection.body.borrow_mut();
        let Some(body) = sending.as_mut() else {
            return Poll::Ready(Ok(()));
        };
        while !body.rest.is_empty() {
            let length = body.rest.len();
            let written = match &body.file {
                Some(file) => file.poll_send(&tcp, context, length),
                None => tcp.as_mut().poll_write(context, &body.rest),
            };
            let written = ready!(connection.note_write(written, length))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            body.rest.advance(written);
        }
        *sending = None;
        // `SharedBody` waits for this.
        context.waker().wake_by_ref();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        open(&mut self.get_mut().tcp)?.poll_shutdown(context)
    }
}
