//! The bytes of a connection, as the HTTP server reads and writes them.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use actix_web::rt::net::TcpStream;
use bytes::Buf as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Connection;

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

    fn tcp(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        let tcp = self.tcp.as_mut().map(Pin::new);
        tcp.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let read = this.tcp()?.poll_read(context, buffer);
        if read.is_pending() {
            if this.connection.is_closing.get() {
                // Nothing read is the end of the client's requests.
                return Poll::Ready(Ok(()));
            }
            this.connection.wait(context);
        }
        read
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let connection = Rc::clone(&this.connection);
        let tcp = this.tcp()?;
        let mut body = connection.body.borrow_mut();
        let Some(body) = body.as_mut() else {
            return tcp.poll_write(context, bytes);
        };
        let together = [IoSlice::new(bytes), IoSlice::new(body)];
        let written = ready!(tcp.poll_write_vectored(context, &together))?;
        body.advance(written.saturating_sub(bytes.len()));
        Poll::Ready(Ok(written.min(bytes.len())))
    }

    /// Sends the rest of the body.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let connection = Rc::clone(&this.connection);
        let mut sending = connection.body.borrow_mut();
        let Some(body) = sending.as_mut() else {
            return Poll::Ready(Ok(()));
        };
        while !body.is_empty() {
            let written = ready!(this.tcp()?.poll_write(context, body))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            body.advance(written);
        }
        *sending = None;
        context.waker().wake_by_ref();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(successor) = this.connection.successor.take() {
            if let Some(tcp) = this.tcp.take() {
                successor(tcp, Rc::clone(&this.connection));
            }
            return Poll::Ready(Ok(()));
        }
        this.tcp()?.poll_shutdown(context)
    }
}
