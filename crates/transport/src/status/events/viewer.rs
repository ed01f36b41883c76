//! The connection of a viewer, after the HTTP server has sent the head of the stream.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::task::spawn_local;

use crate::connection::Connection;
use crate::status::viewer_notifier::FrameStream;

/// Sends a stream until it ends, or until the viewer is gone. Its bytes go from the log of the worker to the kernel; the buffers of
/// the HTTP server would take four times the memory of everything else of a viewer.
pub(super) struct Viewer {
    tcp: TcpStream,
    stream: FrameStream,
    /// Counts the connection.
    _connection: Rc<Connection>,
}

impl Viewer {
    /// Sends this stream on the connection, after the response that has taken it.
    pub(super) fn take(connection: &Connection, stream: FrameStream) {
        connection.hand_over(|tcp, connection| {
            spawn_local(Self {
                tcp,
                stream,
                _connection: connection,
            });
        });
    }

    /// Whether the connection has ended: the client has closed it, or sent something, which nobody would answer.
    fn has_left(&mut self, context: &mut Context<'_>) -> bool {
        let mut byte = [0];
        let read = Pin::new(&mut self.tcp).poll_read(context, &mut ReadBuf::new(&mut byte));
        read.is_ready()
    }
}

impl Future for Viewer {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        while let Poll::Ready(unsent) = this.stream.poll_unsent(context) {
            let Some(bytes) = unsent else {
                return Poll::Ready(());
            };
            match Pin::new(&mut this.tcp).poll_write(context, &bytes) {
                Poll::Ready(Ok(sent)) if sent > 0 => this.stream.advance(sent),
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => {
                    this.stream.wake_later(context);
                    break;
                }
            }
        }
        if this.has_left(context) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}
