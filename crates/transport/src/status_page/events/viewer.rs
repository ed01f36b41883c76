//! The connection of a viewer, after the HTTP server has sent the head of the stream.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::rt::net::TcpStream;
use bytes::Bytes;
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::task::spawn_local;

use crate::server::connection::{Connection, ConnectionPermit};
use crate::status_page::viewer_notifier::FrameStream;

/// The body of an event stream's response. Instead of sending bytes through the HTTP server, it
/// takes the connection when the head is sent. It never ends, so no response to a later request can
/// come before that.
pub(super) struct EventStreamBody {
    connection: Option<Rc<Connection>>,
    stream: Option<FrameStream>,
}

/// Sends a stream until it ends, or until the viewer is gone. Its bytes go from the log of the
/// worker to the kernel; the buffers of the HTTP server would take more memory than everything else
/// of a viewer.
struct Viewer {
    tcp: TcpStream,
    stream: FrameStream,
    _permit: ConnectionPermit,
}

impl EventStreamBody {
    /// The body of a response on this connection.
    pub(super) const fn new(connection: Option<Rc<Connection>>, stream: FrameStream) -> Self {
        Self {
            connection,
            stream: Some(stream),
        }
    }
}

impl MessageBody for EventStreamBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let this = self.get_mut();
        let Some(connection) = &this.connection else {
            return Poll::Ready(None);
        };
        if let Some(stream) = this.stream.take() {
            connection.hand_over(|tcp, permit| {
                spawn_local(Viewer {
                    tcp,
                    stream,
                    _permit: permit,
                });
            });
        }
        Poll::Pending
    }
}

impl Viewer {
    /// Whether the connection has ended: the client has closed it, or sent something, which
    /// gets no response.
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
