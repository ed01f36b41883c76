//! Namespaces and sockets without the type of their handler, because a client may be in
//! several namespaces.

use std::sync::Arc;

use futures_util::future::LocalBoxFuture;

use super::handler::{Connect, ConnectError, DisconnectReason, Handler};
use super::incoming::Incoming;
use super::namespace::NamespaceState;
use super::socket::{Core, Socket};
use crate::engine::Session;

pub(super) trait ErasedNamespace: Send + Sync {
    fn state(&self) -> &Arc<NamespaceState>;

    /// Calls the handler's `connect`.
    fn connect<'a>(
        &'a self,
        session: &'a Arc<Session>,
        request: Connect<'a>,
    ) -> LocalBoxFuture<'a, Result<Box<dyn ErasedSocket>, ConnectError>>;
}

/// A socket with its handler.
pub(super) trait ErasedSocket: Send {
    fn core(&self) -> &Arc<Core>;
    fn connected(&self) -> LocalBoxFuture<'_, ()>;
    fn event(&self, event: Incoming) -> LocalBoxFuture<'_, ()>;
    fn disconnected(&self, reason: DisconnectReason) -> LocalBoxFuture<'_, ()>;
}

pub(super) struct HandledNamespace<H> {
    state: Arc<NamespaceState>,
    handler: Arc<H>,
}

impl<H: Handler> HandledNamespace<H> {
    pub(super) fn new(name: &str, handler: H) -> Self {
        Self {
            state: NamespaceState::new(name),
            handler: Arc::new(handler),
        }
    }
}

impl<H: Handler> ErasedNamespace for HandledNamespace<H> {
    fn state(&self) -> &Arc<NamespaceState> {
        &self.state
    }

    fn connect<'a>(
        &'a self,
        session: &'a Arc<Session>,
        request: Connect<'a>,
    ) -> LocalBoxFuture<'a, Result<Box<dyn ErasedSocket>, ConnectError>> {
        Box::pin(async move {
            let sid = request.sid;
            let data = self.handler.connect(request).await?;
            let core = Core::new(sid, Arc::clone(&self.state), Arc::clone(session));
            let socket = HandledSocket {
                handler: Arc::clone(&self.handler),
                socket: Socket::new(core, data),
            };
            Ok(Box::new(socket) as Box<dyn ErasedSocket>)
        })
    }
}

struct HandledSocket<H: Handler> {
    handler: Arc<H>,
    socket: Socket<H::Data>,
}

impl<H: Handler> ErasedSocket for HandledSocket<H> {
    fn core(&self) -> &Arc<Core> {
        &self.socket.0
    }

    fn connected(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(self.handler.connected(&self.socket))
    }

    fn event(&self, event: Incoming) -> LocalBoxFuture<'_, ()> {
        Box::pin(self.handler.event(&self.socket, event))
    }

    fn disconnected(&self, reason: DisconnectReason) -> LocalBoxFuture<'_, ()> {
        Box::pin(self.handler.disconnected(&self.socket, reason))
    }
}
